package org.example.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
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
    private static final long ROUND_TRIP_NS = 1500;

    private final List<Integer> ends = new ArrayList<>();
    private final long[] ns = new long[COROUTINES];

    /**
     * Runs one request per coroutine, posted in the order of their numbers: a large WRITE to server 1, which counts as
     * two requests, then two small READs from server 0.
     */
    private void run(ThreadRequests requests) throws Exception {
        ends.clear();
        var nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g");
        try (SimFabric fabric = new SimFabric(nic, new Placement(2, 1, 1, COROUTINES), 1)) {
            RemoteRegion[] regions = new RemoteRegion[2];
            for (int server = 0; server < 2; server++) {
                regions[server] =
                        fabric.memory(server).register(fabric.memory(server).allocate(LARGE));
            }
            fabric.run(COROUTINES, client -> {
                int server = client.index() == 0 ? 1 : 0;
                MemorySegment local = client.allocate(LARGE);
                try (OneSidedLink link = new OneSidedLink(
                        client, server, local, ConnectionOptions.oneSided(8, 16).sharedAs(0))) {
                    var coroutine = requests.new Coroutine(client);
                    client.barrier();
                    client.pause(1 + client.index());
                    if (server == 1) {
                        link.write(regions[server], 0, 0, LARGE);
                    } else {
                        link.read(regions[server], 0, 0, Long.BYTES);
                    }
                    coroutine.roundTrip(link, server, server == 1 ? 2 : 1);
                    ends.add(client.index());
                    ns[client.index()] = client.nowNs();
                }
            });
        }
    }

    @Test
    void aCoroutineWaitsForEarlierRequestsOfItsThreadToOtherServers() throws Exception {
        run(new ThreadRequests(2, true, Integer.MAX_VALUE));
        assertThat(ends).containsExactly(0, 1, 2);
        assertThat(ns[0]).isGreaterThan(20_000);
        assertThat(ns[1]).isEqualTo(ns[0]);
        run(new ThreadRequests(2, false, Integer.MAX_VALUE));
        assertThat(ends).containsExactly(1, 2, 0);
    }

    @Test
    void coroutinesPostInOrderWithinTheLimitOfRequestsInFlight() throws Exception {
        run(new ThreadRequests(2, false, 3));
        assertThat(ends).containsExactly(1, 2, 0);
        assertThat(ns[2] - ns[1]).isGreaterThan(ROUND_TRIP_NS);
        run(new ThreadRequests(2, false, 2));
        assertThat(ends).containsExactly(0, 1, 2);
        assertThat(ns[2] - ns[1]).isLessThan(ROUND_TRIP_NS);
        run(new ThreadRequests(2, false, 1)); // a longer list counts as one request
        assertThat(ends).containsExactly(0, 1, 2);
        assertThat(ns[2] - ns[1]).isGreaterThan(ROUND_TRIP_NS);
    }
}
