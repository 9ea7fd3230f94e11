package org.reprobe.fabric.sim;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * CPU of a thread with coroutines, each of which is a client. One of them runs until it waits for an event; those that
 * could continue meanwhile follow in the order of their events.
 */
final class Cpu {
    private final VirtualTime time;
    private final ArrayDeque<SimClient> waiting = new ArrayDeque<>();
    private @Nullable SimClient running;
    private long freePs;

    Cpu(VirtualTime time) {
        this.time = time;
    }

    /** Blocks a coroutine until it runs. */
    void enter(SimClient coroutine) {
        if (running == null) {
            running = coroutine;
        } else {
            waiting.add(coroutine);
            while (running != coroutine) {
                time.advance(coroutine);
            }
        }
        coroutine.advanceTo(freePs);
    }

    /** Passes the CPU to the next coroutine, from the time of the one that leaves. */
    void leave(SimClient coroutine) {
        if (running == coroutine) {
            freePs = coroutine.nowPs();
            SimClient next = waiting.poll();
            running = next;
            if (next != null) {
                time.schedule(freePs, next.index());
            }
        }
    }
}
