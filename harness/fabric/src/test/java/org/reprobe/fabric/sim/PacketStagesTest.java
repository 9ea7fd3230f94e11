package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.testing.Seeds;

/** Latency and rate of payload by size, for a link of 10 bytes per nanosecond in packets of 1,024 bytes. */
class PacketStagesTest {
    private static final int MTU = 1024;
    private static final int REQUEST_NS = 10;
    private static final double NS_PER_BYTE = 0.1;

    private static NicProfile card() {
        return card(new NicProfile.Slot(20e9, 256, 24), new NicProfile.Transfer(3, 1, 1, 0, 0, 0, 0, 0));
    }

    private static NicProfile card(NicProfile.Slot slot, NicProfile.Transfer transfer) {
        return card(slot, transfer, 1);
    }

    private static NicProfile card(NicProfile.Slot slot, NicProfile.Transfer transfer, double jitter) {
        return TestCard.of(
                        new NicProfile.Requester(1000, 100, 0, 64, 0, jitter),
                        new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                        new NicProfile.Link(10e9, MTU, 0, 0))
                .with(new NicProfile.Responder(REQUEST_NS, 0, 0, 1024, 20, 300))
                .with(slot)
                .with(transfer);
    }

    /** Compares with stages that handle each packet separately. */
    @Test
    void theFirstPacketPassesAllStagesAndLaterOnesFollowTheSlowest() {
        CardTimes times = CardTimes.of(card(), Miniature.NONE);
        PacketStages stages = new PacketStages(times);
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        long[] freePs = new long[3];
        long readyPs = 0;
        for (int i = 0; i < 10_000; i++) {
            readyPs += random.nextInt(400_000);
            int bytes = random.nextInt(1, 6 * MTU);
            long expectedPs = 0;
            for (int from = 0; from < bytes; from += MTU) {
                long packetPs = Math.round(Math.min(MTU, bytes - from) * NS_PER_BYTE * 1000);
                long atPs = readyPs;
                for (int stage = 0; stage < freePs.length; stage++) {
                    atPs = Math.max(atPs, freePs[stage]) + packetPs;
                    freePs[stage] = atPs;
                }
                expectedPs = atPs;
            }
            long departsPs = stages.leave(readyPs, readyPs, bytes, true);
            assertThat(stages.arrive(readyPs, departsPs, bytes, true))
                    .as(Seeds.replay())
                    .isEqualTo(expectedPs);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 1024, 1025, 3000, 65536})
    void anIdleReadTakesThreeStagesForItsFirstPacketAndOneForEachByteAfter(int bytes) throws Exception {
        double ns = 1000 + 3 * NS_PER_BYTE * Math.min(bytes, MTU) + NS_PER_BYTE * Math.max(0, bytes - MTU);
        assertThat(readNs(card(), bytes)).isCloseTo((long) ns, within(1L));
    }

    @ParameterizedTest
    @CsvSource({"0, 10", "64, 10", "100, 10", "500, 50", "4096, 409.6"})
    void aSaturatedCardTakesTheSlowerOfRequestsAndBytes(int bytes, double ns) throws Exception {
        assertThat(saturatedReadNs(card(), bytes)).isCloseTo(ns, within(0.02 * ns));
    }

    @ParameterizedTest
    @CsvSource({"0, 15", "64, 16.6", "1024, 102.4"})
    void aGapFollowsTheBytesOfEachReadOfOneOfFourQueuePairs(int bytes, double ns) throws Exception {
        NicProfile gaps =
                card(new NicProfile.Slot(20e9, 256, 24), new NicProfile.Transfer(3, 1, 1, 0, 0, 0, 0, 0, 60, 0, 0, 0));
        assertThat(saturatedReadNs(gaps, bytes)).isCloseTo(ns, within(0.02 * ns));
        assertThat(readNs(gaps, bytes)).isEqualTo(readNs(card(), bytes));
    }

    @Test
    void theSlowerOfLinkAndSlotCountsWithItsHeaders() {
        // Link: 1024 + 0 bytes per packet at 10 bytes per nanosecond.
        assertThat(card().packetNsPerByte(true)).isEqualTo(0.1);
        NicProfile narrow = card(new NicProfile.Slot(5e9, 128, 32), NicProfile.Transfer.NONE);
        assertThat(narrow.packetNsPerByte(true)).isEqualTo(0.25);
        NicProfile inefficient =
                card(new NicProfile.Slot(5e9, 128, 32), new NicProfile.Transfer(3, 0.8, 0.5, 0, 0, 0, 0, 0));
        assertThat(inefficient.packetNsPerByte(false)).isEqualTo(0.3125);
        assertThat(inefficient.packetNsPerByte(true)).isEqualTo(0.5);
    }

