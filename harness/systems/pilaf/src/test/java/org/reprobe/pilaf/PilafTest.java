package org.reprobe.pilaf;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.Event;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Timeline;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.remote.OperationResult;
import org.reprobe.testing.Seeds;

class PilafTest {
    private static final long SEED = Seeds.seed();

    private interface Body {
        void run(Client client, PilafClient pilaf) throws FabricException;
    }

    private static void run(PilafTable table, int clients, NicProfile nic, long seed, Body body) throws Exception {
        try (SimFabric fabric = new SimFabric(nic, clients, seed)) {
            MemorySegment memory = fabric.allocate(table.bytes());
            RemoteRegion region = fabric.register(memory);
            fabric.run(
                    clients,
                    client -> body.run(client, new PilafClient(client, table, region, 500)),
                    new PilafServer(memory, table));
        }
    }

    @Test
    void aClientAloneGetsWhatAMapWouldGive() throws Exception {
        run(new PilafTable(40, 32, 20), 1, TestCard.plain(), SEED, (client, pilaf) -> {
            SplittableRandom random = new SplittableRandom(SEED);
            Map<Long, Long> truth = new HashMap<>();
            for (int i = 0; i < 3_000; i++) {
                long key = random.nextInt(36);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        assertThat(pilaf.delete(key)).isEqualTo(OperationResult.DONE);
                        truth.remove(key);
                    }
                    case 1, 2 -> {
                        if (pilaf.write(key, i) == OperationResult.DONE) {
                            truth.put(key, (long) i);
                        } else {
                            assertThat(truth.size()).as("no room").isGreaterThan(28);
                        }
                    }
                    default -> {
                        Long value = truth.get(key);
                        assertThat(pilaf.read(key))
                                .as("seed %d, step %d, key %d", SEED, i, key)
                                .isEqualTo(value == null ? OperationResult.ABSENT : OperationResult.DONE);
                        if (value != null) {
                            assertThat(pilaf.firstWord()).isEqualTo(value);
                        }
                    }
                }
            }
        });
    }

    @Test
    void contendingClientsAreLinearizable() throws Exception {
        NicProfile jittery = TestCard.of(
                new NicProfile.Requester(1000, 100, 500, 4, 0, 3),
                new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                new NicProfile.Link(10e9, 1024, 0, 0));
        long[] retries = new long[1];
        for (long seed = SEED; seed < SEED + 100; seed++) {
            long of = seed;
            long[] time = new long[1];
            Recording recording = new Recording(() -> ++time[0]);
            run(new PilafTable(6, 6, 8), 4, jittery, seed, (client, pilaf) -> {
                SplittableRandom random = new SplittableRandom(of * 31 + client.index());
                for (int i = 0; i < 40; i++) {
                    operation(pilaf, recording, client.index(), random, i);
                }
                retries[0] += pilaf.retries();
            });
            if (new LinearizabilityCheck<>(new RegisterMap()).check(recording.history())
                    instanceof Verdict.NotLinearizable broken) {
                throw new AssertionError("seed " + seed + "\n" + Timeline.of(broken.part()));
            }
        }
        assertThat(retries[0])
                .as("items that were used again while they were read")
                .isPositive();
    }

    private static void operation(PilafClient pilaf, Recording recording, int client, SplittableRandom random, int i)
            throws FabricException {
        long key = random.nextInt(5);
        switch (random.nextInt(5)) {
            case 0 -> {
                int event = recording.invoked(client, Operation.DELETE, key, 0);
                pilaf.delete(key);
                recording.returned(event, Event.DONE);
            }
            case 1, 2 -> {
                long value = client * 1000L + i;
                int event = recording.invoked(client, Operation.WRITE, key, value);
                recording.returned(event, pilaf.write(key, value) == OperationResult.DONE ? Event.DONE : Event.REFUSED);
            }
            default -> {
                int event = recording.invoked(client, Operation.READ, key, 0);
                recording.returned(event, pilaf.read(key) == OperationResult.DONE ? pilaf.firstWord() : Event.ABSENT);
            }
        }
    }
}
