package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** A card with one engine for all packets: 20 ns each; 10 bytes per nanosecond on the wire. */
class SharedCardTest {
    private static final double PACKET_NS = 20;
    private static final int OPERATIONS = 4000;

    /** Acknowledgements take negligible wire time. */
    private static NicProfile card() {
        return card(0, 1);
    }

    private static NicProfile card(int writeHeaderBytes, int acknowledgementBytes) {
        return apart().with(new NicProfile.Card(PACKET_NS, writeHeaderBytes, acknowledgementBytes, 0, 0, 1, 0, 0, 0));
    }

    /** Separate engines for requests and serving; work requests are fetched at once. */
    private static NicProfile apart() {
        return TestCard.of(
                        new NicProfile.Requester(1000, 100, 0, 4, 0, 1),
                        new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                        new NicProfile.Link(10e9, 1024, 0, 0))
                .with(new NicProfile.Responder(10, 0, 0, 1024, 20, 300));
    }

    private interface Operation {
        void append(QueuePair queuePair, RemoteRegion region, boolean signaled);
    }

    private static Operation read(int bytes) {
        return (queuePair, region, signaled) -> queuePair.read(1, 0, region.address(), region.key(), bytes, signaled);
    }

    private static Operation write(int bytes) {
        return (queuePair, region, signaled) -> queuePair.write(1, 0, region.address(), region.key(), bytes, signaled);
    }

    /** Nanoseconds per operation when client i keeps the card of machine {@code to[i]} busy. */
    private static double[] nsEach(NicProfile nic, Placement placement, int[] to, Operation... operations)
            throws Exception {
        return nsEach(nic, placement, to, 64, operations);
    }

    private static double[] nsEach(NicProfile nic, Placement placement, int[] to, int inFlight, Operation... operations)
            throws Exception {
        double[] nsEach = new double[to.length];
        try (SimFabric fabric = new SimFabric(nic, placement, 1)) {
            RemoteRegion[] regions = new RemoteRegion[placement.servers()];
            for (int i = 0; i < regions.length; i++) {
                regions[i] = fabric.memory(i).register(fabric.allocate(1 << 16));
            }
            fabric.run(to.length, client -> {
                MemorySegment local = client.allocate(1 << 16);
                int own = client.index();
                QueuePair queuePair = client.connect(to[own], local, new ConnectionOptions(inFlight, 64));
                Completions completions = new Completions(64);
                client.barrier();
                long startNs = client.nowNs();
                int posted = 0;
                int done = 0;
                while (done < OPERATIONS) {
                    while (posted < OPERATIONS && queuePair.free() > 0) {
                        operations[own % operations.length].append(queuePair, regions[to[own]], true);
                        posted++;
                    }
                    queuePair.doorbell();
                    done += queuePair.await(completions);
                }
                nsEach[own] = (client.nowNs() - startNs) / (double) OPERATIONS;
            });
        }
        return nsEach;
    }

    @Test
    void anIdleReadTakesTheProfilesRoundTrip() throws Exception {
        try (SimFabric fabric = new SimFabric(card(), 1, 1)) {
            RemoteRegion region = fabric.register(fabric.allocate(64));
            fabric.run(1, client -> {
                QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(1, 1));
                queuePair.read(1, 0, region.address(), region.key(), 0, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                assertThat(client.nowNs()).isEqualTo(1000);
            });
        }
    }

    @Test
    void aReadIsFourPacketsTwoAtEitherMachine() throws Exception {
        // One machine sends requests, another replies: two packets per READ each.
        assertThat(nsEach(card(), new Placement(1, 1, 1), new int[] {0}, read(8))[0])
                .isCloseTo(2 * PACKET_NS, within(1.0));
        // Both machines in both roles.
        for (double ns : nsEach(card(), Placement.together(2), new int[] {1, 0}, read(8))) {
            assertThat(ns).isCloseTo(4 * PACKET_NS, within(2.0));
        }
    }

    @Test
    void anAcknowledgementIsAPacket() throws Exception {
        assertThat(nsEach(card(), new Placement(1, 1, 1), new int[] {0}, write(8))[0])
                .isCloseTo(2 * PACKET_NS, within(1.0));
        for (double ns : nsEach(card(), Placement.together(2), new int[] {1, 0}, write(8))) {
            assertThat(ns).isCloseTo(4 * PACKET_NS, within(2.0));
        }
        // 992 + 8 bytes take 100 ns on the wire there, the acknowledgement of 1,500 bytes 150 ns on the wire back.
        assertThat(nsEach(card(8, 1500), new Placement(1, 1, 1), new int[] {0}, write(992))[0])
                .isCloseTo(150, within(2.0));
    }

