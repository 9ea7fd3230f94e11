package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;

/**
 * Run of a system: its machines, their memory and programs. Server and client side may be in different processes, each with
 * a deployment from the same settings; {@link Served} is all that is sent between them.
 */
public non-sealed interface Deployment extends Run {

    /** Returns true if clients run on the servers' machines; otherwise the only server is on its own machine. */
    default boolean clientsServe() {
        return false;
    }

    /** Bytes of registered memory represented by each byte; divides a simulated card's capacity for page translations. */
    default double memoryScale() {
        return 1;
    }

    @Override
    MemoryNeed memory();

    @Override
    double simulationSeconds();

    /**
     * Name of the clients' code path. The first run of each path in a process is preceded by an uncounted rehearsal, so
     * that measurements exclude JIT compilation.
     */
    String codePath();

    /**
     * Allocates, fills and registers memory.
     *
     * @param first number of the first of these machines, from 0
     * @param machines in this process
     * @param content of {@link SharedContent#content}, in the first machine's memory or in memory that it can register;
     * null for none
     * @throws FabricException if memory is insufficient
     */
    ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException;

    /**
     * Returns the clients' workload.
     *
     * @param measure times of the settings or of a rehearsal
     * @param runSeed of the clients' choices
     */
    Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException;

    default Workload clients(Served served, Settings.Measure measure, long runSeed, RunContext context)
            throws FabricException {
        return clients(served, measure, runSeed);
    }

    /** Returns true if the run survives failures of clients' machines: then its processes share a {@link SharedWord}. */
    default boolean machinesMayFail() {
        return false;
    }

    /** Returns empty counts of this system. */
    Counts counts();

    /** Evaluates the counts of all clients, and a contradiction found by a server side; null for none. */
    RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure);
}
