package org.reprobe.analysis.cards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Csv;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.analysis.measurement.WholeFile;

/**
 * Errors of the simulated card beyond those of its constants: a factor by measured quantity, in
 * {@code results/published/model-errors.csv}. An interval over drawn profiles with median m and end h then ends at m
 * exp(sqrt(ln(h / m)^2 + ln(factor)^2)), and at the inverse on its other side.
 *
 * <p>A factor is the smallest with which such intervals contain 90 % of the measured values. A row of a source with n
 * rows has the weight 1 / sqrt(n): rows of one source share a part of their error. The factor for the rows of a source
 * is estimated on those of all other sources, so that no measured value has an influence on the interval that it is
 * compared with; for a quantity of one source, on the rows that a constant was fitted to. The factor for cards that
 * were not measured ({@code left_out} is empty) is estimated on all rows.
 */
public record ModelErrors(List<Entry> entries) {
    public static final String NAME = "model-errors.csv";

    /** No estimate. */
    public static final ModelErrors NONE = new ModelErrors(List.of());

    private static final String HEADER = "quantity,left_out,factor,rows,sources";
    private static final double CONTAINED = 0.9;
    private static final double ROUNDING = 1e-9;
    private static final int COLUMNS = 5;

    /** Factor for the rows of a source, {@code leftOut}, from a number of rows of other sources. */
    public record Entry(String quantity, String leftOut, double factor, int rows, int sources) {}

    private record Excess(String source, boolean fitted, double logFactor) {}

    public ModelErrors {
        entries = List.copyOf(entries);
    }

    /** Estimates the factors by intervals over drawn profiles; rows without one are left out. */
    public static ModelErrors of(Collection<CardPoint> points, Map<String, PredictedInterval> intervals) {
        List<Entry> entries = new ArrayList<>();
        for (String quantity : new TreeSet<>(
                points.stream().map(point -> point.kind().quantity()).toList())) {
            List<Excess> rows = new ArrayList<>();
            TreeSet<String> sources = new TreeSet<>(List.of(""));
            for (CardPoint point : points) {
                PredictedInterval interval = intervals.get(point.claimId());
                if (point.kind().quantity().equals(quantity) && interval != null && interval.low() > 0) {
                    rows.add(new Excess(point.source(), point.fitted(), excess(interval, point.value())));
                    sources.add(point.source());
                }
            }
            for (String leftOut : sources) {
                List<Excess> used =
                        rows.stream().filter(row -> !row.source.equals(leftOut)).toList();
                if (used.isEmpty()) {
                    used = rows.stream().filter(Excess::fitted).toList();
                }
                if (!used.isEmpty()) {
                    int count =
                            (int) used.stream().map(Excess::source).distinct().count();
                    entries.add(new Entry(quantity, leftOut, factor(used), used.size(), count));
                }
            }
        }
        return new ModelErrors(entries);
    }

    /** Returns the logarithm of the smallest factor with which an interval contains a value. */
    private static double excess(PredictedInterval interval, double value) {
        double distance = Math.log(value / interval.median());
        double half = Math.log((distance > 0 ? interval.high() : interval.low()) / interval.median());
        return Math.sqrt(Math.max(0, distance * distance - half * half));
    }

    private static double factor(List<Excess> rows) {
        List<Excess> sorted = rows.stream()
                .sorted(Comparator.comparingDouble(Excess::logFactor))
                .toList();
        double total = rows.stream().mapToDouble(row -> weight(row, rows)).sum();
        double below = 0;
        for (Excess row : sorted) {
            below += weight(row, rows);
            if (below >= CONTAINED * total - ROUNDING) {
                return Math.exp(row.logFactor);
            }
        }
        throw new IllegalArgumentException("no rows");
    }

    private static double weight(Excess of, List<Excess> rows) {
        return 1
                / Math.sqrt((double) rows.stream()
                        .filter(row -> row.source.equals(of.source))
                        .count());
    }

    /** Returns true if an interval, widened by the factor for the row's source, contains the measured value. */
    boolean contains(CardPoint point, PredictedInterval interval) {
        double factor = entries.stream()
                .filter(entry -> entry.quantity.equals(point.kind().quantity()) && entry.leftOut.equals(point.source()))
                .mapToDouble(Entry::factor)
                .findFirst()
                .orElse(1);
        return interval.low() > 0 && excess(interval, point.value()) <= Math.log(factor);
    }

    /** Reads the file of a folder of published numbers; none without it. */
    public static ModelErrors read(Path published) throws InvalidInputException {
        Path file = published.resolve(NAME);
        if (!Files.exists(file)) {
            return NONE;
        }
        List<Entry> entries = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        List<String> lines = Document.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String[] fields = lines.get(i).split(",", -1);
            try {
                if (i == 0 ? !lines.get(i).equals(HEADER) : fields.length != COLUMNS) {
                    throw new NumberFormatException();
                } else if (i > 0) {
                    entries.add(new Entry(
                            fields[0],
                            fields[1],
                            Double.parseDouble(fields[2]),
                            Integer.parseInt(fields[3]),
                            Integer.parseInt(fields[4])));
                }
            } catch (NumberFormatException e) {
                problems.add(
                        new Problem(file.toString(), i + 1, 1, "expected " + HEADER + " and its values", lines.get(i)));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new ModelErrors(entries);
    }

    /** Writes the file into a folder. */
    public void write(Path folder) throws IOException {
        StringBuilder csv = new StringBuilder(HEADER).append('\n');
        for (Entry entry : entries) {
            Csv.append(
                    csv,
                    List.of(
                            entry.quantity,
                            entry.leftOut,
                            Csv.text(Math.round(entry.factor * 1000) / 1000.0),
                            Integer.toString(entry.rows),
                            Integer.toString(entry.sources)));
        }
        WholeFile.write(folder.resolve(NAME), csv.toString());
    }
}
