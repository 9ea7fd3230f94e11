package org.reprobe.fabric;

/**
 * One client's interval: operations that begin in it are the sample, and count when they end, however late. Asked between pieces
 * of the client's work.
 *
 * <p>In virtual time it lasts from the beginning of one piece of work to the beginning of another, so that only whole pieces
 * count, which is exact for work as regular as a simulated client's. In real time, and for operations that come at times of their
 * own, it is as long as was asked for: threads that share cores take turns, and what each did while it had its turn, added up,
 * would be what more cores could do.
 */
public final class SampledInterval {
    /** The sample must have ended after so many times the time from the start to the interval's end. */
    private static final int MAX_DRAINING = 4;

    private static final long MIN_DRAINING_REAL_NS = 5_000_000_000L;

    private final Sampling sampling;
    private final boolean virtual;
    private final SampleQuality quality = new SampleQuality();
    private final TimeSeries series;
    private long startNs;
    private long fromNs = Long.MAX_VALUE;
    private long untilNs = Long.MAX_VALUE;
    private boolean begun;
    private boolean over;
    private boolean ended;
    private boolean drains;
    private boolean overloaded;
    private int pieces;
    private long failures;
    private long toldUntilNs = Long.MAX_VALUE;
    private double overdue;
    private double overdueAtBegin;

    SampledInterval(Sampling sampling, boolean virtual) {
        this.sampling = sampling;
        this.virtual = virtual;
        long sliceNs = sampling.conditions().sliceNs();
        this.series = sliceNs == 0 ? new TimeSeries() : new TimeSeries(sliceNs, sampling.durationNs());
    }

    /** The warm-up begins; to be called after the barrier, when a client has begun as it goes on. */
    public void start(long nowNs) {
        startNs = nowNs;
        toldUntilNs = nowNs;
        sampling.begin(nowNs);
        if (!virtual) {
            fromNs = nowNs + sampling.warmUpNs();
            untilNs = fromNs + sampling.durationNs();
        }
    }

    /** Begins when the warm-up is over; true if it does so now. */
    public boolean begins(long nowNs) {
        if (begun) {
            return false;
        }
        if (virtual) {
            if (sampling.tests()) {
                sampling.test(nowNs);
            }
            if (nowNs < (sampling.tests() ? sampling.warmUntilNs() : startNs + sampling.warmUpNs())) {
                return false;
            }
            fromNs = nowNs;
            untilNs = sampling.isPaced() ? fromNs + sampling.durationNs() : Long.MAX_VALUE;
        } else if (nowNs < fromNs) {
            return false;
        }
        begun = true;
        overdueAtBegin = overdue;
        return true;
    }

    /** Ends when it has lasted as long as it must; true if it does so now. */
    public boolean ends(long nowNs) {
        if (!begun || over || nowNs < (virtual ? fromNs + sampling.durationNs() : untilNs)) {
            return false;
        }
        return end(nowNs);
    }

    /** Ends whatever the time; true. */
    public boolean end(long nowNs) {
        over = true;
        if (untilNs == Long.MAX_VALUE || nowNs < untilNs) {
            untilNs = Math.max(nowNs, fromNs);
        }
        return true;
    }

    /** Whether it has begun. */
    public boolean hasBegun() {
        return begun;
    }

    /** Whether it has ended: what begins now does not count. */
    public boolean isOver() {
        return over;
    }

    /** Whether now is in it: what begins now counts. */
    public boolean counts() {
        return begun && !over;
    }

    /** When it began; far away where that is not known yet. */
    public long fromNs() {
        return fromNs;
    }

    /** When it ends; far away where that is not known yet. */
    public long untilNs() {
        return untilNs;
    }

    /** Its length, when it is over. */
    public long lengthNs() {
        return untilNs - fromNs;
    }

    /** The client has done {@code operations} operations, all of them begun at {@code fromNs} and ended at {@code toNs}. */
    public void did(long fromNs, long toNs, int operations) {
        ended(fromNs, toNs, operations);
        began(fromNs, toNs, operations);
    }

    /** Operations have ended: what the course of the run shows. */
    public void ended(long fromNs, long toNs, int operations) {
        if (keepsCourse()) {
            series.did(toNs - originNs(), toNs - fromNs, operations);
        }
    }

