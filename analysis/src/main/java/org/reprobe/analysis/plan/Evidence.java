package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;

/**
 * Constants of a card that an option's throughput and latency depend on, by their bases. The weight of a constant is
 * the relative change of the result by its relative change; {@code rateKnown} and {@code latencyKnown} are the parts of
 * all weights of constants that are not assumed, 0 to 1.
 *
 * @param assumed assumed constants with a weight that matters, the largest first
 * @param latencyCounts true if the latency has a limit
 */
public record Evidence(double rateKnown, double latencyKnown, boolean latencyCounts, List<String> assumed) {
    /** Part of the weights above which a result is measured. */
    private static final double MEASURED = 0.75;

    /** Smaller weights are rounding errors of the distribution's grid. */
    private static final double SMALLEST_WEIGHT = 0.02;

    private static final double STEP = 1.1;

    /** Sections with constants that lookups and writes depend on. */
    private static final Set<String> SECTIONS =
            Set.of("responder", "link", "slot", "transfer", "requester", "client", "contention", "card");

    public Evidence {
        assumed = List.copyOf(assumed);
    }

    static Evidence of(Planner planner, PlanOption option, PlanInput input) {
        List<Weight> rate = weights(planner, option, CardLoad::saturatedPerSecond);
        List<Weight> latency = weights(
                planner, option, load -> Latency.underLoadNs(load, option.downPerSecond(), input.percentile())[0]);
        boolean latencyCounts = input.latencyLimitNs().isPresent();
        List<Weight> assumed = new ArrayList<>(rate);
        if (latencyCounts) {
            assumed.addAll(latency);
        }
        return new Evidence(
                known(rate),
                known(latency),
                latencyCounts,
                assumed.stream()
                        .filter(weight -> !isKnown(weight.basis) && weight.size > 0.05)
                        .sorted(Comparator.comparingDouble(Weight::size).reversed())
                        .map(Weight::constant)
                        .distinct()
                        .toList());
    }

    /**
     * Returns true if at least three quarters of the throughput, and of a limited latency, rest on constants with a
     * source.
     */
    public boolean isMeasured() {
        return rateKnown >= MEASURED && (!latencyCounts || latencyKnown >= MEASURED);
    }

    private record Weight(String constant, @Nullable Basis basis, double size) {}

    private static List<Weight> weights(Planner planner, PlanOption option, ToDoubleFunction<CardLoad> result) {
        NicProfile nic = option.nic();
        double before = result.applyAsDouble(planner.load(nic, option.shape(), option.servers()));
        List<Weight> weights = new ArrayList<>();
        NicProfiles.constants(nic).forEach((constant, value) -> {
            if (value == 0 || !SECTIONS.contains(constant.substring(0, constant.indexOf('.')))) {
                return;
            }
            // A share or a switch can't grow beyond 1.
            double other = value <= 1 && value * STEP > 1 ? value / STEP : value * STEP;
            NicProfile changed = NicProfiles.with(nic, Map.of(constant, other));
            double after = result.applyAsDouble(planner.load(changed, option.shape(), option.servers()));
            double size = Math.abs(Math.log(after / before)) / Math.log(STEP);
            if (size >= SMALLEST_WEIGHT) {
                NicProfile.Provenance provenance = nic.provenance().get(constant);
                weights.add(new Weight(
                        constant,
                        provenance == null ? null : provenance.basis(),
                        Double.isFinite(size) ? size : 1 / Math.log(STEP)));
            }
        });
        return weights;
    }

    private static double known(List<Weight> weights) {
        double all = weights.stream().mapToDouble(Weight::size).sum();
        double known = weights.stream()
                .filter(weight -> isKnown(weight.basis))
                .mapToDouble(Weight::size)
                .sum();
        return all == 0 ? 1 : known / all;
    }

    private static boolean isKnown(@Nullable Basis basis) {
        return basis != null && basis != Basis.ASSUMED && basis != Basis.CEILING;
    }
}
