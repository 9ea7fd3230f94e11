package org.reprobe.sample;

/**
 * One client's interval: operations that begin in it are the sample, and count when they end, however late.
 *
 * <p>The protocol: {@link #start} after the barrier; then, before each piece of work, {@link #step} and {@link #isDone}, until the
 * latter returns true; {@link #abandon} in any case at the end. Between them the client reports the operations that it begins and
 * ends, and begins new ones while {@link #keepsLoad} returns true.
 *
 * <p>In virtual time it lasts from the beginning of one piece of work to the beginning of another, so that only whole pieces
 * count, which is exact for work as regular as a simulated client's. In real time, and for operations that come at times of their
 * own, it is as long as was asked for: threads that share cores take turns, and what each did while it had its turn, added up,
 * would be what more cores could do.
 */
public final class SampledInterval {
    /** Virtual clocks don't come so far. */
    public static final long FAR_AWAY_NS = Long.MAX_VALUE / 2048;

    /** The sample must have ended after so many times the time from the start to the interval's end. */
    private static final int MAX_DRAINING = 4;

    private static final long MIN_DRAINING_REAL_NS = 5_000_000_000L;

    private final Sampling sampling;
    private final boolean virtual;
    private final SampleQuality quality = new SampleQuality();
    private final TimeSeries series;
    private Observer observer = Observer.NONE;
    private long startNs;
    private long fromNs = Long.MAX_VALUE;
    private long untilNs = Long.MAX_VALUE;
    private boolean begun;
    private boolean over;
    private boolean ended;
    private boolean done;
    private boolean drains;
    private boolean overloaded;
    private int pieces;
    private long failures;
    private long recordedUntilNs = Long.MAX_VALUE;
    private double overdue;
    private double overdueAtBegin;

    /** Is notified of a sample's beginning and end. */
    public interface Observer {
        /** Does nothing. */
        Observer NONE = _ -> {};

        /** The interval begins: operations that begin from now on are the sample. */
        default void begins() {}

        /**
         * A sample that has begun has ended; called once, also when a fault ends the client.
         *
         * @param unfinished operations of the sample that have not ended and won't
         */
        void ended(long unfinished);
    }

    SampledInterval(Sampling sampling, boolean virtual) {
        this.sampling = sampling;
        this.virtual = virtual;
        long sliceNs = sampling.conditions().sliceNs();
        this.series = sliceNs == 0 ? new TimeSeries() : new TimeSeries(sliceNs, sampling.durationNs());
    }

    /** Begins the warm-up; to be called after the barrier, when a client has begun as it goes on. */
    public void start(long nowNs, Observer observer) {
        this.observer = observer;
        startNs = nowNs;
        recordedUntilNs = nowNs;
        sampling.begin(nowNs);
        if (!virtual) {
            fromNs = nowNs + sampling.warmUpNs();
            untilNs = fromNs + sampling.durationNs();
        }
    }

    /** Begins or ends the interval when it is time to. */
    public void step(long nowNs) {
        if (!begun && isWarmedUp(nowNs)) {
            begun = true;
            overdueAtBegin = overdue;
            observer.begins();
        }
        if (begun && !over && nowNs >= (virtual ? fromNs + sampling.durationNs() : untilNs)) {
            end(nowNs);
        }
    }

    private boolean isWarmedUp(long nowNs) {
        if (!virtual) {
            return nowNs >= fromNs;
        }
        if (sampling.tests()) {
            sampling.test(nowNs);
        }
        if (nowNs < originNs()) {
            return false;
        }
        fromNs = nowNs;
        untilNs = sampling.isPaced() ? fromNs + sampling.durationNs() : Long.MAX_VALUE;
        return true;
    }

    /** Ends the interval, however long it has lasted. */
    public void end(long nowNs) {
        over = true;
        if (untilNs == Long.MAX_VALUE || nowNs < untilNs) {
            untilNs = Math.max(nowNs, fromNs);
        }
    }

    /**
     * Ends the sample when no operation of it is under way, or when those are waited for no longer.
     *
     * @param underWay operations of the sample that have begun and not ended
     * @return true once the client has nothing more to do, neither for its sample nor to keep up the load of other clients
     */
    public boolean isDone(long nowNs, long underWay) {
        return isDone(nowNs, underWay, Long.MAX_VALUE);
    }

    /**
     * Does the same for operations that come at times of their own.
     *
     * @param nextNs when the next one is due
     */
    public boolean isDone(long nowNs, long underWay, double nextNs) {
        done = done || endsSample(nowNs, underWay, nextNs);
        return done;
    }

    private boolean endsSample(long nowNs, long underWay, double nextNs) {
        // At a rate so low that no operation ever begins, the run never becomes steady either.
        if (sampling.isOverloaded() || (virtual && nowNs >= FAR_AWAY_NS)) {
            end(nowNs);
            endSample(underWay);
            return true;
        }
        if (!over) {
            return false;
        }
        boolean onlyDrains = onlyDrains(nowNs);
        if (onlyDrains && !drains) {
            drains = true;
            quality.drained(underWay);
        }
        boolean allBegun = nextNs >= untilNs;
        if (onlyDrains && !allBegun) {
            // More was asked than could be served: not even the sample has begun in time.
            overloaded = true;
            endSample(underWay);
            return true;
        }
        if ((allBegun && underWay == 0) || isHopeless(nowNs)) {
            endSample(underWay);
            return sampling.allEnded() || onlyDrains;
        }
        return false;
    }

