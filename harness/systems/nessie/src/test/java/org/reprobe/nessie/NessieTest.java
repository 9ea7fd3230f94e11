package org.reprobe.nessie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Timeline;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.remote.OperationResult;
import org.reprobe.testing.Seeds;

class NessieTest {
    private static final long SEED = Seeds.seed();

    private interface Body {
        void run(Client client, NessieClient nessie) throws FabricException;
    }

    private static void run(Rules rules, Geometry geometry, double load, int clients, Body body) throws Exception {
        run(rules, geometry, load, clients, TestCard.transactional(words(rules, geometry, clients)), body);
    }

    private static int words(Rules rules, Geometry geometry, int clients) {
        return clients * TransactionalOperations.maxWords(rules, geometry.itemBytes());
    }

    private static void run(Rules rules, Geometry geometry, double load, int clients, NicProfile nic, Body body)
            throws Exception {
        try (SimFabric fabric = new SimFabric(nic, clients, SEED)) {
            MemorySegment memory = fabric.allocate(geometry.bytes());
            Fill fill = Fill.of(memory, geometry, rules, Fill.Places.IN_TURN, load, ordinal -> ordinal);
            Nessie table = new Nessie(geometry, fabric.register(memory), fill.loaded(), rules, 500, Nessie.ATTEMPTS);
            fabric.run(
                    clients,
                    client ->
                            body.run(client, new NessieClient(client, table, client.index(), SEED, ServerCalls.NONE)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientAloneGetsWhatAMapWouldGive(Rules rules) throws Exception {
        run(rules, new Geometry(64, 2, 80, 20), 0, 1, (client, nessie) -> {
            SplittableRandom random = new SplittableRandom(SEED);
            Map<Long, Long> truth = new HashMap<>();
            for (int i = 0; i < 5_000; i++) {
                long key = random.nextInt(30);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        assertThat(nessie.delete(key)).isEqualTo(OperationResult.DONE);
                        truth.remove(key);
                    }
                    case 1, 2 -> {
                        OperationResult result = nessie.write(key, i);
                        if (result == OperationResult.DONE) {
                            truth.put(key, (long) i);
                        } else {
                            assertThat(result).isEqualTo(OperationResult.FULL);
                            assertThat(truth).doesNotContainKey(key);
                        }
                    }
                    default -> {
                        Long value = truth.get(key);
                        assertThat(nessie.read(key))
                                .as("seed %d, step %d, key %d", SEED, i, key)
                                .isEqualTo(value == null ? OperationResult.ABSENT : OperationResult.DONE);
                        if (value != null) {
                            assertThat(nessie.firstWord()).isEqualTo(value);
                        }
                    }
                }
            }
            assertThat(nessie.steps().migrations()).isPositive();
        });
    }

    @Test
    void keysThatAreLoadedAreThere() throws Exception {
        run(Rules.CORRECTED, new Geometry(1000, 3, 400, 8), 0.5, 2, (client, nessie) -> {
            int found = 0;
            for (long key = 0; key < 600; key++) {
                if (nessie.read(key) == OperationResult.DONE) {
                    assertThat(nessie.firstWord()).isEqualTo(key);
                    found++;
                }
            }
            assertThat(found).isEqualTo(500);
        });
    }

    @Test
    void transactionsNeedACardThatHasThem() {
        assertThatThrownBy(() -> run(Rules.RHTM, new Geometry(64, 2, 8, 8), 0, 1, TestCard.plain(), (_, _) -> {}))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining("rules rhtm require a card with remote transactions");
    }

    @Test
    void aTransactionSavesTheRoundTripsOfChecksAndFlags() throws Exception {
        run(Rules.RHTM, new Geometry(1000, 2, 600, 8), 0, 1, (client, nessie) -> {
            long[] trips = new long[4];
            trips[0] = nessie.connection().roundTrips();
            assertThat(nessie.write(5, 1)).isEqualTo(OperationResult.DONE); // both places are empty
            trips[1] = nessie.connection().roundTrips();
            assertThat(nessie.write(5, 2)).isEqualTo(OperationResult.DONE);
            trips[2] = nessie.connection().roundTrips();
            assertThat(nessie.read(5)).isEqualTo(OperationResult.DONE);
            trips[3] = nessie.connection().roundTrips();
            assertThat(trips).containsExactly(0, 2, 5, 7);
        });
    }

    /** "Cache eviction on the NIC ... increases the transaction abort rate" (Nessie paper, section 5.1). */
    @Test
    void wholeOperationsInTransactionsEvictEachOther() throws Exception {
        Geometry geometry = new Geometry(10_000, 5, 200, 64);
        long[] retries = new long[Rules.values().length];
        for (Rules rules : List.of(Rules.RHTM, Rules.RHTM_NAIVE)) {
            NicProfile card = TestCard.transactional(words(Rules.RHTM_NAIVE, geometry, 1));
            run(rules, geometry, 0, 4, card, (client, nessie) -> {
                for (int i = 0; i < 100; i++) {
                    long key = 4L * i + client.index();
                    assertThat(nessie.write(key, i)).isEqualTo(OperationResult.DONE);
                    assertThat(nessie.read(key)).isEqualTo(OperationResult.DONE);
                    assertThat(nessie.firstWord()).isEqualTo(i);
                }
                retries[rules.ordinal()] += nessie.retries();
            });
        }
        assertThat(retries[Rules.RHTM_NAIVE.ordinal()]).isGreaterThan(10 + 2 * retries[Rules.RHTM.ordinal()]);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PRINTED")
    void everyReadOfAPresentKeyTakesTwoRoundTrips(Rules rules) throws Exception {
        run(rules, new Geometry(1000, 2, 600, 8), 0.5, 1, (client, nessie) -> {
            for (long key = 0; key < 400; key++) {
                long before = nessie.connection().roundTrips();
                if (nessie.read(key) == OperationResult.DONE) {
                    assertThat(nessie.connection().roundTrips() - before).isEqualTo(2);
                }
            }
        });
    }

    @Test
    void valuesUpToTheItemLengthAreReadBackAndLongerOnesRefused() throws Exception {
        run(Rules.CORRECTED, new Geometry(100, 2, 90, 21), 0, 1, (client, nessie) -> {
            for (int length = 0; length <= 21; length++) {
                MemorySegment value = client.allocate(32).asSlice(0, length);
                value.fill((byte) (length + 1));
                assertThat(nessie.write(0, value)).isEqualTo(OperationResult.DONE);
                assertThat(nessie.read(0)).isEqualTo(OperationResult.DONE);
                assertThat(nessie.value().toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(value.toArray(ValueLayout.JAVA_BYTE));
            }
            MemorySegment tooLong = client.allocate(22);
            assertThatThrownBy(() -> nessie.write(0, tooLong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a value of 22 bytes does not fit: items of this table take 21");
            assertThat(nessie.read(0)).isEqualTo(OperationResult.DONE);
        });
    }

    @ParameterizedTest
    @EnumSource
    void itemsThatOthersTookOutAreUsedAgain(Rules rules) throws Exception {
        // Each client has three items; every overwrite ends the use of another's as often as of its own.
        run(rules, new Geometry(64, 3, 3, 8), 0, 2, (client, nessie) -> {
            for (int i = 0; i < 300; i++) {
                assertThat(nessie.write(7, i)).isEqualTo(OperationResult.DONE);
            }
        });
    }

    private static Verdict contend(Rules rules, long seed) throws Exception {
        int clients = 4;
        Geometry geometry = new Geometry(5, clients + 1, 40, 8);
        long[] steps = new long[1];
        Recording recording = new Recording(() -> ++steps[0]);
        NicProfile jittery = TestCard.of(
                new NicProfile.Requester(1000, 100, 500, 4, 0, 3), // answers may take several times as long
                new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                new NicProfile.Link(10e9, 1024, 0, 0));
        NicProfile card = jittery.with(new NicProfile.Transactions(words(rules, geometry, clients), 20, 100));
        run(rules, geometry, 0, clients, card, (client, nessie) -> {
            SplittableRandom random = new SplittableRandom(seed * 31 + client.index());
            for (int i = 0; i < 40; i++) {
                long key = random.nextInt(4);
                switch (random.nextInt(5)) {
                    case 0 -> {
                        int event = recording.invoked(client.index(), Operation.DELETE, key, 0);
                        OperationResult result = nessie.delete(key);
                        if (result == OperationResult.DONE) {
                            recording.returned(event, Event.DONE);
                        }
                    }
                    case 1, 2 -> {
                        long value = client.index() * 1000L + i;
                        int event = recording.invoked(client.index(), Operation.WRITE, key, value);
                        OperationResult result = nessie.write(key, value);
                        if (result != OperationResult.GAVE_UP) {
                            recording.returned(event, result == OperationResult.DONE ? Event.DONE : Event.REFUSED);
                        }
                    }
                    default -> {
                        int event = recording.invoked(client.index(), Operation.READ, key, 0);
                        OperationResult result = nessie.read(key);
                        if (result != OperationResult.GAVE_UP) {
                            recording.returned(
                                    event, result == OperationResult.DONE ? nessie.firstWord() : Event.ABSENT);
                        }
                    }
                }
            }
        });
        History history = recording.history();
        return new LinearizabilityCheck<>(new RegisterMap()).check(history);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PRINTED")
    void contendingClientsAreLinearizable(Rules rules) throws Exception {
        for (long seed = SEED; seed < SEED + 500; seed++) {
            Verdict verdict = contend(rules, seed);
            if (verdict instanceof Verdict.NotLinearizable broken) {
                throw new AssertionError("seed " + seed + "\n" + Timeline.of(broken.part()));
            }
        }
    }

    /** Shorter schedules, for each error, are found by exploration. */
    @Test
    void thePrintedAlgorithmsAreNotLinearizable() throws Exception {
        int broken = 0;
        for (long seed = 1; seed <= 100; seed++) {
            if (contend(Rules.PRINTED, seed) instanceof Verdict.NotLinearizable) {
                broken++;
            }
        }
        assertThat(broken).isPositive();
    }
}
