package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;

/**
 * Run of a system: its machines with their memory and programs. Server side and client side may be in different
 * processes, each with a deployment created from the same settings. Only {@link Served} is sent between them.
 */
public non-sealed interface Deployment extends Run {

    /** Returns true if clients run on the servers' machines; otherwise the only server is on its own machine. */
    default boolean clientsServe() {
        return false;
    }

    /**
     * Returns the number of bytes that each byte of registered memory represents. It divides a simulated card's
     * capacity for page translations.
     */
    default double memoryScale() {
        return 1;
    }

    @Override
    MemoryNeed memory();

    @Override
    double simulationSeconds();

    /**
     * Returns the name of the clients' code path. In each process a rehearsal precedes the first run of a path, so that
     * measurements exclude JIT compilation.
     */
    String codePath();

    /**
     * Allocates, fills and registers memory.
     *
     * @param first number of the first of these machines, from 0
     * @param machines memory of the machines in this process
     * @param content built {@link SharedContent#content}, in the first machine's memory or in memory that it can
     *     register; null if there is none
     * @throws FabricException if memory is insufficient
     */
    ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException;

    /**
     * Returns the clients' workload.
     *
     * @param measure times of the settings or of a rehearsal
     * @param runSeed seed of the clients' choices
     */
    Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException;

    /** Returns the clients' workload for a run with a {@link RunContext}. The default ignores the context. */
    default Workload clients(Served served, Settings.Measure measure, long runSeed, RunContext context)
            throws FabricException {
        return clients(served, measure, runSeed);
    }

    /**
     * Returns true if the run survives failures of clients' machines. Its processes then share a {@link SharedWord}.
     */
    default boolean machinesMayFail() {
        return false;
    }

    /** Returns empty counts of this system. */
    Counts counts();

    /**
     * Returns the result of the run.
     *
     * @param all counts of all clients
     * @param verificationFailure contradiction that a server side has found; null if there is none
     */
    RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure);
}
