package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.UnreachableException;

/**
 * Effects of faults on programs in virtual time. A round trip takes 1 us; cards send again every 10 us and fail after
 * 50.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class SimFaultsTest {
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 4, 4);
    private static final RetransmissionTimes RETRANSMISSION =
            new RetransmissionTimes(50_000, 10_000, 20_000, 30_000, 40_000);
    private static final Fault.Machine SERVER = new Fault.Machine(true, 0);
    private static final long NEVER = Long.MAX_VALUE;

    private final SimFabric fabric = new SimFabric(TestCard.plain(), 3, 1);
    private final Completions completions = new Completions(8);
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    @BeforeEach
    void register() throws FabricException {
        memory = fabric.allocate(64);
        region = fabric.register(memory);
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    private static Fault.Machine client(int machine) {
        return new Fault.Machine(false, machine);
    }

    private void faults(Fault... faults) {
        fabric.withFaults(List.of(faults), RETRANSMISSION);
    }

    private Status read(QueuePair queuePair) throws FabricException {
        queuePair.read(1, 0, region.address(), region.key(), 8, true);
        queuePair.doorbell();
        queuePair.await(completions);
        return completions.status(0);
    }

    private Status write(QueuePair queuePair, MemorySegment local, long value) throws FabricException {
        local.set(ValueLayout.JAVA_LONG, 0, value);
        queuePair.write(1, 0, region.address(), region.key(), 8, true);
        queuePair.doorbell();
        queuePair.await(completions);
        return completions.status(0);
    }

    private long word() {
        return memory.get(ValueLayout.JAVA_LONG, 0);
    }

    @Test
    void aRequestToACrashedServerTimesOutAndLaterOnesAreFlushed() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, NEVER, true));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            client.pause(20_000);
            assertThat(read(queuePair)).isEqualTo(Status.RETRY_EXCEEDED);
            assertThat(client.nowNs() - startNs).isBetween(70_000L, 72_000L);
            assertThat(read(queuePair)).isEqualTo(Status.FLUSHED);
            assertThatExceptionOfType(UnreachableException.class)
                    .isThrownBy(() -> client.connect(client.allocate(64), OPTIONS))
                    .withMessageContaining("client 0 can't reach server 0");
            assertThat(client.nowNs() - startNs).isBetween(120_000L, 124_000L);
        });
    }

    @Test
    void aServerThatKeepsItsMemoryServesNewConnectionsWhenItIsBack() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, 100_000, true));
        memory.set(ValueLayout.JAVA_LONG, 0, 7);
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            client.pause(110_000);
            assertThat(read(queuePair)).isEqualTo(Status.RETRY_EXCEEDED);
            QueuePair again = client.connect(local, OPTIONS);
            assertThat(read(again)).isEqualTo(Status.SUCCESS);
            assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
            assertThat(client.nowNs() - startNs).isLessThan(165_000);
        });
    }

    @Test
    void aConnectionIsMadeAsSoonAsTheServerIsBack() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, 40_000, true));
        fabric.run(1, client -> {
            client.barrier();
            long startNs = client.nowNs();
            client.pause(20_000);
            assertThat(read(client.connect(client.allocate(64), OPTIONS))).isEqualTo(Status.SUCCESS);
            assertThat(client.nowNs() - startNs).isBetween(40_000L, 43_000L);
        });
    }

    @Test
    void memoryThatIsLostIsRegisteredNoMore() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, 20_000, false));
        fabric.run(1, client -> {
            client.barrier();
            client.pause(30_000);
            assertThat(read(client.connect(client.allocate(64), OPTIONS))).isEqualTo(Status.REMOTE_ACCESS_ERROR);
        });
    }

    @Test
    void aWriteThatDoesNotGetThroughHasNoEffect() throws Exception {
        faults(new Fault.Cut(client(0), SERVER, 10_000, NEVER));
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            client.barrier();
            client.pause(20_000);
            assertThat(write(queuePair, local, 9)).isEqualTo(Status.RETRY_EXCEEDED);
        });
        assertThat(word()).isZero();
    }

    @Test
    void aWriteWhoseAcknowledgementIsLostHasTakenEffect() throws Exception {
        faults(new Fault.Cut(SERVER, client(0), 10_000, NEVER));
        fabric.run(1, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            client.barrier();
            client.pause(20_000);
            assertThat(write(queuePair, local, 9)).isEqualTo(Status.RETRY_EXCEEDED);
        });
        assertThat(word()).isEqualTo(9);
    }

    @Test
    void aRequestOnACutLinkEndsWithTheFirstRetransmissionAfterTheCut() throws Exception {
        faults(new Fault.Cut(client(0), SERVER, 10_000, 43_000), new Fault.Cut(SERVER, client(0), 200_000, 233_000));
        fabric.run(2, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            client.pause(20_000);
            assertThat(read(queuePair)).isEqualTo(Status.SUCCESS);
            // The other client's machine has a link of its own.
            assertThat(client.nowNs() - startNs)
                    .isBetween(client.index() == 0 ? 50_000L : 20_000L, client.index() == 0 ? 52_000L : 22_000L);
            client.pause(startNs + 220_000 - client.nowNs());
            assertThat(read(queuePair)).isEqualTo(Status.SUCCESS);
            assertThat(client.nowNs() - startNs)
                    .isBetween(client.index() == 0 ? 240_000L : 220_000L, client.index() == 0 ? 242_000L : 222_000L);
        });
    }

    /** A reply must find the link open, too: the first retransmission whose request arrives loses its reply. */
    @Test
    void aRetransmissionNeedsBothDirections() throws Exception {
        faults(new Fault.Cut(client(0), SERVER, 10_000, 28_000), new Fault.Cut(SERVER, client(0), 10_000, 35_000));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            client.pause(20_000);
            assertThat(read(queuePair)).isEqualTo(Status.SUCCESS);
            assertThat(client.nowNs() - startNs).isBetween(40_000L, 42_000L);
        });
    }

    /** Formerly each of several requests in flight waited for all before it in addition. */
    @Test
    void requestsInFlightWaitTogether() throws Exception {
        faults(
                new Fault.Cut(SERVER, client(0), 10_000, 33_000),
                new Fault.Delay(client(0), SERVER, 100_000, 200_000, 7_000));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            for (long atNs : List.of(20_000L, 110_000L)) {
                client.pause(startNs + atNs - client.nowNs());
                for (int i = 0; i < 4; i++) {
                    queuePair.read(i, 8L * i, region.address(), region.key(), 8, true);
                }
                queuePair.doorbell();
                for (int done = 0; done < 4; done += completions.count()) {
                    queuePair.await(completions);
                }
                assertThat(client.nowNs() - startNs - atNs).isBetween(8_000L, atNs == 20_000 ? 24_000L : 12_000L);
            }
        });
    }

    @Test
    void aCutBeyondTheLastRetransmissionBreaksTheConnection() throws Exception {
        faults(new Fault.Cut(client(0), SERVER, 10_000, 62_000));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            client.pause(20_000);
            assertThat(read(queuePair)).isEqualTo(Status.RETRY_EXCEEDED);
            assertThat(client.nowNs() - startNs).isBetween(70_000L, 72_000L);
        });
    }

    @Test
    void aRestartedServerProgramsClientsMustReconnect() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, 80_000, true));
        List<Long> beganNs = new ArrayList<>();
        fabric.run(1, client -> twoRequests(client), echo(beganNs));
        assertThat(beganNs).hasSize(2);
        assertThat(beganNs.get(1) - beganNs.get(0)).isGreaterThanOrEqualTo(80_000);
    }

    @Test
    void aServersProgramThatHasLostItsMemoryIsNotReachedAgain() throws Exception {
        faults(new Fault.Crash(SERVER, 10_000, 20_000, false));
        fabric.run(
                1,
                client -> {
                    client.barrier();
                    client.pause(30_000);
                    assertThatExceptionOfType(UnreachableException.class)
                            .isThrownBy(() -> client.connect(client.allocate(64), OPTIONS));
                },
                echo(new ArrayList<>()));
    }

    private void twoRequests(Client client) throws FabricException {
        MemorySegment local = client.allocate(64);
        QueuePair queuePair = client.connect(local, OPTIONS);
        client.barrier();
        client.pause(5_000);
        assertThat(statusOfRead(queuePair)).isEqualTo(Status.SUCCESS);
        long startNs = client.nowNs();
        queuePair.receive(2, 8, 8);
        queuePair.await(completions);
        assertThat(completions.status(0)).isEqualTo(Status.FLUSHED);
        assertThat(client.nowNs() - startNs).isBetween(53_000L, 56_000L);
        assertThat(statusOfRead(client.connect(local, OPTIONS))).isEqualTo(Status.SUCCESS);
    }

    private Status statusOfRead(QueuePair queuePair) throws FabricException {
        queuePair.receive(1, 8, 8);
        queuePair.send(0, 0, 8, false);
        queuePair.doorbell();
        queuePair.await(completions);
        return completions.status(0);
    }

    private static ServerProgram echo(List<Long> beganNs) {
        return server -> {
            beganNs.add(server.nowNs());
            Completions taken = new Completions(8);
            List<QueuePair> links = new ArrayList<>();
            while (true) {
                switch (server.next(taken)) {
                    case CONNECTION -> {
                        QueuePair link = server.accept(server.allocate(64), OPTIONS);
                        if (link != null) {
                            link.receive(0, 0, 8);
                            links.add(link);
                        }
                    }
                    case COMPLETIONS -> {
                        for (int i = 0; i < taken.count(); i++) {
                            if (taken.received(i) && taken.status(i) == Status.SUCCESS) {
                                QueuePair link = links.get(taken.connection(i));
                                link.receive(0, 0, 8);
                                link.send(1, 0, 8, false);
                                link.doorbell();
                            }
                        }
                    }
                    case END -> {
                        return;
                    }
                    default -> {}
                }
            }
        };
    }

    @Test
    void aServerIsNotifiedOfAFailedMachinesClientAndOthersContinue() throws Exception {
        faults(new Fault.Crash(client(1), 10_000, NEVER, true));
        List<Integer> gone = new ArrayList<>();
        List<Integer> ended = new ArrayList<>();
        fabric.run(
                3,
                client -> {
                    client.connect(client.allocate(64), OPTIONS);
                    client.barrier();
                    client.pause(20_000L);
                    client.barrier();
                    client.pause(60_000);
                    ended.add(client.index());
                },
                server -> gone.addAll(goneOf(server)));
        assertThat(gone).containsExactly(1);
        assertThat(ended).containsExactlyInAnyOrder(0, 2);
    }

    private List<Integer> goneOf(Server server) throws FabricException {
        List<Integer> gone = new ArrayList<>();
        while (true) {
            switch (server.next(completions)) {
                case CONNECTION -> server.accept(server.allocate(64), OPTIONS);
                case GONE -> gone.add(server.gone());
                case END -> {
                    return gone;
                }
                default -> {}
            }
        }
    }

    @Test
    void aKilledProcessLeavesTheOthersOfItsMachineAlone() throws Exception {
        faults(new Fault.Kill(0, 10_000));
        List<Integer> ended = new ArrayList<>();
        fabric.run(
                4,
                client -> { // 0 and 3 are of one machine
                    QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                    client.barrier();
                    client.pause(20_000);
                    assertThat(read(queuePair)).isEqualTo(Status.SUCCESS);
                    ended.add(client.index());
                });
        assertThat(ended).containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    void unsentRequestsOfACrashedClientAreNeverSent() throws Exception {
        faults(new Fault.Crash(client(0), 10_000, NEVER, true));
        fabric.run(2, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, OPTIONS);
            client.barrier();
            if (client.index() == 0) {
                client.spendCpu(20_000_000); // the doorbell comes after the crash
                write(queuePair, local, 9);
            } else {
                client.pause(100_000); // the run goes on
            }
        });
        assertThat(word()).isZero();
    }

    @Test
    void slowCardsSlowCpusAndDelaysTakeTheirTimeWhileTheyLast() throws Exception {
        faults(
                new Fault.Slow(Fault.Part.CARD, SERVER, 100_000, 200_000, 101),
                new Fault.Slow(Fault.Part.CPU, client(0), 300_000, 400_000, 3),
                new Fault.Delay(client(0), SERVER, 500_000, 600_000, 7_000));
        fabric.run(1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
            client.barrier();
            long startNs = client.nowNs();
            long usualNs = readNs(client, queuePair);
            client.pause(startNs + 110_000 - client.nowNs());
            // 10 ns per message, 5 ns per random access, 0.1 ns per byte: a hundred times more of each.
            assertThat(readNs(client, queuePair)).isCloseTo(usualNs + 1580, within(1L));
            client.pause(startNs + 310_000 - client.nowNs());
            assertThat(readNs(client, queuePair)).isCloseTo(usualNs, within(1L));
            long beforeNs = client.nowNs();
            client.spendCpu(1_000_000);
            assertThat(client.nowNs() - beforeNs).isEqualTo(3_000);
            client.pause(startNs + 510_000 - client.nowNs());
            assertThat(readNs(client, queuePair)).isCloseTo(usualNs + 7_000, within(1L));
            client.pause(startNs + 610_000 - client.nowNs());
            assertThat(readNs(client, queuePair)).isCloseTo(usualNs, within(1L));
        });
    }

    private long readNs(Client client, QueuePair queuePair) throws FabricException {
        long beforeNs = client.nowNs();
        assertThat(read(queuePair)).isEqualTo(Status.SUCCESS);
        return client.nowNs() - beforeNs;
    }
}
