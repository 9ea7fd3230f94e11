package org.reprobe.explore;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/**
 * Clients with a few operations, and a condition that must hold in every schedule. Programs run anew in each schedule and
 * must be deterministic given their observations, without state from earlier schedules. Clocks count a client's own steps.
 */
public interface Trial {

    int clients();

    /** Allocates, registers and fills the server's memory, once per search: its content is the initial one of each schedule. */
    void build(Fabric fabric) throws FabricException;

    /** Program of each client, once per schedule. */
    void run(Client client, HistoryRecorder history) throws FabricException;

    /** Number of servers. With several, client i is on the machine of server i modulo their number. */
    default int servers() {
        return 1;
    }

    /** Size of the aligned blocks that a READ reads atomically, in bytes; a power of two from 8 on. */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /**
     * Returns true if all programs share one clock. Only deadlines advance it: a wait ended by a deadline ends at that time
     * at the earliest, and any may end first. Otherwise each program has its own clock.
     */
    default boolean oneClock() {
        return false;
    }

    /**
     * Program of the first, usually only, server; null for a passive one. It restarts with its machine and finds the memory
     * as before.
     */
    default @Nullable ServerProgram server() {
        return null;
    }

    /** Programs of servers by number; servers with null or beyond the end of the list are passive. */
    default List<? extends @Nullable ServerProgram> serverPrograms() {
        return Collections.singletonList(server());
    }

    default int programs() {
        return clients()
                + (int) serverPrograms().stream().filter(Objects::nonNull).count();
    }

    /**
     * Returns the failure at the end of a schedule, judged by results and server memory; null for none. May depend on the
     * order of operations only where one returned before another's invocation.
     */
    @Nullable
    String wrong(History history);

    /** Name of a place in the server's memory for timelines. */
    default String place(int region, long offset) {
        return (region == 0 ? "" : "region " + region + " ") + "+" + offset;
    }
}