    @Test
    void stagesScaleTheFirstPacketsLatencyOnly() throws Exception {
        NicProfile slowStart =
                card(new NicProfile.Slot(20e9, 256, 24), new NicProfile.Transfer(7, 1, 1, 0, 0, 0, 0, 0));
        assertThat(readNs(slowStart, 4096)).isCloseTo(readNs(card(), 4096) + 4 * 102, within(2L));
        assertThat(saturatedReadNs(slowStart, 4096)).isCloseTo(409.6, within(8.0));
    }

    /** READs of one machine, whose replies and completions pass its slot: 64 + 24 and 64 + 24 bytes. */
    @Test
    void completionsAndHeadersOccupyTheClientsSlot() throws Exception {
        NicProfile narrow = card(new NicProfile.Slot(20e9, 256, 24, 0.25), NicProfile.Transfer.NONE);
        assertThat(readNs(narrow, 64)).isEqualTo(readNs(card(), 64));
        try (SimFabric fabric = new SimFabric(narrow, new Placement(2, 1, 1), 1)) {
            RemoteRegion[] regions = {
                fabric.memory(0).register(fabric.allocate(64)), fabric.memory(1).register(fabric.allocate(64))
            };
            double[] ns = new double[2];
            fabric.run(2, client -> {
                int server = client.index();
                QueuePair queuePair = client.connect(server, client.allocate(64), new ConnectionOptions(64, 64));
                ns[server] = saturate(client, queuePair, regions[server], 64);
            });
            assertThat(Math.max(ns[0], ns[1])).isCloseTo(2 * 44, within(2.0));
        }
    }

    /** READs of two machines that share the reader's slot. */
    @Test
    void repliesOfSeveralServersShareTheClientsSlot() throws Exception {
        double[] ns = new double[1];
        try (SimFabric fabric = new SimFabric(card(), new Placement(2, 1, 1), 1)) {
            RemoteRegion[] regions = {
                fabric.memory(0).register(fabric.allocate(4096)),
                fabric.memory(1).register(fabric.allocate(4096))
            };
            fabric.run(2, client -> {
                int server = client.index();
                QueuePair queuePair = client.connect(server, client.allocate(4096), new ConnectionOptions(64, 64));
                ns[0] = Math.max(ns[0], saturate(client, queuePair, regions[server], 4096));
            });
        }
        assertThat(ns[0]).isCloseTo(2 * 409.6, within(20.0));
    }

    @Test
    void aWriteTakesItsShareOfAReadAndTheFetchOfItsPayload() throws Exception {
        NicProfile nic =
                card(new NicProfile.Slot(20e9, 256, 24), new NicProfile.Transfer(3, 1, 1, 0.51, 0, 700, 128, 0.5));
        assertThat(writeNs(nic, 8)).isCloseTo(510 + 4 + 2, within(2L));
        assertThat(writeNs(nic, 128)).isCloseTo(510 + 64 + 38, within(2L));
        assertThat(writeNs(nic, 136)).isCloseTo(510 + 700 + 41, within(2L));
        assertThat(writeNs(nic, 10240)).isCloseTo(510 + 700 + 307 + 922, within(2L));
    }

    /** Without a share, jitter delays only the completion. */
    @ParameterizedTest
    @CsvSource({"0.51, true", "0, false"})
    void jitterDelaysAWriteOnItsWayIfItHasAShareOfARead(double share, boolean delays) throws Exception {
        NicProfile.Transfer transfer = new NicProfile.Transfer(3, 1, 1, share, 0, 0, 0, 0);
        NicProfile.Slot slot = new NicProfile.Slot(20e9, 256, 24);
        long ns = writeNs(card(slot, transfer, 1.5), 8);
        assertThat(Math.abs(ns - writeNs(card(slot, transfer), 8)) > 5).isEqualTo(delays);
    }

    @Test
    void theAcknowledgementOfAWriteMakesUpForTheFetchOfItsPayload() throws Exception {
        NicProfile nic = card(
                new NicProfile.Slot(20e9, 256, 24),
                new NicProfile.Transfer(3, 1, 1, 0.51, 0, 400, 0, 0, 0, 0, 300, 30));
        // The round trip contains the 10 ns of a READ's serving stage; the two stages of a WRITE take 30 each.
        assertThat(postedNs(nic, 1)).isCloseTo(1000 + 400 - 300 + 2 * 30 - REQUEST_NS + 2, within(2L));
        assertThat(postedNs(nic, 101) - postedNs(nic, 1)).isEqualTo(100 * 30);
    }

