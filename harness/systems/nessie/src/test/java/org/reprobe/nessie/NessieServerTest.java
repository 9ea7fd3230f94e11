package org.reprobe.nessie;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.remote.OperationResult;

class NessieServerTest {
    private interface Body {
        void run(Client client, NessieClient nessie) throws FabricException;
    }

    private static NessieServer run(Geometry geometry, long maxSlots, int clients, Body body) throws Exception {
        try (SimFabric fabric = new SimFabric(TestCard.plain(), clients, 1)) {
            MemorySegment memory = fabric.allocate(geometry.withSlots(maxSlots).bytes());
            Nessie table = new Nessie(
                    geometry,
                    fabric.register(memory.asSlice(0, geometry.bytes())),
                    new int[geometry.owners()],
                    Rules.CORRECTED,
                    500,
                    Nessie.ATTEMPTS);
            NessieServer server = new NessieServer(fabric, memory, table);
            fabric.run(
                    clients,
                    client -> {
                        ServerLink link = new ServerLink(client, client.index());
                        body.run(client, new NessieClient(client, table, client.index(), 1, link));
                    },
                    server);
            return server;
        }
    }

    private static void assertHas(NessieClient nessie, long key, boolean there) throws FabricException {
        assertThat(nessie.read(key)).as("key %d", key).isEqualTo(there ? OperationResult.DONE : OperationResult.ABSENT);
        if (there) {
            assertThat(nessie.firstWord()).isEqualTo(key + 1000);
        }
    }

    @Test
    void aChainMakesRoomAndWhatFindsNoneIsRefusedWhileAllElseStaysThere() throws Exception {
        NessieServer server = run(new Geometry(64, 2, 70, 8), 64, 1, (client, nessie) -> {
            boolean[] there = new boolean[60];
            int placed = 0;
            for (int key = 0; key < there.length; key++) {
                OperationResult result = nessie.write(key, key + 1000);
                there[key] = result == OperationResult.DONE;
                placed += there[key] ? 1 : 0;
                assertThat(result).isIn(OperationResult.DONE, OperationResult.FULL);
                for (int earlier = 0; earlier <= key; earlier++) {
                    assertHas(nessie, earlier, there[earlier]);
                }
            }
            assertThat(placed).isBetween(28, 59);
            assertThat(nessie.steps().serverCalls()).isPositive();
        });
        assertThat(server.counts().moves()).isPositive();
        assertThat(server.counts().resizes()).isZero();
    }

    @Test
    void aSmallIndexTableGrowsAndClientsContinueInTheLargerOne() throws Exception {
        int clients = 3;
        int keys = 60;
        NessieServer server = run(new Geometry(4, clients + 1, keys + 8, 8), 1024, clients, (client, nessie) -> {
            for (long key = client.index(); key < keys; key += clients) {
                assertThat(nessie.write(key, key + 1000)).isEqualTo(OperationResult.DONE);
            }
            client.barrier();
            for (long key = 0; key < keys; key++) {
                assertHas(nessie, key, true);
            }
            client.barrier();
        });
        assertThat(server.geometry().slots()).isGreaterThanOrEqualTo(keys);
        assertThat(server.counts().resizes()).isPositive();
    }

    @Test
    void aClientWithoutFreeItemsGetsFull() throws Exception {
        run(new Geometry(64, 2, 3, 8), 64, 1, (client, nessie) -> {
            for (long key = 0; key < 3; key++) {
                assertThat(nessie.write(key, key + 1000)).isEqualTo(OperationResult.DONE);
            }
            assertThat(nessie.write(3, 1003)).isEqualTo(OperationResult.FULL);
            for (long key = 0; key < 4; key++) {
                assertHas(nessie, key, key < 3);
            }
            assertThat(nessie.delete(1)).isEqualTo(OperationResult.DONE);
            assertThat(nessie.write(3, 1003)).isEqualTo(OperationResult.DONE);
            assertHas(nessie, 3, true);
        });
    }

    @Test
    void printedAlgorithmsHaveNoServer() throws Exception {
        Geometry geometry = new Geometry(4, 2, 3, 8);
        try (SimFabric fabric = new SimFabric(TestCard.plain(), 1, 1)) {
            MemorySegment memory = fabric.allocate(geometry.bytes());
            Nessie table = new Nessie(geometry, fabric.register(memory), new int[2], Rules.PRINTED, 500, 10);
            assertThatThrownBy(() -> new NessieServer(fabric, memory, table))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
