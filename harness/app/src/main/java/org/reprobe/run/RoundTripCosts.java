package org.reprobe.run;

import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.remote.Result;
import org.reprobe.workload.Rng;

/** What one Nessie client, alone on the simulated card, waits for the network, by operation and {@link Rules}: counted. */
public final class RoundTripCosts {
    private static final int SLOTS = 4096;
    private static final double LOAD = 0.5;
    private static final int OPERATIONS = 400;

    private RoundTripCosts() {}

    /** How it is counted, for people. */
    public static String about() {
        return "Counted for one client alone on the simulated card, " + OPERATIONS
                + " operations of each kind, at a load of " + LOAD + "; writes that found no place are left out.";
    }

    @FunctionalInterface
    private interface Asked {
        Result ask(NessieClient nessie, long key) throws FabricException;
    }

    /**
     * Mean round trips of each operation, in the order shown.
     *
     * @param nic a card with transactions, for {@link Rules#RHTM}; how fast it is does not matter
     */
    public static Map<String, Map<Rules, Double>> count(NicProfile nic) throws FabricException, InterruptedException {
        Map<String, Map<Rules, Double>> costs = new LinkedHashMap<>();
        for (Rules rules : Rules.values()) {
            try (Fabric fabric = Fabrics.open("sim", nic, 1)) {
                Geometry geometry = new Geometry(SLOTS, 2, SLOTS, Long.BYTES);
                MemorySegment memory = fabric.allocate(geometry.bytes());
                Fill fill = Fill.of(memory, geometry, rules, Fill.Places.IN_TURN, LOAD, ordinal -> Rng.at(1, ordinal));
                Nessie table = new Nessie(geometry, fabric.register(memory), fill.loaded(), rules, 1, Nessie.ATTEMPTS);
                fabric.run(1, client -> {
                    NessieClient nessie = new NessieClient(client, table, 0, 1, ServerCalls.NONE);
                    Counting counting = new Counting(rules, nessie, costs);
                    long[] there = fill.keys();
                    counting.of("read a key that is there", i -> there[i], NessieClient::read);
                    counting.of("read a key that is not there", i -> Rng.at(2, i), NessieClient::read);
                    counting.of("overwrite", i -> there[i], (to, key) -> to.write(key, key));
                    counting.of("delete", i -> there[i], NessieClient::delete);
                    counting.of("write again after a delete", i -> there[i], (to, key) -> to.write(key, key));
                    counting.of("write a new key", i -> Rng.at(3, i), (to, key) -> to.write(key, key));
                });
            }
        }
        return costs;
    }

    @FunctionalInterface
    private interface Keys {
        long key(int i);
    }

    private record Counting(Rules rules, NessieClient nessie, Map<String, Map<Rules, Double>> into) {
        void of(String operation, Keys keys, Asked asked) throws FabricException {
            long trips = 0;
            int counted = 0;
            for (int i = 0; i < OPERATIONS; i++) {
                long before = nessie.connection().roundTrips();
                if (asked.ask(nessie, keys.key(i)) != Result.FULL) {
                    trips += nessie.connection().roundTrips() - before;
                    counted++;
                }
            }
            into.computeIfAbsent(operation, _ -> new EnumMap<>(Rules.class)).put(rules, (double) trips / counted);
        }
    }
}