    /** Time from posting WRITEs of 8 bytes to the last completion. */
    private static long postedNs(NicProfile nic, int writes) throws Exception {
        long[] ns = new long[1];
        try (Arena arena = Arena.ofShared();
                SimFabric fabric = new SimFabric(nic, 1, 1)) {
            RemoteRegion region = fabric.register(arena.allocate(64, 64));
            fabric.run(1, client -> {
                QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(128, 1));
                for (int i = 0; i < writes; i++) {
                    queuePair.write(i, 0, region.address(), region.key(), 8, i == writes - 1);
                }
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                ns[0] = client.nowNs();
            });
        }
        return ns[0];
    }

    @Test
    void aSendTakesItsShareOfAReadBetweenItsPrograms() throws Exception {
        NicProfile nic =
                card(new NicProfile.Slot(20e9, 256, 24), new NicProfile.Transfer(3, 1, 1, 0.51, 0.55, 0, 0, 0));
        long[] ns = new long[1];
        try (SimFabric fabric = new SimFabric(nic, new Placement(1, 1, 2), 1)) {
            fabric.run(2, client -> {
                QueuePair queuePair = client.toClients()
                        .orElseThrow()
                        .connect(1 - client.index(), client.allocate(64), new ConnectionOptions(1, 1, 1));
                queuePair.receive(0, 0, 64);
                client.barrier();
                if (client.index() == 0) {
                    queuePair.send(1, 0, 8, true);
                    queuePair.doorbell();
                }
                queuePair.await(new Completions(1));
                if (client.index() == 1) {
                    ns[0] = client.nowNs();
                }
            });
        }
        assertThat(ns[0]).isCloseTo(550 + 2, within(2L));
    }

    static long readNs(NicProfile nic, int bytes) throws Exception {
        long[] ns = new long[1];
        try (SimFabric fabric = new SimFabric(nic, 1, 1)) {
            RemoteRegion region = fabric.register(fabric.allocate(1 << 17));
            fabric.run(1, client -> {
                QueuePair queuePair = client.connect(client.allocate(1 << 17), new ConnectionOptions(1, 1));
                long startNs = client.nowNs();
                queuePair.read(1, 0, region.address(), region.key(), bytes, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                ns[0] = client.nowNs() - startNs;
            });
        }
        return ns[0];
    }

    private static double saturatedReadNs(NicProfile nic, int bytes) throws Exception {
        int clients = 4;
        double[] ns = new double[clients];
        try (SimFabric fabric = new SimFabric(nic, clients, 1)) {
            RemoteRegion region = fabric.register(fabric.allocate(1 << 13));
            fabric.run(clients, client -> {
                QueuePair queuePair = client.connect(client.allocate(1 << 13), new ConnectionOptions(64, 64));
                ns[client.index()] = saturate(client, queuePair, region, bytes) / clients;
            });
        }
        return Arrays.stream(ns).max().orElseThrow();
    }

    /** Returns the time per READ of a client with 64 in flight. */
    private static double saturate(
            org.reprobe.fabric.Client client, QueuePair queuePair, RemoteRegion region, int bytes)
            throws FabricException {
        int reads = 4000;
        Completions completions = new Completions(64);
        client.barrier();
        long startNs = client.nowNs();
        int posted = 0;
        for (int done = 0; done < reads; done += queuePair.await(completions)) {
            for (; posted < reads && queuePair.free() > 0; posted++) {
                queuePair.read(1, 0, region.address(), region.key(), bytes, true);
            }
            queuePair.doorbell();
        }
        return (client.nowNs() - startNs) / (double) reads;
    }

    static long writeNs(NicProfile nic, int bytes) throws Exception {
        long[] ns = new long[2];
        try (SimFabric fabric = new SimFabric(nic, 1, 1)) {
            MemorySegment memory = fabric.allocate(1 << 14);
            RemoteRegion region = fabric.register(memory);
            fabric.run(
                    1,
                    client -> {
                        MemorySegment local = client.allocate(1 << 14);
                        local.fill((byte) 1);
                        QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                        client.pause(5_000_000);
                        ns[0] = client.nowNs();
                        queuePair.write(1, 0, region.address(), region.key(), bytes, true);
                        queuePair.doorbell();
                        queuePair.await(new Completions(1));
                    },
                    server -> {
                        server.watch(0, memory, 0, 0);
                        Completions completions = new Completions(1);
                        while (server.next(completions) != Server.WakeReason.WORDS) {
                            server.accept(server.allocate(64), new ConnectionOptions(1, 1));
                        }
                        ns[1] = server.nowNs();
                    });
        }
        return ns[1] - ns[0];
    }
}
