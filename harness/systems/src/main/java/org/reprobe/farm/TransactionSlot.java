package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.farm.DistributedTransaction.Phase;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** A transaction of a thread's {@link Transactions} that is under way, with all of its attempts. */
final class TransactionSlot {
    final int number;
    final DistributedTransaction transaction;
    final TransactionRecorder history;
    final long[] numbers;
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

    @Nullable
    Configuration configuration;
    /** There is an attempt. */
    boolean began;
    /** It was about to commit then. */
    boolean committing;

    boolean remote;
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
        this.numbers = new long[plan.reads()];
        this.copies = new DistributedTransaction.@Nullable Copy[plan.reads()];
        this.postedNs = new long[plan.reads()];
        this.deadline = new ReadDeadline(client, plan.maxReadNs());
        this.transaction = transaction;
        this.history = history;
        this.parts = plan.parts() == null || own == null
                ? null
                : new TransactionParts(plan.parts(), transaction, copies, plan.written(), own);
    }

    /** What is read now: objects, or then their parts. */
    DistributedTransaction.@Nullable Copy[] wanted() {
        return partsRead == null ? copies : partsRead.copies();
    }

    /** Where what is read now stands. */
    long address(int part) {
        return partsRead == null
                ? FarmTable.address(objects.region(numbers[part]), objects.offset(numbers[part]))
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
        counts.add(Counter.READ_PHASE_NS, readNs);
        counts.add(Counter.ALLOCATE_NS, allocateNs);
        counts.add(Counter.PREPARE_NS, prepareNs);
        counts.add(Counter.VALIDATE_NS, validateNs);
        counts.add(Counter.COMMIT_REPLICAS_NS, replicasNs);
        counts.add(Counter.COMMIT_PRIMARIES_NS, primariesNs);
    }
}
