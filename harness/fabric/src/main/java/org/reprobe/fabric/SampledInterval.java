package org.reprobe.fabric;

/**
 * Measured interval of one client: operations that begin in it are the sample, and count when they end, however late.
 * Queried between pieces of the client's work.
 *
 * <p>In virtual time it extends from the start of one piece of work to the start of another, so that only whole pieces
 * count; that is exact for the regular work of simulated clients. In real time, and for operations at given times, it has
 * the requested length: threads that share cores take turns, and the sum of what each did in its turns would correspond to
 * more cores.
 */
public final class SampledInterval {
    /** Limit for the end of the sample, as a multiple of the time from the start to the interval's end. */
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
    private long recordedUntilNs = Long.MAX_VALUE;
    private double overdue;
    private double overdueAtBegin;

    SampledInterval(Sampling sampling, boolean virtual) {
        this.sampling = sampling;
        this.virtual = virtual;
        long sliceNs = sampling.conditions().sliceNs();
        this.series = sliceNs == 0 ? new TimeSeries() : new TimeSeries(sliceNs, sampling.durationNs());
    }

    /** Starts the warm-up, after the barrier, when the client has reached its regular load. */
    public void start(long nowNs) {
        startNs = nowNs;
        recordedUntilNs = nowNs;
        sampling.begin(nowNs);
        if (!virtual) {
            fromNs = nowNs + sampling.warmUpNs();
            untilNs = fromNs + sampling.durationNs();
        }
    }

    /** Begins the interval if the warm-up is over; returns true if it does so now. */
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

    /** Ends the interval if it has its minimum length; returns true if it does so now. */
    public boolean ends(long nowNs) {
        if (!begun || over || nowNs < (virtual ? fromNs + sampling.durationNs() : untilNs)) {
            return false;
        }
        return end(nowNs);
    }

    /** Ends the interval unconditionally; returns true. */
    public boolean end(long nowNs) {
        over = true;
        if (untilNs == Long.MAX_VALUE || nowNs < untilNs) {
            untilNs = Math.max(nowNs, fromNs);
        }
        return true;
    }

    public boolean hasBegun() {
        return begun;
    }

    /** Returns true after the interval's end: operations that begin now do not count. */
    public boolean isOver() {
        return over;
    }

    /** Returns true within the interval: operations that begin now count. */
    public boolean counts() {
        return begun && !over;
    }

    /** Start of the interval; far away while unknown. */
    public long fromNs() {
        return fromNs;
    }

    /** End of the interval; far away while unknown. */
    public long untilNs() {
        return untilNs;
    }

    /** Length of the interval, after its end. */
    public long lengthNs() {
        return untilNs - fromNs;
    }

    /** Records operations, all begun at {@code fromNs} and ended at {@code toNs}. */
    public void did(long fromNs, long toNs, int operations) {
        ended(fromNs, toNs, operations);
        began(fromNs, toNs, operations);
    }

    /** Records ended operations for the series. */
    public void ended(long fromNs, long toNs, int operations) {
        if (keepsCourse()) {
            series.did(toNs - originNs(), toNs - fromNs, operations);
        }
    }

    /** Records operations begun from {@code fromNs} to {@code toNs}, for the test of steadiness. */
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

    /** Records operations given up because a machine was unreachable. */
    public void failed(long atNs, int operations) {
        failures += counts() ? operations : 0;
        if (keepsCourse()) {
            series.failed(atNs - originNs(), operations);
        }
    }

    /** Number of operations given up in the interval. */
    public long failures() {
        return failures;
    }

    public boolean keepsCourse() {
        return series.slices() > 0;
    }

    /** Returns true if faults are injected into the run. */
    public boolean isDisturbed() {
        return sampling.conditions().disturbed();
    }

    /** Series of the client; without slices if not requested. */
    public TimeSeries series() {
        return series;
    }

    /** Start of the interval, the same for all clients in virtual time. */
    private long originNs() {
        return virtual && sampling.tests() ? sampling.warmUntilNs() : startNs + sampling.warmUpNs();
    }

    /** Ends the interval for a lost client, which counts as idle for the rest of it; returns true if it had begun and not ended. */
    public boolean abandon() {
        boolean counted = counts();
        if (counted) {
            end(fromNs + sampling.durationNs());
        }
        sampleEnded();
        return counted;
    }

    /** Records the operations in flight, and those overdue: due to begin and not begun. */
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

    /** Notes that the sample's operations have ended, or that the rest never will. */
    public void sampleEnded() {
        if (!ended) {
            ended = true;
            sampling.ended();
        }
    }

    /** Returns true if the samples of all clients have ended, so that this one's load is not needed any more. */
    public boolean runIsOver() {
        return over && sampling.allEnded();
    }

    /** Returns true if the sample takes so long to end that the load stops. */
    public boolean onlyDrains(long nowNs) {
        return over && nowNs - untilNs > maxDrainNs();
    }

    /** Records, once, the operations of the sample in flight when the load stops. */
    public void drains(long operations) {
        if (!drains) {
            drains = true;
            quality.drained(operations);
        }
    }

    /** Returns true if the sample does not even end without load. */
    public boolean isHopeless(long nowNs) {
        return over && nowNs - untilNs > 2 * maxDrainNs();
    }

    private long maxDrainNs() {
        int times = sampling.isSteady() ? MAX_DRAINING : 1;
        return Math.max(times * (untilNs - startNs), virtual ? 0 : MIN_DRAINING_REAL_NS);
    }

    /** Returns true if the offered load exceeds the capacity, which makes the measurement meaningless. */
    public boolean isOverloaded() {
        return sampling.isOverloaded();
    }

    /** Records that the offered load exceeded the capacity: not even the sample began in time. */
    public void overload() {
        overloaded = true;
        sampleEnded();
    }

    /** Returns the quality of the sample, after the client's end. */
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

    /** Increase of overdue operations during the interval; in virtual time only. */
    double moreOverdue() {
        return overdue - overdueAtBegin;
    }
}
