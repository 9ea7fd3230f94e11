package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LoggingParticipant;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectReader;
import org.reprobe.farm.memory.ObjectReader.Outcome;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.ReadDeadline;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.messages.WordRequests;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/**
 * Operations of a thread on a graph (FaRM 2014, section 4.4). Nodes and counts take a READ of the node. Ranges take a
 * READ of the list's head by a cached pointer; if the head's incarnation has changed, the thread READs the node again
 * and then the head. A list without edges has no head, so its node is READ. Edges to given nodes are requested by a
 * message ({@link EdgeScan}), and edges are added by transactions ({@link EdgeAdds}). The thread's own machine is
 * accessed directly.
 *
 * <p>The first word distinguishes requests: {@link EdgeScan}, for a free block, or a {@code CommitMessage}.
 */
public final class TaoOperations implements WordRequests {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Maximum messages to one machine per operation: those of a transaction to a primary and to a replica. */
    private static final int MAX_REQUESTS = 2;

    public static final int HEAD_ONLY = 0;

    private static final int STAMP_BITS = 40;

    /** Indices of an operation's random words; word 0 selects the operation. */
    private static final int TYPE = 1;

    private static final int NODES = 2;
    private static final int OLDEST = 3;
    private static final int FIRST_NODE = 4;

    private final Client client;
    private final Parameters plan;
    private final TaoGraph graph;
    private final int machine;
    private final int inFlight;
    private final MemorySegment memory;
    private final long readsAt;
    private final long localPs;
    private final ObjectReader reader;
    private final MemorySegment payload;
    private final HeadPointers heads;
    private final EdgeScan scan;
    private final EdgeAdds adds;
    private final TaoServing serving;
    private final BackOff backOff;
    private final HistoryRecorder history;
    private final int maxWords;
    private final Slot[] slots;
    private long drawn;

    /**
     * Plan that all threads of a run follow, with regions by machine.
     *
     * @param rangeLimit maximum number of edges in a range, or {@link #HEAD_ONLY}
     * @param scanPs CPU time to scan each further block of a list
     */
    public record Parameters(
            TaoGraph graph,
            List<RemoteRegion> regions,
            Draws draws,
            int rangeLimit,
            long scanPs,
            ThreadPlan threads,
            Replication replication) {}

    /**
     * Operations of a run, each by number of the draw: nodes that operations READ, nodes whose edges they read or
     * extend, and random bits.
     */
    public record Draws(
            TaoMix mix,
            LongUnaryOperator nodeReads,
            LongUnaryOperator edgeReads,
            LongUnaryOperator edgeAdds,
            LongUnaryOperator coin,
            TaoMix.Multiget multiget) {}

    private static final class Slot {
        private final EdgeAdds.Slot add;
        private final ReadDeadline deadline;
        private final EdgeRequest request;
        private TaoOperation operation = TaoOperation.OBJ_GET;
        private long list;
        private long node;
        private boolean correct;
        /** True if a block of the list is read, false for its node. */
        private boolean readsBlock;
        /** True for a block other than the list's head. */
        private boolean follows;

        private long address;
        private long incarnation;
        private long oldest;
        private int edges;
        private long number;
        private long postedNs;
        private long beganNs;
        private int reads;
        private int refreshed;
        private int retries;
        private int invocation;

        Slot(EdgeAdds.Slot add, ReadDeadline deadline, EdgeRequest question) {
            this.add = add;
            this.deadline = deadline;
            this.request = question;
        }
    }

