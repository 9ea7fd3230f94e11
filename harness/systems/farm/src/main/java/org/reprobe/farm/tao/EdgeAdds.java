package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectReader;
import org.reprobe.farm.memory.ReadDeadline;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.farm.transactions.DistributedTransaction.Copy;
import org.reprobe.farm.transactions.DistributedTransaction.Phase;

/**
 * Transactions of a thread that each add an edge (FaRM 2014, section 4.4). A transaction READs the list's node and head
 * block and adds the edge to the head. If the head is full, the transaction requests a free block from the node's
 * machine and makes it the new head. It gives the old head a new incarnation, so that cached pointers to it become
 * invalid. The node counts the edge.
 *
 * <p>An aborted transaction is retried after a random time. An unused block is kept for the thread's next transaction.
 */
public final class EdgeAdds implements DistributedTransaction.Sender {
    /** First word of the request for a free block; differs from that of any {@link CommitMessage}. */
    public static final int REQUEST = 102;

    static final int REQUEST_WORDS = 1;

    /** Words of the reply: offset, version and incarnation of the block. */
    public static final int REPLY_WORDS = 3;

    /** Offset in the reply if no block is free. */
    static final long NO_BLOCK = -1;

    private static final int COUNTER_BITS = 20;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Client client;
    private final TaoOperations.Parameters plan;
    private final TaoGraph graph;
    private final int machine;
    private final MemorySegment memory;
    private final ObjectReader reader;
    private final FreeBlocks free;
    private final BackOff backOff;
    private final HistoryRecorder history;
    private final long[] requestWords = {REQUEST};
    /** Unused free blocks of this thread, by machine. */
    private final List<List<FreeBlock>> spare = new ArrayList<>();

    private final long readPs;
    private @Nullable Sending current;
    private long counter;
    private long added;

    public record FreeBlock(long offset, long version, long incarnation) {}

    /** Allocator of free blocks for a thread of the blocks' machine. */
    @FunctionalInterface
    public interface FreeBlocks {
        @Nullable
        FreeBlock next();
    }

    /** Transaction whose requests are being sent, and their sender. */
    private record Sending(Slot slot, RemoteRequests.Sender sender) {}

    private enum Step {
        NODE,
        HEAD,
        BLOCK,
        COMMIT
    }

    static final class Slot {
        private final DistributedTransaction transaction;
        private final long bufferAt;
        private final ReadDeadline deadline;
        private Step step = Step.NODE;
        private long list;
        private long edgeId;
        private @Nullable Copy node;
        private @Nullable Copy head;
        private @Nullable FreeBlock block;
        private long headAddress;
        private long headIncarnation;
        private long postedNs;
        private long committedNs;
        private int invocation;
        private boolean acknowledged;
        private Phase requestedIn = Phase.OVER;
        private int aborts;
        private int retries;
        private int trips;

        private Slot(DistributedTransaction transaction, long bufferAt, ReadDeadline deadline) {
            this.transaction = transaction;
            this.bufferAt = bufferAt;
            this.deadline = deadline;
        }

        long committedNs() {
            return committedNs;
        }

        int aborts() {
            return aborts;
        }

        int retries() {
            return retries;
        }

        int trips() {
            return trips;
        }
    }

    EdgeAdds(
            Client client,
            TaoOperations.Parameters plan,
            int machine,
            MemorySegment memory,
            ObjectReader reader,
            FreeBlocks free,
            BackOff backOff,
            HistoryRecorder history,
            long readPs) {
        this.client = client;
        this.plan = plan;
        this.graph = plan.graph();
        this.machine = machine;
        this.memory = memory;
        this.reader = reader;
        this.free = free;
        this.backOff = backOff;
        this.history = history;
        this.readPs = readPs;
        for (int i = 0; i < graph.machines(); i++) {
            spare.add(new ArrayList<>());
        }
    }

    /** Returns the words of the longest message: node, head and new head. */
    public static int maxWords(TaoLayout layout, GraphShape shape) {
        int node = layout.maxNodePayloadBytes(shape) / Long.BYTES;
        int block = layout.blockPayloadBytes() / Long.BYTES;
        return CommitMessage.HEADER_WORDS + 3 * CommitMessage.OBJECT_WORDS + node + 2 * block + 1;
    }

