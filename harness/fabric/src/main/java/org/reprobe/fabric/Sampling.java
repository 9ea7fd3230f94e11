package org.reprobe.fabric;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.reprobe.analysis.stats.Mser5;

/**
 * What a run counts: the operations that begin in an interval, after a warm-up. One object for all clients of a run that are of
 * one process; each has a {@link SampledInterval}. Clients go on, and keep each other's load up, until the sample of each has
 * ended.
 *
 * <p>In virtual time the warm-up ends when the run is steady by {@link Mser5}: all clients add to one series, which is tested when
 * the least warm-up is over and each client has done some work, then again after ever longer times. Exactly one simulated client
 * runs at a time, so that nothing here needs a lock and the outcome follows from the events alone. In real time the warm-up is as
 * long as it was asked for; the series of the interval is tested when all is over ({@link SampleQuality}).
 */
public final class Sampling {
    /** Rounds, or operations where they come one by one, that each client does at least before the first test. */
    public static final int MIN_PIECES = 8;

    private static final double NEXT_TEST = 1.3;
    /** A warm-up that is not over after so many times the time of the first test is given up. */
    private static final double MAX_TESTED = 30;
    /** Whoever is behind by such a share of all that was asked has been given more than it can serve. */
    private static final double OVERDUE_SHARE = 0.05;

    private static final double OVERDUE_SIGMAS = 10;

    private final long warmUpNs;
    private final long durationNs;
    private final Conditions conditions;
    private final boolean tests;
    private final double askedPerSecond;
    private final List<SampledInterval> intervals = new CopyOnWriteArrayList<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    // Below: in virtual time only.
    private final SliceSeries series = new SliceSeries();
    private int ready;
    private long beganNs;
    private long nextTestNs = Long.MIN_VALUE;
    private long maxNs;
    private long lastTestNs;
    private double overdueAtLastTest;
    private long warmUntilNs = Long.MAX_VALUE;
    private boolean steady = true;
    private boolean overloaded;

    /**
     * Under which conditions a run takes place.
     *
     * @param sliceNs length of the slices of its {@link TimeSeries}; 0 for none
     * @param disturbed whether something goes wrong on purpose: then the warm-up is as long as it was asked for, so that it goes
     *     wrong at the same time in every run, and nobody asks whether the run is steady
     */
    public record Conditions(long sliceNs, boolean disturbed) {
        /** Nothing goes wrong, and nobody wants to see the run's course. */
        public static final Conditions NONE = new Conditions(0, false);

        /**
         * Whether an operation has ended so because of what goes wrong on purpose: the client connects again and goes on.
         *
         * @param broken how its connection has ended; memory that is lost is refused
         */
        public boolean explain(FabricException failure, Completions.Status broken) {
            return disturbed
                    && (failure instanceof UnreachableException || broken == Completions.Status.REMOTE_ACCESS_ERROR);
        }
    }

    /** That of an undisturbed run whose course is not kept. */
    public Sampling(long warmUpNs, long durationNs, boolean prolongs, double askedPerSecond) {
        this(warmUpNs, durationNs, prolongs, askedPerSecond, Conditions.NONE);
    }

    /**
     * A run's.
     *
     * @param warmUpNs least time before the interval
     * @param durationNs least length of the interval
     * @param prolongs whether the warm-up may be prolonged: not where its operations change what is measured
     * @param askedPerSecond operations of all clients that come at times of their own; 0 where each is begun when another ends
     */
    public Sampling(long warmUpNs, long durationNs, boolean prolongs, double askedPerSecond, Conditions conditions) {
        this.warmUpNs = warmUpNs;
        this.durationNs = durationNs;
        this.conditions = conditions;
        this.tests = prolongs && !conditions.disturbed();
        this.askedPerSecond = askedPerSecond;
    }

    /** A client's part of it. To be called before the barrier at which all clients begin. */
    public SampledInterval join(Client client) {
        SampledInterval interval = new SampledInterval(this, client.inVirtualTime());
        intervals.add(interval);
        unfinished.incrementAndGet();
        return interval;
    }

    long warmUpNs() {
        return warmUpNs;
    }

    long durationNs() {
        return durationNs;
    }

    Conditions conditions() {
        return conditions;
    }

    boolean tests() {
        return tests;
    }

    /** Whether operations come at times of their own. */
    boolean isPaced() {
        return askedPerSecond > 0;
    }

    /** When the warm-up is over, in virtual time; far away as long as that is not known. */
    long warmUntilNs() {
        return warmUntilNs;
    }

    boolean isSteady() {
        return steady;
    }

    boolean isOverloaded() {
        return overloaded;
    }

    SliceSeries series() {
        return series;
    }

    void begin(long nowNs) {
        if (ready == 0) {
            beganNs = nowNs;
        }
    }

    /** A client has done enough to be judged. */
    void ready() {
        ready++;
    }

    /** A client's sample has ended. */
    void ended() {
        unfinished.decrementAndGet();
    }

    boolean allEnded() {
        return unfinished.get() == 0;
    }

    /** Tests whether the warm-up is over, when it is time to. */
    void test(long nowNs) {
        if (warmUntilNs != Long.MAX_VALUE
                || nowNs < nextTestNs
                || nowNs - beganNs < warmUpNs
                || ready < intervals.size()) {
            return;
        }
        long tookNs = nowNs - beganNs;
        if (nextTestNs == Long.MIN_VALUE) {
            maxNs = (long) Math.min(tookNs * MAX_TESTED, 1e18);
        }
        if (series.isSteady(knownUntilNs(), isPaced())) {
            warmUntilNs = nowNs;
        } else if (isPaced() && fallsBehind(nowNs)) {
            overloaded = true;
            warmUntilNs = nowNs;
        } else if (tookNs >= maxNs) {
            steady = false;
            warmUntilNs = nowNs;
        }
        lastTestNs = nowNs;
        nextTestNs = beganNs + (long) (tookNs * NEXT_TEST) + 1;
    }

    /** Until when all clients have told what they did. */
    private long knownUntilNs() {
        long knownNs = Long.MAX_VALUE;
        for (SampledInterval interval : intervals) {
            knownNs = Math.min(knownNs, interval.toldUntilNs());
        }
        return knownNs;
    }

    /** Whether operations that are overdue become more and more. */
    private boolean fallsBehind(long nowNs) {
        double overdue = 0;
        for (SampledInterval interval : intervals) {
            overdue += interval.overdue();
        }
        double sinceLast = askedPerSecond * 1e-9 * (nowNs - (lastTestNs == 0 ? beganNs : lastTestNs));
        double inAll = askedPerSecond * 1e-9 * (nowNs - beganNs);
        double more = overdue - overdueAtLastTest;
        overdueAtLastTest = overdue;
        return nextTestNs != Long.MIN_VALUE && more > OVERDUE_SHARE * sinceLast && isTooMuch(overdue, inAll);
    }

    /** Whether they did so in the interval: a warm-up that is short for operations as long as these may look steady. */
    boolean fellBehind() {
        double more = 0;
        for (SampledInterval interval : intervals) {
            more += interval.moreOverdue();
        }
        return isTooMuch(more, askedPerSecond * 1e-9 * durationNs);
    }

    private static boolean isTooMuch(double overdue, double asked) {
        return overdue > OVERDUE_SHARE * asked && overdue > OVERDUE_SIGMAS * Math.sqrt(asked);
    }
}
