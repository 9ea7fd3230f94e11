package org.reprobe.sample;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.reprobe.analysis.stats.Mser5;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;

/**
 * Sample of a run: the operations that begin in an interval, after a warm-up. One object for all clients in one
 * process; each has a {@link SampledInterval}. Clients continue, as load for each other, until the sample of each has
 * ended.
 *
 * <p>In virtual time the warm-up ends when the run is steady by {@link Mser5}. All clients add to one series. It is
 * tested first when the minimum warm-up has passed and each client has done some work, then at growing intervals.
 * Exactly one simulated client runs at a time, so no lock is needed and the result depends on the events alone.
 *
 * <p>In real time the warm-up has the requested length. The interval's series is tested after the run
 * ({@link SampleQuality}).
 */
public final class Sampling {
    /** Minimum number of rounds or single operations of each client before the first test. */
    public static final int MIN_PIECES = 8;

    private static final double NEXT_TEST = 1.3;
    /** Limit of the warm-up, as a multiple of the time of the first test. */
    private static final double MAX_TESTED = 30;
    /** Overload requires more than this fraction of the due operations to be overdue. */
    private static final double OVERDUE_SHARE = 0.05;

    private static final double OVERDUE_SIGMAS = 10;

    private final long warmUpNs;
    private final long durationNs;
    private final Conditions conditions;
    private final boolean tests;
    private final double offeredPerSecond;
    private final List<SampledInterval> intervals = new CopyOnWriteArrayList<>();
    private final AtomicInteger unfinished = new AtomicInteger();

    // The fields below are used in virtual time only.
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
     * Conditions of a run: the slice length of its {@link TimeSeries}, 0 for none, the length of the windows of which
     * the worst is a metric, 0 for none, and the presence of faults and of an offered load that changes with time. With
     * either the warm-up has exactly the requested length, so that they occur at the same time in every run; steadiness
     * is not tested.
     */
    public record Conditions(long sliceNs, long windowNs, boolean faults, boolean loadChanges) {
        /** Conditions without faults and without a series. */
        public static final Conditions NONE = new Conditions(0, false);

        /** Conditions without windows, and with a constant load. */
        public Conditions(long sliceNs, boolean faults) {
            this(sliceNs, 0, faults, false);
        }

        /** Returns true if the run is not steady on purpose. */
        public boolean disturbed() {
            return faults || loadChanges;
        }

        /**
         * Returns true if an injected fault explains an operation's failure, so that the client reconnects and
         * continues. A machine that has lost its memory refuses access; {@code broken} by that counts as explained.
         */
        public boolean explain(FabricException failure, Completions.Status broken) {
            return faults
                    && (failure instanceof UnreachableException || broken == Completions.Status.REMOTE_ACCESS_ERROR);
        }

        /** Throws a failure that these conditions don't {@linkplain #explain explain}. */
        public void check(FabricException failure, Completions.Status broken) throws FabricException {
            if (!explain(failure, broken)) {
                throw failure;
            }
        }
    }

    /**
     * Creates the sampling of a run with minimum lengths of the warm-up and the interval.
     *
     * @param prolongs true if the warm-up may be prolonged; false if operations change the measured state
     * @param offeredPerSecond total offered load; 0 for closed loops
     */
    public Sampling(long warmUpNs, long durationNs, boolean prolongs, double offeredPerSecond, Conditions conditions) {
        this.warmUpNs = warmUpNs;
        this.durationNs = durationNs;
        this.conditions = conditions;
        this.tests = prolongs && !conditions.disturbed();
        this.offeredPerSecond = offeredPerSecond;
    }

    /** Creates the interval of one client. Must be called before the barrier at which all clients begin. */
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

    boolean isPaced() {
        return offeredPerSecond > 0;
    }

    /** Returns the end of the warm-up in virtual time; {@link Long#MAX_VALUE} while unknown. */
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

    /** Notes that one more client has done the minimum work for the first test. */
    void ready() {
        ready++;
    }

    void ended() {
        unfinished.decrementAndGet();
    }

    boolean allEnded() {
        return unfinished.get() == 0;
    }

    /** Tests for the end of the warm-up, if a test is due. */
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

    /** Returns the time up to which all clients have recorded their operations. */
    private long knownUntilNs() {
        long knownNs = Long.MAX_VALUE;
        for (SampledInterval interval : intervals) {
            knownNs = Math.min(knownNs, interval.recordedUntilNs());
        }
        return knownNs;
    }

    /** Returns true if the number of overdue operations keeps growing. */
    private boolean fallsBehind(long nowNs) {
        double overdue = 0;
        for (SampledInterval interval : intervals) {
            overdue += interval.overdue();
        }
        double sinceLast = offeredPerSecond * 1e-9 * (nowNs - (lastTestNs == 0 ? beganNs : lastTestNs));
        double inAll = offeredPerSecond * 1e-9 * (nowNs - beganNs);
        double more = overdue - overdueAtLastTest;
        overdueAtLastTest = overdue;
        return nextTestNs != Long.MIN_VALUE && more > OVERDUE_SHARE * sinceLast && isTooMuch(overdue, inAll);
    }

    /**
     * Returns true if the number of overdue operations grew during the interval. The test of the warm-up misses this if
     * the warm-up is shorter than an operation.
     */
    boolean fellBehind() {
        double more = 0;
        for (SampledInterval interval : intervals) {
            more += interval.moreOverdue();
        }
        return isTooMuch(more, offeredPerSecond * 1e-9 * durationNs);
    }

    private static boolean isTooMuch(double overdue, double asked) {
        return overdue > OVERDUE_SHARE * asked && overdue > OVERDUE_SIGMAS * Math.sqrt(asked);
    }
}
