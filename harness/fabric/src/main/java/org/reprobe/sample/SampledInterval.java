package org.reprobe.sample;

/**
 * Measured interval of one client. The operations that begin in it are the sample; they count when they end, however
 * late.
 *
 * <p>Order of calls: {@link #start} after the barrier; then {@link #step} and {@link #isDone} before each piece of work
 * (a round or an operation), until {@code isDone} returns true; finally, in any case, {@link #abandon}. Meanwhile the
 * client reports the operations that it begins and ends. It begins new ones while {@link #keepsLoad} returns true.
 *
 * <p>In virtual time, a closed loop's interval begins and ends with a piece of work, so that only whole pieces count.
 * This is exact, since a simulated client's work is regular. In real time, and with an offered load, the interval has
 * the requested length. Real threads that share cores run in turn: if each interval covered only a thread's own turn,
 * the sum of the rates would be that of more cores.
 */
public final class SampledInterval {
    /** Virtual time, in ns, at which an interval ends in any case: no run takes as long. */
    public static final long FAR_AWAY_NS = Long.MAX_VALUE / 2048;

    /** Time limit for the sample to end, as a multiple of the time from the start to the interval's end. */
    private static final int MAX_DRAINING = 4;

    private static final long MIN_DRAINING_REAL_NS = 5_000_000_000L;

    private final Sampling sampling;
    private final boolean virtual;
    private final SampleQuality quality = new SampleQuality();
    private final TimeSeries series;
    private final OverlapSums overlaps = new OverlapSums();
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

    /** Observer of a sample's beginning and end. */
    public interface Observer {
        /** Observer that does nothing. */
        Observer NONE = _ -> {};

        /** Called when the interval begins: operations that begin from now on are the sample. */
        default void begins() {}

        /** Called once when a begun sample ends, also by a fault, with the number of operations no longer awaited. */
        void ended(long unfinished);
    }

    SampledInterval(Sampling sampling, boolean virtual) {
        this.sampling = sampling;
        this.virtual = virtual;
        Sampling.Conditions conditions = sampling.conditions();
        this.series = conditions.sliceNs() == 0
                ? new TimeSeries()
                : new TimeSeries(conditions.sliceNs(), sampling.durationNs(), conditions.windowNs() > 0);
    }

    /** Begins the warm-up, after the barrier. */
    public void start(long nowNs, Observer observer) {
        this.observer = observer;
        startNs = nowNs;
        recordedUntilNs = nowNs;
        sampling.begin(nowNs);
        if (isPlanned()) {
            fromNs = nowNs + sampling.warmUpNs();
            untilNs = fromNs + sampling.durationNs();
        }
    }

    /** Begins or ends the interval if that is due. */
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

    /** Returns true if the interval has exactly the requested time, not that of whole pieces of work. */
    private boolean isPlanned() {
        return !virtual || sampling.conditions().loadChanges();
    }

