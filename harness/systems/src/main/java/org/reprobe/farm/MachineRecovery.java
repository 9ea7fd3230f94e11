package org.reprobe.farm;

/**
 * What the threads of a machine share of its {@link Membership}, in simulated runs, where one runs at a time. The first thread leads the machine's part in
 * it; each of the others looks at every turn of its loop whether it is to stop, or to end what is unfinished and take over, and says when it has.
 */
final class MachineRecovery implements Membership.Machine {
    private final int threads;
    private final MachineWords words;
    private Configuration goal;
    private Votes votes = new Votes();
    private int stopped;
    /** All that was ever decided to be committed. */
    private final Votes decided = new Votes();

    private long decidedGoal = Configuration.FIRST;
    private int haveDecided;
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
    public void stop(Configuration next) {
        goal = next;
        votes = new Votes();
        stopped = 0;
        haveDecided = 0;
    }

    /** A thread has stopped, and tells what it knows. */
    void hasStopped(Votes own) {
        votes.add(own);
        stopped++;
    }

    @Override
    public boolean hasStopped() {
        return stopped == threads;
    }

    @Override
    public Votes votes() {
        return votes;
    }

    @Override
    public void decide(Configuration next, Votes committed) {
        decided.add(committed);
        decidedGoal = next.number();
    }

    /** Whether threads are to end what is unfinished. */
    boolean isDecided() {
        return decidedGoal == goal.number();
    }

    /** What is committed of what was unfinished when some configuration ended. */
    Votes decided() {
        return decided;
    }

    /** A thread has ended what was unfinished, and taken over what is now its machine's. */
    void threadHasDecided() {
        haveDecided++;
    }

    @Override
    public boolean hasDecided() {
        return haveDecided == threads;
    }

    void begins(long nowNs) {
        beganNs = nowNs;
    }

    long beganNs() {
        return beganNs;
    }

    /** The first thread looks at how far it is. */
    void note(long nowNs) {
        if (goal.number() == Configuration.FIRST) {
            return;
        }
        stoppedNs = stoppedNs == 0 ? nowNs : stoppedNs;
        decidedNs = decidedNs == 0 && hasDecided() ? nowNs : decidedNs;
        activeNs = activeNs == 0 && words.state() == MachineWords.State.ACTIVE && hasDecided() ? nowNs : activeNs;
    }

    /** When it heard of the first change of the configuration; 0 if it did not. */
    long stoppedNs() {
        return stoppedNs;
    }

    long decidedNs() {
        return decidedNs;
    }

    long activeNs() {
        return activeNs;
    }
}
