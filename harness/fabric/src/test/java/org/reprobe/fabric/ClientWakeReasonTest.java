package org.reprobe.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.fabric.tcp.TcpClients;
import org.reprobe.fabric.tcp.TcpServer;
import org.reprobe.fabric.tcp.TcpSettings;

/** Client 0 is on server 0's machine, client 1 on server 1's: each watches words that the other WRITEs. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ClientWakeReasonTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(4, 4);
    private static final int ROUNDS = 50;

    private static Fabric open(String name) throws FabricException {
        TcpSettings settings = TcpSettings.defaults();
        return switch (name) {
            case "sim" -> new SimFabric(TestCard.plain(), Placement.together(2), 1);
            case "shm" -> new LocalFabric("shm", List.of(ShmServer.open(), ShmServer.open()), ShmClients::connect);
            default ->
                new LocalFabric(
                        "tcp",
                        List.of(TcpServer.onLoopback(settings), TcpServer.onLoopback(settings)),
                        servers -> new TcpClients(servers, settings));
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "shm", "tcp"})
    void aClientWakesOnWatchedWordsAndCompletions(String name) throws Exception {
        try (Fabric fabric = open(name)) {
            MemorySegment[] memories = new MemorySegment[2];
            RemoteRegion[] regions = new RemoteRegion[2];
            for (int i = 0; i < 2; i++) {
                memories[i] = fabric.memory(i).allocate(64);
                regions[i] = fabric.memory(i).register(memories[i]);
            }
            fabric.run(2, client -> {
                int own = client.index();
                RemoteRegion there = regions[1 - own];
                MemorySegment local = client.allocate(64);
                QueuePair queuePair = client.connect(1 - own, local, OPTIONS);
                Completions completions = new Completions(4);
                int completed = 0;
                for (long number = 1; number <= ROUNDS; number++) {
                    if (own == 0) {
                        write(queuePair, local, there, number);
                    }
                    client.watch(0, memories[own], 8, number - 1);
                    int word = -1;
                    while (word < 0) {
                        WakeReason reason = client.next(completions, Long.MAX_VALUE);
                        assertThat(reason).isIn(WakeReason.COMPLETIONS, WakeReason.WORDS);
                        completed += succeeded(completions);
                        word = reason == WakeReason.WORDS ? client.changed() : -1;
                    }
                    assertThat(word).isZero();
                    assertThat(memories[own].get(LONG, 8)).isEqualTo(number);
                    assertThat(client.changed()).isEqualTo(-1);
                    if (own == 1) {
                        write(queuePair, local, there, number);
                    }
                }
                while (completed < ROUNDS) {
                    assertThat(client.next(completions, Long.MAX_VALUE)).isEqualTo(WakeReason.COMPLETIONS);
                    completed += succeeded(completions);
                }
                assertThat(client.next(completions, client.nowNs() + 100_000)).isEqualTo(WakeReason.DEADLINE);
            });
        }
    }

    private static void write(QueuePair queuePair, MemorySegment local, RemoteRegion there, long number)
            throws FabricException {
        // The last WRITE may not have completed: each has a word of its own.
        long at = number % 4 * 8;
        local.set(LONG, at, number);
        queuePair.write(number, at, there.address() + 8, there.key(), 8, true);
        queuePair.doorbell();
    }

    private static int succeeded(Completions completions) {
        for (int i = 0; i < completions.count(); i++) {
            assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
        }
        return completions.count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sim", "shm", "tcp"})
    void aClientWakesAtItsDeadline(String name) throws Exception {
        try (Fabric fabric = open(name)) {
            MemorySegment memory = fabric.memory(0).allocate(64);
            fabric.memory(0).register(memory);
            fabric.run(1, client -> {
                Completions completions = new Completions(4);
                long untilNs = client.nowNs() + 2_000_000;
                assertThat(client.next(completions, untilNs)).isEqualTo(WakeReason.DEADLINE);
                assertThat(client.nowNs()).isGreaterThanOrEqualTo(untilNs);
                client.watch(3, memory, 0, 0);
                untilNs = client.nowNs() + 2_000_000;
                assertThat(client.next(completions, untilNs)).isEqualTo(WakeReason.DEADLINE);
                assertThat(client.nowNs()).isGreaterThanOrEqualTo(untilNs);
                client.watch(3, memory, 0, 1); // is not what was seen
                assertThat(client.next(completions, untilNs)).isEqualTo(WakeReason.WORDS);
                assertThat(client.changed()).isEqualTo(3);
                assertThat(client.next(completions, untilNs)).isEqualTo(WakeReason.DEADLINE);
            });
        }
    }
}
