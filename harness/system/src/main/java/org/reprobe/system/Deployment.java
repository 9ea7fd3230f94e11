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

    /** Returns true if clients run on the servers' machines; otherwise servers have their own machines. */
    default boolean clientsServe() {
        return false;
    }

    /** Returns the number of servers with their own machines; more than 1 on a simulated fabric only. */
    default int servers() {
        return 1;
    }

    /** Returns the number of threads of each server with its own machine; more than 1 on a simulated fabric only. */
    default int serverThreads() {
        return 1;
    }

    /** Returns the number of clients per thread, which share its CPU; more than 1 on a simulated fabric only. */
    default int coroutines() {
        return 1;
    }

    /** Returns the bytes that each registered byte represents, the divisor of a simulated card's page translations. */
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
     * Allocates, fills and registers memory of this process's machines, numbered from {@code first} on.
     *
     * @param content built {@link SharedContent#content}, in the first machine's memory or in memory that it can
     *     register; null if there is none
     * @throws FabricException if memory is insufficient
     */
    ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException;

    /** Returns the clients' workload, with times of the settings or a rehearsal, and choices by {@code runSeed}. */
    Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException;

    /** Returns the clients' workload for a run with a {@link RunContext}. The default ignores the context. */
    default Workload clients(Served served, Settings.Measure measure, long runSeed, RunContext context)
            throws FabricException {
        return clients(served, measure, runSeed);
    }

    /** Returns true if the run survives failures of clients' machines; its processes share a {@link SharedWord}. */
    default boolean machinesMayFail() {
        return false;
    }

    /** Returns empty counts of this system. */
    Counts counts();

    /** Returns the result of the run. A server side may have found a {@code verificationFailure}. */
    RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure);
}
