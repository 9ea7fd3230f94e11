package org.example.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.testing.Project;

/** A thread of three coroutines and two servers. */
class ThreadRequestsTest {
    private static final int COROUTINES = 3;
    private static final int LARGE = 1 << 20;

    private final List<Integer> ends = new ArrayList<>();
    private final long[] ns = new long[COROUTINES];

    @BeforeEach
    void clear() {
        ends.clear();
    }

    /**
     * Runs one READ per coroutine, posted in the order of their numbers: a large one from server 1, then two small ones
     * from server 0.
     */
    private void run(ThreadRequests requests) throws Exception {
        var nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g");
        try (SimFabric fabric = new SimFabric(nic, new Placement(2, 1, 1, COROUTINES), 1)) {
            RemoteRegion[] regions = new RemoteRegion[2];
            for (int server = 0; server < 2; server++) {
                regions[server] = fabric.memory(server).register(fabric.memory(server).allocate(LARGE));
            }
            fabric.run(COROUTINES, client -> {
                int server = client.index() == 0 ? 1 : 0;
                MemorySegment local = client.allocate(LARGE);
                try (OneSidedLink link =
                        new OneSidedLink(client, server, local, ConnectionOptions.oneSided(8, 16).sharedAs(0))) {
                    var coroutine = requests.new Coroutine(client);
                    client.barrier();
                    client.pause(1 + client.index());
                    link.read(regions[server], 0, 0, server == 1 ? LARGE : Long.BYTES);
                    coroutine.roundTrip(link, server);
                    ends.add(client.index());
                    ns[client.index()] = client.nowNs();
                }
            });
        }
    }

    @Test
    void aCoroutineWaitsForEarlierRequestsOfItsThreadToOtherServers() throws Exception {
        run(new ThreadRequests(2));
        assertThat(ends).containsExactly(0, 1, 2);
        assertThat(ns[0]).isGreaterThan(20_000);
        assertThat(ns[1]).isEqualTo(ns[0]);
    }
}