    /**
     * Creates the operations of a thread.
     *
     * @param memories by region; only the machine's own is required
     * @param readsAt offset in the machine's region of the buffer for READs, of {@link #readBytes}
     */
    public TaoOperations(
            Client client,
            Parameters plan,
            int machine,
            int thread,
            List<MemorySegment> memories,
            long readsAt,
            long logAt,
            HistoryRecorder history) {
        this.client = client;
        this.plan = plan;
        this.graph = plan.graph();
        this.machine = machine;
        this.memory = memories.get(machine);
        this.readsAt = readsAt;
        this.history = history;
        ThreadPlan threads = plan.threads();
        Replication replication = plan.replication();
        CommitRules rules = CommitRules.CORRECTED.with(replication.mode());
        this.inFlight = threads.inFlight();
        this.localPs = threads.localPs(client);
        this.reader = new ObjectReader(client);
        this.payload = MemorySegment.ofArray(new byte[graph.layout().maxObjectBytes(graph.shape())]);
        this.heads = new HeadPointers(graph);
        int nodes = plan.draws().multiget().maxNodes();
        this.scan = new EdgeScan(client, graph, machine, memory, reader, localPs, plan.scanPs(), nodes);
        EdgeAdds.FreeBlocks free = graph.freeBlocks(machine, memory, thread, threads.threads());
        this.backOff = threads.backOff(client);
        this.adds = new EdgeAdds(client, plan, machine, memory, reader, free, backOff, history, localPs);
        ObjectsByAddress layouts = graph::layoutAt;
        ReplicaLog log = new ReplicaLog(client, memory, logAt, replication.logBytes(), layouts);
        Participant.Costs costs = new Participant.Costs(localPs, threads.updatePs(client));
        Participant participant = new Participant(client, memories, layouts, rules, log, costs, null);
        LoggingParticipant logging =
                new LoggingParticipant(participant, log, replication.logs().device(machine));
        this.maxWords = maxWords(graph.layout(), graph.shape(), nodes);
        this.serving = new TaoServing(client, scan, free, logging, backOff, inFlight + maxServed());
        this.slots = new Slot[inFlight];
        for (int i = 0; i < slots.length; i++) {
            long coordinator = ((long) thread * graph.machines() + machine) * slots.length + i + 1;
            DistributedTransaction transaction = new DistributedTransaction(
                    coordinator,
                    graph.machines(),
                    replication.copies(),
                    rules,
                    EdgeAdds.maxWords(graph.layout(), graph.shape()),
                    machine,
                    participant);
            slots[i] = new Slot(
                    adds.slot(transaction, bufferAt(i)),
                    new ReadDeadline(client, threads.maxReadNs()),
                    new EdgeRequest(graph, nodes));
        }
        this.drawn = (long) client.index() << STAMP_BITS;
    }

    /** Returns the bytes of a thread's buffer for READs. */
    public static long readBytes(TaoLayout layout, GraphShape shape, int inFlight) {
        return (long) inFlight * bufferBytes(layout, shape);
    }

    private static int bufferBytes(TaoLayout layout, GraphShape shape) {
        return (layout.maxObjectBytes(shape) + Long.BYTES - 1) / Long.BYTES * Long.BYTES;
    }

    /** Returns the words of the longest request or reply. */
    public static int maxWords(TaoLayout layout, GraphShape shape, int nodes) {
        return Math.max(
                EdgeAdds.maxWords(layout, shape),
                Math.max(EdgeScan.requestWords(nodes), EdgeScan.replyWords(shape, nodes)));
    }

    private long bufferAt(int number) {
        return readsAt + (long) number * bufferBytes(graph.layout(), graph.shape());
    }

    @Override
    public int maxWords() {
        return maxWords;
    }

    @Override
    public int maxReads() {
        return 1;
    }

    @Override
    public int maxServed() {
        return MAX_REQUESTS * graph.machines() * inFlight;
    }

    @Override
    public boolean isDeferred(long[] words, int count) {
        return true;
    }

    @Override
    public int replyBytes(int words) {
        return words * Long.BYTES;
    }

    @Override
    public int payloadBytes() {
        return 0; // counted per READ
    }

    private long random(long operation, int which) {
        return Rng.at(plan.draws().coin().applyAsLong(operation), which);
    }

    @Override
    public boolean begin(int number, RemoteRequests.Sender sender) throws FabricException {
        Slot slot = slots[number];
        long operation = drawn++;
        slot.operation =
                plan.draws().mix().operation(Rng.unit(plan.draws().coin().applyAsLong(operation)));
        LongUnaryOperator choice = switch (slot.operation) {
            case OBJ_GET -> plan.draws().nodeReads();
            case ASSOC_ADD -> plan.draws().edgeAdds();
            default -> plan.draws().edgeReads();
        };
        slot.node = choice.applyAsLong(operation);
        int type = (int) Math.unsignedMultiplyHigh(
                random(operation, TYPE), graph.layout().types());
        slot.list = graph.list(slot.node, type);
        slot.correct = true;
        slot.reads = 0;
        slot.refreshed = 0;
        slot.retries = 0;
        slot.edges = 0;
        slot.oldest = random(operation, OLDEST);
        slot.beganNs = client.nowNs();
        switch (slot.operation) {
            case OBJ_GET -> readNode(number, slot, sender);
            case ASSOC_COUNT, ASSOC_RANGE, ASSOC_TIME_RANGE -> beginOfList(number, slot, sender);
            case ASSOC_GET -> beginGet(slot, operation, sender);
            case ASSOC_ADD -> adds.begin(slot.add, slot.list, sender);
        }
        return slot.correct;
    }

    private void beginOfList(int number, Slot slot, RemoteRequests.Sender sender) throws FabricException {
        boolean counts = slot.operation == TaoOperation.ASSOC_COUNT;
        slot.invocation =
                history.invoked(client.index(), Operation.READ, slot.list, counts ? TaoLists.COUNT : TaoLists.NEWEST);
        slot.incarnation = counts ? 0 : heads.incarnation(slot.list);
        if (slot.incarnation == 0) {
            readNode(number, slot, sender);
        } else {
            readBlock(number, slot, heads.address(slot.list), slot.incarnation, false, sender);
        }
    }

