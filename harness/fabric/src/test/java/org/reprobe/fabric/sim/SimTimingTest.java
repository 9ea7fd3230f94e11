package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;

/** Effect of each input of the simulated card, in numbers worked out by hand. */
class SimTimingTest {
    private static final NicProfile.Client NO_WORK = new NicProfile.Client(0, 0, 0, 0, 0, 0, 0);
    private static final NicProfile.Link FAST = new NicProfile.Link(10e9, 1024, 0, 0);

    /** 1 us round trip, 100 ns of it at the client's host; 500 ns to fetch up to 4 work requests. */
    private static NicProfile.Requester requester(double jitter) {
        return new NicProfile.Requester(1000, 100, 500, 4, 0, jitter);
    }

    private interface Timed {
        long ns(Client client, QueuePair queuePair, RemoteRegion region) throws FabricException;
    }

    private static long run(NicProfile nic, ConnectionOptions options, Timed program) {
        return run(nic, options, 1, program)[0];
    }

    private static long[] run(NicProfile nic, ConnectionOptions options, int clients, Timed program) {
        long[] result = new long[clients];
        try (Arena arena = Arena.ofShared();
                SimFabric fabric = new SimFabric(nic, 1, 42)) {
            RemoteRegion region = fabric.register(arena.allocate(1 << 22, 64));
            fabric.run(clients, client -> {
                MemorySegment local = client.allocate(1 << 20);
                QueuePair queuePair = client.connect(local, options);
                client.barrier();
                result[client.index()] = program.ns(client, queuePair, region);
            });
        } catch (FabricException | InterruptedException e) {
            throw new AssertionError(e);
        }
        return result;
    }

    /** Time of one batch of READs of {@code bytes} each at addresses far apart. */
    private static Timed batch(int requests, int bytes) {
        return (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int i = 0; i < requests; i++) {
                queuePair.read(i, 0, region.address() + i * 8192L, region.key(), bytes, i == requests - 1);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        };
    }

