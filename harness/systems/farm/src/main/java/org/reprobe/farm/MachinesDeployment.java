package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.Messages;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.ReadExchange;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;

/**
 * One run of machines that are servers and clients. Each has objects and, per thread, rings, READ buffers and a log.
 */
abstract sealed class MachinesDeployment extends RemoteDeployment
        permits FarmDeployment, TransactionsDeployment, TaoDeployment {
    final FarmSettings own;
    final int machines;
    final int threads;
    final MemoryMap map;
    /** Null if threads only READ. */
    final @Nullable RingAddresses places;

    final MemoryMap.PerThread reads;
    final MemoryMap.PerThread logs;

    /**
     * Maps the memory of a machine. Schemes add further areas to {@link #map}.
     *
     * @param objectBytes bytes of objects, before the rings
     * @param readBytes bytes of a thread's buffers for READs
     */
    MachinesDeployment(
            Settings settings, int repeat, long objectBytes, long readBytes, boolean messages, boolean replicated) {
        super(settings, repeat);
        this.own = settings.section(FarmSettings.class);
        this.machines = settings.clients().machines();
        this.threads = settings.clients().threads();
        this.map = new MemoryMap(threads);
        map.lines(objectBytes);
        this.places = messages ? RingAddresses.in(map, new RingLayout(own.ringBytes()), machines) : null;
        this.reads = map.perThread(readBytes);
        this.logs = map.perThread(replicated ? own.logBytes() : 0);
    }

    abstract int sendQueue();

    abstract int maxMessageBytes();

    /** Returns the off-heap bytes of a machine's regions and of loading them. */
    abstract long machineBytes(int machine);

    /** Returns the JVM heap bytes of the run in addition to clients and queue pairs. */
    long objectHeapBytes() {
        return 0;
    }

    int outstandingReads() {
        return settings().connection().outstandingReads();
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    @Override
    public MemoryNeed memory() {
        long ringBytes = places == null ? 0 : places.layout().maxMessageBytes();
        long bytes = clients() * (maxMessageBytes() + ringBytes);
        for (int machine = 0; machine < machines; machine++) {
            bytes = Math.addExact(bytes, machineBytes(machine));
        }
        return new MemoryNeed(
                bytes + (logs.threadBytes() == 0 ? 0 : own.logBufferBytes(clients())),
                objectHeapBytes() + clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), sendQueue()));
    }

    @Override
    protected List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (places != null) {
            warnings.addAll(MessagingChecks.warnings(settings(), FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder()));
        }
        if (logs.threadBytes() > 0) {
            warnings.addAll(own.logWarnings());
        }
        return warnings;
    }

    /**
     * Checks, before memory is filled, that cards land WRITEs in order, or that {@code farm.assume-in-order} is set.
     */
    final void requireOrder(List<? extends RegisteredMemory> ofMachines) throws FabricException {
        if (places != null) {
            MessagingChecks.requireOrder(ofMachines, FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder());
        }
    }

    @FunctionalInterface
    interface Loader {
        /** Loads the objects and returns the allocators for further ones, by thread; empty if no thread allocates. */
        List<SlabAllocator> load(int machine, MemorySegment memory) throws FabricException;
    }

    @FunctionalInterface
    interface Check {
        /** Returns an error if memory and counts disagree; null if they agree. */
        @Nullable
        String failure(int first, List<MemorySegment> memories, List<List<SlabAllocator>> slabs, Counts all)
                throws FabricException;
    }

    /** Loads and serves machines that have one region each. */
    final ServerSide serve(int first, List<? extends RegisteredMemory> ofMachines, Loader loader, Check check)
            throws FabricException {
        requireOrder(ofMachines);
        List<Served.Machine> served = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        List<List<SlabAllocator>> slabs = new ArrayList<>();
        for (RegisteredMemory machine : ofMachines) {
            int number = first + served.size();
            MemorySegment memory = machine.allocate(machineBytes(number));
            slabs.add(loader.load(number, memory));
            served.add(new Served.Machine(machine.register(memory)));
            memories.add(memory);
        }
        return new FarmServerSide(
                served, first, memories, slabs, (number, regions, all) -> check.failure(number, regions, slabs, all));
    }

    /**
     * Returns the threads of a run, with the machines' memories as laid out by {@link #map}; those of other processes
     * are empty. {@code restarted} is true if this process replaces a killed one.
     */
    final MessagingThreads threads(
            List<MemorySegment> memories,
            List<RemoteRegion> regions,
            Settings.Measure measure,
            boolean restarted,
            MessagingThreads.Workload workload) {
        IntFunction<ConnectionOptions> options =
                client -> own.sharing(settings()).options(client, sendQueue(), outstandingReads());
        return MessagingThreads.of(
                settings(),
                measure,
                places == null
                        ? new ReadExchange.QueuePairs(memories, options)
                        : new Messages.Rings(
                                places,
                                memories,
                                regions,
                                options,
                                own.assumeInOrder(),
                                0,
                                own.leaseMs() > 0,
                                restarted),
                own.inFlight(),
                workload);
    }
}
