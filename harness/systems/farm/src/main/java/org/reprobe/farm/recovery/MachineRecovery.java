package org.reprobe.farm.recovery;

import org.reprobe.farm.commit.Votes;

/**
 * What the threads of a machine share of its {@link Membership}. The first thread leads the machine's part in it; each of the others looks at every turn of its
 * loop whether it is to stop, or to end what is unfinished and take over, and says when it has. What a thread says of another configuration than the
 * one that the first thread is at by then does not count: it will hear of that one, too.
 */
final class MachineRecovery implements Membership.Machine {
    private final int threads;
    private final MachineWords words;
    private volatile Configuration goal;
    private Votes votes = new Votes();
    private int stopped;
    /** All that was ever decided to be committed. Changed only while all threads have stopped. */
    private final Votes decided = new Votes();

    private volatile long decidedGoal = Configuration.FIRST;
    private int haveDecided;
    private int haveLeft;
    private volatile boolean evicted;
    // When, by the first thread's clock.
    private long beganNs;
    private long stoppedNs;
    private long decidedNs;
    private long activeNs;

    MachineRecovery(int threads, int machines, MachineWords words) {
        this.threads = threads;
        this.words = words;
        this.goal = Configuration.first(machines);
    }

    MachineWords words() {
        return words;
    }

    /** The configuration in which threads are to stop, or run. */
    Configuration configuration() {
        return goal;
    }

    @Override
    public synchronized void stop(Configuration next) {
        votes = new Votes();
        stopped = 0;
        haveDecided = 0;
        goal = next;
    }

    /** A thread has stopped for a configuration, and tells what it knows. */
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

    /** Whether threads are to end what is unfinished when a configuration begins. */
    boolean isDecided(Configuration of) {
        return decidedGoal == of.number();
    }

    /** What is committed of what was unfinished when some configuration ended. For threads that have not stopped, or once it is decided. */
    Votes decided() {
        return decided;
    }

    /** A thread has ended what was unfinished, and taken over what is now its machine's. */
    synchronized void threadHasDecided(Configuration of) {
        if (of.equals(goal)) {
            haveDecided++;
        }
    }

    @Override
    public synchronized boolean hasDecided() {
        return haveDecided == threads;
    }

    /** It is no member any more, and knows it. */
    void evicted() {
        evicted = true;
    }

    boolean isEvicted() {
        return evicted;
    }

    /** A thread, not the first, has nothing more to do. */
    synchronized void hasLeft() {
        haveLeft++;
    }

    /** Whether the first thread leads for itself alone. */
    synchronized boolean othersHaveLeft() {
        return haveLeft == threads - 1;
    }

    synchronized void begins(long nowNs) {
        beganNs = nowNs;
    }

    synchronized long beganNs() {
        return beganNs;
    }

    /** The first thread looks at how far it is. */
    synchronized void note(long nowNs) {
        if (goal.number() == Configuration.FIRST) {
            return;
        }
        stoppedNs = stoppedNs == 0 ? nowNs : stoppedNs;
        decidedNs = decidedNs == 0 && hasDecided() ? nowNs : decidedNs;
        activeNs = activeNs == 0 && words.state() == MachineWords.State.ACTIVE && hasDecided() ? nowNs : activeNs;
    }

    /** When it heard of the first change of the configuration; 0 if it did not. */
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
