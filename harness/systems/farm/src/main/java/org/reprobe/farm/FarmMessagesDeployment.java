package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.Questions;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingPlaces;
import org.reprobe.farm.table.Combining;
import org.reprobe.farm.table.FarmOperations;
import org.reprobe.farm.table.LookupQuestions;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.WatchedLookups.Listener;
import org.reprobe.system.Workload;
import org.reprobe.workload.NamedWorkload.Writes;
import org.reprobe.workload.Rng;

/**
 * One run of lookups by messages, or of lookups and updates, which are messages: each machine has a shard and its threads' rings. Where
 * lookups READ, what they read comes to the same memory, behind the rings.
 */
final class FarmMessagesDeployment extends FarmDeployment {
    /** The fewest that a queue pair can be made for. */
    private static final int NO_READS = 1;

    /** What one core simulates takes about so many times as long as lookups by READs in the same virtual time. */
    private static final double TIMES_READS = 3;

    private static final double NS_PER_US = 1e3;

    private final boolean oneSided;
    private final RingPlaces places;

    FarmMessagesDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, nic, repeat);
        this.oneSided = !settings.scheme().equals(FarmKeys.TWO_SIDED);
        this.places = new RingPlaces(
                new RingLayout(own.ringBytes()),
                table.machines(),
                settings.clients().threads(),
                table.regionBytes());
    }

    /** For messages and, with {@code reads}, a READ of each lookup. */
    static int sendQueue(FarmSettings own, boolean reads) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()))
                + (reads ? own.inFlight() : 0);
    }

    private int sendQueue() {
        return sendQueue(own, oneSided);
    }

    /** The longest message, with all keys of an operation, or a key and its value, or what a replica is told. */
    static int maxMessageBytes(Settings settings, boolean updates) {
        FarmSettings own = settings.section(FarmSettings.class);
        int valueBytes = Math.max(0, settings.table().recordBytes() - own.keyBytes());
        if (updates) {
            int questionBytes = own.replicas() == 0
                    ? own.keyBytes() + valueBytes
                    : FarmOperations.questionBytes(
                            layout(settings), true, settings.workload().inserts());
            return MessagingThread.maxMessageBytes(questionBytes, FarmOperations.lookupAnswerBytes(valueBytes));
        }
        int together = own.keysPerGet();
        return MessagingThread.maxMessageBytes(
                together * own.keyBytes(), LookupQuestions.answerBytes(together, valueBytes));
    }

    private boolean replicated() {
        return updates() && own.replicas() > 0;
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        MessagingChecks.requireOrder(machines, FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder());
        return super.serve(first, machines, content);
    }

    @Override
    protected List<String> warnings() {
        List<String> warnings =
                new ArrayList<>(MessagingChecks.warnings(settings(), FarmKeys.ASSUME_IN_ORDER, own.assumeInOrder()));
        warnings.addAll(updates() ? own.logWarnings() : List.of());
        return warnings;
    }

    @Override
    long moreBytes() {
        Combining.Places combining = combining();
        return combining.from() + (combines() ? combining.bytes() : 0) - table.regionBytes();
    }

    private boolean combines() {
        return updates() && own.combining();
    }

    /** Where updates of a machine's threads are combined. */
    private Combining.Places combining() {
        int threads = settings().clients().threads();
        return new Combining.Places(
                logAt(threads), threads, FarmOperations.slots(table.machines(), own.inFlight(), replicated()));
    }

    /** Where a thread's log is. */
    private long logAt(int thread) {
        long bytes = replicated() ? own.logBytes() : 0;
        return readsAt(settings().clients().threads()) + thread * bytes;
    }

    /** How updates of a run are replicated; null when they are not. */
    private @Nullable Replication replication() {
        if (!replicated()) {
            return null;
        }
        return new Replication(
                RegionCopies.inOrder(table.machines(), table.shards(), own.replicas()),
                own.replication(),
                own.logBytes(),
                own.logStages(table.machines()));
    }

    /** Where what a thread READs comes to. */
    private long readsAt(int thread) {
        long bytes = oneSided ? FarmOperations.readBytes(table.layout(), own.inFlight()) : 0;
        return places.from() + places.bytes() + thread * bytes;
    }

    @Override
    public MemoryNeed memory() {
        long buffers = clients() * MessagingThread.localBytes(maxMessageBytes(settings(), updates()), places.layout());
        return new MemoryNeed(
                shardsBytes() + buffers + (updates() ? own.logBufferBytes(clients()) : 0),
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), sendQueue()));
    }

    @Override
    public double simulationSeconds() {
        return TIMES_READS * super.simulationSeconds();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        FarmOperations.Parameters operations = new FarmOperations.Parameters(
                table,
                served.regions(),
                choice(runSeed),
                number -> Rng.at(runSeed, number),
                settings().workload().writes(),
                settings().workload().kind() == Writes.READ_MODIFY_WRITE,
                oneSided,
                localPs(),
                updatePs(),
                Math.max(1, (long) (own.backOffUs() * NS_PER_US)),
                (long) (own.maxReadUs() * NS_PER_US),
                own.retries(),
                own.inFlight(),
                replication(),
                // Threads number their inserts apart, above all records.
                settings().workload().inserts()
                        ? new FarmOperations.Inserts(LongUnaryOperator.identity(), true, runSeed)
                        : null);
        return new Lookups(served, MachinesHalf.memories(served, table.regions()), measure, operations, null);
    }

    private int outstandingReads() {
        return oneSided ? settings().connection().outstandingReads() : NO_READS;
    }

    private Questions questions(
            Client client,
            MessagingThreads.ThreadNumber thread,
            List<MemorySegment> memories,
            List<SlabAllocator> slabs,
            FarmOperations.Parameters operations,
            @Nullable Listener listener)
            throws FabricException {
        if (!updates()) {
            return new LookupQuestions(
                    client,
                    table,
                    thread.machine(),
                    memories,
                    operations.choice(),
                    localPs(),
                    own.keysPerGet(),
                    own.inFlight(),
                    listener);
        }
        return new FarmOperations(
                client,
                operations,
                thread.machine(),
                memories,
                readsAt(thread.thread()),
                logAt(thread.thread()),
                combines()
                        ? new Combining(
                                client, memories.get(thread.machine() * table.shards()), combining(), thread.thread())
                        : null,
                places(thread.thread(), slabs),
                listener,
                HistoryRecorder.NONE);
    }

    /** Of a machine's allocators, by shard, those of one thread. */
    private List<SlabAllocator> places(int thread, List<SlabAllocator> slabs) {
        return IntStream.range(0, slabs.size() / Math.max(1, table.inserters()))
                .mapToObj(shard -> slabs.get(shard * table.inserters() + thread))
                .toList();
    }

    /** Of a list by region: what of each machine has the rings. */
    private <T> List<T> firstOfEachMachine(List<T> byRegion) {
        return IntStream.range(0, table.machines())
                .mapToObj(machine -> byRegion.get(machine * table.shards()))
                .toList();
    }

    /** The workload. */
    private final class Lookups implements WatchedLookups {
        private final Served served;
        private final List<MemorySegment> memories;
        private final Settings.Measure measure;
        private final FarmOperations.Parameters operations;
        private final MessagingThreads threads;

        Lookups(
                Served served,
                List<MemorySegment> memories,
                Settings.Measure measure,
                FarmOperations.Parameters operations,
                @Nullable Listener listener) {
            this.served = served;
            this.memories = memories;
            this.measure = measure;
            this.operations = operations;
            List<List<SlabAllocator>> slabs = MachinesHalf.slabs(served, table.machines());
            this.threads = MessagingThreads.of(
                    settings(),
                    measure,
                    own.rings(
                            settings(),
                            places,
                            firstOfEachMachine(memories),
                            firstOfEachMachine(served.regions()),
                            sendQueue(),
                            outstandingReads()),
                    own.inFlight(),
                    (client, thread) ->
                            questions(client, thread, memories, slabs.get(thread.machine()), operations, listener));
        }

        @Override
        public Counts counts() {
            return threads.counts();
        }

        @Override
        public void run(Client client) throws FabricException {
            threads.run(client);
        }

        @Override
        public long records() {
            return table.records();
        }

        @Override
        public long key(long ordinal) {
            return table.key(ordinal);
        }

        @Override
        public long value(long ordinal) {
            return ordinal;
        }

        @Override
        public Workload watchedBy(Listener listener) {
            return new Lookups(served, memories, measure, operations, listener);
        }
    }
}
