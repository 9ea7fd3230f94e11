package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.SampledInterval;

/** What lookups find: matches are reported and lookups finished here. */
final class Matches {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A record's ordinal stands behind its 4-byte key. */
    static final int ORDINAL_AT = Integer.BYTES;

    private final Lookups lookups;
    private final LookupRecorder counters;
    private final Client client;
    private final long comparisonPs;
    private final @Nullable MatchListener listener;
    /** The sample is lookups that begin in it: only these count. */
    private @Nullable SampledInterval interval;

    /** The same, or null where the course of the run is not kept. */
    private @Nullable SampledInterval course;

    /** When the lookups began that have finished since the clock was last read. */
    private long[] finishedStartNs = new long[1];

    private int finished;
    /** Lookups of the sample that have begun and not ended. */
    private int sampled;

    Matches(Lookups lookups, LookupRecorder counters, Client client, @Nullable MatchListener listener) {
        this.lookups = lookups;
        this.counters = counters;
        this.client = client;
        this.comparisonPs = client.cpuCosts().comparisonPs();
        this.listener = listener;
    }

    /** Lookups that begin in this interval are counted; the course of the run is kept there where it is kept. */
    void sample(SampledInterval interval, boolean keepsCourse) {
        this.interval = interval;
        course = keepsCourse ? interval : null;
    }

    /** Returns true if a lookup that began then is of the sample. */
    boolean isSampled(long startNs) {
        return interval != null && interval.includes(startNs);
    }

    /** A lookup begins. */
    void began(long startNs) {
        if (isSampled(startNs)) {
            sampled++;
        }
    }

    /** How many lookups of the sample are in progress. */
    int sampledInProgress() {
        return sampled;
    }

    /**
     * Reads the clock for so many finished lookups at once, or for fewer at {@link #timeFinished}: latencies come out longer
     * by what passes until then, never shorter.
     */
    void readClockEvery(int lookups) {
        finishedStartNs = new long[lookups];
    }

    /** Fixes the latencies of lookups that have finished since the clock was last read. */
    void timeFinished() {
        if (finished > 0) {
            long nowNs = client.nowNs();
            for (int i = 0; i < finished; i++) {
                counters.took(nowNs - finishedStartNs[i]);
                if (course != null) {
                    course.ended(finishedStartNs[i], nowNs, 1);
                }
            }
            finished = 0;
        }
    }

    /** Reports finding the record at {@code offset} of local memory, whose key matches. */
    void found(int lookup, MemorySegment local, long offset) {
        long ordinal = Integer.toUnsignedLong(local.get(INT, offset + ORDINAL_AT));
        if (isSampled(lookups.startNs[lookup])) {
            counters.matched();
        }
        if (ordinal == lookups.ordinal[lookup]) {
            lookups.answered[lookup] = true;
        }
        if (listener != null) {
            listener.found(client.index(), lookup, lookups.key[lookup], ordinal, local, offset);
        }
    }

    /** Takes in a record that a slot's signature or offset named: a match if it has the lookup's key. */
    void fromHeap(int lookup, MemorySegment local, long offset) {
        if (local.get(INT, offset) == lookups.key[lookup]) {
            found(lookup, local, offset);
        }
        client.spendCpu(comparisonPs);
    }

    /** Finishes a lookup once its last request has been processed and no further one will be made. */
    void finishIfDone(int lookup) {
        if (lookups.tableDone[lookup] && lookups.pending[lookup] == 0) {
            long startNs = lookups.startNs[lookup];
            if (isSampled(startNs)) {
                sampled--;
                counters.finished(lookups.tableRequests[lookup], lookups.heapRequests[lookup]);
                if (!lookups.answered[lookup]) {
                    counters.missed(client.index(), lookups.key[lookup], lookups.ordinal[lookup]);
                }
                finishedStartNs[finished++] = startNs;
                if (finished == finishedStartNs.length) {
                    timeFinished();
                }
            } else if (course != null) {
                course.ended(startNs, client.nowNs(), 1);
            }
            if (listener != null) {
                listener.finished(client.index(), lookup, lookups.key[lookup]);
            }
            lookups.end(lookup);
        }
    }

    /** Ends a lookup without an answer; to be counted by who has lost it. */
    void drop(int lookup) {
        if (isSampled(lookups.startNs[lookup])) {
            sampled--;
        }
        lookups.end(lookup);
    }

    /** Gives a lookup up. */
    void giveUp(int lookup) {
        drop(lookup);
        if (course != null) {
            course.failed(client.nowNs(), 1);
        }
    }
}
