package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ReadDeadline;
import org.reprobe.farm.transactions.DistributedTransaction.Phase;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** A transaction of a thread's {@link Transactions} that is under way, with all of its attempts. */
final class TransactionSlot {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    /** Of what {@link #putTold} puts into words. */
    static final int TOLD_WORDS = 5;

    final int number;
    final DistributedTransaction transaction;
    final TransactionRecorder history;
    final long[] numbers;
    /** That its objects had when it read them. */
    final long[] stamps;

    final DistributedTransaction.@Nullable Copy[] copies;
    final long[] postedNs;
    final ReadDeadline deadline;
    /** Null where objects have none. */
    final @Nullable TransactionParts parts;

    private final ObjectArray objects;
    boolean writes;
    /** Null as long as objects are read. */
    @Nullable
    TransactionParts partsRead;

    int reading;
    boolean told;
    boolean right;
    /** Its attempt was given up since a machine has failed, and nothing of it is believed any more. */
    boolean stopped;

    /** Number of the configuration in which its attempt began. */
    long configuration;
    /** There is an attempt. */
    boolean began;
    /** It was about to commit then. */
    boolean committing;

    boolean remote;
    /** Another machine runs it. */
    boolean shipped;
    /** It is another machine's. */
    boolean served;
    /** Its own machine, a replica of what it writes, logs it to a file that is not flushed yet. */
    boolean isLogging;
    /** Of one that is shipped: that the first object gets which it writes. */
    long firstStamp;

    int retries;
    int abortsInAll;
    int trips;
    Phase phase = Phase.READ;
    Phase askedIn = Phase.OVER;
    long beganNs;
    long attemptNs;
    long phaseBeganNs;
    long committedNs;
    long abortedNs;
    private long shipNs;
    // Of the last attempt, by phase.
    private long readNs;
    private long allocateNs;
    private long prepareNs;
    private long validateNs;
    private long replicasNs;
    private long primariesNs;
    // Aborts by cause.
    private int locked;
    private int changed;
    private int invalid;

    /**
     * One.
     *
     * @param own what parts of objects are on its machine; null where they have none
     */
    TransactionSlot(
            int number,
            Client client,
            TransactionsPlan plan,
            DistributedTransaction transaction,
            TransactionRecorder history,
            TransactionParts.@Nullable OwnMachine own) {
        this.number = number;
        this.objects = plan.objects();
        this.numbers = new long[plan.mix().reads()];
        this.stamps = new long[plan.mix().reads()];
        this.copies = new DistributedTransaction.@Nullable Copy[plan.mix().reads()];
        this.postedNs = new long[plan.mix().reads()];
        this.deadline = new ReadDeadline(client, plan.threads().maxReadNs());
        this.transaction = transaction;
        this.history = history;
        this.parts = plan.parts() == null || own == null
                ? null
                : new TransactionParts(
                        plan.parts(), transaction, copies, plan.mix().written(), own);
    }

    /** What is read now: objects, or then their parts. */
    DistributedTransaction.@Nullable Copy[] wanted() {
        return partsRead == null ? copies : partsRead.copies();
    }

    /** Where what is read now stands. */
    long address(int part) {
        return partsRead == null
                ? Address.of(objects.region(numbers[part]), objects.offset(numbers[part]))
                : partsRead.address(part);
    }

    /** Of an object, what its stamp is for. */
    MemorySegment stamped(DistributedTransaction.Copy object) {
        return parts == null ? object.payload() : PartArray.withoutPointer(object.payload());
    }

    /** The attempt begins. */
    void clearPhases() {
        readNs = 0;
        allocateNs = 0;
        prepareNs = 0;
        validateNs = 0;
        replicasNs = 0;
        primariesNs = 0;
    }

    /** A number as one of two in a word: what is longer than that is cut to the largest. */
    private static long half(long number) {
        return Math.min(number, (1L << Integer.SIZE) - 1);
    }

