package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.verbs.ServerInGuest.Served;

/** Clients in one virtual machine, the server in another; {@link VerbsInGuestTest} starts both. */
class TwoGuests {
    private final Path folder = Path.of(System.getProperty("reprobe.vm.folder"));

    @Test
    void aServerAnswersTheOtherMachinesClients() throws Exception {
        Served served = Served.await(folder);
        RemoteRegion region = served.region();
        try (VerbsClients clients = new VerbsClients(Servers.one(served.endpoint()))) {
            clients.run(Group.alone(2), client -> {
                MemorySegment local = client.allocate(64);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(16, 4));
                for (int i = client.index(); i < 200; i += 2) {
                    queuePair.read(i, 0, region.address() + i * 8L, region.key(), 8, true);
                    VerbsFailuresInGuest.succeeds(queuePair);
                    assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3L * i);
                }
                queuePair.fetchAndAdd(0, 0, region.address(), region.key(), 7, true);
                VerbsFailuresInGuest.succeeds(queuePair);
                assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isIn(0L, 7L);
            });
        }
    }

    /** Last test: it takes the other machine down. No event and no completion reports that. */
    @Test
    void theRunEndsWhenTheServersMachineFails() throws Exception {
        Served served = Served.await(folder);
        RemoteRegion region = served.region();
        try (VerbsClients clients = new VerbsClients(Servers.one(served.endpoint()))) {
            assertThatThrownBy(() -> clients.run(Group.alone(1), client -> {
                        MemorySegment local = client.allocate(64);
                        QueuePair queuePair = client.connect(local, new ConnectionOptions(16, 4));
                        ServerInGuest.fell(folder);
                        VerbsFailuresInGuest.readForEver(queuePair, region);
                    }))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("no heartbeat for 8 s");
        }
    }
}
