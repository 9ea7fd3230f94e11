package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.ConstantRange;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.perftest.Recipe;

/**
 * Effect of one constant's range on an option: servers needed ({@link Integer#MAX_VALUE} if no number suffices),
 * throughput of a server, and latency percentile under failures, each at the low and at the high end.
 *
 * @param recipe command that identifies the constant; null for none
 */
public record Influence(
        String constant,
        Basis basis,
        ConstantRange range,
        int serversLow,
        int serversHigh,
        Interval perServerPerSecond,
        Interval latencyNs,
        @Nullable Recipe recipe) {

    /** Effects on throughput and latency below which a constant is not reported. */
    private static final double SMALLEST = 0.005;

    /** Returns the influences of a card's constants on an option, the largest first. */
    static List<Influence> of(Planner planner, PlanOption option, PlanInput input) {
        List<Influence> found = new ArrayList<>();
        ConstantRange.of(option.nic()).forEach((constant, range) -> {
            NicProfile low = NicProfiles.with(option.nic(), Map.of(constant, range.low()));
            NicProfile high = NicProfiles.with(option.nic(), Map.of(constant, range.high()));
            CardLoad lowLoad = planner.load(low, option.shape(), option.servers());
            CardLoad highLoad = planner.load(high, option.shape(), option.servers());
            Influence influence = new Influence(
                    constant,
                    Objects.requireNonNull(option.nic().provenance().get(constant))
                            .basis(),
                    range,
                    planner.serversFor(low, option.shape(), Planner.Factors.NONE),
                    planner.serversFor(high, option.shape(), Planner.Factors.NONE),
                    new Interval(lowLoad.saturatedPerSecond(), highLoad.saturatedPerSecond()),
                    new Interval(
                            Latency.underLoadNs(lowLoad, option.downPerSecond(), input.percentile())[0],
                            Latency.underLoadNs(highLoad, option.downPerSecond(), input.percentile())[0]),
                    Recipe.identifying(constant));
            if (influence.effect() >= SMALLEST || influence.serversEffect() > 0) {
                found.add(influence);
            }
        });
        boolean limited = input.latencyLimitNs().isPresent();
        found.sort(Comparator.comparingInt(Influence::serversEffect)
                .thenComparingDouble(influence -> limited ? influence.effect() : influence.throughputEffect())
                .reversed());
        return List.copyOf(found);
    }

    private int serversEffect() {
        return Math.abs(serversHigh - serversLow);
    }

    /** Returns the servers at the two ends: {@code 5 to 6}, {@code 5 to none}. */
    public String servers() {
        return words(serversLow) + " to " + words(serversHigh);
    }

    private static String words(int servers) {
        return servers == Integer.MAX_VALUE ? "none" : String.valueOf(servers);
    }

    /** Returns the command of perftest, or of this program, that identifies the constant. */
    public String command() {
        return recipe == null ? "none" : recipe.command();
    }

    private double throughputEffect() {
        return Math.abs(Math.log(perServerPerSecond.high() / perServerPerSecond.low()));
    }

    private double effect() {
        double ofLatency = Math.abs(Math.log(latencyNs.high() / latencyNs.low()));
        return Math.max(throughputEffect(), Double.isNaN(ofLatency) ? 0 : ofLatency);
    }
}