    private void endSample(long unfinished) {
        if (!ended) {
            ended = true;
            if (begun) {
                observer.ended(unfinished);
            }
            sampling.ended();
        }
    }

    /** Ends the sample of a client that is gone: it counts as one that did nothing in the rest of its interval. */
    public void abandon() {
        if (counts()) {
            end(fromNs + sampling.durationNs());
        }
        endSample(0);
    }

    /**
     * Returns true if operations are to be begun: for the sample, or as load for the samples of other clients. Load ends when a sample
     * takes too long: operations of it that wait for a lock may never get it while others come that want it, too.
     */
    public boolean keepsLoad(long nowNs) {
        return !done && !onlyDrains(nowNs);
    }

    /** Returns true if the sample takes so long to end that no more load is kept up for it. */
    boolean onlyDrains(long nowNs) {
        return over && nowNs - untilNs > maxDrainNs();
    }

    /** Returns true if not even those operations are waited for that would be in the way of other clients. */
    public boolean isHopeless(long nowNs) {
        return sampling.isOverloaded() || (over && nowNs - untilNs > 2 * maxDrainNs());
    }

    private long maxDrainNs() {
        int times = sampling.isSteady() ? MAX_DRAINING : 1;
        return Math.max(times * (untilNs - startNs), virtual ? 0 : MIN_DRAINING_REAL_NS);
    }

    /** Returns true if the samples of all clients have ended. */
    public boolean runIsOver() {
        return over && sampling.allEnded();
    }

    /** Returns true if the client's own sample has ended. */
    public boolean hasEnded() {
        return ended;
    }

    /** Returns true in the interval: what begins now counts. */
    public boolean counts() {
        return begun && !over;
    }

    /** Returns true if an operation that began then is of the sample. */
    public boolean includes(long beganNs) {
        return beganNs >= fromNs && beganNs < untilNs;
    }

    /** Returns when it ends; far away where that is not known yet. */
    public long untilNs() {
        return untilNs;
    }

    /** Reports operations that have ended: the course of the run. */
    public void ended(long fromNs, long toNs, int operations) {
        if (series.slices() > 0) {
            series.did(toNs - originNs(), toNs - fromNs, operations);
        }
    }

    /** Reports operations that the client has begun from {@code fromNs} to {@code toNs}: the test for a steady run uses them. */
    public void began(long fromNs, long toNs, int operations) {
        if (isDisturbed()) {
            return;
        }
        if (virtual && sampling.tests()) {
            if (!begun) {
                recorded(toNs);
                sampling.series().add(fromNs, toNs, operations);
            }
        } else {
            quality.did(fromNs - this.fromNs, toNs - this.fromNs, sampling.durationNs(), operations);
        }
    }

    /** Reports operations that the client has given up, since what they need can't be reached. */
    public void failed(long atNs, int operations) {
        failures += counts() ? operations : 0;
        if (series.slices() > 0) {
            series.failed(atNs - originNs(), operations);
        }
    }

    /** Reports operations under way, and how many of them are overdue: they were to begin and have not. */
    public void observed(long nowNs, double underWay, double overdue) {
        if (virtual) {
            if (!over) {
                this.overdue = overdue;
            }
            if (!begun) {
                recorded(nowNs);
                sampling.series().observe(nowNs, underWay);
            }
        } else {
            quality.observed(nowNs - fromNs, sampling.durationNs(), underWay);
        }
    }

    private void recorded(long nowNs) {
        recordedUntilNs = nowNs;
        if (++pieces == Sampling.MIN_PIECES) {
            sampling.ready();
        }
    }

    /** Returns when the interval began for all: the same for clients in virtual time. */
    private long originNs() {
        return virtual && sampling.tests() ? sampling.warmUntilNs() : startNs + sampling.warmUpNs();
    }

    private boolean isDisturbed() {
        return sampling.conditions().disturbed();
    }

    /** Returns its length, when it is over. */
    public long lengthNs() {
        return untilNs - fromNs;
    }

    /** Returns the number of operations that were given up in it. */
    public long failures() {
        return failures;
    }

    /** Returns what the client has done in each slice of the interval; without slices where the course is not kept. */
    public TimeSeries series() {
        return series;
    }

    /** Returns the sample's quality, when the client's part has ended. */
    public SampleQuality quality(long unfinished) {
        quality.ended(
                virtual && sampling.tests() && !sampling.isSteady(),
                !isDisturbed() && (overloaded || sampling.isOverloaded() || sampling.fellBehind()),
                unfinished);
        return quality;
    }

    long recordedUntilNs() {
        return recordedUntilNs;
    }

    double overdue() {
        return overdue;
    }

    /** Returns the growth of the number of overdue operations from its beginning to its end; in virtual time only. */
    double moreOverdue() {
        return overdue - overdueAtBegin;
    }
}
