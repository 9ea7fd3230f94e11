package org.reprobe.findorput;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SendQueue;
import org.reprobe.findorput.FindOrPutSystem.FindOrPutSettings;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/** One run of find-or-put: each machine holds a part of the table, and its processes access the whole table. */
final class FindOrPutDeployment extends RemoteDeployment {
    /** Width of the interval of load factors over which the paper measures inserts (section 4.1). */
    private static final double LOAD_INTERVAL = 0.02;

    private static final int QUEUE = 32;

    private final FindOrPutSettings own;
    private final NicProfile nic;

    FindOrPutDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, repeat);
        this.own = settings.section(FindOrPutSettings.class);
        this.nic = nic;
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    private int machines() {
        return settings().clients().machines();
    }

    /** Returns distinct data of 63 bits, by number. */
    private LongUnaryOperator data() {
        LongUnaryOperator keys = loadedKeys();
        return number -> keys.applyAsLong(number) >>> 1;
    }

    private long loaded() {
        double below = settings().workload().writes() > 0 ? LOAD_INTERVAL : 0;
        return Math.max(0, Math.round((settings().loadFactor() - below) * slots()));
    }

    private int activeProcesses() {
        return own.active() == 0 ? clients() : Math.min(clients(), own.active());
    }

    @Override
    protected @Nullable String problem(Counts all) {
        long outOfReach = all.total(Counter.OUT_OF_REACH);
        return outOfReach == 0
                ? super.problem(all)
                : ("%d of %d operations searched data that are in the table, but beyond the chunks that a process examines"
                                + " (find-or-put.chunks %d, find-or-put.chunk-buckets %s): the table is too full for these keys; use a"
                                + " lower load-factor, more chunks or larger ones")
                        .formatted(
                                outOfReach,
                                all.total(Counter.OPERATIONS),
                                own.chunks(),
                                own.chunkBuckets() == 0 ? "adaptive" : String.valueOf(own.chunkBuckets()));
    }

    /**
     * Selects active processes from machines in turn; simulated clients are numbered across machines, real ones not.
     */
    private IntPredicate active() {
        int active = activeProcesses();
        if (!settings().isReal()) {
            return index -> index < active;
        }
        int machines = machines();
        int threads = settings().clients().threads();
        return index -> index % threads * machines + index / threads < active;
    }

    /** Returns the number of inserts after which a process ends. */
    private long maxInserts() {
        return Math.max(1, Math.round(LOAD_INTERVAL * slots() / activeProcesses()));
    }

    @Override
    public MemoryNeed memory() {
        int buckets = own.chunkBuckets() > 0
                ? own.chunkBuckets()
                : new AdaptiveChunks(ChunkModel.bucketsByPercent(nic)).max();
        long clients = clients();
        return new MemoryNeed(
                Math.multiplyExact(slots(), (long) Long.BYTES)
                        + clients * FindOrPut.localBytes((int) Math.min(buckets, slots())),
                clientHeapBytes() + clients * machines() * SendQueue.powerOfTwo(QUEUE) * MemoryNeed.QUEUE_SLOT_BYTES);
    }

    @Override
    public String codePath() {
        return super.codePath() + (own.chunkBuckets() == 0 ? " adaptive" : " fixed");
    }

    /**
     * Machines of this JVM, numbered from {@code first}, with their parts of the table and the data that clients insert
     * before they begin ({@link FindOrPutWorkload#load}).
     */
    private record ServedMachines(
            List<Served.Machine> machines, int first, List<MemorySegment> memories, Queue<Long> rest)
            implements ServerSide {}

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        List<MemorySegment> memories = new ArrayList<>();
        List<Served.Machine> served = new ArrayList<>();
        for (RegisteredMemory machine : machines) {
            MemorySegment memory = machine.allocate(SharedTable.bytesOf(first + memories.size(), machines(), slots()));
            memories.add(memory);
            served.add(new Served.Machine(machine.register(memory)));
        }
        SharedTable parts = table(List.of(), first, memories);
        return new ServedMachines(served, first, memories, FindOrPutWorkload.load(parts, loaded(), data()));
    }

    private SharedTable table(List<RemoteRegion> regions, int first, List<MemorySegment> memories) {
        List<MemorySegment> all = new ArrayList<>(Collections.nCopies(machines(), MemorySegment.NULL));
        for (int i = 0; i < memories.size(); i++) {
            all.set(first + i, memories.get(i));
        }
        return SharedTable.of(slots(), machines(), regions, all);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        ServedMachines local = served.local() instanceof ServedMachines side
                ? side
                : new ServedMachines(List.of(), 0, List.of(), new ArrayDeque<>(0));
        return new FindOrPutWorkload(new FindOrPutWorkload.Parameters(
                settings(),
                measure,
                table(served.regions(), local.first(), local.memories()),
                chunkSize(),
                new FindOrPutWorkload.Data(data(), loaded(), local.rest()),
                maxInserts(),
                operation -> Rng.at(runSeed, operation),
                active()));
    }

    private Supplier<ChunkSize> chunkSize() {
        if (own.chunkBuckets() > 0) {
            return () -> new ChunkSize.Fixed(own.chunkBuckets());
        }
        int[] byPercent = ChunkModel.bucketsByPercent(nic);
        return () -> new AdaptiveChunks(byPercent);
    }
}
