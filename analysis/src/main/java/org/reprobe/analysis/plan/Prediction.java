package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.SampledProfiles;

/**
 * Distribution of a configuration's results over profiles with constants drawn from their ranges, and over the errors
 * of the closed form unless it was simulated. The interval of the servers ends at {@link Integer#MAX_VALUE} if no
 * number of servers suffices.
 *
 * @param keeps part of the profiles by which the configuration keeps all limits with its number of servers
 * @param feasible part of the profiles by which some number of servers keeps them
 */
public record Prediction(
        Interval perServerPerSecond,
        Interval medianNs,
        Interval percentileNs,
        int fewestServers,
        int mostServers,
        double keeps,
        double feasible) {

    private static final int SAMPLES = 64;
    private static final long SEED = 1;

    /** Error of the closed form's throughput and latency that 90 of 100 configurations keep; see plan.md. */
    private static final double THROUGHPUT_ERROR = 0.06;

    private static final double LATENCY_ERROR = 0.10;
    private static final double Z95 = 1.6448536269514722;

    /** Part of the profiles that makes a statement sure. */
    public static final double SURE = 0.95;

    /** Predicts a configuration that no nominal profile makes feasible if {@code option} is null. */
    static Prediction of(
            Planner planner,
            NicProfile nic,
            TableShape shape,
            @Nullable PlanOption option,
            @Nullable Simulated simulated) {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] servers = new double[SAMPLES];
        double[] perServer = new double[SAMPLES];
        double[] median = new double[SAMPLES];
        double[] percentile = new double[SAMPLES];
        List<NicProfile> profiles = new ArrayList<>(SampledProfiles.of(nic, SAMPLES, SEED));
        for (int i = 0; i < SAMPLES; i++) {
            double throughputError = Math.pow(1 + THROUGHPUT_ERROR, random.nextGaussian() / Z95);
            double latencyError = Math.pow(1 + LATENCY_ERROR, random.nextGaussian() / Z95);
            Planner.Factors factors = simulated == null || option == null
                    ? new Planner.Factors(throughputError, latencyError)
                    : new Planner.Factors(
                            simulated.perServerPerSecond() / option.perServerPerSecond(),
                            simulated.percentileNs() / option.downNs()[1]);
            servers[i] = planner.serversFor(profiles.get(i), shape, factors);
            if (option != null) {
                CardLoad load = planner.load(profiles.get(i), shape, option.servers());
                perServer[i] = load.saturatedPerSecond() * factors.throughput();
                double[] ns = Latency.underLoadNs(load, option.downPerSecond(), 0.5, planner.percentile());
                median[i] = ns[0] * (simulated == null ? factors.latency() : simulated.medianNs() / option.downNs()[0]);
                percentile[i] = ns[1] * factors.latency();
            }
        }
        Interval all = Interval.of(servers);
        int most = option == null ? 0 : option.servers();
        return new Prediction(
                Interval.of(perServer),
                Interval.of(median),
                Interval.of(percentile),
                (int) all.low(),
                (int) all.high(),
                part(servers, most),
                part(servers, Integer.MAX_VALUE - 1));
    }

    /** Returns the interval of the number of servers: {@code 5}, {@code 5 to 7}, {@code 5 or more}, {@code none}. */
    public String servers() {
        if (mostServers == Integer.MAX_VALUE) {
            return fewestServers == Integer.MAX_VALUE ? "none" : fewestServers + " or more";
        }
        return fewestServers == mostServers ? String.valueOf(mostServers) : fewestServers + " to " + mostServers;
    }

    private static double part(double[] servers, int most) {
        return Arrays.stream(servers).filter(each -> each <= most).count() / (double) servers.length;
    }
}