    private void readNode(int number, Slot slot, RemoteRequests.Sender sender) throws FabricException {
        slot.readsBlock = false;
        slot.address = graph.address(slot.node);
        slot.incarnation = TaoGraph.NODE_INCARNATION;
        read(number, slot, sender);
    }

    private void readBlock(
            int number, Slot slot, long address, long incarnation, boolean follows, RemoteRequests.Sender sender)
            throws FabricException {
        slot.readsBlock = true;
        slot.follows = follows;
        slot.address = address;
        slot.incarnation = incarnation;
        read(number, slot, sender);
    }

    private ObjectLayout layout(Slot slot) {
        return slot.readsBlock ? graph.block() : graph.layoutOf(slot.node);
    }

    /** Reads the object of the slot's pointer: directly if it is local, else by a READ. */
    private void read(int number, Slot slot, RemoteRequests.Sender sender) throws FabricException {
        ObjectLayout object = layout(slot);
        long offset = Address.offsetOf(slot.address);
        int other = graph.machine(slot.node);
        slot.reads++;
        if (other == machine) {
            client.spendCpu(localPs);
            readTaken(number, slot, reader.readLocal(object, slot.incarnation, memory, offset, payload), sender);
            return;
        }
        client.spendCpu(client.cpuCosts().operationPs());
        slot.postedNs = client.nowNs();
        sender.read(0, other, plan.regions().get(other), offset, bufferAt(number), object.bytes());
    }

    @Override
    public boolean readCompleted(int number, int part, RemoteRequests.Sender sender) throws FabricException {
        Slot slot = slots[number];
        if (slot.operation == TaoOperation.ASSOC_ADD) {
            adds.readCompleted(slot.add, sender);
        } else if (slot.deadline.isInTime(slot.postedNs)) {
            long offset = Address.offsetOf(slot.address);
            readTaken(
                    number,
                    slot,
                    reader.take(layout(slot), slot.incarnation, offset, memory, bufferAt(number), payload),
                    sender);
        } else {
            read(number, slot, sender);
        }
        return slot.correct;
    }

    private void readTaken(int number, Slot slot, Outcome outcome, RemoteRequests.Sender sender)
            throws FabricException {
        switch (outcome) {
            case LOCKED -> {
                slot.retries++;
                sender.waitFor(backOff.nextNs());
            }
            case GONE -> {
                // Nodes and blocks behind the head keep their incarnation.
                slot.correct &= slot.readsBlock && !slot.follows;
                if (slot.correct) {
                    slot.refreshed++;
                    slot.edges = 0;
                    readNode(number, slot, sender);
                }
            }
            case READ -> {
                if (slot.readsBlock) {
                    blockTaken(number, slot, sender);
                } else {
                    nodeTaken(number, slot, sender);
                }
            }
        }
    }

    private void nodeTaken(int number, Slot slot, RemoteRequests.Sender sender) throws FabricException {
        slot.correct &= graph.isNode(payload, slot.node);
        if (slot.operation == TaoOperation.OBJ_GET) {
            return;
        }
        int type = graph.type(slot.list);
        long count = TaoLayout.count(payload, type);
        if (slot.operation == TaoOperation.ASSOC_COUNT) {
            history.returned(slot.invocation, count - graph.loadedEdges(slot.list));
            return;
        }
        long incarnation = BucketLayout.incarnation(payload, TaoLayout.headAt(type));
        if (incarnation == 0) {
            slot.correct &= count == 0;
            history.returned(slot.invocation, 0);
            return;
        }
        if (slot.refreshed == 0) {
            slot.refreshed++; // the cache had no head
        }
        long address = BucketLayout.address(payload, TaoLayout.headAt(type));
        heads.put(slot.list, address, incarnation);
        readBlock(number, slot, address, incarnation, false, sender);
    }