    @Test
    void anUnacknowledgedWriteIsTwoPackets() throws Exception {
        for (double ns : nsEach(card(0, 0), Placement.together(2), new int[] {1, 0}, write(8))) {
            assertThat(ns).isCloseTo(2 * PACKET_NS, within(2.0));
        }
        for (double ns : nsEach(card(0, 0), Placement.together(2), new int[] {1, 0}, read(8))) {
            assertThat(ns).isCloseTo(4 * PACKET_NS, within(2.0));
        }
    }

    @Test
    void longMessagesTakeAPacketForEachPieceOfTheMtu() throws Exception {
        // 64 packets of 1,024 bytes: there 64 WRITE packets and the acknowledgement, 6.55 us on the wire, 1.3 us of the
        // engine.
        NicProfile slowEngine = card().with(new NicProfile.Card(200, 0, 1, 0, 0, 1, 0, 0, 0));
        assertThat(nsEach(slowEngine, new Placement(1, 1, 1), new int[] {0}, write(1 << 16))[0])
                .isCloseTo(65 * 200, within(100.0));
    }

    @Test
    void anEnginePerPacketWaitsForThePayloadThatItFetches() throws Exception {
        // 256 + 24, 256 + 24 and 8 + 24 bytes at 2 bytes per nanosecond.
        NicProfile nic = card().with(new NicProfile.Slot(2e9, 256, 24));
        for (Operation operation : new Operation[] {read(520), write(520)}) {
            for (double ns : nsEach(nic, Placement.together(2), new int[] {1, 0}, operation)) {
                assertThat(ns).isCloseTo(4 * PACKET_NS + 296, within(12.0));
            }
        }
        // The machine that has the payload waits: the client that writes, or the server that is read.
        assertThat(nsEach(nic, new Placement(1, 1, 1), new int[] {0}, write(520))[0])
                .isCloseTo(2 * PACKET_NS + 296, within(3.0));
        assertThat(nsEach(nic, new Placement(1, 1, 1), new int[] {0}, read(0))[0])
                .isCloseTo(2 * PACKET_NS, within(1.0));
    }

    @Test
    void laterPacketsAreFetchedWhileEarlierOnesAreOnTheWire() throws Exception {
        NicProfile nic = card().with(new NicProfile.Slot(10e9, 256, 0));
        for (boolean writes : new boolean[] {false, true}) {
            try (SimFabric fabric = new SimFabric(nic, 1, 1)) {
                RemoteRegion region = fabric.register(fabric.allocate(4096));
                fabric.run(1, client -> {
                    QueuePair queuePair = client.connect(client.allocate(4096), new ConnectionOptions(1, 1));
                    if (writes) {
                        queuePair.write(1, 0, region.address(), region.key(), 4096, true);
                    } else {
                        queuePair.read(1, 0, region.address(), region.key(), 4096, true);
                    }
                    queuePair.doorbell();
                    queuePair.await(new Completions(1));
                    // 102 ns to fetch the first packet, 410 ns on the wire, and three more packets in the engine.
                    assertThat((double) client.nowNs()).isBetween(1000 + 102 + 409.0, 1000 + 102 + 411 + 7 * PACKET_NS);
                });
            }
        }
    }

    @Test
    void aRequestWaitsForOnePacketOfALongReply() throws Exception {
        // Machine 1 sends 16 packets of 1,024 bytes per READ, 1.64 us on the wire, and reads from machine 0.
        double[] ns = nsEach(card(), Placement.together(2), new int[] {1, 0}, 1, read(1 << 14), read(8));
        assertThat(ns[1]).isBetween(1000.0, 1000 + 102 + 3 * PACKET_NS);
    }

    /** Sending takes 15 ns, serving 10, each byte 0.1 ns, and each further 256 bytes 30 ns, at both machines. */
    private static NicProfile perRequest() {
        return TestCard.of(
                        new NicProfile.Requester(1000, 100, 0, 4, 15, 1),
                        new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                        new NicProfile.Link(10e9, 1024, 0, 0))
                .with(new NicProfile.Responder(10, 0, 0.1, 1024, 20, 300))
                .with(new NicProfile.Slot(100e9, 256, 24))
                .with(new NicProfile.Card(0, 0, 0, 0, 0, 1, 1, 256, 30));
    }

