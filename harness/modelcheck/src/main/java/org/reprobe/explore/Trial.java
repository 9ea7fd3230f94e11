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
 * A few clients with a few operations, and what must hold whatever happens in which order. Its programs run anew for each
 * schedule: all that they do must follow from what they read and are told, and what they keep must begin anew too. Clocks
 * count a client's own steps.
 */
public interface Trial {

    /** How many clients. */
    int clients();

    /** Allocates, registers and fills the server's memory. Called once for each search: each of its schedules begins with what it left. */
    void build(Fabric fabric) throws FabricException;

    /** What a client does; runs once for each client in each schedule. */
    void run(Client client, HistoryRecorder history) throws FabricException;

    /** How many servers there are. Where there are several, client i is on the machine of server i modulo their number. */
    default int servers() {
        return 1;
    }

    /** How many aligned bytes a READ takes at one moment; a power of two from 8 on. Other steps are of 8. */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /**
     * Whether all programs have one clock. Only deadlines move it: at the end of a wait that one has ended it shows that deadline at
     * least, and any may end first. Else each has a clock of its own.
     */
    default boolean oneClock() {
        return false;
    }

    /**
     * What the first server does, as a rule the only one; null for a passive one. When its machine comes back after a failure it runs
     * anew, and finds memory as it left it.
     */
    default @Nullable ServerProgram server() {
        return null;
    }

    /** What servers do, by their numbers; passive are those with null and those beyond its end. */
    default List<? extends @Nullable ServerProgram> serverPrograms() {
        return Collections.singletonList(server());
    }

    /** How many programs there are. */
    default int programs() {
        return clients()
                + (int) serverPrograms().stream().filter(Objects::nonNull).count();
    }

    /**
     * What is wrong at the end of a schedule, judged by what clients were told and what the server's memory holds; null
     * when all is well. Must depend on the order of operations only where one returned before another was invoked.
     */
    @Nullable
    String wrong(History history);

    /** What a place in the server's memory is called in a timeline. */
    default String place(int region, long offset) {
        return (region == 0 ? "" : "region " + region + " ") + "+" + offset;
    }
}
