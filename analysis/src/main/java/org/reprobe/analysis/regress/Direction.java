package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Metrics;

/** Which way a metric should go. */
public enum Direction {
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    /** A change is neither good nor bad in itself: read size, number of lookups counted. */
    NEITHER;

    /** How long one process took, from start to end: the one metric that no run reports of itself. */
    public static final String PROCESS = "process_ms";

    /** The metrics that measured results are judged by unless the user names others. */
    public static final List<String> JUDGED =
            List.of(Metrics.THROUGHPUT, Metrics.LATENCY + ".p50", Metrics.LATENCY + ".p99", Metrics.REQUESTS);

    /** A metric's direction, from its name and the unit at its end. */
    public static Direction of(String metric) {
        if (metric.equals(Metrics.DURATION) || metric.equals(Metrics.LOOKUPS) || metric.equals(Metrics.READ_SIZE)) {
            return NEITHER;
        }
        if (metric.endsWith("_per_s")) {
            return HIGHER_IS_BETTER;
        }
        boolean work = metric.contains("requests") || metric.contains("retries") || metric.contains("aborts");
        boolean time = metric.matches(".*_(ns|us|ms|s)(\\..*)?");
        return work || time ? LOWER_IS_BETTER : NEITHER;
    }

    /**
     * The metrics among {@code metrics} that no run reports, as bad values of {@code --metric}.
     *
     * @param reported the metrics that runs report
     */
    public static List<Problem> unreported(List<String> metrics, Set<String> reported) {
        List<Problem> problems = new ArrayList<>();
        for (String metric : new LinkedHashSet<>(metrics)) {
            if (!reported.contains(metric)) {
                String hint = Spelling.hint(metric, reported);
                problems.add(Problem.of(
                        "--metric " + metric,
                        "no run reports this"
                                + (hint.isEmpty() ? "; there are " + String.join(", ", reported) : hint)));
            }
        }
        return problems;
    }

    /**
     * What a change is.
     *
     * @param logRatio natural logarithm of new / base, not 0
     */
    Verdict verdict(double logRatio) {
        return switch (this) {
            case HIGHER_IS_BETTER -> logRatio > 0 ? Verdict.BETTER : Verdict.WORSE;
            case LOWER_IS_BETTER -> logRatio < 0 ? Verdict.BETTER : Verdict.WORSE;
            case NEITHER -> Verdict.CHANGED;
        };
    }
}
