package org.reprobe.plots.report;

import java.util.Locale;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.claims.Evidence;
import org.reprobe.plots.Labels;

/** Row of a claim in a table, with rounded numbers and the fragment of its address. */
public record ClaimRow(ClaimResult result, String anchor) {
    private static final String NONE = "–";

    /** Returns true for a verdict that a reader should see first. */
    boolean isOpen() {
        return result.status() == Status.MISSED || result.status() == Status.CANT_TELL;
    }

    public String symbol() {
        return switch (result.status()) {
            case HOLDS -> "✓";
            case MISSED -> "✗";
            case CANT_TELL -> "≈";
            case NOT_COMPARABLE -> "≠";
            case NOT_MEASURED -> "○";
        };
    }

    /** Returns the printed number, or the requirement: "at least 1". */
    public String published() {
        return Double.isFinite(result.published()) ? result.relation().of(Labels.value(result.published())) : NONE;
    }

    public String reproduced() {
        return isMeasured() ? fixed(result.reproduced()) : NONE;
    }

    /** Returns the half width of the interval, as "± 0.3"; "one run" if it is unknown; empty for none. */
    public String interval() {
        if (!isMeasured()) {
            return "";
        }
        return Double.isFinite(result.interval())
                ? "± " + fixed(result.interval())
                : result.isOfOneRun() ? "one run" : "";
    }

    /** Returns the difference from the published number; "–" for a bound. */
    public String difference() {
        if (!isMeasured()
                || !Double.isFinite(result.published())
                || result.relation().isBound()) {
            return NONE;
        }
        String text = format("%+,.", result.difference());
        return text.matches("[+−][0.,]*") ? text.substring(1) : text;
    }

    /** Returns the numbers of a miss in words. */
    public String numbers() {
        String difference = difference();
        return "published " + published() + ", reproduced " + reproduced()
                + (interval().isEmpty() ? "" : " (" + interval() + ")") + " " + result.unit()
                + (difference.equals(NONE) ? "" : "; difference " + difference)
                + (tolerance().isEmpty() ? "" : ", tolerance " + tolerance());
    }

    /** Returns the tolerance, as "± 0.3"; empty for none. */
    public String tolerance() {
        return hasTolerance() ? "± " + fixed(result.tolerance()) : "";
    }

    /** Returns "repeats table-1/fixed/0.80", "calibration" or "form chosen"; empty for a prediction. */
    public String role() {
        String repeats = result.repeats();
        if (result.evidence() == Evidence.REPEATED) {
            // Without the paper, which is the claim's own.
            return repeats == null ? "repeated" : "repeats " + repeats.substring(repeats.indexOf('/') + 1);
        }
        return result.role() == Role.PREDICTION ? "" : result.role().word().replace('-', ' ');
    }

    /** Returns the cause; empty for none. */
    public String cause() {
        String cause = result.cause();
        return cause == null || cause.isBlank() ? "" : cause;
    }

    private boolean isMeasured() {
        return result.status() != Status.NOT_MEASURED && Double.isFinite(result.reproduced());
    }

    private boolean hasTolerance() {
        return Double.isFinite(result.tolerance()) && result.tolerance() > 0;
    }

    private String fixed(double value) {
        return format("%,.", value);
    }

    /** Formats a number with one digit more than the tolerance has; without a tolerance, with four digits in all. */
    private String format(String start, double value) {
        double scale = hasTolerance()
                ? result.tolerance()
                : Math.abs(Double.isFinite(result.published()) ? result.published() : result.reproduced()) / 100;
        int decimals =
                scale > 0 && Double.isFinite(scale) ? Math.clamp(1 - (int) Math.floor(Math.log10(scale)), 0, 6) : 2;
        return String.format(Locale.ROOT, start + decimals + "f", value).replace('-', '−');
    }
}
