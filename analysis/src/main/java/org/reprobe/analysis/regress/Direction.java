package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Metrics;

public enum Direction {
    HIGHER_IS_BETTER,
    LOWER_IS_BETTER,
    /** A change is neither good nor bad: read size, number of lookups counted. */
    NEITHER;

    /** Run time of one process: the only metric that no run reports itself. */
    public static final String PROCESS = "process_ms";

    /** End of the names of metrics whose unit does not determine the direction, but another program does. */
    public static final String MORE_IS_BETTER = "_more_is_better";

    public static final String LESS_IS_BETTER = "_less_is_better";

    public static final List<String> JUDGED =
            List.of(Metrics.THROUGHPUT, Metrics.LATENCY + ".p50", Metrics.LATENCY + ".p99", Metrics.REQUESTS);

    /** Returns a metric's direction, from its name and unit. */
    public static Direction of(String metric) {
        if (metric.equals(Metrics.DURATION) || metric.equals(Metrics.LOOKUPS) || metric.equals(Metrics.READ_SIZE)) {
            return NEITHER;
        }
        if (metric.endsWith("_per_s") || metric.endsWith(MORE_IS_BETTER)) {
            return HIGHER_IS_BETTER;
        }
        boolean work = metric.contains("requests") || metric.contains("retries") || metric.contains("aborts");
        boolean time = metric.matches(".*_(ns|us|ms|s)(\\..*)?");
        return work || time || metric.endsWith(LESS_IS_BETTER) ? LOWER_IS_BETTER : NEITHER;
    }

    /** Returns the metrics that runs do not report, as bad values of {@code --metric}. */
    public static List<Problem> unreported(List<String> metrics, Set<String> reported) {
        List<Problem> problems = new ArrayList<>();
        for (String metric : new LinkedHashSet<>(metrics)) {
            if (!reported.contains(metric)) {
                String hint = Spelling.hint(metric, reported);
                problems.add(Problem.of(
                        "--metric " + metric,
                        "no run reports this metric"
                                + (hint.isEmpty() ? "; there are " + String.join(", ", reported) : hint)));
            }
        }
        return problems;
    }

    /** Returns the verdict on a change by its log(new / base), not 0. */
    RegressionVerdict verdict(double logRatio) {
        return switch (this) {
            case HIGHER_IS_BETTER -> logRatio > 0 ? RegressionVerdict.BETTER : RegressionVerdict.WORSE;
            case LOWER_IS_BETTER -> logRatio < 0 ? RegressionVerdict.BETTER : RegressionVerdict.WORSE;
            case NEITHER -> RegressionVerdict.CHANGED;
        };
    }
}
