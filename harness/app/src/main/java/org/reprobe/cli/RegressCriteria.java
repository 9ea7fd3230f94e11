package org.reprobe.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import picocli.CommandLine.Option;

/** The options that say when a difference counts. */
final class RegressCriteria {
    @Option(
            names = "--min-effect",
            paramLabel = "PERCENT",
            description = "The smallest change of a measured metric that matters, like 5%% (default: 5%%).")
    private @Nullable String minEffect;

    @Option(
            names = "--metric",
            paramLabel = "NAME",
            description = "Judge this measured metric; may be given again (default: throughput, p50, p99, requests).")
    private List<String> metrics = new ArrayList<>();

    /** A fraction: 0.05 for 5 %. */
    double minEffect(List<Problem> problems) {
        return minEffect == null ? 0.05 : fraction("--min-effect", minEffect, problems);
    }

    /** {@code 5%}, {@code 5} percent or nothing good. */
    static double fraction(String option, String text, List<Problem> problems) {
        String digits = text.strip().replaceFirst("\\s*%$", "");
        if (digits.matches("\\d{1,3}(\\.\\d{1,6})?")) {
            double fraction = Double.parseDouble(digits) / 100;
            if (fraction > 0 && fraction < 1) {
                return fraction;
            }
        }
        problems.add(Problem.of(option + " " + text, "must be a percentage above 0 and below 100, like 5%"));
        return 0.05;
    }

    /** As typed; empty for the default. */
    List<String> metrics() {
        return List.copyOf(metrics);
    }

    /** Complains about metrics that nothing reports. */
    void check(Set<String> reported, List<Problem> problems) {
        for (String metric : new LinkedHashSet<>(metrics)) {
            if (!reported.contains(metric)) {
                problems.add(Problem.of(
                        "--metric " + metric,
                        "no run reports this" + Spelling.hint(metric, reported)
                                + (Spelling.nearest(metric, reported) == null
                                        ? "; there are " + String.join(", ", reported)
                                        : "")));
            }
        }
    }
}
