package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.UnreachableException;

/** Other abilities of programs: polling, CPU access to memory, servers notified of deaths. */
class ExploredProgramsTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private abstract static class OnWords implements Trial {
        private final int clients;
        MemorySegment memory = MemorySegment.NULL;
        RemoteRegion region = new RemoteRegion(0, 0, 0);

        OnWords(int clients) {
            this.clients = clients;
        }

        @Override
        public int clients() {
            return clients;
        }

        @Override
        public void build(Fabric fabric) throws FabricException {
            memory = fabric.allocate(16);
            region = fabric.register(memory);
        }

        @Override
        public void run(Client client, HistoryRecorder history) throws FabricException {
            MemorySegment local = client.allocate(64);
            run(client, local, client.connect(local, new ConnectionOptions(4, 4)));
        }

        abstract void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException;

        void read(QueuePair queuePair) throws FabricException {
            queuePair.read(0, 0, region.address(), region.key(), 8, true);
            queuePair.doorbell();
        }

        void write(QueuePair queuePair, int bytes) throws FabricException {
            queuePair.write(0, 8, region.address(), region.key(), bytes, true);
            queuePair.doorbell();
        }

        @Override
        public @Nullable String violation(History history) {
            return null;
        }

        @Override
        public String place(int number, long offset) {
            return "word " + offset / 8;
        }
    }

    @Test
    void aReaderBetweenTwoWritesIsFoundWithTwoSwitches() throws Exception {
        Trial trial = new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                Completions completions = new Completions(4);
                long[] seen = new long[2];
                for (int times = 0; times < 2; times++) {
                    if (client.index() == 0) {
                        read(queuePair);
                    } else {
                        local.set(LONG, 8, 1 - times);
                        write(queuePair, 8);
                    }
                    queuePair.await(completions);
                    seen[times] = local.get(LONG, 0);
                }
                if (seen[0] == 0 && seen[1] == 1) {
                    throw new IllegalStateException("saw it come");
                }
            }
        };
        Counterexample found = ExplorationTest.fails(trial, ExplorationLimits.USUAL, "client 0 failed: saw it come");
        assertThat(found.switches()).isEqualTo(2);
    }

    /** A WRITE's buffer must not change before its completion, including the partial last word. */
    @Test
    void changingAWritesSourceBeforeItsCompletionIsReported() throws Exception {
        ExplorationTest.holds(changes(false), ExplorationLimits.USUAL);
        ExplorationTest.fails(
                changes(true),
                ExplorationLimits.USUAL,
                "the source of a WRITE word 0 (12 B) was changed before its completion was polled");
    }

    private static Trial changes(boolean early) {
        return new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                write(queuePair, 12);
                if (early && client.index() == 1) {
                    local.set(ValueLayout.JAVA_BYTE, 8 + 11, (byte) 1);
                }
                queuePair.await(new Completions(4));
                local.set(ValueLayout.JAVA_BYTE, 8 + 11, (byte) 2);
            }
        };
    }

    /** A poll may find nothing, also right after a fruitless poll and a request. */
    @Test
    void aPollRightAfterAPostMayFindNothing() throws Exception {
        ExplorationTest.holds(polls(false), ExplorationLimits.USUAL);
        ExplorationTest.fails(polls(true), ExplorationLimits.USUAL, "failed: found nothing");
    }

    private static Trial polls(boolean takesTheFirst) {
        return new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                Completions completions = new Completions(4);
                queuePair.poll(completions);
                for (int times = 0; times < 2; times++) {
                    read(queuePair);
                    boolean first = true;
                    while (queuePair.poll(completions) == 0) {
                        if (first && takesTheFirst) {
                            throw new IllegalStateException("found nothing");
                        }
                        first = false;
                    }
                }
            }
        };
    }

    @Test
    void anUpdateByTheClientsCpuIsLost() throws Exception {
        ExplorationTest.holds(storesByCpu(true), ExplorationLimits.USUAL);
        ExplorationTest.fails(storesByCpu(false), ExplorationLimits.USUAL, "word 0 is 1, not 2");
    }

    private static Trial storesByCpu(boolean atOnce) {
        return new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) {
                client.accesses(8);
                long before = memory.get(LONG, 0);
                if (!atOnce) {
                    client.accesses(8);
                }
                memory.set(LONG, 0, before + 1);
            }

            @Override
            public @Nullable String violation(History history) {
                long value = memory.get(LONG, 0);
                return value == 2 ? null : "word 0 is " + value + ", not 2";
            }
        };
    }

    @Test
    void aPausedProgramContinuesAfterAClientsStore() throws Exception {
        ExplorationLimits noRetries =
                new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 2000, 20, 1);
        ExplorationTest.holds(
                new OnWords(2) {
                    @Override
                    void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                        Completions completions = new Completions(4);
                        if (client.index() == 0) {
                            for (int times = 0; times < 3; times++) {
                                client.accesses(8);
                                memory.set(LONG, 0, times);
                            }
                            return;
                        }
                        do {
                            read(queuePair);
                            queuePair.await(completions);
                            if (local.get(LONG, 0) < 2) {
                                client.pause(1000);
                            }
                        } while (local.get(LONG, 0) < 2);
                    }
                },
                noRetries);
    }

    @Test
    void aServerIsNotifiedOfDeadClients() throws Exception {
        ExplorationTest.holds(server(here -> {}), ExplorationLimits.USUAL);
        ExplorationTest.fails(
                server(here -> {
                    if (here.gone() == 0) {
                        throw new IllegalStateException("its client is gone, " + (here.gone() < 0) + " for the rest");
                    }
                }),
                ExplorationLimits.USUAL.withCrashes(1),
                "the server failed: its client is gone, true for the rest");
    }

    private interface GoneHandler {
        void gone(Server server);
    }

    private static Trial server(GoneHandler handler) {
        return new OnWords(1) {
            @Override
            public ServerProgram server() {
                return here -> {
                    here.accept(here.allocate(64), new ConnectionOptions(4, 4));
                    Completions completions = new Completions(4);
                    while (true) {
                        switch (here.next(completions)) {
                            case GONE -> handler.gone(here);
                            case END -> {
                                return;
                            }
                            default -> throw new IllegalStateException("nothing else can happen");
                        }
                    }
                };
            }

            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                for (int times = 0; times < 2; times++) {
                    read(queuePair);
                    queuePair.await(new Completions(4));
                }
            }
        };
    }

    @Test
    void aMessageThatHasNoPlaceAtTheReceiverIsRefused() throws Exception {
        ExplorationTest.holds(messages(16), ExplorationLimits.USUAL);
        ExplorationTest.fails(
                messages(8), ExplorationLimits.USUAL, "client 0 failed: " + Completions.Status.REMOTE_INVALID_REQUEST);
    }

    private static Trial messages(int room) {
        return new OnWords(1) {
            @Override
            public ServerProgram server() {
                return here -> {
                    QueuePair end = here.accept(here.allocate(room), new ConnectionOptions(4, 4, 4));
                    if (end != null) {
                        end.receive(1, 0, 16);
                        here.await(new Completions(4));
                    }
                };
            }

            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                queuePair.send(0, 0, 16, true);
                queuePair.doorbell();
                Completions completions = new Completions(4);
                queuePair.await(completions);
                if (completions.status(0) != Completions.Status.SUCCESS) {
                    throw new IllegalStateException(String.valueOf(completions.status(0)));
                }
            }
        };
    }

    /** Changes wake no excluded client: such pauses would be endless. */
    @Test
    void aPartitionedProgramPausesUntilTheLinkReturns() throws Exception {
        ExplorationLimits fewPauses = ExplorationLimits.USUAL.withCuts(1).withPauses(4);
        ExplorationTest.holds(
                new OnWords(2) {
                    @Override
                    public void run(Client client, HistoryRecorder history) throws FabricException {
                        MemorySegment local = client.allocate(64);
                        if (client.index() == 1) {
                            client.accesses(8);
                            for (int times = 0; times < 8; times++) {
                                memory.set(LONG, 0, memory.get(LONG, 0) + 1);
                                client.accesses(8);
                            }
                            return;
                        }
                        client.accesses(8);
                        while (true) {
                            try {
                                client.connect(local, new ConnectionOptions(4, 4));
                                return;
                            } catch (UnreachableException e) {
                                client.pause(1000);
                            }
                        }
                    }

                    @Override
                    void run(Client client, MemorySegment local, QueuePair queuePair) {
                        throw new IllegalStateException("not used");
                    }
                },
                fewPauses);
    }

    @Test
    void aClientFailsWithItsMachine() throws Exception {
        ExplorationTest.holds(onMachines(2), ExplorationLimits.USUAL);
        for (int client = 0; client < 3; client++) {
            ExplorationTest.fails(
                    onMachines(client), ExplorationLimits.USUAL.withFailures(1), "client " + client + " is dead");
        }
    }

    private static Trial onMachines(int judged) {
        return new Trial() {
            private MemorySegment memory = MemorySegment.NULL;

            @Override
            public int clients() {
                return 3;
            }

            @Override
            public int servers() {
                return 2;
            }

            @Override
            public void build(Fabric fabric) throws FabricException {
                memory = fabric.allocate(24);
                fabric.register(memory);
            }

            @Override
            public void run(Client client, HistoryRecorder history) {
                client.accesses(8);
                memory.setAtIndex(LONG, client.index(), 1);
            }

            @Override
            public @Nullable String violation(History history) {
                boolean others = memory.getAtIndex(LONG, (judged + 1) % 3) == 1;
                boolean dead = memory.getAtIndex(LONG, judged) == 0;
                return dead && others ? "client " + judged + " is dead" : null;
            }
        };
    }

    /** Two clients that undo each other's work may continue forever without an error: such schedules are cut off. */
    @Test
    void clientsThatUndoEachOthersWorkAreCutOff() throws Exception {
        Trial trial = new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                Completions completions = new Completions(4);
                for (long times = 0; ; times++) {
                    local.set(LONG, 8, times << 1 | client.index());
                    write(queuePair, 8);
                    queuePair.await(completions);
                    client.pause(1000);
                }
            }
        };
        ExplorationOutcome outcome =
                new Exploration(trial, ExplorationLimits.USUAL.withPauses(2)).exhaustive(Exploration.ALL, 1000);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.cut()).isPositive();
    }

    /** Both outcomes of a wait with a deadline are explored: the completion, and the timeout. */
    @Test
    void aDeadlineMayPassBeforeACompletionOrAfterIt() throws Exception {
        ExplorationTest.fails(waits(false), ExplorationLimits.USUAL, "client 0 failed: too late");
        ExplorationTest.fails(waits(true), ExplorationLimits.USUAL, "client 0 failed: in time");
    }

    private static Trial waits(boolean inTime) {
        return new OnWords(1) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                read(queuePair);
                boolean came = queuePair.await(new Completions(4), client.nowNs() + 1000) > 0;
                if (came == inTime) {
                    throw new IllegalStateException(came ? "in time" : "too late");
                }
            }
        };
    }

    @Test
    void aWriteOvertakesAnotherOnlyWhereCardsMay() throws Exception {
        Trial trial = new OnWords(2) {
            @Override
            void run(Client client, MemorySegment local, QueuePair queuePair) throws FabricException {
                Completions completions = new Completions(4);
                if (client.index() == 0) {
                    local.set(LONG, 8, 1);
                    queuePair.write(0, 8, region.address(), region.key(), 8, false);
                    queuePair.write(1, 8, region.address() + 8, region.key(), 8, true);
                    queuePair.doorbell();
                    queuePair.await(completions);
                    return;
                }
                queuePair.read(0, 0, region.address() + 8, region.key(), 8, true);
                queuePair.doorbell();
                queuePair.await(completions);
                long second = local.get(LONG, 0);
                read(queuePair);
                queuePair.await(completions);
                if (second == 1 && local.get(LONG, 0) == 0) {
                    throw new IllegalStateException("the second has overtaken the first");
                }
            }
        };
        ExplorationTest.holds(trial, ExplorationLimits.USUAL);
        ExplorationTest.fails(
                trial,
                ExplorationLimits.USUAL.withTearing(ExplorationLimits.Tearing.OVERTAKING),
                "client 1 failed: the second has overtaken the first");
    }
}