    private boolean isWarmedUp(long nowNs) {
        if (isPlanned()) {
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

    /** Ends the interval now, at the latest at its planned end. */
    public void end(long nowNs) {
        over = true;
        if (untilNs == Long.MAX_VALUE || nowNs < untilNs) {
            untilNs = Math.max(nowNs, fromNs);
        }
    }

    /**
     * Ends the sample once none of its operations is in flight ({@code underWay}), or their time limit has passed.
     * Returns true once the client may stop: its sample has ended, and its load is no longer needed for other clients.
     */
    public boolean isDone(long nowNs, long underWay) {
        return isDone(nowNs, underWay, Long.MAX_VALUE);
    }

    /** Does the same for an offered load, whose next operation is due at {@code nextNs}. */
    public boolean isDone(long nowNs, long underWay, double nextNs) {
        done = done || endsSample(nowNs, underWay, nextNs);
        return done;
    }

    private boolean endsSample(long nowNs, long underWay, double nextNs) {
        // If the rate is so low that no operation begins, the run never becomes steady: the time limit ends it.
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
            // The offered load exceeded the capacity: some operations of the sample have not even begun.
            overloaded = true;
            endSample(underWay);
            return true;
        }
        if ((allBegun && underWay == 0) || cannotCatchUp(nowNs)) {
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

    /** Ends the sample of a failed or returned client. One that stops within its interval counts with all of it. */
    public void abandon() {
        if (counts()) {
            end(fromNs + sampling.durationNs());
        }
        endSample(0);
    }

    /**
     * Returns true if the client must begin further operations: for its sample, or as load for other clients' samples.
     * After a time limit it begins none, since operations of the sample may wait for a lock that new operations keep
     * taking.
     */
    public boolean keepsLoad(long nowNs) {
        return !done && !onlyDrains(nowNs);
    }

    /** Returns true if the sample has exceeded its time limit, so that no further load is generated. */
    boolean onlyDrains(long nowNs) {
        return over && nowNs - untilNs > maxDrainNs();
    }

    /** Returns true if the client must also stop waiting for operations in flight, after twice the time limit. */
    public boolean cannotCatchUp(long nowNs) {
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

    /** Returns true during the interval: operations that begin now belong to the sample. */
    public boolean counts() {
        return begun && !over;
    }

    /** Returns true if an operation that began at {@code beganNs} belongs to the sample. */
    public boolean includes(long beganNs) {
        return beganNs >= fromNs && beganNs < untilNs;
    }

    /** Returns the interval's end, on the client's clock; {@link Long#MAX_VALUE} if it is not known yet. */
    public long untilNs() {
        return untilNs;
    }

    /** Records operations that have ended, of the sample or not, in the run's {@link #series}. */
    public void ended(long beganNs, long endedNs, int operations, boolean inSample) {
        overlaps(beganNs, endedNs, operations, inSample);
        if (series.slices() > 0) {
            series.did(endedNs - originNs(), endedNs - beganNs, operations);
        }
    }

    /** Records operations still in flight at the sample's end, which belong to it only if they are given up. */
    public void stillInFlight(long beganNs, long nowNs, int operations) {
        overlaps(beganNs, nowNs, operations, false);
    }

    private void overlaps(long beganNs, long endedNs, int operations, boolean inSample) {
        if (endedNs >= fromNs && beganNs < untilNs && !isDisturbed()) {
            overlaps.add(fromNs, untilNs, beganNs, endedNs, operations, inSample);
        }
    }

    /** Records operations that the client began from {@code fromNs} to {@code toNs}, for the test of steadiness. */
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

    /** Records operations that the client gave up because a machine was unreachable. */
    public void failed(long atNs, int operations) {
        failures += counts() ? operations : 0;
        if (series.slices() > 0) {
            series.failed(atNs - originNs(), operations);
        }
    }

    /** Records an offered load's operations in flight and those due but not begun, for the test of steadiness. */
    public void observed(long nowNs, double underWay, double overdue) {
        if (sampling.conditions().loadChanges()) {
            return;
        }
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

    /** Returns the origin of {@link #series}: in virtual time the end of all clients' warm-up. */
    private long originNs() {
        return virtual && sampling.tests() ? sampling.warmUntilNs() : startNs + sampling.warmUpNs();
    }

    private boolean isDisturbed() {
        return sampling.conditions().disturbed();
    }

    /** Returns the interval's length; valid once it has ended. */
    public long lengthNs() {
        return untilNs - fromNs;
    }

    /** Returns the number of operations given up during the interval. */
    public long failures() {
        return failures;
    }

    /** Returns the operations that ended in each slice; a series without slices if none was requested. */
    public TimeSeries series() {
        return series;
    }

    /** Returns the sample's quality; valid once {@link #isDone} has returned true. */
    public SampleQuality quality(long unfinished) {
        quality.ended(
                virtual && sampling.tests() && !sampling.isSteady(),
                !sampling.conditions().faults()
                        && (overloaded || (!isDisturbed() && (sampling.isOverloaded() || sampling.fellBehind()))),
                unfinished,
                begun ? overlaps.over(lengthNs()) : LittlesLaw.NONE);
        return quality;
    }

    long recordedUntilNs() {
        return recordedUntilNs;
    }

    double overdue() {
        return overdue;
    }

    /** Returns the growth of the number of overdue operations during the interval; in virtual time only. */
    double moreOverdue() {
        return overdue - overdueAtBegin;
    }
}
