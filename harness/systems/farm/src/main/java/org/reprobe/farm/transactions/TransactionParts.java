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
 * Parts of a transaction's objects ({@link PartArray}). The transaction reads each part by its object's pointer. For
 * each object that it writes it allocates a new part near the object and frees the old one. It sends a message if the
 * object is on another machine (FaRM 2014, section 3.3: "If the hint is an address stored at another server, the
 * allocation is performed using an RPC to the remote server").
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
    private final long[] words = new long[Math.max(CommitMessage.ALLOCATE_WORDS, ObjectAllocations.REPLY_WORDS)];
    private int missing;
    private int allocations;
    private int messages;

    /** State that all threads share: allocators by machine and thread, empty for machines of other processes. */
    public record Shared(PartArray array, List<List<SlabAllocator>> slabs) {}

    record OwnMachine(int number, MemorySegment memory, ObjectWriter reader, ObjectAllocations allocations) {

        /** @param allocatePs CPU time of an allocation, in ps */
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
     * Creates the parts of a sequence of transactions; each reads {@code objects}, of which a writing one writes the
     * first ones. {@code machine} is null if all objects are on other machines.
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

    void clearCounts() {
        allocations = 0;
        messages = 0;
    }

    public void begin() {
        Arrays.fill(parts, null);
        Arrays.fill(others, null);
        missing = 0;
    }

    /** Returns the number of allocations, in all attempts. */
    int allocations() {
        return allocations;
    }

    int messages() {
        return messages;
    }

    /** Returns the parts read, by object; null if not yet read. */
    @Nullable
    public Copy[] copies() {
        return parts;
    }

    ObjectLayout layout() {
        return array.layout();
    }

    private static Copy known(@Nullable Copy[] copies, int i) {
        return Objects.requireNonNull(copies[i], "the part was not read");
    }

    private MemorySegment object(int i) {
        return known(objects, i).payload();
    }

    public long address(int i) {
        return array.address(object(i));
    }

    /** Adds a part from the result of a READ; returns null if it must be read again or the transaction aborts. */
    @Nullable
    public Copy read(int i, MemorySegment buffer, long at) {
        int region = Address.regionOf(address(i));
        long offset = Address.offsetOf(address(i));
        return transaction.read(array.layout(), region, offset, array.incarnation(object(i)), buffer, at);
    }

    /** Reads a part from the own machine's memory, with the same result. */
    @Nullable
    Copy readLocal(int i) {
        OwnMachine own = Objects.requireNonNull(machine);
        long offset = Address.offsetOf(address(i));
        return transaction.readLocal(own.reader, own.number, offset, array.incarnation(object(i)), own.memory);
    }

    /** Returns true if part and object have the same stamp, hence the same writer. */
    public static boolean fits(MemorySegment object, MemorySegment part, long number) {
        return ObjectArray.stamp(part, number) == ObjectArray.stamp(PartArray.withoutPointer(object), number);
    }

    /** Allocates a part for each object written: on the own machine directly, on others by concurrent messages. */
    public void allocate(DistributedTransaction.Sender sender) throws FabricException {
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
                sender.send(Address.regionOf(near), words, count);
            }
        }
    }

    /** Receives a machine's reply; replies of a machine arrive in the order of requests. */
    public void allocated(int by, MemorySegment reply, long at) {
        MemorySegment.copy(reply, WORD, at, words, 0, ObjectAllocations.REPLY_WORDS);
        for (int i = 0; i < written; i++) {
            if (others[i] == null && Address.regionOf(known(objects, i).address()) == by) {
                take(i);
                return;
            }
        }
        throw new IllegalStateException("machine " + by + " has allocated without a request");
    }

    private void take(int i) {
        others[i] = transaction.allocate(array.layout(), words[0], words[1], words[2]);
        missing--;
    }

    boolean haveRoom() {
        return missing == 0;
    }

    /** Sets the stamp of an object's new part, makes the object point to it, and frees the old part. */
    public void replace(int i, long number, long stamp) {
        Copy other = known(others, i);
        ObjectArray.put(other.payload(), number, stamp);
        array.point(object(i), other.address(), other.incarnation());
        transaction.free(known(parts, i));
    }
}
