package org.reprobe.nessie.trials;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.remote.OperationResult;
import org.reprobe.trial.RoundTrips;
import org.reprobe.workload.Rng;

/** Round trips per operation of a single Nessie client on the simulated card, for each value of {@link Rules}. */
final class RoundTripCosts implements RoundTrips {
    private static final int SLOTS = 4096;
    private static final double LOAD = 0.5;
    private static final int OPERATIONS = 400;

    @Override
    public String about() {
        return "Counted for a single client on the simulated card, " + OPERATIONS
                + " operations of each kind, at a load of " + LOAD + "; writes that found no place are left out.";
    }

    /** Returns a card with transactions, for {@link Rules#RHTM}. */
    @Override
    public String nic() {
        return "rhtm-40g";
    }

    @Override
    public List<String> variants() {
        return Arrays.stream(Rules.values()).map(Rules::key).toList();
    }

    @FunctionalInterface
    private interface Call {
        OperationResult run(NessieClient nessie, long key) throws FabricException;
    }

    @Override
    public Map<String, List<Double>> count(NewFabric fabrics) throws FabricException, InterruptedException {
        Map<String, List<Double>> costs = new LinkedHashMap<>();
        for (Rules rules : Rules.values()) {
            try (Fabric fabric = fabrics.open()) {
                Geometry geometry = new Geometry(SLOTS, 2, SLOTS, Long.BYTES);
                MemorySegment memory = fabric.allocate(geometry.bytes());
                Fill fill = Fill.of(memory, geometry, rules, Fill.Places.IN_TURN, LOAD, ordinal -> Rng.at(1, ordinal));
                Nessie table = new Nessie(geometry, fabric.register(memory), fill.loaded(), rules, 1, Nessie.ATTEMPTS);
                fabric.run(1, client -> {
                    NessieClient nessie = new NessieClient(client, table, 0, 1, ServerCalls.NONE);
                    Counting counting = new Counting(nessie, costs);
                    long[] there = fill.keys();
                    counting.of("read a present key", i -> there[i], NessieClient::read);
                    counting.of("read an absent key", i -> Rng.at(2, i), NessieClient::read);
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

    private record Counting(NessieClient nessie, Map<String, List<Double>> into) {
        void of(String operation, Keys keys, Call call) throws FabricException {
            long trips = 0;
            int counted = 0;
            for (int i = 0; i < OPERATIONS; i++) {
                long before = nessie.connection().roundTrips();
                if (call.run(nessie, keys.key(i)) != OperationResult.FULL) {
                    trips += nessie.connection().roundTrips() - before;
                    counted++;
                }
            }
            into.computeIfAbsent(operation, _ -> new ArrayList<>()).add((double) trips / counted);
        }
    }
}