    Slot slot(DistributedTransaction transaction, long bufferAt) {
        return new Slot(
                transaction, bufferAt, new ReadDeadline(client, plan.threads().maxReadNs()));
    }

    long added() {
        return added;
    }

    void begin(Slot slot, long list, RemoteRequests.Sender sender) throws FabricException {
        slot.list = list;
        slot.edgeId = ((client.index() + 1L) << COUNTER_BITS) | (counter++ & ((1 << COUNTER_BITS) - 1));
        slot.acknowledged = false;
        slot.aborts = 0;
        slot.retries = 0;
        slot.trips = 0;
        slot.invocation = history.invoked(client.index(), Operation.WRITE, list, slot.edgeId);
        start(slot, sender);
    }

    private void start(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        slot.transaction.begin();
        slot.node = null;
        slot.head = null;
        slot.requestedIn = Phase.OVER;
        slot.step = Step.NODE;
        fetch(slot, sender);
    }

    private int region(Slot slot) {
        return graph.machine(graph.node(slot.list));
    }

    private ObjectLayout layout(Slot slot) {
        return slot.step == Step.NODE ? graph.layoutOf(graph.node(slot.list)) : graph.block();
    }

    private long offset(Slot slot) {
        return slot.step == Step.NODE ? graph.offset(graph.node(slot.list)) : Address.offsetOf(slot.headAddress);
    }

    private void fetch(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        int region = region(slot);
        ObjectLayout layout = layout(slot);
        long offset = offset(slot);
        if (region == machine) {
            client.spendCpu(readPs);
            Copy copy = slot.transaction.readLocal(reader.of(layout), machine, offset, memory);
            readTaken(slot, copy, ObjectLayout.incarnation(memory, offset), sender);
            return;
        }
        client.spendCpu(client.cpuCosts().operationPs());
        slot.trips++;
        slot.postedNs = client.nowNs();
        sender.read(0, region, plan.regions().get(region), offset, slot.bufferAt, layout.bytes());
    }

    void readCompleted(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        if (!slot.deadline.isInTime(slot.postedNs)) {
            fetch(slot, sender);
            return;
        }
        Copy copy = slot.transaction.read(layout(slot), region(slot), offset(slot), memory, slot.bufferAt);
        readTaken(slot, copy, ObjectLayout.incarnation(memory, slot.bufferAt), sender);
    }

    private void readTaken(Slot slot, @Nullable Copy copy, long incarnation, RemoteRequests.Sender sender)
            throws FabricException {
        boolean isAnother = slot.step == Step.HEAD && incarnation != slot.headIncarnation;
        if (copy == null || isAnother) {
            slot.retries++;
            slot.step = isAnother ? Step.COMMIT : slot.step; // begins a new attempt
            sender.waitFor(backOff.nextNs());
            return;
        }
        if (slot.step == Step.HEAD) {
            slot.head = copy;
            add(slot, copy, sender);
            return;
        }
        slot.node = copy;
        int headAt = TaoLayout.headAt(graph.type(slot.list));
        slot.headAddress = BucketLayout.address(copy.payload(), headAt);
        slot.headIncarnation = BucketLayout.incarnation(copy.payload(), headAt);
        if (slot.headIncarnation == 0) {
            allocate(slot, sender);
        } else {
            slot.step = Step.HEAD;
            fetch(slot, sender);
        }
    }

    private static Copy require(@Nullable Copy copy) {
        if (copy == null) {
            throw new IllegalStateException("the node was not read");
        }
        return copy;
    }

    /** Returns the time of the new edge: the next number of its list. */
    private long time(Slot slot) {
        long count = TaoLayout.count(require(slot.node).payload(), graph.type(slot.list));
        return ((count + 1) << TaoLayout.NUMBER_SHIFT) | slot.edgeId;
    }

    private void add(Slot slot, Copy head, RemoteRequests.Sender sender) throws FabricException {
        if (graph.add(head.payload(), slot.list, time(slot))) {
            slot.transaction.write(head);
            commit(slot, sender);
        } else {
            allocate(slot, sender);
        }
    }

