package org.reprobe.analysis.nic;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * NIC profiles with constants drawn from their {@link ConstantRange ranges}, by Latin hypercube sampling (McKay,
 * Beckman, Conover, Technometrics 21(2), 1979): each of N profiles has another of N equally likely values of a
 * constant, the middle ones of N strata.
 *
 * <p>Constants of one origin move together: a host's CPU times, the stages of one engine, a round trip and its part in
 * the hosts, the shares of WRITEs and SENDs, of WRITEs' and READs' bandwidth, and system calls. The read-size model's
 * constants follow those that they are computed from.
 */
public final class SampledProfiles {
    private static final NormalDistribution NORMAL = new NormalDistribution();

    private static final String SERVING = "responder.message-ns";
    private static final String SENDING = "requester.message-ns";
    private static final String PACKET = "card.packet-ns";
    private static final String ROUND_TRIP = "requester.round-trip-ns";
    private static final String HOST = "requester.host-ns";
    private static final String FIXED_COST = "model.fixed-cost-ns";
    private static final String PEAK = "model.peak-messages-per-second";

    private SampledProfiles() {}

    /** Returns {@code count} equally likely profiles, the same for the same seed. */
    public static List<NicProfile> of(NicProfile nic, int count, long seed) {
        Map<String, ConstantRange> ranges = count == 0 ? Map.of() : ConstantRange.of(nic);
        Map<String, int[]> orders = new HashMap<>();
        List<NicProfile> profiles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, Double> drawn = new HashMap<>();
            for (Map.Entry<String, ConstantRange> range : ranges.entrySet()) {
                int[] order = orders.computeIfAbsent(origin(range.getKey()), origin -> order(count, origin, seed));
                double z = NORMAL.inverseCumulativeProbability((order[i] + 0.5) / count);
                drawn.put(range.getKey(), range.getValue().at(z));
            }
            follow(nic, drawn);
            profiles.add(NicProfiles.with(nic, drawn));
        }
        return profiles;
    }

    /** Returns a name that constants of one origin share. */
    private static String origin(String key) {
        return switch (key) {
            case SENDING -> SERVING;
            case HOST -> ROUND_TRIP;
            case "transfer.send-share" -> "transfer.write-share";
            case "transfer.read-efficiency" -> "transfer.efficiency";
            default ->
                key.startsWith("client.") || key.startsWith("set-up.") ? key.substring(0, key.indexOf('.')) : key;
        };
    }

    private static int[] order(int count, String origin, long seed) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + origin.hashCode());
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        return order;
    }

    private static void follow(NicProfile nic, Map<String, Double> drawn) {
        double roundTripNs = drawn.getOrDefault(ROUND_TRIP, nic.requester().roundTripNs());
        if (nic.requester().roundTripNs() > 0) {
            drawn.put(
                    FIXED_COST,
                    nic.model().fixedCostNs() * roundTripNs / nic.requester().roundTripNs());
        }
        drawn.put(HOST, Math.min(drawn.getOrDefault(HOST, nic.requester().hostNs()), roundTripNs));
        double engine = 1;
        if (nic.card().packetNs() > 0) {
            engine = drawn.getOrDefault(PACKET, nic.card().packetNs())
                    / nic.card().packetNs();
            drawn.put(SERVING, nic.responder().messageNs() * engine);
            drawn.put(SENDING, nic.requester().messageNs() * engine);
        } else {
            engine = drawn.getOrDefault(SERVING, nic.responder().messageNs())
                    / nic.responder().messageNs();
        }
        drawn.put(PEAK, nic.model().peakMessagesPerSecond() / engine);
    }
}
