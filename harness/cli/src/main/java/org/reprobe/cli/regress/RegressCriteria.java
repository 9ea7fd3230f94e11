package org.reprobe.cli.regress;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.cli.options.Percentage;
import picocli.CommandLine.Option;

final class RegressCriteria {
    @Option(
            names = "--min-effect",
            paramLabel = "PERCENT",
            converter = Percentage.class,
            description = "Smallest relevant change of a measured metric, like 5%% (default: 5%%).")
    private @Nullable Double minEffect;

    @Option(
            names = "--metric",
            paramLabel = "NAME",
            description = "Measured metric to judge; repeatable (default: throughput, p50, p99, requests).")
    private List<String> metrics = new ArrayList<>();

    Criteria criteria() {
        return minEffect == null ? Criteria.DEFAULT : new Criteria(Criteria.DEFAULT.level(), minEffect);
    }

    List<String> metrics() {
        return List.copyOf(metrics);
    }

    void check(Set<String> reported, List<Problem> problems) {
        problems.addAll(Direction.unreported(metrics, reported));
    }
}
