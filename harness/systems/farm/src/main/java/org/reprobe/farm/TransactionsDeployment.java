package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogFolder;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ObjectAllocations;
import org.reprobe.farm.commit.RestoredObjects;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.farm.transactions.PartArray;
import org.reprobe.farm.transactions.TransactionParts;
import org.reprobe.farm.transactions.Transactions;
import org.reprobe.farm.transactions.TransactionsPlan;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Restartable;
import org.reprobe.system.RunContext;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/**
 * One run of transactions. With leases, the memory of a machine ends with its copies of other machines' objects. At the
 * end the versions of all objects must account for the writes of all committed transactions, and no object may be
 * locked. If objects have parts, each object must point to its own part, and no other part may be allocated.
 */
final class TransactionsDeployment extends MachinesDeployment implements Restartable {
    /** READs and messages per second that one core simulates. */
    private static final double SIMULATED_REQUESTS_PER_S = 8e4;

    /** Time of a transaction's phase under load in s, and the number of phases. */
    private static final double PHASE_S = 20e-6;

    private static final int PHASES = 4;

    private static final double LOADED_OBJECTS_PER_S = 5e6;
    private static final double NS_PER_MS = 1e6;

    private final TransactionSettings transactions;
    private final ObjectArray objects;
    private final @Nullable PartArray parts;
    /** Offset of the copies of others' objects. */
    private final long copiesAt;
    /** Recovery of the current run, if machines have leases. */
    private @Nullable RunRecovery recovery;

    private RunContext around = RunContext.NONE;
    private @Nullable LogFolder logFolder;
    private List<LogFolder> earlierLogs = List.of();
    private @Nullable RestoredObjects restored;

    TransactionsDeployment(Settings settings, int repeat) {
        super(
                settings,
                repeat,
                objectBytes(settings),
                readBytes(settings),
                true,
                settings.section(FarmSettings.class).replicas() > 0);
        this.transactions = settings.section(TransactionSettings.class);
        this.objects = objects(settings);
        this.parts = parts(settings);
        this.copiesAt = survives() ? map.lines(RunRecovery.bytes(objects, own.replicas())) : map.bytes();
    }

    static ObjectArray objects(Settings settings) {
        return new ObjectArray(
                ObjectLayout.inLines(settings.table().recordBytes(), settings.isReal()),
                settings.clients().machines(),
                settings.table().records());
    }

    static @Nullable PartArray parts(Settings settings) {
        TransactionSettings transactions = settings.section(TransactionSettings.class);
        long underWay = (long) settings.clients().machines()
                * settings.section(FarmSettings.class).inFlight()
                * transactions.writtenObjects();
        return transactions.partBytes() == 0
                ? null
                : PartArray.of(
                        objects(settings),
                        transactions.partBytes(),
                        settings.clients().threads(),
                        underWay);
    }

    static long objectBytes(Settings settings) {
        PartArray parts = parts(settings);
        return parts == null ? objects(settings).bytes() : parts.bytes();
    }

    private static @Nullable ObjectLayout part(Settings settings) {
        PartArray parts = parts(settings);
        return parts == null ? null : parts.layout();
    }

    private static long readBytes(Settings settings) {
        return Transactions.readBytes(
                objects(settings).layout(),
                part(settings),
                settings.section(TransactionSettings.class).readObjects(),
                settings.section(FarmSettings.class).inFlight());
    }