    @Test
    void anEnginePerRequestSendsAndServesInTurn() throws Exception {
        assertThat(nsEach(perRequest(), new Placement(1, 1, 1), new int[] {0}, read(0))[0])
                .isCloseTo(15, within(1.0));
        for (double ns : nsEach(perRequest(), Placement.together(2), new int[] {1, 0}, read(0))) {
            assertThat(ns).isCloseTo(15 + 10, within(2.0));
        }
        for (double ns : nsEach(perRequest(), Placement.together(2), new int[] {1, 0}, write(100))) {
            assertThat(ns).isCloseTo(15 + 10 + 2 * 10, within(2.0));
        }
    }

    @Test
    void furtherPiecesOfAPayloadTakeAStepEachAtBothMachines() throws Exception {
        for (int steps = 0; steps < 3; steps++) {
            for (int bytes : new int[] {256 * steps + 1, 256 * steps + 256}) {
                double expected = 15 + 10 + 2 * (0.1 * bytes + 30 * steps);
                for (double ns : nsEach(perRequest(), Placement.together(2), new int[] {1, 0}, read(bytes))) {
                    assertThat(ns).isCloseTo(expected, within(0.03 * expected));
                }
            }
        }
    }

    @Test
    void repliesAndRequestsOfAMachineShareOneWire() throws Exception {
        // Machine 0 sends 1,000 bytes per READ and 1,000 bytes per WRITE: 100 ns each on one wire.
        double[] both = nsEach(card(), Placement.together(2), new int[] {1, 0}, write(1000), read(1000));
        assertThat(both[0]).isCloseTo(200, within(6.0));
        assertThat(both[1]).isCloseTo(200, within(6.0));
        // With separate engines and wires they do not delay each other.
        double[] alone = nsEach(apart(), Placement.together(2), new int[] {1, 0}, write(1000), read(1000));
        assertThat(alone[0]).isCloseTo(100, within(4.0));
    }

    @Test
    void aRequestDuringLongTransfersIsNotServedLast() throws Exception {
        // The card fetches a request of the list every 25 ns, and sends it in 20.
        NicProfile nic = TestCard.of(
                        new NicProfile.Requester(1000, 100, 25, 1, 0, 1),
                        new NicProfile.Client(0, 0, 0, 0, 0, 0, 0),
                        new NicProfile.Link(10e9, 1024, 0, 0))
                .with(new NicProfile.Responder(10, 0, 0, 1024, 20, 300))
                .with(new NicProfile.Card(PACKET_NS, 0, 1, 0, 0, 1, 0, 0, 0));
        try (SimFabric fabric = new SimFabric(nic, new Placement(1, 1, 1), 1)) {
            RemoteRegion region = fabric.register(fabric.allocate(64));
            fabric.run(2, client -> {
                boolean busy = client.index() == 0;
                QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(512, 64));
                client.barrier();
                for (int i = 0; busy && i < 512; i++) {
                    queuePair.write(i, 0, region.address(), region.key(), 8, i == 511);
                }
                client.pause(busy ? 0 : 200);
                long startNs = client.nowNs();
                if (!busy) {
                    queuePair.write(1, 0, region.address(), region.key(), 8, true);
                }
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                // All of the other client's requests take 13 us.
                assertThat(client.nowNs() - startNs)
                        .satisfies(ns -> assertThat(ns > 5000).isEqualTo(busy));
            });
        }
    }

    @Test
    void aMachineThatOthersKeepBusyStillSendsItsOwnRequests() throws Exception {
        // Seven machines overload the last one, which itself sends one READ at a time to the first.
        int machines = 8;
        int last = machines - 1;
        int[] done = new int[machines];
        try (SimFabric fabric = new SimFabric(card(), Placement.together(machines), 1)) {
            RemoteRegion[] regions = new RemoteRegion[machines];
            for (int i = 0; i < machines; i++) {
                regions[i] = fabric.memory(i).register(fabric.allocate(64));
            }
            fabric.run(machines, client -> {
                int own = client.index();
                int to = own == last ? 0 : last;
                QueuePair queuePair = client.connect(
                        to,
                        client.allocate(64),
                        own == last ? new ConnectionOptions(1, 1) : new ConnectionOptions(64, 64));
                Completions completions = new Completions(64);
                client.barrier();
                while (client.nowNs() < 1_000_000) {
                    while (queuePair.free() > 0) {
                        queuePair.read(1, 0, regions[to].address(), regions[to].key(), 8, true);
                    }
                    queuePair.doorbell();
                    done[own] += queuePair.await(completions);
                }
            });
        }
        // Behind the 7 * 64 requests waiting there, of 40 ns each: once per 19 us for its request and, where others
        // came
        // between, the reply.
        assertThat(done[last]).isBetween(25, 60);
        assertThat(done[0]).isGreaterThan(3000);
    }
}
