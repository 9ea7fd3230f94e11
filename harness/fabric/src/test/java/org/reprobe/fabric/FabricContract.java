package org.reprobe.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.testing.Seeds;

/** Contract tests for every fabric. Futile waits end by the time limit. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public abstract class FabricContract {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = LONG.varHandle();
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(64, 16);

    private Fabric fabric = open(1);

    /** Opens a fresh fabric with 64 send-queue slots and 16 outstanding READs. */
    protected abstract Fabric open(int servers);

    @BeforeEach
    void start() {
        fabric = open(1);
    }

    @AfterEach
    void stop() {
        fabric.close();
    }

    private MemorySegment server(long longs) throws FabricException {
        MemorySegment memory = fabric.allocate(longs * 8);
        for (long i = 0; i < longs; i++) {
            memory.setAtIndex(LONG, i, i);
        }
        return memory;
    }

    private static void awaitOne(QueuePair queuePair, long id, Status status) throws FabricException {
        Completions completions = new Completions(1);
        assertThat(queuePair.await(completions)).isEqualTo(1);
        assertThat(completions.id(0)).isEqualTo(id);
        assertThat(completions.status(0)).isEqualTo(status);
    }

    /** Returns true if {@link Server.WakeReason#GONE} implies a client's death. */
    protected boolean distinguishesDeathsFromOrderlyEnds() {
        return true;
    }

    @Test
    void aReadBringsTheServersBytes() throws Exception {
        RemoteRegion region = fabric.register(server(1024));
        fabric.run(3, client -> {
            MemorySegment local = client.allocate(4096);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.read(7, 16, region.address() + 800, region.key(), 24, true);
            queuePair.doorbell();
            awaitOne(queuePair, 7, Status.SUCCESS);
            assertThat(local.get(LONG, 8)).isZero();
            assertThat(local.get(LONG, 16)).isEqualTo(100);
            assertThat(local.get(LONG, 32)).isEqualTo(102);
            assertThat(local.get(LONG, 40)).isZero();
        });
    }

    @Test
    void nothingHappensBeforeTheDoorbell() throws Exception {
        MemorySegment memory = server(8);
        RemoteRegion region = fabric.register(memory);
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            local.set(LONG, 0, -1);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.write(1, 0, region.address(), region.key(), 8, true);
            assertThat(queuePair.poll(new Completions(4))).isZero();
            assertThat(memory.get(LONG, 0)).isZero();
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.SUCCESS);
            assertThat(memory.get(LONG, 0)).isEqualTo(-1);
        });
    }

    /** Number of words that makes a WRITE arrive in parts. */
    protected int longWriteWords() {
        return 20_000;
    }

    /** A reader that goes from the last word to the first never sees a word older than one behind it. */
    @Test
    void theWordsOfAWriteLandWholeAndInOrderWhereThatIsPromised() throws Exception {
        int words = longWriteWords();
        long rounds = 100;
        MemorySegment memory = fabric.allocate(words * 8L);
        RemoteRegion region = fabric.register(memory);
        AtomicBoolean promised = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        fabric.run(
                1,
                client -> {
                    try {
                        MemorySegment local = client.allocate(words * 8L);
                        QueuePair queuePair = client.connect(local, OPTIONS);
                        promised.set(queuePair.writesLandInOrder());
                        assertThat(promised.get())
                                .as("answer of the memory without a connection")
                                .isEqualTo(fabric.writesLandInOrder());
                        for (long round = 1; promised.get() && round <= rounds; round++) {
                            for (int word = 0; word < words; word++) {
                                local.setAtIndex(LONG, word, round << 32 | round);
                            }
                            queuePair.write(1, 0, region.address(), region.key(), words * 8, true);
                            queuePair.doorbell();
                            awaitOne(queuePair, 1, Status.SUCCESS);
                        }
                    } finally {
                        over.set(true); // an endless server would hide why its client failed
                    }
                },
                server -> {
                    server.accept(server.allocate(64), OPTIONS);
                    SplittableRandom random = new SplittableRandom(Seeds.seed());
                    while (!over.get()) {
                        server.accesses(words * 8L);
                        long behind = 0;
                        // A few at a time, to stay ahead of a WRITE in either direction.
                        for (int word = words - 1; word >= 0; word -= 1 + random.nextInt(words / 8)) {
                            long now = (long) SHARED_WORD.getAcquire(memory, word * 8L);
                            if (now >>> 32 != (now & 0xFFFF_FFFFL) || now < behind) {
                                throw new AssertionError(
                                        "word %d is %x, one behind it %x".formatted(word, now, behind));
                            }
                            behind = now;
                        }
                        server.pause(1000);
                    }
                });
        assumeTrue(promised.get(), "WRITEs may land in any order");
        assertThat(memory.getAtIndex(LONG, words - 1)).isEqualTo(rounds << 32 | rounds);
    }

    @Test
    void theLastSignaledCompletionCoversAllBeforeIt() throws Exception {
        RemoteRegion region = fabric.register(server(1024));
        fabric.run(2, client -> {
            MemorySegment local = client.allocate(4096);
            QueuePair queuePair = client.connect(local, OPTIONS);
            for (int i = 0; i < 64; i++) {
                queuePair.read(i, i * 8L, region.address() + i * 16L, region.key(), 8, i == 63);
            }
            assertThat(queuePair.free()).isZero();
            queuePair.doorbell();
            awaitOne(queuePair, 63, Status.SUCCESS);
            assertThat(queuePair.free()).isEqualTo(64);
            for (int i = 0; i < 64; i++) {
                assertThat(local.get(LONG, i * 8L)).isEqualTo(2 * i);
            }
        });
    }

    @Test
    void completionsComeInTheOrderOfPosting() throws Exception {
        RemoteRegion region = fabric.register(server(1024));
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(8192);
            QueuePair queuePair = client.connect(local, OPTIONS);
            for (int i = 0; i < 32; i++) {
                int bytes = i % 2 == 0 ? 4096 : 8;
                queuePair.read(i, 0, region.address(), region.key(), bytes, true);
            }
            queuePair.doorbell();
            List<Long> ids = new ArrayList<>();
            Completions completions = new Completions(5);
            while (ids.size() < 32) {
                int count = queuePair.await(completions);
                assertThat(count).isBetween(1, 5);
                for (int i = 0; i < count; i++) {
                    ids.add(completions.id(i));
                }
            }
            assertThat(ids).isSorted().hasSize(32);
        });
    }

    @Test
    void aReadAfterAWriteOnOneQueuePairSeesIt() throws Exception {
        RemoteRegion region = fabric.register(server(64));
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(128);
            local.set(LONG, 0, 4711);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.write(1, 0, region.address() + 8, region.key(), 8, false);
            queuePair.read(2, 64, region.address() + 8, region.key(), 8, true);
            queuePair.doorbell();
            awaitOne(queuePair, 2, Status.SUCCESS);
            assertThat(local.get(LONG, 64)).isEqualTo(4711);
        });
    }

    @Test
    void compareAndSwapSwapsOnlyWhatItExpects() throws Exception {
        MemorySegment memory = server(64);
        RemoteRegion region = fabric.register(memory);
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.compareAndSwap(1, 0, region.address() + 40, region.key(), 5, 50, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.SUCCESS);
            assertThat(local.get(LONG, 0)).isEqualTo(5);
            queuePair.compareAndSwap(2, 0, region.address() + 40, region.key(), 5, 500, true);
            queuePair.doorbell();
            awaitOne(queuePair, 2, Status.SUCCESS);
            assertThat(local.get(LONG, 0)).isEqualTo(50);
        });
        assertThat(memory.get(LONG, 40)).isEqualTo(50);
    }

    @Test
    void manyClientsLoseNoUpdate() throws Exception {
        MemorySegment memory = server(8);
        RemoteRegion region = fabric.register(memory);
        int clients = 6;
        int additions = 50;
        fabric.run(clients, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            long expected = 1;
            for (int done = 0; done < additions; ) {
                queuePair.compareAndSwap(1, 0, region.address() + 8, region.key(), expected, expected + 1, true);
                queuePair.fetchAndAdd(2, 8, region.address() + 16, region.key(), 3, true);
                queuePair.doorbell();
                awaitOne(queuePair, 1, Status.SUCCESS);
                awaitOne(queuePair, 2, Status.SUCCESS);
                long before = local.get(LONG, 0);
                if (before == expected) {
                    done++;
                    expected++;
                } else {
                    expected = before;
                }
            }
        });
        assertThat(memory.get(LONG, 8)).isEqualTo(1 + clients * additions);
        assertThat((memory.get(LONG, 16) - 2) % 3).isZero();
        assertThat(memory.get(LONG, 16)).isGreaterThanOrEqualTo(2 + 3 * clients * additions);
    }

    @Test
    void aReadOutOfBoundsFailsAndFlushesWhatFollows() throws Exception {
        MemorySegment memory = server(8);
        RemoteRegion region = fabric.register(memory);
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            local.set(LONG, 0, -1);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.read(1, 0, region.address() + 60, region.key(), 8, false);
            queuePair.write(2, 0, region.address(), region.key(), 8, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.REMOTE_ACCESS_ERROR);
            awaitOne(queuePair, 2, Status.FLUSHED);
        });
        assertThat(memory.get(LONG, 0)).isZero();
    }

    @Test
    void aWrongKeyFails() throws Exception {
        RemoteRegion region = fabric.register(server(8));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            queuePair.read(1, 0, region.address(), region.key() + 1, 8, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.REMOTE_ACCESS_ERROR);
        });
    }

    @Test
    void anAtomicOnAnUnalignedAddressFails() throws Exception {
        RemoteRegion region = fabric.register(server(8));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            queuePair.fetchAndAdd(1, 0, region.address() + 4, region.key(), 1, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.REMOTE_ACCESS_ERROR);
        });
    }

    @Test
    void aReadBeyondLocalMemoryFails() throws Exception {
        RemoteRegion region = fabric.register(server(64));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            queuePair.read(1, 60, region.address(), region.key(), 8, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.LOCAL_PROTECTION_ERROR);
        });
    }

    @Test
    void aFullSendQueueTakesNoMore() throws Exception {
        RemoteRegion region = fabric.register(server(64));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(2, 1));
            queuePair.read(1, 0, region.address(), region.key(), 8, true);
            queuePair.read(2, 0, region.address(), region.key(), 8, true);
            assertThatThrownBy(() -> queuePair.read(3, 0, region.address(), region.key(), 8, true))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("send queue is full");
        });
    }

    @Test
    protected void regionsBeyondTwoGibibytesAreAddressed() throws Exception {
        long bytes = (2L << 30) + 4096;
        MemorySegment memory = fabric.allocate(bytes);
        memory.set(LONG, bytes - 8, 77);
        RemoteRegion region = fabric.register(memory);
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            queuePair.read(1, 0, region.address() + bytes - 8, region.key(), 8, true);
            queuePair.doorbell();
            awaitOne(queuePair, 1, Status.SUCCESS);
            assertThat(local.get(LONG, 0)).isEqualTo(77);
        });
    }

    @Test
    void aBarrierHoldsUntilAllHaveArrived() throws Exception {
        AtomicInteger arrived = new AtomicInteger();
        List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
        fabric.run(5, client -> {
            client.spendCpu(client.index() * 10 * client.cpuCosts().operationPs());
            arrived.incrementAndGet();
            client.barrier();
            seen.add(arrived.get());
            client.barrier();
        });
        assertThat(seen).containsExactly(5, 5, 5, 5, 5);
    }

    @Test
    protected void aFailingClientEndsTheRunWithItsOwnWords() {
        assertThatThrownBy(() -> fabric.run(4, client -> {
                    if (client.index() == 2) {
                        throw new FabricException("client 2 gave up");
                    }
                    client.barrier();
                }))
                .isInstanceOf(FabricException.class)
                .hasMessage("client 2 gave up");
    }

    /** The failure ends waits for replies, for other clients and for time. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    protected void aFailingServerProgramEndsTheRunWithItsOwnWords() throws Exception {
        for (int waiting = 0; waiting < 3; waiting++) {
            int what = waiting;
            assertThatThrownBy(() -> fabric.run(
                            2,
                            client -> {
                                QueuePair queuePair = client.connect(client.allocate(64), MESSAGES);
                                if (client.index() == 1 || what == 2) {
                                    client.pause(600_000_000_000L);
                                } else if (what == 1) {
                                    client.barrier();
                                } else {
                                    queuePair.receive(1, 0, 8);
                                    queuePair.await(new Completions(1));
                                }
                            },
                            server -> {
                                server.accept(server.allocate(64), MESSAGES);
                                throw new FabricException("the table is full");
                            }))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("the table is full");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        AtomicInteger ended = new AtomicInteger();
        fabric.run(
                2,
                client -> ended.incrementAndGet(),
                server -> assertThat(server.await(new Completions(1))).isZero());
        assertThat(ended).hasValue(2);
    }

    @Test
    protected void aClientsEarlierFailureIsReported() {
        assertThatThrownBy(() -> fabric.run(
                        2,
                        client -> {
                            client.connect(client.allocate(64), MESSAGES);
                            if (client.index() == 1) {
                                throw new FabricException("client 1 gave up");
                            }
                        },
                        server -> {
                            while (server.accept(server.allocate(64), MESSAGES) != null) {
                                // Ends with the clients.
                            }
                            throw new FabricException("a client is missing");
                        }))
                .isInstanceOf(FabricException.class)
                .hasMessage("client 1 gave up");
    }

    @Test
    void twoRunsOnOneFabricBothWork() throws Exception {
        RemoteRegion region = fabric.register(server(64));
        for (int run = 0; run < 2; run++) {
            AtomicInteger ended = new AtomicInteger();
            fabric.run(2, client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                queuePair.read(1, 0, region.address(), region.key(), 8, true);
                queuePair.doorbell();
                awaitOne(queuePair, 1, Status.SUCCESS);
                ended.incrementAndGet();
            });
            assertThat(ended).hasValue(2);
        }
    }

    @Test
    void everyClientReachesEveryServersMemoryAndItsOwnByTheCpu() throws Exception {
        try (Fabric several = open(3)) {
            assertThat(several.servers()).isEqualTo(3);
            MemorySegment[] memories = new MemorySegment[3];
            RemoteRegion[] regions = new RemoteRegion[3];
            for (int i = 0; i < 3; i++) {
                memories[i] = several.memory(i).allocate(64);
                memories[i].set(LONG, 8, 100 + i);
                regions[i] = several.memory(i).register(memories[i]);
            }
            several.run(3, client -> {
                if (client.index() == 0) {
                    assertThat(client.isLocal(0)).isTrue();
                    assertThat(client.isLocal(1)).isFalse();
                }
                MemorySegment local = client.allocate(64);
                for (int server = 2; server >= 0; server--) {
                    QueuePair queuePair = client.connect(server, local, OPTIONS);
                    long counter = regions[server].address() + 16;
                    queuePair.read(1, 0, regions[server].address() + 8, regions[server].key(), 8, false);
                    queuePair.fetchAndAdd(2, 8, counter, regions[server].key(), 1, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 2, Status.SUCCESS);
                    assertThat(local.get(LONG, 0)).isEqualTo(100 + server);
                    if (client.isLocal(server)) {
                        client.accesses(Long.BYTES);
                        assertThat(memories[server].get(LONG, 16)).isPositive();
                    }
                }
            });
            assertThat(memories)
                    .allSatisfy(memory -> assertThat(memory.get(LONG, 16)).isEqualTo(3));
        }
    }

    /**
     * Two READs in flight at each of three servers; after each completion another one, until each server was read
     * twenty times.
     */
    @Test
    void aClientWaitsForTheFirstOfAllItsConnections() throws Exception {
        int rounds = 20;
        AtomicInteger right = new AtomicInteger();
        try (Fabric several = open(3)) {
            RemoteRegion[] regions = new RemoteRegion[3];
            for (int i = 0; i < 3; i++) {
                MemorySegment memory = several.memory(i).allocate(8L * rounds);
                for (int j = 0; j < rounds; j++) {
                    memory.setAtIndex(LONG, j, 1000L * (i + 1) + j);
                }
                regions[i] = several.memory(i).register(memory);
            }
            several.run(1, client -> {
                MemorySegment local = client.allocate(3 * 8L * rounds);
                QueuePair[] queuePairs = new QueuePair[3];
                int[] posted = new int[3];
                int[] got = new int[3];
                for (int i = 0; i < 3; i++) {
                    queuePairs[i] = client.connect(i, local, ConnectionOptions.oneSided(4, 4));
                    for (int j = 0; j < 2; j++) {
                        read(queuePairs[i], regions[i], i * rounds, posted[i]++);
                    }
                }
                Completions completions = new Completions(4);
                for (int left = 3 * rounds; left > 0; left -= completions.count()) {
                    assertThat(client.await(completions)).isBetween(1, 4).isEqualTo(completions.count());
                    for (int c = 0; c < completions.count(); c++) {
                        int of = completions.connection(c);
                        assertThat(completions.status(c)).isEqualTo(Status.SUCCESS);
                        assertThat(completions.id(c)).isEqualTo(got[of]);
                        if (local.getAtIndex(LONG, of * rounds + got[of]) == 1000L * (of + 1) + got[of]) {
                            right.incrementAndGet();
                        }
                        got[of]++;
                        if (posted[of] < rounds) {
                            read(queuePairs[of], regions[of], of * rounds, posted[of]++);
                        }
                    }
                }
                assertThatThrownBy(() -> client.await(completions))
                        .isInstanceOf(FabricException.class)
                        .hasMessage("a program waits for a completion, but no request is posted");
            });
        }
        assertThat(right).hasValue(3 * rounds);
    }

    private static void read(QueuePair queuePair, RemoteRegion region, int local, int number) throws FabricException {
        queuePair.read(number, 8L * (local + number), region.address() + 8L * number, region.key(), 8, true);
        queuePair.doorbell();
    }

    /** Completions left on a closed queue pair are dropped; other queue pairs keep their numbers. */
    @Test
    void aClosedConnectionCompletesNothing() throws Exception {
        AtomicInteger right = new AtomicInteger();
        try (Fabric two = open(2)) {
            RemoteRegion first = two.memory(0).register(two.memory(0).allocate(64));
            RemoteRegion second = two.memory(1).register(two.memory(1).allocate(64));
            two.run(1, client -> {
                MemorySegment local = client.allocate(64);
                QueuePair closed = client.connect(0, local, ConnectionOptions.oneSided(4, 4));
                QueuePair other = client.connect(1, local, ConnectionOptions.oneSided(4, 4));
                Completions completions = new Completions(4);
                read(closed, first, 0, 0);
                assertThat(client.await(completions)).isEqualTo(1);
                assertThat(completions.connection(0)).isZero();
                read(closed, first, 0, 1);
                closed.close();
                read(other, second, 0, 2);
                assertThat(client.await(completions)).isEqualTo(1);
                assertThat(completions.connection(0)).isEqualTo(1);
                assertThat(completions.id(0)).isEqualTo(2);
                QueuePair third = client.connect(0, local, ConnectionOptions.oneSided(4, 4));
                read(third, first, 0, 3);
                assertThat(client.await(completions)).isEqualTo(1);
                assertThat(completions.connection(0)).isEqualTo(2);
                right.incrementAndGet();
            });
        }
        assertThat(right).hasValue(1);
    }

    @Test
    void aClientWaitsForMessagesAndForItsOwnRequestsAtOnce() throws Exception {
        AtomicInteger right = new AtomicInteger();
        RemoteRegion region = fabric.register(server(4));
        fabric.run(
                1,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair reads = client.connect(local, ConnectionOptions.oneSided(4, 4));
                    QueuePair messages = client.connect(local, MESSAGES);
                    messages.receive(7, 8, 8);
                    read(reads, region, 2, 1);
                    Completions completions = new Completions(2);
                    assertThat(client.await(completions)).isEqualTo(1);
                    assertThat(completions.connection(0)).isZero();
                    messages.send(8, 0, 8, false);
                    messages.doorbell();
                    assertThat(client.await(completions)).isEqualTo(1);
                    assertThat(completions.connection(0)).isEqualTo(1);
                    assertThat(completions.received(0)).isTrue();
                    assertThat(local.get(LONG, 8)).isEqualTo(47);
                    right.incrementAndGet();
                },
                server -> answerOne(server, 47));
        assertThat(right).hasValue(1);
    }

    private static void answerOne(Server server, int added) throws FabricException {
        MemorySegment memory = server.allocate(64);
        QueuePair end = server.accept(memory, MESSAGES);
        end.receive(3, 0, 8);
        Completions completions = new Completions(1);
        assertThat(server.await(completions)).isEqualTo(1);
        memory.set(LONG, 8, memory.get(LONG, 0) + added);
        end.send(4, 8, 8, true);
        end.doorbell();
        assertThat(server.await(completions)).isEqualTo(1);
        assertThat(server.await(completions)).isZero();
    }

    @Test
    protected void aMissingServerIsRefused() {
        assertThatThrownBy(() -> fabric.memory(1)).hasMessage("there is no server 1: this fabric has one");
        assertThatThrownBy(() -> fabric.run(1, client -> client.connect(1, client.allocate(64), OPTIONS)))
                .isInstanceOf(FabricException.class)
                .hasMessage("there is no server 1: this fabric has one");
        try (Fabric several = open(3)) {
            assertThatThrownBy(() -> several.memory(-1)).isInstanceOf(FabricException.class);
            assertThatThrownBy(() -> several.run(1, client -> client.connect(3, client.allocate(64), OPTIONS)))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("there is no server 3: servers are 0 to 2");
        }
    }

    @Test
    void threadsThatCannotShareAQueuePairAreReported() {
        assertThatThrownBy(() -> fabric.run(
                        1, client -> client.connect(client.allocate(64), new ConnectionOptions(4, 1).sharedAs(0))))
                .isInstanceOf(FabricException.class)
                .hasMessageMatching(".*queue pairs can('t)? be shared.*");
    }

    @Test
    void theEndOfOneOfTwoServersEndsTheRun() throws Exception {
        try (Fabric two = open(2)) {
            FabricServer second = two.memory(1) instanceof FabricServer real ? real : null;
            assumeTrue(second != null, "a run in virtual time goes on without a server");
            RemoteRegion first = two.memory(0).register(two.memory(0).allocate(64));
            RemoteRegion ending = second.register(second.allocate(64));
            assertThatThrownBy(() -> two.run(2, client -> {
                        int server = client.index();
                        RemoteRegion region = server == 0 ? first : ending;
                        QueuePair queuePair = client.connect(server, client.allocate(64), OPTIONS);
                        client.barrier();
                        if (server == 0) {
                            second.close();
                        }
                        Completions completions = new Completions(1);
                        do {
                            queuePair.read(1, 0, region.address(), region.key(), 8, true);
                            queuePair.doorbell();
                            queuePair.await(completions);
                        } while (completions.status(0) == Status.SUCCESS);
                        client.pause(60_000_000_000L);
                    }))
                    .isInstanceOf(FabricException.class);
        }
    }

    /** Opens two servers, the second of which fails in the next run after all clients' first barrier. */
    protected Fabric openToFail() {
        return open(2);
    }

    private static void fail(Fabric two) throws FabricException {
        if (two.memory(1) instanceof FabricServer second) {
            second.close();
        }
    }

    @Test
    void requestsToAFailingServerEndInAnErrorNeverInWrongBytes() throws Exception {
        try (Fabric two = openToFail()) {
            RemoteRegion[] regions = new RemoteRegion[2];
            for (int i = 0; i < 2; i++) {
                MemorySegment memory = two.memory(i).allocate(64);
                memory.set(LONG, 8, 100 + i);
                regions[i] = two.memory(i).register(memory);
            }
            AtomicBoolean failed = new AtomicBoolean();
            Throwable thrown = catchThrowable(() -> two.run(2, client -> {
                int server = 1 - client.index(); // a machine that fails takes its own clients with it
                MemorySegment local = client.allocate(64);
                QueuePair queuePair = client.connect(server, local, OPTIONS);
                client.barrier();
                if (server == 1) {
                    fail(two);
                }
                Completions completions = new Completions(1);
                while (!failed.get()) {
                    local.set(LONG, 0, -1);
                    queuePair.read(1, 0, regions[server].address() + 8, regions[server].key(), 8, true);
                    queuePair.doorbell();
                    queuePair.await(completions);
                    if (completions.status(0) == Status.SUCCESS) {
                        assertThat(local.get(LONG, 0)).isEqualTo(100 + server);
                    } else {
                        // A server that is closed in order deregisters its memory first.
                        assertThat(completions.status(0)).isIn(Status.RETRY_EXCEEDED, Status.REMOTE_ACCESS_ERROR);
                        failed.set(true);
                    }
                }
            }));
            // In real time a lost server ends the run; in virtual time the others continue.
            if (thrown == null) {
                assertThat(failed).isTrue();
            } else {
                assertThat(thrown).isInstanceOf(FabricException.class);
                assertThat(two.memory(1)).isInstanceOf(FabricServer.class);
            }
        }
    }

    private static final ConnectionOptions MESSAGES = new ConnectionOptions(64, 16, 32);

    private static void answer(Server server) throws FabricException {
        Completions completions = new Completions(16);
        List<QueuePair> ends = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        while (ends.size() < 3) {
            MemorySegment memory = server.allocate(1024);
            QueuePair end = server.accept(memory, MESSAGES);
            if (end == null) {
                return;
            }
            for (int slot = 0; slot < 4; slot++) {
                end.receive(slot, slot * 16L, 16);
            }
            ends.add(end);
            memories.add(memory);
        }
        while (server.await(completions) > 0) {
            for (int i = 0; i < completions.count(); i++) {
                assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                if (completions.received(i)) {
                    assertThat(completions.receivedBytes(i)).isEqualTo(8);
                    int connection = completions.connection(i);
                    long slot = completions.id(i);
                    MemorySegment memory = memories.get(connection);
                    memory.set(LONG, 512 + slot * 16, memory.get(LONG, slot * 16) + 1);
                    ends.get(connection).receive(slot, slot * 16, 16);
                    ends.get(connection).send(slot, 512 + slot * 16, 8, true);
                    ends.get(connection).doorbell();
                }
            }
        }
    }

    @Test
    void everyMessageIsAnswered() throws Exception {
        int rounds = 100;
        AtomicInteger answers = new AtomicInteger();
        fabric.run(
                3,
                client -> {
                    MemorySegment local = client.allocate(1024);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    Completions completions = new Completions(4);
                    for (int round = 0; round < rounds; round++) {
                        long number = client.index() * 1000L + round;
                        queuePair.receive(7, 64, 64);
                        local.set(LONG, 0, number);
                        queuePair.send(8, 0, 8, true);
                        queuePair.doorbell();
                        boolean sent = false;
                        boolean received = false;
                        while (!sent || !received) {
                            queuePair.await(completions);
                            for (int i = 0; i < completions.count(); i++) {
                                assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                                if (completions.received(i)) {
                                    assertThat(completions.id(i)).isEqualTo(7);
                                    assertThat(completions.receivedBytes(i)).isEqualTo(8);
                                    received = true;
                                } else {
                                    assertThat(completions.id(i)).isEqualTo(8);
                                    sent = true;
                                }
                            }
                        }
                        assertThat(local.get(LONG, 64)).isEqualTo(number + 1);
                        answers.incrementAndGet();
                    }
                },
                FabricContract::answer);
        assertThat(answers).hasValue(3 * rounds);
    }

    private static ServerProgram adding(long number) {
        return server -> {
            MemorySegment memory = server.allocate(64);
            List<QueuePair> ends = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                QueuePair end = server.accept(memory, MESSAGES);
                end.receive(i, i * 16, 8);
                ends.add(end);
            }
            Completions completions = new Completions(1);
            while (server.await(completions) > 0) {
                if (completions.received(0)) {
                    long at = completions.id(0) * 16;
                    memory.set(LONG, at + 8, memory.get(LONG, at) + number);
                    QueuePair end = ends.get(completions.connection(0));
                    end.send(9, at + 8, 8, true);
                    end.doorbell();
                }
            }
        };
    }

    @Test
    void eachServersProgramHasConnectionsOfItsOwn() throws Exception {
        List<Long> answers = Collections.synchronizedList(new ArrayList<>());
        try (Fabric two = open(2)) {
            two.run(
                    2,
                    client -> {
                        for (int server = 0; server < 2; server++) {
                            MemorySegment local = client.allocate(64);
                            QueuePair queuePair = client.connect(server, local, MESSAGES);
                            local.set(LONG, 0, client.index() + 1);
                            queuePair.receive(1, 8, 8);
                            queuePair.send(2, 0, 8, false);
                            queuePair.doorbell();
                            awaitOne(queuePair, 1, Status.SUCCESS);
                            answers.add(local.get(LONG, 8));
                        }
                    },
                    List.of(adding(10), adding(20)));
        }
        assertThat(answers).containsExactlyInAnyOrder(11L, 12L, 21L, 22L);
    }

    /**
     * The client sends messages to server 0, which sends messages to server 1 and READs to server 2; server 2 is
     * passive.
     */
    @Test
    void aServerProgramSendsRequestsWhileItServes() throws Exception {
        int rounds = 20;
        AtomicInteger answers = new AtomicInteger();
        try (Fabric three = open(3)) {
            MemorySegment held = three.memory(2).allocate(rounds * 8L);
            for (int i = 0; i < rounds; i++) {
                held.setAtIndex(LONG, i, 1000 + i);
            }
            RemoteRegion region = three.memory(2).register(held);
            three.run(
                    1,
                    client -> {
                        MemorySegment local = client.allocate(64);
                        QueuePair queuePair = client.connect(0, local, MESSAGES);
                        for (int round = 0; round < rounds; round++) {
                            queuePair.receive(1, 8, 8);
                            local.set(LONG, 0, round);
                            queuePair.send(2, 0, 8, false);
                            queuePair.doorbell();
                            awaitOne(queuePair, 1, Status.SUCCESS);
                            assertThat(local.get(LONG, 8)).isEqualTo(7 + round + 1000 + round);
                            answers.incrementAndGet();
                        }
                    },
                    List.of(server -> relay(server, rounds, region), server -> {
                        MemorySegment local = server.allocate(64);
                        QueuePair end = server.accept(local, MESSAGES);
                        end.receive(0, 0, 8);
                        Completions completions = new Completions(8);
                        while (server.await(completions) > 0) {
                            for (int i = 0; i < completions.count(); i++) {
                                if (completions.received(i)) {
                                    local.set(LONG, 8, local.get(LONG, 0) + 7);
                                    end.receive(0, 0, 8);
                                    end.send(1, 8, 8, true);
                                    end.doorbell();
                                }
                            }
                        }
                    }));
        }
        assertThat(answers).hasValue(rounds);
    }

    private static void relay(Server server, int rounds, RemoteRegion region) throws FabricException {
        MemorySegment local = server.allocate(64);
        QueuePair client = server.accept(local, MESSAGES);
        client.receive(0, 0, 8);
        assertThat(server.isLocal(0)).isTrue();
        assertThat(server.isLocal(1)).isFalse();
        QueuePair second = server.connect(1, local, MESSAGES);
        QueuePair third = server.connect(2, local, ConnectionOptions.oneSided(4, 4));
        for (int round = 0; round < rounds; round++) {
            assertThat(connectionsOf(server, 1)).containsExactly(0);
            client.receive(0, 0, 8);
            second.receive(1, 8, 8);
            second.send(2, 0, 8, false);
            second.doorbell();
            third.read(3, 16, region.address() + round * 8L, region.key(), 8, true);
            third.doorbell();
            assertThat(connectionsOf(server, 2)).containsExactlyInAnyOrder(1, 2);
            local.set(LONG, 24, local.get(LONG, 8) + local.get(LONG, 16));
            client.send(4, 24, 8, false);
            client.doorbell();
        }
        assertThat(server.await(new Completions(1))).isZero();
    }

    private static List<Integer> connectionsOf(Server server, int count) throws FabricException {
        Completions completions = new Completions(count);
        List<Integer> connections = new ArrayList<>();
        while (connections.size() < count) {
            assertThat(server.next(completions)).isEqualTo(Server.WakeReason.COMPLETIONS);
            for (int i = 0; i < completions.count(); i++) {
                assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                connections.add(completions.connection(i));
            }
        }
        return connections;
    }

    /** Returns the next event other than the orderly end of a client. */
    private Server.WakeReason nextButOrderlyEnds(Server server, Completions completions) throws FabricException {
        Server.WakeReason reason = server.next(completions);
        while (reason == Server.WakeReason.GONE) {
            assertThat(distinguishesDeathsFromOrderlyEnds()).isFalse();
            assertThat(server.gone()).isNotNegative();
            reason = server.next(completions);
        }
        return reason;
    }

    /** Each of two clients WRITEs a word of its own, and the next value once the server has replied. */
    @Test
    void aServerIsNotifiedOfEachWrittenWatchedWord() throws Exception {
        int clients = 2;
        int rounds = 10;
        MemorySegment memory = fabric.allocate(64);
        RemoteRegion region = fabric.register(memory);
        List<Long> notifications = Collections.synchronizedList(new ArrayList<>());
        fabric.run(
                clients,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    local.set(LONG, 0, client.index());
                    queuePair.send(1, 0, 8, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 1, Status.SUCCESS);
                    for (long round = 1; round <= rounds; round++) {
                        queuePair.receive(2, 8, 8);
                        local.set(LONG, 0, round);
                        queuePair.write(3, 0, region.address() + client.index() * 8L, region.key(), 8, false);
                        queuePair.doorbell();
                        awaitOne(queuePair, 2, Status.SUCCESS);
                        assertThat(local.get(LONG, 8)).isEqualTo(round);
                    }
                },
                server -> {
                    MemorySegment local = server.allocate(64);
                    QueuePair[] ends = new QueuePair[clients];
                    Completions completions = new Completions(1);
                    for (int i = 0; i < clients; i++) {
                        QueuePair end = server.accept(local, MESSAGES);
                        end.receive(0, 0, 8);
                        awaitOne(end, 0, Status.SUCCESS);
                        ends[(int) local.get(LONG, 0)] = end;
                    }
                    long[] seen = new long[clients];
                    server.watch(0, memory, 0, 0);
                    server.watch(1, memory, 8, 0);
                    for (Server.WakeReason reason = nextButOrderlyEnds(server, completions);
                            reason != Server.WakeReason.END;
                            reason = nextButOrderlyEnds(server, completions)) {
                        assertThat(reason).isEqualTo(Server.WakeReason.WORDS);
                        int word = server.changed();
                        long now = memory.getAtIndex(LONG, word);
                        assertThat(now).isEqualTo(++seen[word]);
                        notifications.add(10 * now + word);
                        server.watch(word, memory, word * 8L, now);
                        local.set(LONG, 16 + word * 8L, now);
                        ends[word].send(4, 16 + word * 8L, 8, false);
                        ends[word].doorbell();
                    }
                    assertThat(server.changed()).isEqualTo(-1);
                });
        List<Long> expected = new ArrayList<>();
        for (long round = 1; round <= rounds; round++) {
            expected.add(10 * round);
            expected.add(10 * round + 1);
        }
        assertThat(notifications).containsExactlyInAnyOrderElementsOf(expected);
    }

    /** No event for unwatched or unchanged words; an event for a WRITE in flight at the start of the watch. */
    @Test
    void aServerThatWatchesWordsStillWakesAtItsDeadline() throws Exception {
        MemorySegment memory = fabric.allocate(64);
        RemoteRegion region = fabric.register(memory);
        List<Server.WakeReason> reasons = Collections.synchronizedList(new ArrayList<>());
        fabric.run(
                1,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    local.set(LONG, 0, 5);
                    queuePair.write(1, 0, region.address() + 8, region.key(), 8, false);
                    queuePair.receive(2, 8, 8);
                    queuePair.send(3, 0, 8, false);
                    queuePair.doorbell();
                    awaitOne(queuePair, 2, Status.SUCCESS);
                },
                server -> {
                    MemorySegment local = server.allocate(64);
                    QueuePair end = server.accept(local, MESSAGES);
                    end.receive(0, 0, 8);
                    Completions completions = new Completions(1);
                    server.watch(0, memory, 0, 0);
                    reasons.add(server.next(completions)); // the message, behind the WRITE of another word
                    server.watch(1, memory, 8, 5);
                    reasons.add(server.next(completions, server.nowNs() + 1_000_000));
                    server.watch(1, memory, 8, 4);
                    reasons.add(server.next(completions));
                    assertThat(server.changed()).isEqualTo(1);
                    end.send(1, 0, 8, false);
                    end.doorbell();
                    reasons.add(nextButOrderlyEnds(server, completions));
                });
        assertThat(reasons)
                .containsExactly(
                        Server.WakeReason.COMPLETIONS,
                        Server.WakeReason.DEADLINE,
                        Server.WakeReason.WORDS,
                        Server.WakeReason.END);
    }

    @Test
    void memoryThatAServersProgramRegistersWhileItRunsIsReached() throws Exception {
        AtomicInteger got = new AtomicInteger();
        fabric.run(
                1,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    queuePair.receive(1, 0, 16);
                    awaitOne(queuePair, 1, Status.SUCCESS);
                    queuePair.read(2, 24, local.get(LONG, 0), (int) local.get(LONG, 8), 8, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 2, Status.SUCCESS);
                    got.set((int) local.get(LONG, 24));
                },
                server -> {
                    MemorySegment made = server.memory().allocate(8);
                    made.set(LONG, 0, 77);
                    RemoteRegion region = server.memory().register(made);
                    MemorySegment local = server.allocate(64);
                    local.set(LONG, 0, region.address());
                    local.set(LONG, 8, region.key());
                    QueuePair end = server.accept(local, MESSAGES);
                    end.send(1, 0, 16, true);
                    end.doorbell();
                    Completions completions = new Completions(1);
                    assertThat(server.await(completions)).isEqualTo(1);
                    assertThat(server.await(completions)).isZero();
                });
        assertThat(got).hasValue(77);
    }

    @Test
    void aMessageWaitsUntilItsReceiveIsPosted() throws Exception {
        AtomicInteger got = new AtomicInteger();
        fabric.run(
                1,
                client -> {
                    MemorySegment local = client.allocate(64);
                    local.set(LONG, 0, 4711);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    queuePair.send(1, 0, 8, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 1, Status.SUCCESS);
                },
                server -> {
                    MemorySegment local = server.allocate(64);
                    QueuePair end = server.accept(local, MESSAGES);
                    server.spendCpu(50_000_000);
                    end.receive(3, 8, 16);
                    Completions completions = new Completions(1);
                    assertThat(server.await(completions)).isEqualTo(1);
                    assertThat(completions.id(0)).isEqualTo(3);
                    got.set((int) local.get(LONG, 8));
                    assertThat(server.await(completions)).isZero();
                });
        assertThat(got).hasValue(4711);
    }

    @Test
    void aMessageLongerThanItsReceiveFailsAtBothEnds() throws Exception {
        fabric.run(
                1,
                client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), MESSAGES);
                    queuePair.send(1, 0, 17, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 1, Status.REMOTE_INVALID_REQUEST);
                },
                server -> {
                    QueuePair end = server.accept(server.allocate(64), MESSAGES);
                    end.receive(3, 0, 16);
                    end.receive(4, 16, 16);
                    Completions completions = new Completions(1);
                    assertThat(server.await(completions)).isEqualTo(1);
                    assertThat(completions.status(0)).isEqualTo(Status.LOCAL_LENGTH_ERROR);
                    assertThat(server.await(completions)).isEqualTo(1);
                    assertThat(completions.status(0)).isEqualTo(Status.FLUSHED);
                });
    }

    /** The first client sends before the second has created its end; each receives the other's messages in order. */
    @Test
    void clientsSendToEachOtherWhereThatIsPossible() throws Exception {
        List<String> taken = Collections.synchronizedList(new ArrayList<>());
        fabric.run(2, client -> {
            if (client.toClients().isEmpty()) {
                return;
            }
            int own = client.index();
            MemorySegment local = client.allocate(128);
            if (own == 1) {
                client.pause(100_000);
            }
            QueuePair end = client.toClients().get().connect(1 - own, local, MESSAGES);
            end.receive(10, 64, 8);
            end.receive(11, 72, 16);
            for (int message = 0; message < 2; message++) {
                local.set(LONG, 8L * message, 100 * own + message);
                end.send(message, 8L * message, 8, true);
                end.doorbell();
            }
            Completions completions = new Completions(4);
            int sent = 0;
            for (int received = 0; received < 2 || sent < 2; ) {
                end.await(completions);
                for (int i = 0; i < completions.count(); i++) {
                    assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                    if (completions.received(i)) {
                        assertThat(completions.id(i)).isEqualTo(10 + received);
                        assertThat(completions.receivedBytes(i)).isEqualTo(8);
                        taken.add(own + " took " + local.get(LONG, 64 + 8L * received++));
                    } else {
                        assertThat(completions.id(i)).isEqualTo(sent++);
                    }
                }
            }
        });
        assumeFalse(taken.isEmpty(), "clients of this fabric send to server programs only");
        assertThat(taken).containsExactlyInAnyOrder("0 took 100", "0 took 101", "1 took 0", "1 took 1");
        assertThat(taken.indexOf("0 took 100")).isLessThan(taken.indexOf("0 took 101"));
        assertThat(taken.indexOf("1 took 0")).isLessThan(taken.indexOf("1 took 1"));
    }

    @Test
    void connectionsToClientsThatCannotBeAreRefused() throws Exception {
        AtomicBoolean possible = new AtomicBoolean();
        fabric.run(
                2,
                client -> client.toClients().ifPresent(connections -> {
                    possible.set(true);
                    MemorySegment local = MemorySegment.ofArray(new long[8]);
                    assertThatThrownBy(() -> connections.connect(client.index(), local, MESSAGES))
                            .isInstanceOf(FabricException.class)
                            .hasMessageContaining("to itself");
                    assertThatThrownBy(() -> connections.connect(2, local, MESSAGES))
                            .isInstanceOf(FabricException.class)
                            .hasMessageContaining("there is no client 2: there are 2");
                    assertThatThrownBy(() -> connections.connect(1 - client.index(), local, OPTIONS.sharedAs(1)))
                            .isInstanceOf(FabricException.class);
                    assertThatThrownBy(() ->
                                    connections.connect(1 - client.index(), local, ConnectionOptions.oneSided(16, 4)))
                            .isInstanceOf(FabricException.class)
                            .hasMessageContaining("can be neither one-sided nor shared");
                }));
        assumeTrue(possible.get(), "clients of this fabric send to server programs only");
    }

    @Test
    void aServerEndsWhenItsClientsHave() throws Exception {
        AtomicInteger ends = new AtomicInteger();
        fabric.run(2, client -> client.pause(1000), server -> {
            assertThat(server.accept(server.allocate(64), MESSAGES)).isNull();
            assertThat(server.await(new Completions(1))).isZero();
            ends.incrementAndGet();
        });
        assertThat(ends).hasValue(1);
    }

    @Test
    void aServerIsNotifiedOfConnectionsAndMessagesButNotOfOneSidedConnections() throws Exception {
        RemoteRegion region = fabric.register(server(8));
        List<Server.WakeReason> reasons = Collections.synchronizedList(new ArrayList<>());
        fabric.run(
                2,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair passive = client.connect(local, ConnectionOptions.oneSided(4, 1));
                    passive.read(1, 0, region.address() + 8, region.key(), 8, true);
                    passive.doorbell();
                    awaitOne(passive, 1, Status.SUCCESS);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    queuePair.send(2, 0, 8, true);
                    queuePair.doorbell();
                    awaitOne(queuePair, 2, Status.SUCCESS);
                },
                server -> {
                    Completions completions = new Completions(1);
                    while (true) {
                        Server.WakeReason next = next(server, completions);
                        reasons.add(next);
                        if (next == Server.WakeReason.END) {
                            return;
                        }
                        if (next == Server.WakeReason.CONNECTION) {
                            server.accept(server.allocate(64), MESSAGES).receive(3, 0, 8);
                        }
                    }
                });
        assertThat(reasons)
                .containsExactlyInAnyOrder(
                        Server.WakeReason.CONNECTION,
                        Server.WakeReason.CONNECTION,
                        Server.WakeReason.COMPLETIONS,
                        Server.WakeReason.COMPLETIONS,
                        Server.WakeReason.END)
                .startsWith(Server.WakeReason.CONNECTION)
                .endsWith(Server.WakeReason.END);
    }

    /** Another client, waiting for a word of the server's, is present all the while. */
    @Test
    void aServerContinuesAfterADeadline() throws Exception {
        List<Server.WakeReason> reasons = Collections.synchronizedList(new ArrayList<>());
        fabric.run(
                1,
                client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), MESSAGES);
                    queuePair.receive(1, 0, 8);
                    awaitOne(queuePair, 1, Status.SUCCESS);
                },
                server -> {
                    Completions completions = new Completions(1);
                    reasons.add(server.next(completions));
                    QueuePair end = server.accept(server.allocate(64), MESSAGES);
                    long untilNs = server.nowNs() + 2_000_000;
                    reasons.add(server.next(completions, untilNs));
                    assertThat(completions.count()).isZero();
                    assertThat(server.nowNs()).isGreaterThanOrEqualTo(untilNs);
                    end.send(2, 0, 8, true);
                    end.doorbell();
                    reasons.add(server.next(completions, server.nowNs() + 60_000_000_000L));
                    reasons.add(next(server, completions));
                });
        assertThat(reasons)
                .containsExactly(
                        Server.WakeReason.CONNECTION,
                        Server.WakeReason.DEADLINE,
                        Server.WakeReason.COMPLETIONS,
                        Server.WakeReason.END);
    }

    /** The server replies only after the client's deadline. */
    @Test
    void aClientContinuesAfterItsDeadlineWithoutLoss() throws Exception {
        AtomicInteger got = new AtomicInteger();
        fabric.run(
                1,
                client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, MESSAGES);
                    Completions completions = new Completions(2);
                    queuePair.receive(1, 8, 8);
                    long untilNs = client.nowNs() + 2_000_000;
                    assertThat(queuePair.await(completions, untilNs)).isZero();
                    assertThat(client.nowNs()).isGreaterThanOrEqualTo(untilNs);
                    local.set(LONG, 0, 46);
                    queuePair.send(2, 0, 8, false);
                    queuePair.doorbell();
                    while (got.get() == 0) {
                        queuePair.await(completions, client.nowNs() + 60_000_000_000L);
                        for (int i = 0; i < completions.count(); i++) {
                            assertThat(completions.id(i)).isEqualTo(1);
                            got.set((int) local.get(LONG, 8));
                        }
                    }
                },
                server -> answerOne(server, 1));
        assertThat(got).hasValue(47);
    }

    @Test
    void deregisteredMemoryIsUnchangedAndRefusedClientsContinueUnderTheNextKey() throws Exception {
        for (int round = 0; round < 10; round++) {
            MemorySegment memory = server(8);
            RemoteRegion[] regions = {fabric.register(memory), null};
            fabric.run(
                    2,
                    client -> {
                        MemorySegment local = client.allocate(64);
                        QueuePair talk = client.connect(local, MESSAGES);
                        talk.send(1, 0, 8, true);
                        talk.doorbell();
                        awaitOne(talk, 1, Status.SUCCESS);
                        Status status = Status.SUCCESS;
                        QueuePair writes = client.connect(local, ConnectionOptions.oneSided(4, 1));
                        while (status == Status.SUCCESS) {
                            status = add(writes, regions[0]);
                        }
                        assertThat(status).isEqualTo(Status.REMOTE_ACCESS_ERROR);
                        writes.close();
                        talk.receive(2, 8, 8);
                        awaitOne(talk, 2, Status.SUCCESS);
                        QueuePair again = client.connect(local, ConnectionOptions.oneSided(4, 1));
                        assertThat(add(again, regions[1])).isEqualTo(Status.SUCCESS);
                    },
                    server -> {
                        Completions completions = new Completions(1);
                        List<QueuePair> ends = new ArrayList<>();
                        for (int messages = 0; messages < 2; ) {
                            switch (server.next(completions)) {
                                case CONNECTION -> {
                                    ends.add(server.accept(server.allocate(64), MESSAGES));
                                    ends.getLast().receive(3, 0, 8);
                                }
                                default -> messages++;
                            }
                        }
                        fabric.deregister(regions[0]);
                        long before = memory.get(LONG, 0);
                        regions[1] = fabric.register(memory);
                        assertThat(regions[1]).isNotEqualTo(regions[0]);
                        server.spendCpu(20_000_000);
                        // Clients do nothing with the next key before they are notified.
                        assertThat(memory.get(LONG, 0)).isEqualTo(before);
                        for (QueuePair end : ends) {
                            end.send(4, 8, 8, false);
                            end.doorbell();
                        }
                        assertThat(next(server, completions)).isEqualTo(Server.WakeReason.END);
                        assertThat(memory.get(LONG, 0)).isEqualTo(before + 2);
                    });
        }
    }

    /** Returns the server's next event, without orderly ends where the fabric can't distinguish them from deaths. */
    private Server.WakeReason next(Server server, Completions completions) throws FabricException {
        Server.WakeReason reason = server.next(completions);
        while (reason == Server.WakeReason.GONE && !distinguishesDeathsFromOrderlyEnds()) {
            assertThat(server.gone()).isNotNegative();
            reason = server.next(completions);
        }
        return reason;
    }

    private static Status add(QueuePair queuePair, RemoteRegion region) throws FabricException {
        queuePair.fetchAndAdd(5, 16, region.address(), region.key(), 1, true);
        queuePair.doorbell();
        Completions completions = new Completions(1);
        queuePair.await(completions);
        return completions.status(0);
    }

    @Test
    void aFullReceiveQueueTakesNoMore() throws Exception {
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(2, 1, 2));
            queuePair.receive(1, 0, 8);
            queuePair.receive(2, 8, 8);
            assertThatThrownBy(() -> queuePair.receive(3, 16, 8))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("receive queue is full");
        });
    }

    @Test
    void aPauseLetsAtLeastItsTimePass() throws Exception {
        fabric.run(2, client -> {
            long beforeNs = client.nowNs();
            client.pause(20_000);
            assertThat(client.nowNs() - beforeNs).isGreaterThanOrEqualTo(20_000);
        });
    }

    /** Random READs, WRITEs and atomics of one client per word, compared with a plain array. */
    @Test
    void randomOperationsAgreeWithPlainMemory() throws Exception {
        long seed = Seeds.seed();
        MemorySegment memory = server(256);
        RemoteRegion region = fabric.register(memory);
        int clients = 4;
        fabric.run(clients, client -> {
            SplittableRandom random = new SplittableRandom(seed + client.index());
            MemorySegment local = client.allocate(1024);
            QueuePair queuePair = client.connect(local, OPTIONS);
            long[] expected = new long[64];
            int base = client.index() * 64;
            for (int i = 0; i < 64; i++) {
                expected[i] = base + i;
            }
            for (int round = 0; round < 200; round++) {
                int word = random.nextInt(64);
                long remote = region.address() + (base + word) * 8L;
                long value = random.nextLong();
                long before = expected[word];
                switch (random.nextInt(4)) {
                    case 0 -> queuePair.read(round, 8, remote, region.key(), 8, true);
                    case 1 -> {
                        local.set(LONG, 8, value);
                        queuePair.write(round, 8, remote, region.key(), 8, true);
                        expected[word] = value;
                        before = value;
                    }
                    case 2 -> {
                        boolean hit = random.nextBoolean();
                        queuePair.compareAndSwap(
                                round, 8, remote, region.key(), hit ? before : before + 1, value, true);
                        expected[word] = hit ? value : before;
                    }
                    default -> {
                        queuePair.fetchAndAdd(round, 8, remote, region.key(), value, true);
                        expected[word] = before + value;
                    }
                }
                queuePair.doorbell();
                awaitOne(queuePair, round, Status.SUCCESS);
                assertThat(local.get(LONG, 8))
                        .as("client %d round %d, replay with -Dreprobe.seed=%d", client.index(), round, seed)
                        .isEqualTo(before);
            }
            for (int i = 0; i < 64; i++) {
                assertThat(memory.get(LONG, (base + i) * 8L))
                        .as("word %d of client %d, replay with -Dreprobe.seed=%d", i, client.index(), seed)
                        .isEqualTo(expected[i]);
            }
        });
    }
}
