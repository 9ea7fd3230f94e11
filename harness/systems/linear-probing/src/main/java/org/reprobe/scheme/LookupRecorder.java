package org.reprobe.scheme;

import org.HdrHistogram.Histogram;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.scheme.LookupCounters.Counter;
import org.reprobe.scheme.LookupCounters.Recorded;
import org.reprobe.system.Counts;

/** One client's counters of the lookups that began in its interval, in fields of their own: a lookup takes less than 100 ns. */
public final class LookupRecorder {
    private static final long MAX_NS = 3_600_000_000_000L;

    private final Counts counts = LookupCounters.none();
    private final Histogram latencyNs = counts.histogram(Recorded.LATENCY_NS);
    private final long[] lookupsByTableRequests = new long[LookupCounters.MAX_REQUESTS + 1];
    private long lookups;
    private long matches;
    private long tableRequests;
    private long heapRequests;
    private long squaredRequests;
    private long writes;
    private long lockRetries;
    private long cutOff;
    private long postedRequests;
    private long payloadBytes;

    /** Counts a record whose key matched. */
    void matched() {
        matches++;
    }

    /** Counts a lookup; its latency is {@link #took}'s. */
    void finished(int tableRequests, int heapRequests) {
        lookups++;
        this.tableRequests += tableRequests;
        this.heapRequests += heapRequests;
        long requests = (long) tableRequests + heapRequests;
        squaredRequests += requests * requests;
        lookupsByTableRequests[Math.min(tableRequests, LookupCounters.MAX_REQUESTS)]++;
    }

    /** Counts a lookup that did not find the record whose key it looked up. */
    void missed(int client, int key, long ordinal) {
        counts.wrongAnswer(() -> "client %d looked up key %s and did not find record %d, whose key it is"
                .formatted(client, Integer.toUnsignedString(key), ordinal));
    }

    /** Counts a lookup that goes on to write. */
    void writes() {
        writes++;
    }

    /** Counts a lock that was found taken. */
    void lockTaken() {
        lockRetries++;
    }

    /** Counts lookups that may leave a record locked. */
    void cutOff(int lookups) {
        cutOff += lookups;
    }

    /** Counts what was posted in the interval, for whatever lookups; no requests where those are not counted. */
    void posted(int requests, long bytes) {
        postedRequests += requests;
        payloadBytes += bytes;
    }

    /** Records the latency of a lookup. */
    void took(long ns) {
        latencyNs.recordValue(Math.max(1, Math.min(ns, MAX_NS)));
    }

    /**
     * Returns all, when the sample has ended.
     *
     * @param unfinished lookups of the sample that have not ended and won't
     */
    Counts over(SampledInterval interval, long unfinished) {
        counts.add(Counter.LOOKUPS, lookups);
        counts.add(Counter.BEGUN, lookups + unfinished);
        counts.add(Counter.MATCHES, matches);
        counts.add(Counter.TABLE_REQUESTS, tableRequests);
        counts.add(Counter.HEAP_REQUESTS, heapRequests);
        counts.add(Counter.SQUARED_REQUESTS, squaredRequests);
        counts.add(Counter.WRITES, writes);
        counts.add(Counter.LOCK_RETRIES, lockRetries);
        counts.add(Counter.CUT_OFF, cutOff);
        counts.add(Counter.POSTED_REQUESTS, postedRequests);
        counts.add(Counter.PAYLOAD_BYTES, payloadBytes);
        Histogram byRequests = counts.histogram(Recorded.TABLE_REQUESTS);
        for (int i = 0; i < lookupsByTableRequests.length; i++) {
            if (lookupsByTableRequests[i] > 0) {
                byRequests.recordValueWithCount(i, lookupsByTableRequests[i]);
            }
        }
        counts.sampled(interval, unfinished);
        return counts;
    }
}
