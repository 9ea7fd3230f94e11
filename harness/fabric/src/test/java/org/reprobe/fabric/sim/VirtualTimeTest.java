package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

class VirtualTimeTest {
    private static final int WAITS = 1000;

    /**
     * Stale alarms used to be set again whenever one went off: a paced run of 10 ms took minutes, since each of its
     * clients was woken thousands of times per READ.
     */
    @Test
    void alarmsThatWereNotNeededAreGoneWhenTheirTimeHasPassed() throws Exception {
        AtomicInteger most = new AtomicInteger();
        try (Arena arena = Arena.ofShared();
                SimFabric fabric = new SimFabric(TestCard.plain(), 1, 1)) {
            RemoteRegion region = fabric.register(arena.allocate(64, 8));
            VirtualTime time = new VirtualTime(fabric, 1, List.of());
            ClientProgram waits = client -> {
                MemorySegment local = client.allocate(64);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                Completions completions = new Completions(1);
                for (int i = 0; i < WAITS; i++) {
                    queuePair.read(i, 0, region.address(), region.key(), 64, true);
                    queuePair.doorbell();
                    // Long after the reply, which takes a microsecond or two.
                    assertThat(queuePair.await(completions, client.nowNs() + 10_000))
                            .isOne();
                    most.accumulateAndGet(time.pending(), Math::max);
                }
            };
            time.addClient(new SimClient(
                    0, 0, fabric, time, new ClientCard(fabric.times(), fabric.responderOf(0)), arena, 1, null, waits));
            time.run();
        }
        assertThat(most).hasPositiveValue().hasValueLessThan(50);
    }
}