    /** Puts into words how often it read again and aborted, by cause, and how long it took, by phase: {@value #TOLD_WORDS} words. */
    void putTold(long[] into) {
        into[0] = half(retries) << Integer.SIZE | half(locked);
        into[1] = half(changed) << Integer.SIZE | half(invalid);
        into[2] = half(abortedNs) << Integer.SIZE | half(readNs);
        into[3] = half(prepareNs) << Integer.SIZE | half(validateNs);
        into[4] = half(replicasNs) << Integer.SIZE | half(primariesNs);
    }

    /** Takes what another machine has told so of this transaction, which has ended now: what is left of its time is that of shipping it. */
    void takeTold(MemorySegment answer, long at) {
        retries = first(answer, at, 0);
        locked = second(answer, at, 0);
        changed = first(answer, at, 1);
        invalid = second(answer, at, 1);
        abortedNs = Integer.toUnsignedLong(first(answer, at, 2));
        readNs = Integer.toUnsignedLong(second(answer, at, 2));
        prepareNs = Integer.toUnsignedLong(first(answer, at, 3));
        validateNs = Integer.toUnsignedLong(second(answer, at, 3));
        replicasNs = Integer.toUnsignedLong(first(answer, at, 4));
        primariesNs = Integer.toUnsignedLong(second(answer, at, 4));
        shipNs = committedNs - beganNs - abortedNs - readNs - prepareNs - validateNs - replicasNs - primariesNs;
    }

    /** Of two numbers in a word. */
    private static int first(MemorySegment words, long at, int word) {
        return (int) (words.get(WORD, at + (long) word * Long.BYTES) >>> Integer.SIZE);
    }

    private static int second(MemorySegment words, long at, int word) {
        return (int) words.get(WORD, at + (long) word * Long.BYTES);
    }

    /** So long it was in its phase. */
    void spent(long ns) {
        switch (phase) {
            case READ -> readNs += ns;
            case ALLOCATE -> allocateNs += ns;
            case PREPARE -> prepareNs += ns;
            case VALIDATE -> validateNs += ns;
            case COMMIT_REPLICAS -> replicasNs += ns;
            case COMMIT_PRIMARIES -> primariesNs += ns;
            case ABORT, OVER -> {} // counted with its attempt
        }
    }

    void aborted(LocalTransaction.Abort cause) {
        switch (cause) {
            case LOCKED -> locked++;
            case CHANGED -> changed++;
            case INVALID -> invalid++;
        }
    }

    /** Another transaction begins. */
    void clear() {
        retries = 0;
        abortsInAll = 0;
        locked = 0;
        changed = 0;
        invalid = 0;
        abortedNs = 0;
        trips = 0;
        shipped = false;
        shipNs = 0;
        if (parts != null) {
            parts.clearCounts();
        }
    }

    /** Counts it, when it has committed. */
    void count(Counts counts) {
        long ns = committedNs - beganNs;
        OperationCounts.operation(counts, writes, ns, trips);
        if (remote) {
            OperationCounts.remote(counts, ns);
        }
        counts.add(Counter.RETRIES, retries);
        counts.add(Counter.ABORTS_LOCKED, locked);
        counts.add(Counter.ABORTS_CHANGED, changed);
        counts.add(Counter.ABORTS_INVALID, invalid);
        counts.add(Counter.ABORTED_NS, abortedNs);
        counts.add(Counter.SHIP_NS, shipNs);
        counts.add(Counter.READ_PHASE_NS, readNs);
        counts.add(Counter.ALLOCATE_NS, allocateNs);
        counts.add(Counter.PREPARE_NS, prepareNs);
        counts.add(Counter.VALIDATE_NS, validateNs);
        counts.add(Counter.COMMIT_REPLICAS_NS, replicasNs);
        counts.add(Counter.COMMIT_PRIMARIES_NS, primariesNs);
    }
}
