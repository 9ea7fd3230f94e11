package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.ObjectAllocations;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.transactions.DistributedTransaction.Copy;

/**
 * The parts of a transaction's objects ({@link PartArray}). It reads each by its object's pointer, and for each object that it writes it allocates
 * another part near the object, by a message where that is another machine's (FaRM 2014, section 3.3: "If the hint is an address stored at another
 * server, the allocation is performed using an RPC to the remote server"), and frees the old one.
 */
public final class TransactionParts {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final PartArray array;
    private final DistributedTransaction transaction;
    private final @Nullable Copy[] objects;
    private final int written;
    private final @Nullable OwnMachine machine;
    private final @Nullable Copy[] parts;
    private final @Nullable Copy[] others;
    private final long[] words = new long[Math.max(CommitMessage.ALLOCATE_WORDS, ObjectAllocations.ANSWER_WORDS)];
    private int missing;
    private int allocations;
    private int messages;

    /**
     * What all threads of a run have.
     *
     * @param slabs by machine, then by its threads; empty for machines of other processes
     */
    public record Shared(PartArray array, List<List<SlabAllocator>> slabs) {}

    /** The machine that the transaction runs on. */
    record OwnMachine(int number, MemorySegment memory, ObjectWriter reader, ObjectAllocations allocations) {

        /**
         * As a thread has it.
         *
         * @param memories by region, those of the machine at least
         * @param allocatePs CPU time to find room for an object
         */
        static OwnMachine of(
                Shared shared, Requester cpu, int machine, int thread, List<MemorySegment> memories, long allocatePs) {
            ObjectLayout part = shared.array.layout();
            return new OwnMachine(
                    machine,
                    memories.get(machine),
                    new ObjectWriter(cpu, part),
                    new ObjectAllocations(
                            cpu,
                            memories,
                            machine,
                            part,
                            shared.slabs.get(machine).get(thread),
                            allocatePs));
        }
    }

    /**
     * Those of one transaction after the other.
     *
     * @param objects that it has read; those that it writes come first
     * @param written how many it writes, if it does
     * @param machine null where all is other machines'
     */
    public TransactionParts(
            Shared shared,
            DistributedTransaction transaction,
            @Nullable Copy[] objects,
            int written,
            @Nullable OwnMachine machine) {
        this.array = shared.array;
        this.transaction = transaction;
        this.objects = objects;
        this.written = written;
        this.machine = machine;
        this.parts = new @Nullable Copy[objects.length];
        this.others = new @Nullable Copy[written];
    }

    /** Another transaction begins. */
    void clearCounts() {
        allocations = 0;
        messages = 0;
    }

    /** An attempt begins: nothing is read yet. */
    public void begin() {
        Arrays.fill(parts, null);
        Arrays.fill(others, null);
        missing = 0;
    }

    /** Of its attempts. */
    int allocations() {
        return allocations;
    }

    /** Of those, what it asked other machines for. */
    int messages() {
        return messages;
    }

    /** By object: what was read of its part. */
    @Nullable
    public Copy[] copies() {
        return parts;
    }

    ObjectLayout layout() {
        return array.layout();
    }

    private static Copy known(@Nullable Copy[] copies, int i) {
        return Objects.requireNonNull(copies[i], "not there yet");
    }

    private MemorySegment object(int i) {
        return known(objects, i).payload();
    }

    /** Where an object's part is. */
    public long address(int i) {
        return array.address(object(i));
    }

    /** Takes the part that a READ has brought; null when it must be read again, and when the transaction aborts. */
    @Nullable
    public Copy read(int i, MemorySegment buffer, long at) {
        int region = Address.regionOf(address(i));
        long offset = Address.offsetOf(address(i));
        return transaction.read(array.layout(), region, offset, array.incarnation(object(i)), buffer, at);
    }

    /** The same, of the own machine's memory. */
    @Nullable
    Copy readHere(int i) {
        OwnMachine own = Objects.requireNonNull(machine);
        long offset = Address.offsetOf(address(i));
        return transaction.readHere(own.reader, own.number, offset, array.incarnation(object(i)), own.memory);
    }

    /** Whether a part is the one that its object's last writer has written. */
    public static boolean fits(MemorySegment object, MemorySegment part, long number) {
        return ObjectArray.stamp(part, number) == ObjectArray.stamp(PartArray.withoutPointer(object), number);
    }

    /** Asks for room for another part of each object that it writes: its own machine here, others by messages, all at once. */
    public void allocate(DistributedTransaction.Asking asking) throws FabricException {
        missing = written;
        allocations += written;
        for (int i = 0; i < written; i++) {
            long near = known(objects, i).address();
            if (machine != null && Address.regionOf(near) == machine.number) {
                machine.allocations.allocate(near, words);
                take(i);
            } else {
                messages++;
                int count = CommitMessage.allocate(words, transaction.id(), near);
                asking.ask(Address.regionOf(near), words, count);
            }
        }
    }

    /** Takes a machine's answer; it answers in the order in which it was asked. */
    public void allocated(int by, MemorySegment answer, long at) {
        MemorySegment.copy(answer, WORD, at, words, 0, ObjectAllocations.ANSWER_WORDS);
        for (int i = 0; i < written; i++) {
            if (others[i] == null && Address.regionOf(known(objects, i).address()) == by) {
                take(i);
                return;
            }
        }
        throw new IllegalStateException("machine " + by + " allocates what nobody has asked it for");
    }

    private void take(int i) {
        others[i] = transaction.allocate(array.layout(), words[0], words[1], words[2]);
        missing--;
    }

    /** Whether there is room for all. */
    boolean haveRoom() {
        return missing == 0;
    }

    /** Has an object lead to its other part, which gets its stamp, and frees the old one. */
    public void replace(int i, long number, long stamp) {
        Copy other = known(others, i);
        ObjectArray.put(other.payload(), number, stamp);
        array.point(object(i), other.address(), other.incarnation());
        transaction.free(known(parts, i));
    }
}
