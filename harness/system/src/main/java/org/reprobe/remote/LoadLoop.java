package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;

/**
 * Load loop of one client: keeps an operation in flight in each slot until the samples of all clients have ended. It owns the
 * slots, the order of calls to the client's {@link SampledInterval}, and reconnecting after a connection was lost on purpose; a
 * system provides the {@link Operations}.
 *
 * <p>The client's clock is the only source of time, and no method here allocates, except after a lost connection.
 */
public final class LoadLoop {
    /** Result of {@link #ended} for an operation that is not of the sample. */
    public static final long NOT_SAMPLED = -1;

    private final Client client;
    private final SampledInterval interval;
    private final Reporting reporting;
    private final Operations operations;
    private final SampledInterval.Observer observer;
    private final int[] freeSlots;
    private final long[] beganNs;
    private final boolean[] sampled;
    private int free;
    private int sampledUnderWay;
    private int begun;
    private long reportedNs;
    private boolean keepsLoad;
    private boolean connected = true;

    /** Time at which operations that have begun are reported to the test for a steady run. Results in virtual time depend on it. */
    public enum Reporting {
        /** The end of the turn in which they began: for clients whose turn is one operation, or one batch. */
        AT_END_OF_TURN,
        /** The next turn, after its test: for clients whose operations also begin as soon as other operations have ended. */
        AFTER_TEST,
        /** The turn in which they began, for the time since the turn before: for clients that begin operations only then. */
        AFTER_BEGINNING
    }

    /** Operations of one client. */
    public interface Operations {
        /**
         * Begins an operation, which may end before this returns.
         *
         * @param slot its slot, until {@link LoadLoop#ended} or {@link LoadLoop#failed}
         * @return the number of operations that it counts as
         */
        int begin(int slot) throws FabricException;

        /** Returns true if an operation can be begun now. */
        default boolean mayBegin() {
            return true;
        }

        /**
         * Ends operations under way, after waiting for the first of them.
         *
         * @param nowNs beginning of the turn
         */
        default void advance(long nowNs) throws FabricException {}

        /**
         * Adds what running counters have counted so far to what the sample shows.
         *
         * @param sign 1 when the sample has ended; -1 when the interval begins: subtracts it
         */
        default void countSoFar(int sign) {}

        /** Returns true if no operation is left to be begun: the interval ends early, and the client leaves. */
        default boolean isExhausted() {
            return false;
        }

        /** Returns true if the client may leave before the samples of all have ended, when its load is needed no longer. */
        default boolean mayLeave() {
            return true;
        }

        /**
         * Gives up all operations under way, when their connection was lost on purpose.
         *
         * @return the number of operations that they count as
         * @throws FabricException the failure itself, where it has another cause
         */
        default int giveUp(FabricException failure) throws FabricException {
            throw failure;
        }

        /** Tries once to connect again. */
        default void reconnect() throws FabricException {}
    }

    /**
     * Creates a loop that has not begun.
     *
     * @param counts what the sample shows
     * @param slots operations under way at a time
     */
    public LoadLoop(
            Client client,
            SampledInterval interval,
            Counts counts,
            int slots,
            Reporting reporting,
            Operations operations) {
        this.client = client;
        this.interval = interval;
        this.reporting = reporting;
        this.operations = operations;
        this.observer = new SampledInterval.Observer() {
            @Override
            public void begins() {
                operations.countSoFar(-1);
            }

            @Override
            public void ended(long unfinished) {
                operations.countSoFar(1);
                counts.sampled(interval, unfinished);
            }
        };
        this.freeSlots = new int[slots];
        this.beganNs = new long[slots];
        this.sampled = new boolean[slots];
        freeAll();
    }

    private void freeAll() {
        for (free = 0; free < freeSlots.length; free++) {
            freeSlots[free] = free;
        }
        sampledUnderWay = 0;
    }

    /** Runs all operations, from the barrier to the end of the last one; to be called once. */
    public void run() throws FabricException {
        client.barrier();
        long nowNs = client.nowNs();
        interval.start(nowNs, observer);
        reportedNs = nowNs;
        while (!isOver(nowNs)) {
            report(Reporting.AFTER_TEST, nowNs);
            turn(nowNs);
            nowNs = client.nowNs();
            report(Reporting.AT_END_OF_TURN, nowNs);
        }
        keepsLoad = false;
        while (underWay() > 0) {
            operations.advance(client.nowNs());
        }
    }

    private boolean isOver(long nowNs) {
        boolean exhausted = operations.isExhausted();
        if (exhausted && interval.counts()) {
            interval.end(nowNs);
        }
        interval.step(nowNs);
        boolean done = interval.isDone(nowNs, sampledUnderWay);
        keepsLoad = interval.keepsLoad(nowNs);
        return (done && operations.mayLeave()) || interval.runIsOver() || (exhausted && interval.hasEnded());
    }

    private void turn(long nowNs) throws FabricException {
        if (!connected) {
            connected = Reconnection.succeeds(operations::reconnect);
            // Each attempt that fails is an operation that could not be done.
            interval.failed(client.nowNs(), connected ? 0 : 1);
            return;
        }
        try {
            fill();
            report(Reporting.AFTER_BEGINNING, nowNs);
            operations.advance(nowNs);
        } catch (FabricException failure) {
            interval.failed(client.nowNs(), operations.giveUp(failure));
            freeAll();
            connected = false;
        }
    }

    private void report(Reporting when, long nowNs) {
        if (reporting == when) {
            interval.began(reportedNs, nowNs, begun);
            begun = 0;
            reportedNs = nowNs;
        }
    }

    /** Begins an operation in each free slot, while load is kept up. The loop does so each turn; a system may when one has ended. */
    public void fill() throws FabricException {
        if (!keepsLoad) {
            return;
        }
        // As many as there were: one that ends at once must not keep the loop here.
        for (int i = free; i > 0 && operations.mayBegin(); i--) {
            int slot = freeSlots[--free];
            long nowNs = client.nowNs();
            beganNs[slot] = nowNs;
            sampled[slot] = interval.counts() && interval.includes(nowNs);
            sampledUnderWay += sampled[slot] ? 1 : 0;
            begun += operations.begin(slot);
        }
    }

    /**
     * Ends the operation in a slot, which is free then.
     *
     * @param count the number of operations that it counts as
     * @return its latency; {@link #NOT_SAMPLED} where it is not of the sample
     */
    public long ended(int slot, long nowNs, int count) {
        interval.ended(beganNs[slot], nowNs, count);
        release(slot);
        return sampled[slot] ? nowNs - beganNs[slot] : NOT_SAMPLED;
    }

    /** Gives the operation in a slot up, which is free then: what it needed can't be reached. */
    public void failed(int slot, long nowNs) {
        interval.failed(nowNs, 1);
        release(slot);
    }

    private void release(int slot) {
        freeSlots[free++] = slot;
        sampledUnderWay -= sampled[slot] ? 1 : 0;
    }

    /** Returns true if the current or last operation of a slot is of the sample. */
    public boolean isSampled(int slot) {
        return sampled[slot];
    }

    /** Returns the time at which the current or last operation of a slot began. */
    public long beganNs(int slot) {
        return beganNs[slot];
    }

    /** Returns the number of operations under way. */
    public int underWay() {
        return freeSlots.length - free;
    }

    /** Returns true if operations are begun; false when those under way are only waited for. */
    public boolean keepsLoad() {
        return keepsLoad;
    }
}
