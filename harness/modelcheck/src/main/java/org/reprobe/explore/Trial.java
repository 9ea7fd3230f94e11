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
 * Clients with a few operations, and a condition that must hold in every schedule. Programs run anew in each schedule.
 * Their behaviour must depend on their observations only, not on earlier schedules. By default a clock counts the
 * program's own steps.
 */
public interface Trial {

    int clients();

    /** Allocates, registers and fills the servers' memory with each schedule's initial content; once per search. */
    void build(Fabric fabric) throws FabricException;

    /** Runs one client's program; called once per client and schedule. */
    void run(Client client, HistoryRecorder history) throws FabricException;

    /** Returns the number of servers. With several, client i is on the machine of server i modulo their number. */
    default int servers() {
        return 1;
    }

    /** Returns the size of the aligned blocks that a READ reads atomically, in bytes: a power of two, at least 8. */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /**
     * Returns true if all programs share one clock, which only passing deadlines advance. Any pending deadline may pass
     * first; the clock then reads at least its time. Returns false if each program has its own clock.
     */
    default boolean oneClock() {
        return false;
    }

    /** Returns the first server's program, null if it is passive. It restarts with its machine and unchanged memory. */
    default @Nullable ServerProgram server() {
        return null;
    }

    /** Returns the server programs by server number; a server with null, or beyond the end of the list, is passive. */
    default List<? extends @Nullable ServerProgram> serverPrograms() {
        return Collections.singletonList(server());
    }

    default int programs() {
        return clients()
                + (int) serverPrograms().stream().filter(Objects::nonNull).count();
    }

    /** Returns true if a server's machine may fail, with limits that permit failures. */
    default boolean mayFail(int server) {
        return true;
    }

    /**
     * Checks the results and the server memory at the end of a schedule; returns the failure, or null. The result may
     * depend on the order of two operations only if one returned before the other was invoked.
     */
    @Nullable
    String violation(History history);

    /** Returns the name of a place in the server's memory, for timelines. */
    default String place(int region, long offset) {
        return (region == 0 ? "" : "region " + region + " ") + "+" + offset;
    }
}
