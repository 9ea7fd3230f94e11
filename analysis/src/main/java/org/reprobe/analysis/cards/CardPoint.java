package org.reprobe.analysis.cards;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.analysis.claims.Quantity;
import org.reprobe.analysis.claims.Relation;

/**
 * Measurement of a real card: one row of {@code results/published/cards/NAME.csv}.
 *
 * @param file the file's name, which is also that of the scenario that repeats its rows
 * @param profile NIC profile that is scored; empty if none describes the card
 * @param fitted true if a constant of a profile or of the model was fitted to the row
 * @param settings values of scenario keys, without those that do not apply
 * @param obstacle reason why no cell repeats the row; empty if one does
 */
public record CardPoint(
        String file,
        String id,
        String source,
        String place,
        String card,
        String profile,
        Kind kind,
        boolean fitted,
        Map<String, Object> settings,
        String metric,
        double value,
        String unit,
        String obstacle) {
    /** First part of claim ids, and of what scenarios reproduce. */
    public static final String CLAIMS = "cards";

    /** Tolerance of performance, as for all papers. */
    private static final double TOLERANCE = 0.07;

    private static final String NIC = "nic";
    private static final String MACHINES = "clients.machines";

    public CardPoint {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Kinds of measurements, each of which is scored apart. */
    public enum Kind {
        LATENCY_BY_SIZE("latency by size"),
        TAIL_LATENCY("tail latency"),
        RATE_BY_SIZE("rate by size"),
        RATE_BY_QUEUE_PAIRS("rate by queue pairs"),
        THREADS_AND_DEPTH("threads and depth"),
        SHARED_QUEUE_PAIRS("shared queue pairs"),
        SYMMETRIC_LOAD("symmetric load"),
        ATOMICS("atomics"),
        FAILURE_TIMES("failure times"),
        SET_UP("set-up");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }

        /** Returns what is measured: latency, tail latency, rate or time. Model errors are estimated by it. */
        String quantity() {
            return switch (this) {
                case LATENCY_BY_SIZE -> "latency";
                case TAIL_LATENCY -> "tail latency";
                case RATE_BY_SIZE,
                        RATE_BY_QUEUE_PAIRS,
                        THREADS_AND_DEPTH,
                        SHARED_QUEUE_PAIRS,
                        SYMMETRIC_LOAD,
                        ATOMICS -> "rate";
                case FAILURE_TIMES, SET_UP -> "time";
            };
        }
    }

    /** Returns true for a claim made from a measurement of a card. */
    public static boolean isOf(ClaimResult claim) {
        return claim.id().startsWith(CLAIMS + "/");
    }

    public String claimId() {
        return CLAIMS + "/" + file + "/" + id;
    }

    public boolean isExpressible() {
        return obstacle.isEmpty();
    }

    /** Returns the keys of the cell that repeats this row. */
    public Map<String, Object> cell() {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put(NIC, profile);
        cell.putAll(settings);
        return cell;
    }

    /** Returns the claim that the cell has the measured value. */
    Claim claim() {
        Quantity.Metric quantity = new Quantity.Metric(file, metric, cell(), List.of(), scale(), false);
        return new Claim(
                claimId(),
                source + ", " + place,
                card + ", " + kind.words() + ": " + id,
                quantity,
                Map.of(),
                Claim.Take.EACH,
                Relation.EQUALS,
                value,
                TOLERANCE * value,
                unit,
                false,
                fitted ? ClaimResult.Role.CALIBRATION : ClaimResult.Role.PREDICTION,
                Evidence.PERFORMANCE,
                null,
                null);
    }

    /** Returns the factor from the metric's own unit to the row's. */
    private double scale() {
        return switch (unit) {
            case "us" -> 1e-3;
            case "M/s" -> 1e-6;
            case "M/s both ways", "M/s of two cards" -> 2e-6;
            case "M/s per machine" ->
                1e-6 / (settings.get(MACHINES) instanceof Number machines ? machines.doubleValue() : 1);
            default -> 1;
        };
    }
}
