package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ObjectAllocations;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingPlaces;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.farm.transactions.PartArray;
import org.reprobe.farm.transactions.TransactionParts;
import org.reprobe.farm.transactions.Transactions;
import org.reprobe.farm.transactions.TransactionsPlan;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.RunContext;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/**
 * One run of transactions: each machine has its objects, its threads' rings, what they READ, and their logs, in one region. In the end objects'
 * versions must tell as many writes as transactions have committed, and none may be locked. Where objects have parts, each must lead to its
 * own, and no other may be allocated.
 */
final class TransactionsDeployment extends RemoteDeployment {
    /** READs and messages that one core simulates in a second. */
    private static final double SIMULATED_REQUESTS_PER_S = 8e4;

    /** A phase of a transaction under load, and how many there are. */
    private static final double PHASE_S = 20e-6;

    private static final int PHASES = 4;

    private static final double LOADED_OBJECTS_PER_S = 5e6;
    private static final double PS_PER_US = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;

    private final FarmSettings own;
    private final TransactionSettings transactions;
    private final ObjectArray objects;
    private final @Nullable PartArray parts;
    private final RingPlaces places;
    /** Of the run under way, where machines have leases. */
    private @Nullable RunRecovery recovery;
    /** Of that run. */
    private RunContext around = RunContext.NONE;

    TransactionsDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.own = settings.section(FarmSettings.class);
        this.transactions = settings.section(TransactionSettings.class);
        this.objects = objects(settings);
        this.parts = parts(settings);
        this.places = new RingPlaces(
                new RingLayout(own.ringBytes()),
                objects.machines(),
                settings.clients().threads(),
                machineBytes(settings));
    }

    static ObjectArray objects(Settings settings) {
        return new ObjectArray(
                ObjectLayout.inLines(settings.table().recordBytes(), settings.isReal()),
                settings.clients().machines(),
                settings.table().records());
    }

    /** The parts of objects, if they have any. */
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

    /** Bytes of a machine's objects, and their parts. */
    static long machineBytes(Settings settings) {
        PartArray parts = parts(settings);
        return parts == null ? objects(settings).bytes() : parts.bytes();
    }

    private @Nullable ObjectLayout part() {
        return parts == null ? null : parts.layout();
    }

    /** For messages, and all READs that a thread has under way. */
    static int sendQueue(FarmSettings own, TransactionSettings transactions) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()))
                + transactions.readObjects() * own.inFlight();
    }

    static int maxMessageBytes(Settings settings) {
        TransactionSettings transactions = settings.section(TransactionSettings.class);
        PartArray parts = parts(settings);
        int words = Transactions.maxWords(
                objects(settings).layout(),
                parts == null ? null : parts.layout(),
                transactions.writtenObjects(),
                transactions.readObjects(),
                settings.section(FarmSettings.class).leaseMs() == 0
                        ? 0
                        : RunRecovery.messageWords(coordinators(settings)),
                transactions.shipped());
        return MessagingThread.maxMessageBytes(
                words * Long.BYTES, (parts == null ? 1 : ObjectAllocations.ANSWER_WORDS) * Long.BYTES);
    }

    /** Transactions that may be under way at once. */
    private static int coordinators(Settings settings) {
        return settings.clients().total() * settings.section(FarmSettings.class).inFlight();
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    private long readsAt(int thread) {
        long bytes = Transactions.readBytes(objects.layout(), part(), transactions.readObjects(), own.inFlight());
        return places.from() + places.bytes() + thread * bytes;
    }

    private long logAt(int thread) {
        long bytes = own.replicas() == 0 ? 0 : own.logBytes();
        long from = readsAt(settings().clients().threads());
        return (from + Long.BYTES - 1) / Long.BYTES * Long.BYTES + thread * bytes;
    }

    /** Where copies of others' objects are, which they are taken over from. */
    private long copiesAt() {
        return logAt(settings().clients().threads());
    }

    @Override
    public boolean machinesMayFail() {
        return survives();
    }

    private boolean survives() {
        return own.leaseMs() > 0;
    }

    private long regionBytes() {
        return copiesAt() + (survives() ? RunRecovery.bytes(objects, own.replicas()) : 0);
    }

    private RegionCopies copies() {
        return RegionCopies.inOrder(objects.machines(), 1, own.replicas());
    }

    @Override
    public MemoryNeed memory() {
        long buffers = clients() * MessagingThread.localBytes(maxMessageBytes(settings()), places.layout());
        return new MemoryNeed(
                Math.multiplyExact(regionBytes(), (long) objects.machines()) + buffers + own.logBufferBytes(clients()),
                (survives() ? objects.objects() * 2 * Long.BYTES : 0)
                        + clientHeapBytes()
                        + own.sharing(settings()).heapBytes(settings(), sendQueue(own, transactions)));
    }

    @Override
    public double simulationSeconds() {
        Settings.Measure measure = settings().measure();
        double virtualSeconds = (measure.warmUpMs() + measure.durationMs()) / 1e3;
        double committed = virtualSeconds * clients() * own.inFlight() / (PHASES * PHASE_S);
        // Of each object a READ and, in each later phase, at most an exchange of messages with its machine, which is
        // two WRITEs.
        double requests = transactions.readObjects() * (1 + 2.0 * (PHASES - 1));
        // A part takes as much.
        int things = parts == null ? 1 : 2;
        return things * (committed * requests / SIMULATED_REQUESTS_PER_S + objects.objects() / LOADED_OBJECTS_PER_S);
    }

    @Override
    protected List<String> warnings() {
        List<String> warnings =
                new ArrayList<>(MessagingChecks.warnings(settings(), FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder()));
        warnings.addAll(own.logWarnings());
        return warnings;
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        MessagingChecks.requireOrder(machines, FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder());
        List<Served.Machine> served = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        List<List<SlabAllocator>> slabs = new ArrayList<>();
        for (RegisteredMemory machine : machines) {
            MemorySegment memory = machine.allocate(regionBytes());
            if (parts == null) {
                objects.load(first + served.size(), memory);
            } else {
                slabs.add(parts.load(first + served.size(), memory));
            }
            if (survives()) {
                RunRecovery.load(objects, copies(), copiesAt(), first + served.size(), memory);
            }
            served.add(new Served.Machine(machine.register(memory)));
            memories.add(memory);
        }
        return new MachinesHalf(
                served, first, memories, slabs, (number, regions, all) -> failure(number, regions, slabs, all));
    }

    private @Nullable String failure(
            int first, List<MemorySegment> memories, List<List<SlabAllocator>> slabs, Counts all)
            throws FabricException {
        RunRecovery recovered = recovery;
        if (recovered != null) {
            for (int i = 0; i < memories.size(); i++) {
                int machine = first + i;
                HistoryRecorder history = around.histories().of(clients() + machine);
                recovered.tell(machine, memories.get(i), history, coordinators(settings()) + 1 + machine);
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
                    return "object " + broken + " is locked or torn though no transaction is under way";
                }
            }
            written += objects.written(first + i, memories.get(i));
        }
        long counted = all.total(Counter.OBJECTS_WRITTEN);
        return memories.size() == objects.machines() && written != counted
                ? "committed transactions have written " + counted + " objects, but their versions tell of " + written
                : null;
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return clients(served, measure, runSeed, RunContext.NONE);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed, RunContext context) {
        around = context;
        List<MemorySegment> memories = MachinesHalf.memories(served, objects.machines());
        recovery = survives()
                ? new RunRecovery(
                        objects,
                        copies(),
                        memories,
                        copiesAt(),
                        settings().clients().threads(),
                        (long) (own.leaseMs() * NS_PER_MS),
                        context.word())
                : null;
        TransactionsPlan parameters = parameters(served, runSeed);
        return MessagingThreads.of(
                settings(),
                measure,
                own.rings(
                        settings(),
                        places,
                        memories,
                        served.regions(),
                        sendQueue(own, transactions),
                        settings().connection().outstandingReads()),
                own.inFlight(),
                (client, thread) -> new Transactions(
                        client,
                        parameters,
                        thread.machine(),
                        thread.thread(),
                        memories,
                        readsAt(thread.thread()),
                        logAt(thread.thread()),
                        context.histories().of(client.index())));
    }

    private TransactionsPlan parameters(Served served, long runSeed) {
        return new TransactionsPlan(
                objects,
                served.regions(),
                FarmDeployment.choice(settings(), objects.objects(), own.ranks(), runSeed),
                number -> Rng.at(runSeed, number),
                transactions.readObjects(),
                transactions.writtenObjects(),
                settings().workload().writes(),
                survives()
                        ? transactions
                                .rules(own.replication())
                                .with(CommitRules.CommitAcknowledgement.LOGGED_AND_WRITTEN)
                        : transactions.rules(own.replication()),
                copies(),
                (long) (own.localUs() * PS_PER_US),
                (long) (own.updateUs() * PS_PER_US),
                Math.max(1, (long) (own.backOffUs() * NS_PER_US)),
                (long) (own.maxReadUs() * NS_PER_US),
                own.inFlight(),
                runSeed,
                own.logBytes(),
                own.logStages(objects.machines()),
                recovery,
                coordinators(settings()),
                parts == null
                        ? null
                        : new TransactionParts.Shared(parts, MachinesHalf.slabs(served, objects.machines())),
                transactions.spread() == TransactionSettings.Spread.ONE_MACHINE,
                transactions.shipped());
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

    /** From the first fault to the steps of the recovery from it, where its time is known before the run. */
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

    /** As {@link RunRecovery#changesNs}, of a run in this process, or as machines' processes have counted it. */
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
