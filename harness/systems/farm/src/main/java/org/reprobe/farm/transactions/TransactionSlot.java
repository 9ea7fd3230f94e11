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

/** Transaction of a thread's {@link Transactions}, with all of its attempts. */
final class TransactionSlot {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    static final int STATISTICS_WORDS = 5;

    final int number;
    final DistributedTransaction transaction;
    final TransactionRecorder history;
    final long[] numbers;
    final long[] stamps;

    final DistributedTransaction.@Nullable Copy[] copies;
    final long[] postedNs;
    final ReadDeadline deadline;
    /** Null for objects without parts. */
    final @Nullable TransactionParts parts;

    private final ObjectArray objects;
    boolean writes;
    /** Null while objects are read. */
    @Nullable
    TransactionParts partsRead;

    int reading;
    boolean acknowledged;
    boolean correct;
    /** True if a machine failure ended the attempt; replies to it are ignored. */
    boolean stopped;

    long configuration;

    /** True if the history has the start of the current attempt, and not its end as an abort. */
    boolean began;
    /** True if a stopped attempt may have committed. */
    boolean committing;

    /** True once a restarted process has continued the numbers of the former one. */
    boolean continues;

    boolean remote;
    /** True if another machine runs the transaction. */
    boolean shipped;
    /** True if this machine runs the transaction for another one. */
    boolean served;
    /** True if the own machine, as a replica, has logged a record to a file that is not yet flushed. */
    boolean isLogging;
    /** Stamp of the first object written by a shipped transaction. */
    long firstStamp;

    int retries;
    int consecutiveAborts;
    int trips;
    Phase phase = Phase.READ;
    Phase askedIn = Phase.OVER;
    long beganNs;
    long attemptNs;
    long phaseBeganNs;
    long committedNs;
    long abortedNs;
    private long shipNs;
    // Times of the last attempt, by phase.
    private long readNs;
    private long allocateNs;
    private long prepareNs;
    private long validateNs;
    private long replicasNs;
    private long primariesNs;
    private int locked;
    private int changed;
    private int invalid;

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

    /** Returns copies of the objects, or of their parts, that are being read. */
    DistributedTransaction.@Nullable Copy[] pendingCopies() {
        return partsRead == null ? copies : partsRead.copies();
    }

    long address(int part) {
        return partsRead == null
                ? Address.of(objects.region(numbers[part]), objects.offset(numbers[part]))
                : partsRead.address(part);
    }

    /** Returns the stamped bytes of an object's payload. */
    MemorySegment stamped(DistributedTransaction.Copy object) {
        return parts == null ? object.payload() : PartArray.withoutPointer(object.payload());
    }

    void clearPhases() {
        readNs = 0;
        allocateNs = 0;
        prepareNs = 0;
        validateNs = 0;
        replicasNs = 0;
        primariesNs = 0;
    }

    /** Returns a number as half a word; larger numbers saturate. */
    private static long saturated(long number) {
        return Math.min(number, (1L << Integer.SIZE) - 1);
    }

    /** Encodes retries, aborts by cause and times by phase as {@value #STATISTICS_WORDS} words. */
    void putStatistics(long[] into) {
        into[0] = saturated(retries) << Integer.SIZE | saturated(locked);
        into[1] = saturated(changed) << Integer.SIZE | saturated(invalid);
        into[2] = saturated(abortedNs) << Integer.SIZE | saturated(readNs);
        into[3] = saturated(prepareNs) << Integer.SIZE | saturated(validateNs);
        into[4] = saturated(replicasNs) << Integer.SIZE | saturated(primariesNs);
    }

    /** Decodes the words of a shipped transaction; the remaining time is that of shipping. */
    void takeStatistics(MemorySegment reply, long at) {
        retries = first(reply, at, 0);
        locked = second(reply, at, 0);
        changed = first(reply, at, 1);
        invalid = second(reply, at, 1);
        abortedNs = Integer.toUnsignedLong(first(reply, at, 2));
        readNs = Integer.toUnsignedLong(second(reply, at, 2));
        prepareNs = Integer.toUnsignedLong(first(reply, at, 3));
        validateNs = Integer.toUnsignedLong(second(reply, at, 3));
        replicasNs = Integer.toUnsignedLong(first(reply, at, 4));
        primariesNs = Integer.toUnsignedLong(second(reply, at, 4));
        shipNs = committedNs - beganNs - abortedNs - readNs - prepareNs - validateNs - replicasNs - primariesNs;
    }

    private static int first(MemorySegment words, long at, int word) {
        return (int) (words.get(WORD, at + (long) word * Long.BYTES) >>> Integer.SIZE);
    }

    private static int second(MemorySegment words, long at, int word) {
        return (int) words.get(WORD, at + (long) word * Long.BYTES);
    }

    void addPhase(long ns) {
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

    void clear() {
        retries = 0;
        consecutiveAborts = 0;
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