    /** The client has begun so many operations from {@code fromNs} to {@code toNs}: what says whether the run is steady. */
    public void began(long fromNs, long toNs, int operations) {
        if (isDisturbed()) {
            return;
        }
        if (virtual && sampling.tests()) {
            if (!begun) {
                told(toNs);
                sampling.series().add(fromNs, toNs, operations);
            }
        } else {
            quality.did(fromNs - this.fromNs, toNs - this.fromNs, sampling.durationNs(), operations);
        }
    }

    /** The client has given operations up, since what they need can't be reached. */
    public void failed(long atNs, int operations) {
        failures += counts() ? operations : 0;
        if (keepsCourse()) {
            series.failed(atNs - originNs(), operations);
        }
    }

    /** Operations that were given up in it. */
    public long failures() {
        return failures;
    }

    /** Whether somebody wants to see the run's course. */
    public boolean keepsCourse() {
        return series.slices() > 0;
    }

    /** Whether something goes wrong in the run on purpose. */
    public boolean isDisturbed() {
        return sampling.conditions().disturbed();
    }

    /** What the client has done in each slice of the interval; without slices where nobody wants to see it. */
    public TimeSeries series() {
        return series;
    }

    /** When the interval began for all: the same for clients in virtual time. */
    private long originNs() {
        return virtual && sampling.tests() ? sampling.warmUntilNs() : startNs + sampling.warmUpNs();
    }

    /**
     * Ends it for a client that is gone: it counts as one that did nothing in the rest of it.
     *
     * @return whether it had begun and not ended
     */
    public boolean abandon() {
        boolean counted = counts();
        if (counted) {
            end(fromNs + sampling.durationNs());
        }
        sampleEnded();
        return counted;
    }

    /** So many operations of the client are under way, of which so many are overdue: they were to begin and have not. */
    public void observed(long nowNs, double underWay, double overdue) {
        if (virtual) {
            if (!over) {
                this.overdue = overdue;
            }
            if (!begun) {
                told(nowNs);
                sampling.series().observe(nowNs, underWay);
            }
        } else {
            quality.observed(nowNs - fromNs, sampling.durationNs(), underWay);
        }
    }

    private void told(long nowNs) {
        toldUntilNs = nowNs;
        if (++pieces == Sampling.MIN_PIECES) {
            sampling.ready();
        }
    }

    /** All operations of the sample have ended, or none of those that have not ever will. */
    public void sampleEnded() {
        if (!ended) {
            ended = true;
            sampling.ended();
        }
    }

    /** Whether the samples of all clients have ended, so that nobody needs this one's load any more. */
    public boolean runIsOver() {
        return over && sampling.allEnded();
    }

    /** Whether the sample takes so long to end that no more load is kept up for it. */
    public boolean onlyDrains(long nowNs) {
        return over && nowNs - untilNs > maxDrainNs();
    }

    /** Says, once, how much of the sample is under way when no more load is kept up for it. */
    public void drains(long operations) {
        if (!drains) {
            drains = true;
            quality.drained(operations);
        }
    }

    /** Whether it does not even end so. */
    public boolean isHopeless(long nowNs) {
        return over && nowNs - untilNs > 2 * maxDrainNs();
    }

    private long maxDrainNs() {
        int times = sampling.isSteady() ? MAX_DRAINING : 1;
        return Math.max(times * (untilNs - startNs), virtual ? 0 : MIN_DRAINING_REAL_NS);
    }

    /** Whether more is asked than can be served, so that there is nothing to be measured. */
    public boolean isOverloaded() {
        return sampling.isOverloaded();
    }

    /** More was asked than could be served: not even the sample has begun in time. */
    public void overload() {
        overloaded = true;
        sampleEnded();
    }

    /** What there is to say of the sample, when the client's part has ended. */
    public SampleQuality quality(long unfinished) {
        quality.ended(
                virtual && sampling.tests() && !sampling.isSteady(),
                !isDisturbed() && (overloaded || sampling.isOverloaded() || sampling.fellBehind()),
                unfinished);
        return quality;
    }

    long toldUntilNs() {
        return toldUntilNs;
    }

    double overdue() {
        return overdue;
    }

    /** How many more operations are overdue at its end than at its beginning; in virtual time only. */
    double moreOverdue() {
        return overdue - overdueAtBegin;
    }
}