    private void allocate(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        slot.step = Step.BLOCK;
        int region = region(slot);
        List<FreeBlock> kept = spare.get(region);
        if (!kept.isEmpty()) {
            addInFront(slot, kept.removeLast(), sender);
        } else if (region == machine) {
            addInFront(slot, allocated(free.next(), region), sender);
        } else {
            slot.trips++;
            sender.sendRequest(region, requestWords, REQUEST_WORDS);
        }
    }

    private static FreeBlock allocated(@Nullable FreeBlock block, int region) throws FabricException {
        if (block == null) {
            throw new FabricException("machine " + region
                    + " has no room for another block of edges (tao.free-blocks): use more, or a shorter run");
        }
        return block;
    }

    private void addInFront(Slot slot, FreeBlock place, RemoteRequests.Sender sender) throws FabricException {
        slot.block = place;
        int region = region(slot);
        Copy block = slot.transaction.allocate(
                graph.block(), Address.of(region, place.offset), place.incarnation, place.version);
        block.payload().fill((byte) 0);
        Copy head = slot.head;
        if (head != null) {
            // A reader by a cached pointer to the head must detect that the list has another head.
            BucketLayout.putPointer(block.payload(), 0, slot.headAddress, slot.headIncarnation + 1);
            slot.transaction.renew(head);
        }
        graph.add(block.payload(), slot.list, time(slot));
        BucketLayout.putPointer(
                require(slot.node).payload(),
                TaoLayout.headAt(graph.type(slot.list)),
                Address.of(region, place.offset),
                place.incarnation);
        commit(slot, sender);
    }

    private void commit(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        Copy node = require(slot.node);
        int type = graph.type(slot.list);
        TaoLayout.setCount(node.payload(), type, TaoLayout.count(node.payload(), type) + 1);
        slot.transaction.write(node);
        slot.step = Step.COMMIT;
        current = new Sending(slot, sender);
        slot.transaction.commit(this);
        proceed(slot, sender);
    }

    @Override
    public void send(int other, long[] words, int count) throws FabricException {
        Sending by = requireCurrent();
        Slot slot = by.slot;
        if (slot.requestedIn != slot.transaction.phase()) {
            slot.requestedIn = slot.transaction.phase();
            slot.trips++;
        }
        by.sender.sendRequest(other, words, count);
    }

    private Sending requireCurrent() {
        Sending by = current;
        if (by == null) {
            throw new IllegalStateException("no transaction is in progress");
        }
        return by;
    }

    @Override
    public void phaseBegins(Phase next) {
        acknowledgeCommit(requireCurrent().slot);
    }

    private void acknowledgeCommit(Slot slot) {
        if (slot.transaction.hasCommitted() && !slot.acknowledged) {
            slot.acknowledged = true;
            slot.committedNs = client.nowNs();
            history.returned(slot.invocation, Event.DONE);
        }
    }

    private void proceed(Slot slot, RemoteRequests.Sender sender) {
        if (slot.transaction.phase() != Phase.OVER) {
            return;
        }
        acknowledgeCommit(slot);
        FreeBlock unused = slot.transaction.cause() == null ? null : slot.block;
        if (unused != null) {
            spare.get(region(slot)).add(unused);
        }
        slot.block = null;
        if (slot.transaction.cause() == null) {
            added++;
        } else {
            sender.waitFor(backOff.nextNs(slot.aborts++));
        }
    }

    void resume(Slot slot, RemoteRequests.Sender sender) throws FabricException {
        if (slot.step == Step.COMMIT) {
            start(slot, sender);
        } else {
            fetch(slot, sender);
        }
    }

    /** Receives a machine's reply; returns false if its length is wrong. */
    boolean replyReceived(Slot slot, int from, MemorySegment reply, long at, int bytes, RemoteRequests.Sender sender)
            throws FabricException {
        if (slot.step == Step.BLOCK) {
            long offset = reply.get(WORD, at);
            addInFront(
                    slot,
                    allocated(
                            offset == NO_BLOCK
                                    ? null
                                    : new FreeBlock(
                                            offset,
                                            reply.get(WORD, at + Long.BYTES),
                                            reply.get(WORD, at + 2 * Long.BYTES)),
                            from),
                    sender);
            return bytes == REPLY_WORDS * Long.BYTES;
        }
        current = new Sending(slot, sender);
        slot.transaction.replyReceived(from, reply.get(WORD, at), this);
        proceed(slot, sender);
        return bytes == Long.BYTES;
    }
}
