package org.reprobe.farm.recovery;

import org.jspecify.annotations.Nullable;
import org.reprobe.farm.commit.Votes;

/**
 * State of a machine's {@link Membership} that its threads share. The first thread runs the machine's membership. The
 * others poll it at each turn of their loops; they stop, or finish recovery and take over regions, and report when they
 * have done so. Reports for an outdated configuration are ignored: the thread will detect the newer one.
 */
final class MachineRecovery implements Membership.Machine {
    private final int threads;
    private final MachineWords words;
    private volatile Configuration goal;
    private Votes votes = new Votes();
    private int stopped;
    /** Transactions that any recovery has decided to commit. Changed only while all threads have stopped. */
    private final Votes decided = new Votes();

    private volatile long decidedGoal = Configuration.FIRST;
    private int haveDecided;
    private int haveLeft;
    private volatile boolean evicted;
    private long beganNs;
    private long stoppedNs;
    private long decidedNs;
    private long activeNs;

    /** Configuration with a restarted machine for which threads prepare; null for none. */
    private volatile @Nullable Configuration preparing;

    private int havePrepared;

    /** Stopped configuration from which this machine, which has restarted, copies its regions; null for none. */
    private volatile @Nullable Configuration copying;

    private int haveCopied;
    private boolean copyFailed;
    private long copiedBytes;
    private long copyBeganNs;
    private long copyEndedNs;

    /** @param first configuration in which threads begin; {@link Configuration#outside} for a restarted machine */
    MachineRecovery(int threads, Configuration first, MachineWords words) {
        this.threads = threads;
        this.words = words;
        this.goal = first;
    }

    MachineWords words() {
        return words;
    }

    /** Returns the configuration for which threads stop, or in which they run. */
    Configuration configuration() {
        return goal;
    }

    @Override
    public synchronized void stop(Configuration next) {
        votes = new Votes();
        stopped = 0;
        haveDecided = 0;
        preparing = null;
        goal = next;
    }

    synchronized void hasStopped(Configuration of, Votes own) {
        if (of.equals(goal)) {
            votes.add(own);
            stopped++;
        }
    }

    @Override
    public synchronized boolean hasStopped() {
        return stopped == threads;
    }

    @Override
    public synchronized Votes votes() {
        return votes;
    }

    @Override
    public synchronized void decide(Configuration next, Votes committed) {
        decided.add(committed);
        decidedGoal = next.number();
    }

    /** Returns true if threads may finish the transactions that were unfinished when the configuration began. */
    boolean isDecided(Configuration of) {
        return decidedGoal == of.number();
    }

    /** Returns the transactions that recoveries committed; for stopped threads only after {@link #isDecided}. */
    Votes decided() {
        return decided;
    }

    synchronized void threadHasDecided(Configuration of) {
        if (of.equals(goal)) {
            haveDecided++;
        }
    }

    @Override
    public synchronized boolean hasDecided() {
        return haveDecided == threads;
    }

    @Override
    public synchronized void prepare(Configuration present, Configuration next) {
        havePrepared = 0;
        preparing = next;
    }

    @Nullable
    Configuration preparing() {
        return preparing;
    }

    synchronized void threadHasPrepared(Configuration next) {
        if (next.equals(preparing)) {
            havePrepared++;
        }
    }

    @Override
    public synchronized boolean isPrepared() {
        return havePrepared == threads;
    }

    /** Lets threads copy their shares of the machine's regions. */
    synchronized void copy(Configuration from, long nowNs) {
        haveCopied = 0;
        copyFailed = false;
        copiedBytes = 0;
        copyBeganNs = nowNs;
        copying = from;
    }

    @Nullable
    Configuration copying() {
        return copying;
    }

    synchronized void threadHasCopied(Configuration from, boolean succeeded, long bytes, long nowNs) {
        if (from.equals(copying)) {
            haveCopied++;
            copyFailed |= !succeeded;
            copiedBytes += bytes;
            copyEndedNs = nowNs;
        }
    }

    synchronized boolean haveCopied() {
        return haveCopied == threads;
    }

    synchronized boolean haveAllCopied() {
        return haveCopied() && !copyFailed;
    }

    synchronized long copiedBytes() {
        return copiedBytes;
    }

    synchronized long copyNs() {
        return copyEndedNs - copyBeganNs;
    }

    void evicted() {
        evicted = true;
    }

    boolean isEvicted() {
        return evicted;
    }

    synchronized void hasLeft() {
        haveLeft++;
    }

    synchronized boolean othersHaveLeft() {
        return haveLeft == threads - 1;
    }

    synchronized void begins(long nowNs) {
        beganNs = nowNs;
    }

    synchronized long beganNs() {
        return beganNs;
    }

    synchronized void update(long nowNs) {
        if (goal.number() == Configuration.FIRST) {
            return;
        }
        stoppedNs = stoppedNs == 0 ? nowNs : stoppedNs;
        decidedNs = decidedNs == 0 && hasDecided() ? nowNs : decidedNs;
        activeNs = activeNs == 0 && words.state() == MachineWords.State.ACTIVE && hasDecided() ? nowNs : activeNs;
    }

    /** Returns the time when the machine learned of the first change of configuration; 0 if there was none. */
    synchronized long stoppedNs() {
        return stoppedNs;
    }

    synchronized long decidedNs() {
        return decidedNs;
    }

    synchronized long activeNs() {
        return activeNs;
    }
}
