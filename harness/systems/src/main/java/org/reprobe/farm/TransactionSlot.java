package org.reprobe.farm;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.TransactionRecorder;
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
    boolean writes;
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
    int aged;
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
    private long prepareNs;
    private long validateNs;
    private long replicasNs;
    private long primariesNs;
    // Aborts by cause.
    private int locked;
    private int changed;
    private int invalid;

    /** @param reads objects of each transaction */
    TransactionSlot(int number, int reads, DistributedTransaction transaction, TransactionRecorder history) {
        this.number = number;
        this.numbers = new long[reads];
        this.copies = new DistributedTransaction.@Nullable Copy[reads];
        this.postedNs = new long[reads];
        this.transaction = transaction;
        this.history = history;
    }

    /** The attempt begins. */
    void clearPhases() {
        readNs = 0;
        prepareNs = 0;
        validateNs = 0;
        replicasNs = 0;
        primariesNs = 0;
    }

    /** So long it was in its phase. */
    void spent(long ns) {
        switch (phase) {
            case READ -> readNs += ns;
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
        counts.add(Counter.PREPARE_NS, prepareNs);
        counts.add(Counter.VALIDATE_NS, validateNs);
        counts.add(Counter.COMMIT_REPLICAS_NS, replicasNs);
        counts.add(Counter.COMMIT_PRIMARIES_NS, primariesNs);
    }
}