    private void blockTaken(int number, Slot slot, RemoteRequests.Sender sender) throws FabricException {
        long newest = TaoGraph.newest(payload);
        slot.correct &=
                graph.isBlock(payload, slot.list) && (!slot.follows || TaoLayout.number(newest) == slot.number - 1);
        if (!slot.correct) {
            return;
        }
        if (!slot.follows) {
            slot.number = TaoLayout.number(newest);
            if (slot.operation == TaoOperation.ASSOC_TIME_RANGE) {
                slot.oldest = 1 + Math.unsignedMultiplyHigh(slot.oldest, slot.number);
            }
            history.returned(slot.invocation, newest - (graph.loadedEdges(slot.list) << TaoLayout.NUMBER_SHIFT));
        }
        slot.edges += TaoLayout.edges(payload);
        slot.number = TaoLayout.number(newest) - TaoLayout.edges(payload) + 1;
        long next = BucketLayout.incarnation(payload, 0);
        boolean hasAll = next == 0
                || slot.edges >= plan.rangeLimit()
                || (slot.operation == TaoOperation.ASSOC_TIME_RANGE && slot.number <= slot.oldest);
        if (!hasAll) {
            readBlock(number, slot, BucketLayout.address(payload, 0), next, true, sender);
        }
    }

    private void beginGet(Slot slot, long operation, RemoteRequests.Sender sender) throws FabricException {
        long range = Math.max(1, 2 * graph.loadedEdges(slot.list));
        slot.request.begin(slot.list);
        for (int i = plan.draws().multiget().nodes(random(operation, NODES)) - 1; i >= 0; i--) {
            slot.request.addEdge(1 + Math.unsignedMultiplyHigh(random(operation, FIRST_NODE + i), range));
        }
        slot.invocation = history.invoked(client.index(), Operation.READ, slot.list, TaoLists.GET);
        getEdges(slot, sender);
    }

    private void getEdges(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        int other = graph.machine(slot.node);
        if (other != machine) {
            sender.sendRequest(other, slot.request.words(), slot.request.count());
        } else if (scan.run(slot.request.words(), slot.request.count())) {
            gotEdges(slot, MemorySegment.ofArray(scan.reply()), 0, scan.words() * Long.BYTES);
        } else {
            slot.retries++;
            sender.waitFor(backOff.nextNs());
        }
    }

    private void gotEdges(Slot slot, MemorySegment reply, long at, int bytes) {
        slot.correct &= slot.request.take(reply, at, bytes);
        history.returned(slot.invocation, slot.request.result());
    }

    @Override
    public boolean resume(int number, RemoteRequests.Sender sender) throws FabricException {
        if (number >= slots.length) {
            serving.resume(number, sender);
            return true;
        }
        Slot slot = slots[number];
        switch (slot.operation) {
            case ASSOC_ADD -> adds.resume(slot.add, sender);
            case ASSOC_GET -> getEdges(slot, sender);
            default -> read(number, slot, sender);
        }
        return slot.correct;
    }

    @Override
    public boolean replyReceived(
            int number, int from, MemorySegment reply, long at, int bytes, RemoteRequests.Sender sender)
            throws FabricException {
        Slot slot = slots[number];
        if (slot.operation == TaoOperation.ASSOC_ADD) {
            return adds.replyReceived(slot.add, from, reply, at, bytes, sender);
        }
        gotEdges(slot, reply, at, bytes);
        return slot.correct;
    }

    @Override
    public void serve(int number, long[] words, int count, RemoteRequests.Sender sender) throws FabricException {
        serving.serve(number, words, count, sender);
    }

    @Override
    public int servedWords(int number, long[] into) {
        return serving.served(number, into);
    }

    @Override
    public void encodeReply(long[] words, int count, MemorySegment to, long at) {
        MemorySegment.copy(words, 0, to, WORD, at, count);
    }

    @Override
    public void count(Counts counts, int number, long latencyNs) {
        Slot slot = slots[number];
        boolean adds = slot.operation == TaoOperation.ASSOC_ADD;
        boolean remote = graph.machine(slot.node) != machine;
        long ns = adds ? slot.add.committedNs() - slot.beganNs : latencyNs;
        int trips = adds ? slot.add.trips() : slot.operation == TaoOperation.ASSOC_GET ? 1 : slot.reads;
        OperationCounts.operation(counts, adds, ns, remote ? trips : 0);
        if (remote) {
            OperationCounts.remote(counts, ns);
        }
        counts.add(Counter.RETRIES, adds ? slot.add.retries() + slot.add.aborts() : slot.retries);
        if (slot.operation.isOneSided()) {
            counts.add(Counter.ONE_SIDED, 1);
            counts.add(Counter.LOOKUP_READS, slot.reads);
        }
        if (slot.operation.isRange()) {
            counts.add(Counter.RANGES, 1);
            counts.add(Counter.RANGE_EDGES, slot.edges);
            counts.add(Counter.POINTERS_REFRESHED, slot.refreshed);
        }
        if (plan.replication().copies().replicas() > 0) {
            counts.add(Counter.CLEANED_WORDS, serving.newlyCleanedWords());
        }
        slot.operation.count(counts, ns);
    }

    @Override
    public void addTotals(Counts counts) {
        counts.add(Counter.OBJECTS_WRITTEN, adds.added());
    }
}
