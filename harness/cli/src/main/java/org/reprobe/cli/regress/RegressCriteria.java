package org.reprobe.cli.regress;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.cli.options.Percentage;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

final class RegressCriteria {
    private static final String MIN_EFFECT = "--min-effect";

    /** Smallest relevant change; of all series if the name is "". */
    record Effect(String name, double fraction) {}

    static final class EffectConverter implements ITypeConverter<Effect> {
        @Override
        public Effect convert(String text) {
            int equals = text.lastIndexOf('=');
            return new Effect(
                    equals < 0 ? "" : text.substring(0, equals), new Percentage().convert(text.substring(equals + 1)));
        }
    }

    @Option(
            names = MIN_EFFECT,
            paramLabel = "[NAME=]PERCENT",
            converter = EffectConverter.class,
            description =
                    "Smallest relevant change of a measured metric, like 5%% (default: 5%%); repeatable with the name of"
                            + " a metric or a part of a cell's label, like latency_ns.p99=10%%.")
    private List<Effect> minEffects = new ArrayList<>();

    @Option(
            names = "--metric",
            paramLabel = "NAME",
            description = "Measured metric to judge; repeatable (default: throughput, p50, p99, requests).")
    private List<String> metrics = new ArrayList<>();

    Criteria criteria() {
        double all = Criteria.DEFAULT.minEffect();
        Map<String, Double> named = new LinkedHashMap<>();
        for (Effect effect : minEffects) {
            all = effect.name.isEmpty() ? effect.fraction : all;
            if (!effect.name.isEmpty()) {
                named.put(effect.name, effect.fraction);
            }
        }
        return new Criteria(Criteria.DEFAULT.level(), all, named);
    }

    List<String> metrics() {
        return List.copyOf(metrics);
    }

    void check(Set<String> reported, Collection<String> labels, List<Problem> problems) {
        problems.addAll(Direction.unreported(metrics, reported));
        problems.addAll(criteria().unmatched(reported, labels));
    }
}
