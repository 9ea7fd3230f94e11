package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;

/**
 * One run of a system: which machines there are, what memory each has, what runs on them. Server half and client half may be in
 * different processes, each with a deployment of its own made from the same settings; what {@link Served} holds is all that is sent
 * from one to the other.
 */
public non-sealed interface Deployment extends Run {

    /** Whether the clients' machines are the servers; else there is one server, which is none of theirs. */
    default boolean clientsServe() {
        return false;
    }

    /** Bytes of registered memory that each byte stands for: a simulated card has room for as many times fewer of its pages. */
    default double memoryScale() {
        return 1;
    }

    @Override
    MemoryNeed memory();

    @Override
    double simulationSeconds();

    /**
     * A name of the code that clients run. What is measured of the first run of its kind in a process would be the compiler's
     * time, so that is run for a while before it counts.
     */
    String codePath();

    /**
     * Allocates, fills and registers memory.
     *
     * @param first number of the first of these machines, from 0
     * @param machines those of this process
     * @param content that of {@link SharedContent#content}, built in the first machine's memory or in memory that it can register; null for none
     * @throws FabricException when there is no room, in the user's words
     */
    ServerHalf serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException;

    /**
     * What clients do.
     *
     * @param measure for how long: the settings' own times, or those of a rehearsal
     * @param runSeed of the clients' choices
     */
    Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException;

    /** The same with what clients are given besides. */
    default Workload clients(Served served, Settings.Measure measure, long runSeed, Surroundings surroundings)
            throws FabricException {
        return clients(served, measure, runSeed);
    }

    /** Whether the run goes on when machines fail that clients are on: then its processes share a {@link SharedWord}. */
    default boolean machinesMayFail() {
        return false;
    }

    /** Counts of this system's, with nothing counted. */
    Counts counts();

    /**
     * What the counts of all clients say.
     *
     * @param verificationFailure what a server half says against them; null for nothing
     */
    RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure);
}