    @Test
    void anIdleReadTakesTheRoundTripAndItsBytes() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        assertThat(run(TestCard.plain(), options, batch(1, 0))).isEqualTo(1000);
        // 5 ns for a random address, 100 bytes at 0.1 ns over the bus and 0.1 ns on the wire.
        assertThat(run(TestCard.plain(), options, batch(1, 100))).isEqualTo(1000 + 5 + 10 + 10);
    }

    @Test
    void furtherRangesOfAReadCostTheirAccessAndBytesOnly() {
        NicProfile nic = TestCard.of(new NicProfile.Requester(1000, 100, 0, 4, 0, 1), NO_WORK, FAST);
        ConnectionOptions options = new ConnectionOptions(4, 1);
        long one = run(nic, options, batch(1, 8));
        long gathered = run(nic, options, (client, queuePair, region) -> {
            long start = client.nowNs();
            queuePair.read(0, 0, region.address(), region.key(), 8, false);
            for (int i = 1; i < 4; i++) {
                queuePair.gather(i, 0, region.address() + i * 8192L, region.key(), 8, i == 3);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        });
        // Three times 5 ns for a random address and 0.8 ns for 8 bytes. READs wait for the one before.
        assertThat(gathered - one).isBetween(17L, 18L);
        assertThat(run(nic, options, batch(4, 8))).isGreaterThan(3 * one);
    }

    @Test
    void everyPacketCarriesAHeader() {
        NicProfile.Link headers = new NicProfile.Link(10e9, 1024, 40, 30);
        NicProfile nic = TestCard.of(requester(1), NO_WORK, headers);
        ConnectionOptions options = new ConnectionOptions(1, 1);
        // The round trip of an empty READ includes one header of either kind.
        assertThat(run(nic, options, batch(1, 0))).isEqualTo(1000);
        long onePacket = run(nic, options, batch(1, 1024));
        long twoPackets = run(nic, options, batch(1, 1025));
        assertThat(twoPackets - onePacket).isEqualTo(3);
        NicProfile.Link smallMtu = new NicProfile.Link(10e9, 256, 40, 30);
        assertThat(run(TestCard.of(requester(1), NO_WORK, smallMtu), options, batch(1, 1024)))
                .as("three more headers on the wire, but the first packet leaves 77 ns of bus time earlier")
                .isCloseTo(onePacket + 9 - 77, within(1L));
    }

    @Test
    void eachFurtherRequestOfAShortListIsFetchedOverTheBus() {
        ConnectionOptions options = new ConnectionOptions(64, 16);
        long one = run(TestCard.plain(), options, batch(1, 8));
        assertThat(run(TestCard.plain(), options, batch(2, 8)) - one).isEqualTo(500);
        assertThat(run(TestCard.plain(), options, batch(3, 8)) - one).isEqualTo(1000);
        // The third fetch brings two, the fourth four.
        assertThat(run(TestCard.plain(), options, batch(5, 8)) - one).isBetween(1500L, 1550L);
        assertThat(run(TestCard.plain(), options, batch(9, 8)) - one).isBetween(2000L, 2100L);
    }

    @Test
    void withOneOutstandingReadEachWaitsForTheOneBefore() {
        long one = run(TestCard.plain(), new ConnectionOptions(64, 1), batch(1, 8));
        long ten = run(TestCard.plain(), new ConnectionOptions(64, 1), batch(10, 8));
        // The card sees a reply 100 ns before its host, and the next request 100 ns after.
        assertThat(ten).isCloseTo(10 * one - 9 * 100, within(20L));
        assertThat(run(TestCard.plain(), new ConnectionOptions(64, 16), batch(10, 8)))
                .isLessThan(ten / 2);
    }

    @Test
    void aSaturatedCardServesOneReadEachServiceTime() {
        int reads = 2000;
        Timed random = batch(reads, 100);
        Timed sequential = (client, queuePair, region) -> {
            long start = client.nowNs();
            long base = region.address() + client.index() * 300_000L;
            for (int i = 0; i < reads; i++) {
                queuePair.read(i, 0, base + i * 100L, region.key(), 100, i == reads - 1);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        };
        ConnectionOptions options = new ConnectionOptions(2048, 64);
        int clients = 8;
        NicProfile nic = TestCard.plain();
        // 10 + 5 + 100 * 0.1 ns; sequential ones save the 5.
        long[] randomNs = run(nic, options, clients, (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int i = 0; i < reads; i++) {
                long address = region.address() + ((i * 7919L + client.index() * 104729L) % 40_000) * 100;
                queuePair.read(i, 0, address, region.key(), 100, i == reads - 1);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        });
        assertThat(random).isNotNull();
        assertThat(Arrays.stream(randomNs).max().orElseThrow() / (double) (reads * clients))
                .isCloseTo(25, within(0.5));
        long[] sequentialNs = run(nic, options, clients, sequential);
        assertThat(Arrays.stream(sequentialNs).max().orElseThrow() / (double) (reads * clients))
                .isCloseTo(20, within(0.5));
    }

    @Test
    void largeReadsAreBoundByTheSlowerOfBusAndWire() {
        NicProfile.Link slow = new NicProfile.Link(1e9, 1024, 0, 0);
        NicProfile nic = TestCard.of(requester(1), NO_WORK, slow);
        long[] ns = run(nic, new ConnectionOptions(256, 16), 8, batch(200, 4096));
        assertThat(Arrays.stream(ns).max().orElseThrow() / 1600.0).isCloseTo(4096, within(20.0));
    }

    @Test
    void theClientsWorkIsChargedToItsClock() {
        NicProfile nic = TestCard.of(requester(1), new NicProfile.Client(200, 30, 0, 7, 11, 2, 0), FAST);
        long ns = run(nic, new ConnectionOptions(8, 1), (client, queuePair, region) -> {
            long start = client.nowNs();
            client.spendCpu(
                    client.cpuCosts().operationPs() + 10 * client.cpuCosts().comparisonPs());
            queuePair.read(1, 0, region.address(), region.key(), 0, true);
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        });
        assertThat(ns).isEqualTo(1000 + 200 + 20 + 30 + 7 + 11);
    }

    @Test
    void atomicsOnOneAddressWaitForEachOther() {
        Timed same = atomics(0);
        Timed apart = atomics(8);
        ConnectionOptions options = new ConnectionOptions(128, 16);
        long[] sameNs = run(TestCard.plain(), options, 4, same);
        long[] apartNs = run(TestCard.plain(), options, 4, apart);
        assertThat(Arrays.stream(sameNs).max().orElseThrow() / 400.0).isCloseTo(300, within(10.0));
        assertThat(Arrays.stream(apartNs).max().orElseThrow() / 400.0).isLessThan(100);
    }

    private static Timed atomics(long stride) {
        return (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int i = 0; i < 100; i++) {
                long address = region.address() + (client.index() * 100L + i) * stride;
                queuePair.fetchAndAdd(i, 0, address, region.key(), 1, i == 99);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        };
    }

    @Test
    void jitterSpreadsTheIdleLatencyByTheProfile() {
        NicProfile nic = TestCard.of(requester(1.2), NO_WORK, FAST);
        long[] ns = new long[4001];
        run(nic, new ConnectionOptions(1, 1), (client, queuePair, region) -> {
            for (int i = 0; i < ns.length; i++) {
                ns[i] = batch(1, 8).ns(client, queuePair, region);
            }
            return 0;
        });
        Arrays.sort(ns);
        assertThat(ns[ns.length / 2] / 1000.0).isCloseTo(1.0, within(0.02));
        assertThat((double) ns[ns.length * 9 / 10] / ns[ns.length / 2]).isCloseTo(1.2, within(0.02));
    }

    @Test
    void theSameSeedGivesTheSameTimes() {
        NicProfile nic = TestCard.of(requester(1.1), new NicProfile.Client(100, 5, 0, 5, 5, 1, 0), FAST);
        Timed program = (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int i = 0; i < 50; i++) {
                batch(1 + (i * 7 + client.index()) % 5, 64).ns(client, queuePair, region);
            }
            return client.nowNs() - start;
        };
        long[] first = run(nic, new ConnectionOptions(64, 16), 7, program);
        long[] second = run(nic, new ConnectionOptions(64, 16), 7, program);
        assertThat(second).isEqualTo(first);
        assertThat(Arrays.stream(first).distinct().count()).isEqualTo(7);
    }

    @Test
    void settingsBeyondTheCardsLimitsAreRefused() {
        try (SimFabric fabric = new SimFabric(TestCard.plain(), 1, 1)) {
            assertThatThrownBy(() -> fabric.run(
                            1, client -> client.connect(client.allocate(64), new ConnectionOptions(8193, 1))))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("a send queue of 8193 is not possible: Test card allows 1 to 8192");
            assertThatThrownBy(() ->
                            fabric.run(1, client -> client.connect(client.allocate(64), new ConnectionOptions(8, 65))))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("65 outstanding READs are not possible: Test card allows 1 to 64");
        }
    }

    @Test
    void aWaitForNothingIsAnErrorAndNotEndless() {
        try (SimFabric fabric = new SimFabric(TestCard.plain(), 1, 1)) {
            assertThatThrownBy(() -> fabric.run(
                            1,
                            client -> client.connect(client.allocate(64), new ConnectionOptions(8, 1))
                                    .await(new Completions(1))))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("no request is posted");
            RemoteRegion region = fabric.register(Arena.ofAuto().allocate(64));
            assertThatThrownBy(() -> fabric.run(1, client -> {
                        QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(8, 1));
                        queuePair.read(1, 0, region.address(), region.key(), 8, false);
                        queuePair.doorbell();
                        queuePair.await(new Completions(1));
                    }))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("deadlock in the simulation");
        }
    }

    private static NicProfile contended(NicProfile.Contention contention) {
        return TestCard.plain().with(contention);
    }

    @Test
    void aQueuePairOfWhichTheCardHoldsNothingCostsAFetch() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        NicProfile nic = contended(new NicProfile.Contention(1, 300, 0, 4096, 0, 0));
        Timed twice = (client, queuePair, region) ->
                batch(1, 0).ns(client, queuePair, region) * 10_000 + batch(1, 0).ns(client, queuePair, region);
        // The first request misses the card's cache, the second hits.
        assertThat(run(nic, options, twice)).isEqualTo(1300 * 10_000 + 1000);
    }

    @Test
    void bothCardsOfACacheWithSetsFetchTheStateOfAQueuePair() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        NicProfile nic = contended(new NicProfile.Contention(8, 300, 0, 4096, 0, 0, 8, 0, 0, 0, 0));
        Timed twice = (client, queuePair, region) ->
                batch(1, 0).ns(client, queuePair, region) * 10_000 + batch(1, 0).ns(client, queuePair, region);
        assertThat(run(nic, options, twice)).isEqualTo(1600 * 10_000 + 1000);
    }

    @Test
    void postingAReadOrASendMayTakeLongerThanPostingAWrite() {
        NicProfile nic =
                TestCard.of(requester(1), new NicProfile.Client(0, 10, 0, 5, 0, 0, 0, 26, 57, 0, 0, 0, 0), FAST);
        assertThat(run(nic, new ConnectionOptions(4, 1), (client, queuePair, region) -> {
                    long start = client.nowNs();
                    queuePair.write(0, 0, region.address(), region.key(), 8, false);
                    long written = client.nowNs() - start;
                    queuePair.read(1, 0, region.address(), region.key(), 8, false);
                    long read = client.nowNs() - start - written;
                    queuePair.send(2, 0, 8, false);
                    return (written * 1000 + read) * 1000 + client.nowNs() - start - written - read;
                }))
                .isEqualTo(10 * 1_000_000 + 36 * 1000 + 67);
    }

    @Test
    void everyPageThatTheCardDoesNotKnowCostsATranslation() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        // The region has 4 MB. 5000 bytes from a page's start are on two pages of 4 KB, on one of 2 MB.
        NicProfile small = contended(new NicProfile.Contention(0, 0, 1, 4096, 200, 0));
        long plain = run(TestCard.plain(), options, batch(1, 5000));
        assertThat(run(small, options, batch(1, 5000))).isEqualTo(plain + 400);
        NicProfile huge = contended(new NicProfile.Contention(0, 0, 1, 2 << 20, 200, 0));
        assertThat(run(huge, options, batch(1, 5000))).isIn(plain, plain + 200);
    }

    @Test
    void aCardWithRoomForAllTranslationsHoldsThemFromTheStart() {
        NicProfile nic = contended(new NicProfile.Contention(0, 0, 2000, 4096, 200, 0));
        ConnectionOptions options = new ConnectionOptions(1, 1);
        assertThat(run(nic, options, batch(1, 5000))).isEqualTo(run(TestCard.plain(), options, batch(1, 5000)));
    }

    /** 1024 pages and capacity for half of them: half of the READs of all pages in turn hit, from the first on. */
    @Test
    void aCardWithRoomForHalfOfTheTranslationsHoldsHalf() {
        NicProfile nic = contended(new NicProfile.Contention(0, 0, 512, 4096, 200, 0));
        ConnectionOptions options = new ConnectionOptions(1, 1);
        Timed everyPage = (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int page = 0; page < 1024; page++) {
                queuePair.read(page, 0, region.address() + page * 4096L, region.key(), 8, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
            }
            return client.nowNs() - start;
        };
        long misses = (run(nic, options, everyPage) - run(TestCard.plain(), options, everyPage)) / 200;
        assertThat(misses).isBetween(490L, 534L);
    }

    @Test
    void connectingTakesTheClientsTime() {
        NicProfile nic = TestCard.plain().with(new NicProfile.SetUp(0, 0, 0, 0, 5000));
        Timed again = (client, queuePair, region) -> {
            long start = client.nowNs();
            client.connect(client.allocate(64), new ConnectionOptions(1, 1));
            return client.nowNs() - start;
        };
        assertThat(run(nic, new ConnectionOptions(1, 1), again)).isEqualTo(5000);
    }

    /** Registers by the fabric itself, or, as deployments do, by the memory of one of its servers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void registeringTakesTheServersTimeAndMemoryCanBeReachedUntilItIsDeregistered(boolean ofServer) throws Exception {
        NicProfile nic = TestCard.plain().with(new NicProfile.SetUp(1000, 1, 5000, 0, 0));
        long[] serverNs = new long[3];
        List<Completions.Status> ends = new ArrayList<>();
        try (SimFabric fabric = new SimFabric(nic, 1, 42)) {
            RegisteredMemory memory = ofServer ? fabric.memory(0) : fabric;
            RemoteRegion region = memory.register(memory.allocate(64));
            fabric.run(
                    1,
                    client -> {
                        QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(1, 1));
                        Completions completions = new Completions(1);
                        // One READ per microsecond: those served within 5 us find the memory.
                        for (int i = 0; i < 7 && (i == 0 || completions.status(0) == Completions.Status.SUCCESS); i++) {
                            queuePair.read(i, 0, region.address(), region.key(), 0, true);
                            queuePair.doorbell();
                            queuePair.await(completions);
                            ends.add(completions.status(0));
                        }
                    },
                    server -> {
                        memory.deregister(region);
                        serverNs[0] = server.nowNs();
                        memory.register(memory.allocate(64));
                        serverNs[1] = server.nowNs();
                    });
        }
        assertThat(serverNs).startsWith(5000, 6064);
        assertThat(ends)
                .hasSize(6)
                .endsWith(Completions.Status.REMOTE_ACCESS_ERROR)
                .startsWith(Collections.nCopies(5, Completions.Status.SUCCESS).toArray(Completions.Status[]::new));
    }

    /** Time from the doorbell of an 8-byte WRITE to the program's event; three words are watched. */
    private static long seenAfterNs(NicProfile nic) throws Exception {
        long[] postedNs = new long[1];
        long[] seenNs = new long[1];
        try (SimFabric fabric = new SimFabric(nic, 1, 42)) {
            MemorySegment memory = fabric.allocate(64);
            RemoteRegion region = fabric.register(memory);
            fabric.run(
                    1,
                    client -> {
                        MemorySegment local = client.allocate(64);
                        local.set(ValueLayout.JAVA_LONG, 0, 1);
                        QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                        client.pause(10_000);
                        postedNs[0] = client.nowNs();
                        queuePair.write(1, 0, region.address() + 16, region.key(), 8, true);
                        queuePair.doorbell();
                        queuePair.await(new Completions(1));
                        assertThat(client.nowNs() - postedNs[0]).isBetween(1006L, 1008L);
                    },
                    server -> {
                        for (int word = 0; word < 3; word++) {
                            server.watch(word, memory, word * 8L, 0);
                        }
                        Completions completions = new Completions(1);
                        assertThat(server.next(completions)).isEqualTo(Server.WakeReason.CONNECTION);
                        server.accept(server.allocate(64), new ConnectionOptions(1, 1));
                        assertThat(server.next(completions)).isEqualTo(Server.WakeReason.WORDS);
                        seenNs[0] = server.nowNs();
                        assertThat(server.changed()).isEqualTo(2);
                    });
        }
        return seenNs[0] - postedNs[0];
    }

    @Test
    void aWatchedWordIsSeenWhenItsWriteHasCrossedTheBusAndALookCostsAComparisonForEachWord() throws Exception {
        // 50 ns to the card, 445 on the way, 16.6 on the wire and at the other card, and 50 from there to the host.
        assertThat(seenAfterNs(TestCard.plain())).isBetween(561L, 562L);
        NicProfile.Client looks = new NicProfile.Client(0, 0, 0, 0, 0, 20, 0);
        assertThat(seenAfterNs(TestCard.of(requester(1), looks, FAST))).isBetween(621L, 622L);
    }

    @Test
    void othersRequestsMakeRoundTripsLongerAndOnesOwnDoNot() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        NicProfile nic = TestCard.plain().with(new NicProfile.Cluster(0, 0, 100, 0));
        // Four clients with one READ per microsecond each, long enough for the rates to settle.
        Timed mean = (client, queuePair, region) -> {
            for (int i = 0; i < 100; i++) {
                batch(1, 0).ns(client, queuePair, region);
            }
            long start = client.nowNs();
            for (int i = 0; i < 100; i++) {
                batch(1, 0).ns(client, queuePair, region);
            }
            return (client.nowNs() - start) / 100;
        };
        assertThat(run(nic, options, mean)).isEqualTo(run(TestCard.plain(), options, mean));
        long alike = run(TestCard.plain(), options, 4, mean)[0];
        // x = 1000 + 100 * 3 requests every x
        assertThat((double) run(nic, options, 4, mean)[0] - alike).isCloseTo(240, within(15.0));
    }

    @Test
    void theCardFetchesAgainTheWorkRequestsThatItHasNoRoomFor() {
        ConnectionOptions options = new ConnectionOptions(64, 64);
        NicProfile.Requester fetchesAtOnce = new NicProfile.Requester(1000, 100, 0, 64, 0, 1);
        NicProfile nic = TestCard.of(fetchesAtOnce, NO_WORK, FAST)
                .with(new NicProfile.Contention(0, 0, 0, 4096, 0, 8, 0, 0, 100, 0, 0));
        Timed twice = (client, queuePair, region) -> batch(64, 0).ns(client, queuePair, region) * 10_000
                + batch(1, 0).ns(client, queuePair, region);
        // 64 posted: 100 * (1 - 8 / 64) more at the sending stage for each. Afterwards all have been polled.
        assertThat(run(nic, options, twice)).isEqualTo((1000 + 64 * 875 / 10) * 10_000L + 1000);
        assertThat(run(nic, options, batch(8, 0))).isEqualTo(1000 + 7 * 10);
    }

    @Test
    void eachDoorbellOfABusyQueuePairStartsAFetch() {
        ConnectionOptions options = new ConnectionOptions(64, 64);
        NicProfile.Client ringing = new NicProfile.Client(0, 0, 0, 200, 0, 0, 0);
        NicProfile nic = TestCard.of(new NicProfile.Requester(1000, 100, 500, 4, 0, 1, 1), ringing, FAST);
        Timed list = (client, queuePair, region) -> {
            long start = client.nowNs();
            for (int i = 0; i < 40; i++) {
                queuePair.read(i, 0, region.address(), region.key(), 0, i == 39);
                queuePair.doorbell();
            }
            queuePair.await(new Completions(1));
            return client.nowNs() - start;
        };
        assertThat(run(nic, options, list)).isEqualTo(40 * 200 + 500 + 1000);
        // One doorbell: its fetches follow one another, as without this constant.
        NicProfile one = TestCard.of(new NicProfile.Requester(1000, 100, 500, 4, 0, 1), ringing, FAST);
        assertThat(run(nic, options, batch(9, 8))).isEqualTo(run(one, options, batch(9, 8)));
    }

    @Test
    void programsOfOneMachineSlowEachOtherDown() {
        ConnectionOptions options = new ConnectionOptions(1, 1);
        NicProfile.Client crowded = new NicProfile.Client(0, 40, 0, 60, 0, 0, 0, 0, 0, 0, 0.5, 0, 0);
        NicProfile nic = TestCard.of(requester(1), crowded, FAST);
        assertThat(run(nic, options, batch(1, 0))).isEqualTo(100 + 1000);
        // Not the 10 ns of a message, for which the second one waits.
        assertThat(run(nic, options, 2, batch(1, 0))).containsExactly(150 + 1495, 150 + 1505);
    }
}
