package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;

/**
 * Load loop of one client. It keeps one operation in flight in each slot until the samples of all clients have ended.
 * The loop owns the slots, the order of calls to the client's {@link SampledInterval}, and reconnecting after an
 * injected fault. A system provides the {@link Operations}. The client's clock is the only source of time. No method
 * here allocates, except after a lost connection.
 */
public final class LoadLoop {
    /** Result of {@link #ended} for an operation that does not belong to the sample. */
    public static final long NOT_SAMPLED = -1;

    private final Client client;
    private final SampledInterval interval;
    private final Reporting reporting;
    private final Operations operations;
    private final SampledInterval.Observer observer;
    private final int[] freeSlots;
    private final long[] beganNs;
    private final boolean[] sampled;
    private final int[] countsAs;
    private int free;
    private int sampledUnderWay;
    private int begun;
    private long reportedNs;
    private boolean keepsLoad;
    private boolean connected = true;

    /**
     * Time of a turn at which the operations that have begun are reported to the test of steadiness. A turn is one
     * iteration of the loop. Results in virtual time depend on this choice.
     */
    public enum Reporting {
        /** End of the turn in which they began: for clients whose turn is one operation or one batch. */
        AT_END_OF_TURN,
        /** Next turn, after the test: for clients that also begin operations whenever others have ended. */
        AFTER_TEST,
        /** Turn in which they began, directly after {@link #fill}: for clients that begin operations only there. */
        AFTER_BEGINNING
    }

    /** Operations of one client. */
    public interface Operations {
        /** Begins an operation in a slot, which may end at once; returns the number of operations that it counts as. */
        int begin(int slot) throws FabricException;

        /** Returns true if an operation can begin now. */
        default boolean mayBegin() {
            return true;
        }

        /** Waits, in a turn begun at {@code nowNs}, for an operation in flight to end; ends those complete. */
        default void advance(long nowNs) throws FabricException {}

        /** Adds running counters to the sample's counts, at its end with {@code sign} 1, at its start with -1. */
        default void countSoFar(int sign) {}

        /** Returns true if no operations are left. The interval then ends early, and the client leaves. */
        default boolean isExhausted() {
            return false;
        }

        /** Returns true if the client may leave before all samples have ended, once its load is not needed. */
        default boolean mayLeave() {
            return true;
        }

        /**
         * Gives up all operations in flight after an injected fault has broken their connection, and returns their
         * count. Throws {@code failure} if no injected fault explains it.
         */
        default int giveUp(FabricException failure) throws FabricException {
            throw failure;
        }

        /** Makes one attempt to reconnect. */
        default void reconnect() throws FabricException {}
    }

    /** Creates a loop with at most {@code slots} operations in flight; {@code counts} are those of the sample. */
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
                recordInFlight();
                counts.sampled(interval, unfinished);
            }
        };
        this.freeSlots = new int[slots];
        this.beganNs = new long[slots];
        this.sampled = new boolean[slots];
        this.countsAs = new int[slots];
        freeAll();
    }

    private void recordInFlight() {
        boolean[] isFree = new boolean[freeSlots.length];
        for (int i = 0; i < free; i++) {
            isFree[freeSlots[i]] = true;
        }
        long nowNs = client.nowNs();
        for (int slot = 0; slot < isFree.length; slot++) {
            if (!isFree[slot]) {
                interval.stillInFlight(beganNs[slot], nowNs, countsAs[slot]);
            }
        }
    }

    private void freeAll() {
        for (free = 0; free < freeSlots.length; free++) {
            freeSlots[free] = free;
        }
        sampledUnderWay = 0;
    }

    /** Runs all operations, from the barrier to the end of the last one. May be called once. */
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
        try {
            while (underWay() > 0) {
                operations.advance(client.nowNs());
            }
        } catch (FabricException failure) {
            interval.failed(client.nowNs(), operations.giveUp(failure));
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
            // Each failed attempt counts as a failed operation.
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

    /**
     * Begins an operation in each free slot, while load is needed. The loop calls this method each turn; a system may
     * call it when an operation has ended.
     */
    public void fill() throws FabricException {
        if (!keepsLoad) {
            return;
        }
        // The number of free slots is read once: an operation that ends at once must not keep the loop here.
        for (int i = free; i > 0 && operations.mayBegin(); i--) {
            int slot = freeSlots[--free];
            long nowNs = client.nowNs();
            beganNs[slot] = nowNs;
            sampled[slot] = interval.counts() && interval.includes(nowNs);
            sampledUnderWay += sampled[slot] ? 1 : 0;
            countsAs[slot] = operations.begin(slot);
            begun += countsAs[slot];
        }
    }

    /** Ends {@code count} operations in a slot and frees it; returns the latency in ns, or {@link #NOT_SAMPLED}. */
    public long ended(int slot, long nowNs, int count) {
        interval.ended(beganNs[slot], nowNs, count, sampled[slot]);
        release(slot);
        return sampled[slot] ? nowNs - beganNs[slot] : NOT_SAMPLED;
    }

    /** Gives up the operation in a slot because a machine is unreachable, and frees the slot. */
    public void failed(int slot, long nowNs) {
        interval.failed(nowNs, 1);
        release(slot);
    }

    private void release(int slot) {
        freeSlots[free++] = slot;
        sampledUnderWay -= sampled[slot] ? 1 : 0;
    }

    /** Returns true if the current or last operation of a slot belongs to the sample. */
    public boolean isSampled(int slot) {
        return sampled[slot];
    }

    /** Returns the time at which the current or last operation of a slot began. */
    public long beganNs(int slot) {
        return beganNs[slot];
    }

    /** Returns the number of operations in flight. */
    public int underWay() {
        return freeSlots.length - free;
    }

    /** Returns true if operations may begin; false if the loop only waits for those in flight. */
    public boolean keepsLoad() {
        return keepsLoad;
    }
}
