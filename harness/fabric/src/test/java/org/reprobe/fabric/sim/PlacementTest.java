package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;

/** Machines with both clients and servers, and programs that share a machine. */
class PlacementTest {
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 4);
    private final SimFabric fabric = new SimFabric(TestCard.plain(), Placement.together(3), 1);

    @AfterEach
    void close() {
        fabric.close();
    }

    @Test
    void clientsAreDealtOutToTheMachines() throws Exception {
        fabric.run(6, client -> {
            for (int server = 0; server < 3; server++) {
                assertThat(client.isLocal(server)).isEqualTo(client.index() % 3 == server);
            }
        });
    }

    @Test
    void serversDoNotSlowEachOtherDown() throws Exception {
        RemoteRegion[] regions = new RemoteRegion[3];
        for (int i = 0; i < 3; i++) {
            regions[i] = fabric.memory(i).register(fabric.allocate(1 << 16));
        }
        long[] ns = new long[2];
        for (int shared = 0; shared < 2; shared++) {
            int run = shared;
            fabric.run(3, client -> {
                int server = run == 1 ? 0 : client.index();
                QueuePair queuePair = client.connect(server, client.allocate(1 << 16), new ConnectionOptions(1, 1));
                client.barrier();
                long startNs = client.nowNs();
                queuePair.read(1, 0, regions[server].address(), regions[server].key(), 50_000, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                ns[run] = Math.max(ns[run], client.nowNs() - startNs);
            });
        }
        // 0.1 ns per byte at the server: three READs of 50,000 bytes queue there.
        assertThat(ns[1]).isGreaterThan(ns[0] + 9_900);
    }

    @Test
    void theCpuSeesEarlierRemoteWrites() throws Exception {
        MemorySegment memory = fabric.allocate(64);
        RemoteRegion region = fabric.register(memory);
        fabric.run(2, client -> {
            if (client.index() == 1) {
                MemorySegment local = client.allocate(64);
                local.set(ValueLayout.JAVA_LONG, 0, 42);
                QueuePair queuePair = client.connect(0, local, OPTIONS);
                queuePair.write(1, 0, region.address(), region.key(), 8, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
            } else {
                client.spendCpu(100_000_000L);
                client.accesses(Long.BYTES);
                assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            }
        });
    }

    @Test
    void aRoundTripToAMachineAtAnotherSwitchTakesLonger() throws Exception {
        long[] ns = new long[4];
        try (SimFabric apart =
                new SimFabric(TestCard.plain().with(new NicProfile.Cluster(2, 700, 0, 0)), Placement.together(4), 1)) {
            RemoteRegion[] regions = new RemoteRegion[4];
            for (int i = 0; i < 4; i++) {
                regions[i] = apart.memory(i).register(apart.memory(i).allocate(64));
            }
            apart.run(1, client -> {
                for (int server = 1; server < 4; server++) {
                    QueuePair queuePair = client.connect(server, client.allocate(64), OPTIONS);
                    long startNs = client.nowNs();
                    queuePair.read(1, 0, regions[server].address(), regions[server].key(), 0, true);
                    queuePair.doorbell();
                    queuePair.await(new Completions(1));
                    ns[server] = client.nowNs() - startNs;
                }
            });
        }
        assertThat(ns).containsExactly(0, 1000, 1700, 1700);
    }

    @Test
    void processesOfAMachineTakeTurnsAtItsMemoryAndThoseOfOthersDoNot() throws Exception {
        long[] ns = new long[4];
        try (SimFabric shared =
                new SimFabric(TestCard.plain().with(new NicProfile.Cluster(0, 0, 0, 10)), Placement.together(2), 1)) {
            shared.run(3, client -> {
                client.barrier();
                long startNs = client.nowNs();
                client.accesses(100); // two lines of 64 bytes
                ns[client.index()] = client.nowNs() - startNs;
            });
        }
        assertThat(ns).startsWith(20, 20, 40);
    }

    @Test
    void programsOfAMachineShareItsMemoryAndTheirConnectionsAreTheirOwn() throws Exception {
        try (SimFabric threads = new SimFabric(TestCard.plain(), new Placement(2, 2, 1), 1)) {
            assertThat(threads.servers()).isEqualTo(4);
            MemorySegment[] words = new MemorySegment[4];
            RemoteRegion[] regions = new RemoteRegion[4];
            for (int i = 0; i < 4; i++) {
                words[i] = threads.memory(i).allocate(64);
                regions[i] = threads.memory(i).register(words[i]);
            }
            List<String> news = new ArrayList<>();
            List<ServerProgram> programs = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int own = i;
                programs.add(server -> {
                    server.watch(0, words[own], 0, 0);
                    Server.WakeReason next = server.next(new Completions(1));
                    while (next != Server.WakeReason.END) {
                        news.add(own + " " + next);
                        if (next == Server.WakeReason.CONNECTION) {
                            server.accept(server.allocate(64), OPTIONS);
                        } else {
                            assertThat(server.changed()).isZero();
                        }
                        next = server.next(new Completions(1));
                    }
                });
            }
            threads.run(
                    1,
                    client -> {
                        MemorySegment local = client.allocate(64);
                        local.set(ValueLayout.JAVA_LONG, 0, 42);
                        // The connection to thread 0 of machine 1 also reaches the memory of its thread 1.
                        QueuePair queuePair = client.connect(2, local, OPTIONS);
                        queuePair.write(1, 0, regions[3].address(), regions[3].key(), 8, true);
                        queuePair.doorbell();
                        queuePair.await(new Completions(1));
                    },
                    programs);
            assertThat(news).containsExactlyInAnyOrder("2 CONNECTION", "3 WORDS");
        }
    }
}