    /** Returns the send queue for messages and all READs that a thread has in flight. */
    static int sendQueue(FarmSettings own, TransactionSettings transactions) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()))
                + transactions.readObjects() * own.inFlight();
    }

    static int maxMessageBytes(Settings settings) {
        TransactionSettings transactions = settings.section(TransactionSettings.class);
        ObjectLayout part = part(settings);
        int words = Transactions.maxWords(
                objects(settings).layout(),
                part,
                transactions.writtenObjects(),
                transactions.readObjects(),
                settings.section(FarmSettings.class).leaseMs() == 0
                        ? 0
                        : RunRecovery.messageWords(coordinators(settings)),
                transactions.shipped());
        return MessagingThread.maxMessageBytes(
                words * Long.BYTES, (part == null ? 1 : ObjectAllocations.REPLY_WORDS) * Long.BYTES);
    }

    private static int coordinators(Settings settings) {
        return settings.clients().total() * settings.section(FarmSettings.class).inFlight();
    }

    @Override
    int sendQueue() {
        return sendQueue(own, transactions);
    }

    @Override
    int maxMessageBytes() {
        return maxMessageBytes(settings());
    }

    @Override
    public boolean machinesMayFail() {
        return survives();
    }

    private boolean survives() {
        return own.leaseMs() > 0;
    }

    @Override
    long machineBytes(int machine) {
        return map.bytes();
    }

    private RegionCopies copies() {
        return RegionCopies.inOrder(objects.machines(), 1, own.replicas());
    }

    @Override
    long objectHeapBytes() {
        return survives() ? objects.objects() * 2 * Long.BYTES : 0;
    }

    @Override
    public double simulationSeconds() {
        Settings.Measure measure = settings().measure();
        double virtualSeconds = (measure.warmUpMs() + measure.durationMs()) / 1e3;
        double committed = virtualSeconds * clients() * own.inFlight() / (PHASES * PHASE_S);
        // One READ per object and, in each later phase, at most one exchange of messages, which are two WRITEs.
        double requests = transactions.readObjects() * (1 + 2.0 * (PHASES - 1));
        // Parts take the same.
        int things = parts == null ? 1 : 2;
        return things * (committed * requests / SIMULATED_REQUESTS_PER_S + objects.objects() / LOADED_OBJECTS_PER_S);
    }

    @Override
    public void keepLogs(Path logs, List<Path> earlier) {
        logFolder = new LogFolder(logs);
        earlierLogs = earlier.stream().map(LogFolder::new).toList();
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> ofMachines, @Nullable BuiltContent content)
            throws FabricException {
        if (!earlierLogs.isEmpty()) {
            restored = RunRecovery.restored(earlierLogs, objects, copies());
        }
        return serve(first, ofMachines, this::load, this::failure);
    }

    private List<SlabAllocator> load(int machine, MemorySegment memory) throws FabricException {
        if (survives()) {
            RunRecovery.load(objects, copies(), copiesAt, machine, memory);
        }
        if (parts != null) {
            return parts.load(machine, memory);
        }
        objects.load(machine, memory);
        if (restored != null) {
            RunRecovery.restore(restored, objects, copies(), copiesAt, machine, memory);
        }
        return List.of();
    }

    private @Nullable String failure(
            int first, List<MemorySegment> memories, List<List<SlabAllocator>> slabs, Counts all)
            throws FabricException {
        RunRecovery recovered = recovery;
        if (recovered != null) {
            for (int i = 0; i < memories.size(); i++) {
                recordState(recovered, first + i, memories.get(i), first + i);
            }
            return recovered.failure(first, memories);
        }
        long written = 0;
        for (int i = 0; i < memories.size(); i++) {
            if (parts != null) {
                String broken = parts.failure(first + i, memories.get(i), SlabAllocator.allocated(slabs.get(i)));
                if (broken != null) {
                    return broken;
                }
            } else {
                long broken = objects.broken(first + i, memories.get(i));
                if (broken >= 0) {
                    return "object " + broken + " is locked or torn although no transaction is in progress";
                }
            }
            written += objects.written(first + i, memories.get(i));
        }
        long counted = all.total(Counter.OBJECTS_WRITTEN);
        return memories.size() == objects.machines() && written != counted
                ? "committed transactions have written " + counted + " objects, but their versions count " + written
                : null;
    }

    /** Records the state of a machine's regions as history {@code number} after those of clients. */
    private void recordState(RunRecovery recovered, int machine, MemorySegment memory, int number)
            throws FabricException {
        HistoryRecorder history = around.histories().of(clients() + number);
        recovered.recordState(machine, memory, history, coordinators(settings()) + 1 + number);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException {
        return clients(served, measure, runSeed, RunContext.NONE);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed, RunContext context)
            throws FabricException {
        around = context;
        List<MemorySegment> memories = FarmServerSide.memories(served, objects.machines());
        recovery = survives()
                ? new RunRecovery(
                        objects,
                        copies(),
                        memories,
                        served.regions(),
                        copiesAt,
                        threads,
                        (long) (own.leaseMs() * NS_PER_MS),
                        measure.warmUpNs() + measure.durationNs(),
                        context,
                        logFolder)
                : null;
        boolean begins = restored != null && context.restarts().own() == 0;
        for (int machine = 0; begins && recovery != null && machine < machines; machine++) {
            if (memories.get(machine).byteSize() > 0) {
                recordState(recovery, machine, memories.get(machine), machines + machine);
            }
        }
        TransactionsPlan plan = plan(served, runSeed);
        return threads(
                memories,
                served.regions(),
                measure,
                context.restarts().own() > 0,
                (client, thread) -> new Transactions(
                        client,
                        plan,
                        thread.machine(),
                        thread.thread(),
                        memories,
                        reads.at(thread.thread()),
                        logs.at(thread.thread()),
                        context.histories().of(client.index())));
    }

    private TransactionsPlan plan(Served served, long runSeed) {
        CommitRules rules = transactions.rules(own.replication());
        RunRecovery recovered = recovery;
        return new TransactionsPlan(
                objects,
                recovered == null ? served.regions() : recovered.regions(),
                new TransactionsPlan.Mix(
                        FarmDeployment.choice(settings(), objects.objects(), own.ranks(), runSeed),
                        number -> Rng.at(runSeed, number),
                        transactions.readObjects(),
                        transactions.writtenObjects(),
                        settings().workload().writes(),
                        transactions.spread() == TransactionSettings.Spread.ONE_MACHINE,
                        transactions.shipped()),
                survives() ? rules.with(CommitRules.CommitAcknowledgement.LOGGED_AND_WRITTEN) : rules,
                own.threads(settings(), runSeed),
                own.replication(machines, 1).in(logFolder, restored),
                recovery,
                parts == null ? null : new TransactionParts.Shared(parts, FarmServerSide.slabs(served, machines)));
    }

    @Override
    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {
        double transactions = all.total(Counter.OPERATIONS);
        if (transactions == 0) {
            return;
        }
        long writing = all.histogram(Recorded.WRITE_NS).getTotalCount();
        if (writing > 0 && own.replicas() > 0) {
            metrics.put(Metrics.CLEANED, (double) all.total(Counter.CLEANED_WORDS) * Long.BYTES / writing);
            LogStages.addMetrics(metrics, all);
        }
        long locked = all.total(Counter.ABORTS_LOCKED);
        long changed = all.total(Counter.ABORTS_CHANGED);
        long invalid = all.total(Counter.ABORTS_INVALID);
        metrics.put(Metrics.ABORTS + ".all", (locked + changed + invalid) / transactions);
        metrics.put(Metrics.ABORTS + ".locked", locked / transactions);
        metrics.put(Metrics.ABORTS + ".changed", changed / transactions);
        metrics.put(Metrics.ABORTS + ".invalid", invalid / transactions);
        addRecovery(metrics, all);
        if (parts != null) {
            metrics.put(Metrics.ALLOCATIONS + ".all", all.total(Counter.ALLOCATIONS) / transactions);
            metrics.put(Metrics.ALLOCATIONS + ".messages", all.total(Counter.ALLOCATION_MESSAGES) / transactions);
            metrics.put(Metrics.SIZE_CLASS_LOSS + ".mean", SizeClasses.meanLoss());
            metrics.put(Metrics.SIZE_CLASS_LOSS + ".max", SizeClasses.maxLoss());
            metrics.put(Metrics.LATENCY_PHASE + ".allocate", all.total(Counter.ALLOCATE_NS) / transactions);
        }
        if (this.transactions.shipped()) {
            metrics.put(Metrics.LATENCY_PHASE + ".ship", all.total(Counter.SHIP_NS) / transactions);
        }
        Map.of(
                        ".read", Counter.READ_PHASE_NS,
                        ".prepare", Counter.PREPARE_NS,
                        ".validate", Counter.VALIDATE_NS,
                        ".replicas", Counter.COMMIT_REPLICAS_NS,
                        ".primaries", Counter.COMMIT_PRIMARIES_NS,
                        ".aborted", Counter.ABORTED_NS)
                .entrySet()
                .stream()
                .sorted(Map.Entry.comparingByValue())
                .forEach(phase -> metrics.put(
                        Metrics.LATENCY_PHASE + phase.getKey(), all.total(phase.getValue()) / transactions));
    }

    /** Adds the times from the first fault to each step of recovery, if the fault's time is known. */
    private void addRecovery(Map<String, Double> metrics, Counts all) {
        double atMs = settings().faults().isEmpty()
                ? 0
                : settings().faults().getFirst().atMs();
        if (!survives() || atMs == 0) {
            return;
        }
        long faultNs = settings().measure().warmUpNs() + (long) (atMs * NS_PER_MS);
        long[] changesNs = changesNs(all);
        for (int i = 0; i < changesNs.length; i++) {
            metrics.put(Metrics.MEMBERSHIP + RunRecovery.STEPS.get(i), Math.max(0, changesNs[i] - faultNs) / NS_PER_MS);
        }
    }

    /** Returns {@link RunRecovery#changesNs} of this process's run, or of the counts of machines' processes. */
    private long[] changesNs(Counts all) {
        RunRecovery recovered = recovery;
        if (recovered != null) {
            return recovered.changesNs().toArray();
        }
        Histogram evicted = all.histogram(Recorded.EVICTED_NS);
        return evicted.getTotalCount() == 0
                ? new long[0]
                : new long[] {
                    evicted.getMinValue(),
                    all.histogram(Recorded.DECIDED_NS).getMaxValue(),
                    all.histogram(Recorded.ACTIVE_NS).getMaxValue()
                };
    }
}
