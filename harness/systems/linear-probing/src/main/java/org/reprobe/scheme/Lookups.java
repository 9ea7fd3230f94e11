package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.sample.SampledInterval;
import org.reprobe.scheme.LookupCounters.Counter;
import org.reprobe.scheme.LookupCounters.Recorded;
import org.reprobe.system.Counts;

/**
 * Lookups of one client: those in progress, their matches, and the counters of the sample. A lookup takes less than 100
 * ns, so state is in plain arrays and counters are plain fields. The index of the arrays is the lookup number, which is
 * reused after the lookup has finished. Used by the thread of the client only.
 */
public final class Lookups {
    private static final int MAX_CAPACITY = 1 << 16;
    private static final long MAX_NS = 3_600_000_000_000L;

    int[] key;
    /** Ordinal of the record whose key is looked up; the matches must include it. */
    long[] ordinal;

    long[] startNs;
    /** Number of requests not yet processed, plus 1 while {@link LockedUpdates} keeps the lookup from finishing. */
    int[] pending;

    int[] tableRequests;
    int[] heapRequests;
    /** True if no further request to the table follows. */
    boolean[] tableDone;
    /** True if the record with {@link #ordinal} was among the matches. */
    boolean[] answered;

    private int[] free;
    private int freeCount;

    private final Client client;
    private final long comparisonPs;
    private final @Nullable FoundRecords records;
    private final @Nullable MatchListener listener;

    /** Measured interval; only lookups that begin in it (the sample) count. */
    private @Nullable SampledInterval interval;
    /** The same interval if a time series of the run is recorded; otherwise null. */
    private @Nullable SampledInterval course;

    private int sampledInProgress;
    /** Start times of the lookups that have finished since the clock was last read. */
    private long[] finishedStartNs = new long[1];

    private int finished;

    private final Counts counts;
    private final Histogram latencyNs;
    private final long[] lookupsByTableRequests = new long[LookupCounters.MAX_REQUESTS + 1];
    private long lookups;
    private long matches;
    private long allTableRequests;
    private long allHeapRequests;
    private long squaredRequests;
    private long writes;
    private long lockRetries;
    private long cutOff;
    private long postedRequests;
    private long payloadBytes;

    /** @param requests length of the send queue: initial capacity in lookups, which grows on demand */
    Lookups(
            Client client,
            int requests,
            Counts counts,
            @Nullable FoundRecords records,
            @Nullable MatchListener listener) {
        this.client = client;
        this.comparisonPs = client.cpuCosts().comparisonPs();
        this.counts = counts;
        this.latencyNs = counts.histogram(Recorded.LATENCY_NS);
        this.records = records;
        this.listener = listener;
        int capacity = Math.min(requests, MAX_CAPACITY);
        key = new int[capacity];
        ordinal = new long[capacity];
        startNs = new long[capacity];
        pending = new int[capacity];
        tableRequests = new int[capacity];
        heapRequests = new int[capacity];
        tableDone = new boolean[capacity];
        answered = new boolean[capacity];
        free = new int[capacity];
        release(0, capacity);
    }

    /** Sets the measured interval, which also records the time series if {@code keepsCourse}. */
    void sample(SampledInterval interval, boolean keepsCourse) {
        this.interval = interval;
        course = keepsCourse ? interval : null;
    }

    /**
     * Makes finished lookups share one clock reading: after {@code lookups} of them or at {@link #timeFinished},
     * whichever comes first. Recorded latencies are too long by the time until then, never too short.
     */
    void readClockEvery(int lookups) {
        finishedStartNs = new long[lookups];
    }

    /** Returns the number of lookups for which there is room; arrays of an algorithm must grow with it. */
    int capacity() {
        return key.length;
    }

    /** Begins a lookup and returns its number. */
    int begin(int key, long ordinal, long startNs) {
        if (freeCount == 0) {
            grow();
        }
        int lookup = free[--freeCount];
        this.key[lookup] = key;
        this.ordinal[lookup] = ordinal;
        this.startNs[lookup] = startNs;
        pending[lookup] = 0;
        tableRequests[lookup] = 0;
        heapRequests[lookup] = 0;
        tableDone[lookup] = false;
        answered[lookup] = false;
        sampledInProgress += isSampledAt(startNs) ? 1 : 0;
        return lookup;
    }

    private boolean isSampledAt(long startNs) {
        return interval != null && interval.includes(startNs);
    }

    private boolean isSampled(int lookup) {
        return isSampledAt(startNs[lookup]);
    }

    /** Returns the number of lookups of the sample that are in progress. */
    int sampledInProgress() {
        return sampledInProgress;
    }

    /** Records a match: a record with the key of the lookup at {@code offset} of local memory. */
    void found(int lookup, MemorySegment local, long offset) {
        long ordinal = Integer.toUnsignedLong(local.get(LookupAlgorithm.INT, offset + LookupAlgorithm.ORDINAL_AT));
        matches += isSampled(lookup) ? 1 : 0;
        if (ordinal == this.ordinal[lookup]) {
            answered[lookup] = true;
            if (records != null) {
                records.keep(lookup, local, offset);
            }
        }
        if (listener != null) {
            listener.found(client.index(), lookup, key[lookup], ordinal, local, offset);
        }
    }

    /** Processes a record read from the heap: a match if it has the key of the lookup. */
    void fromHeap(int lookup, MemorySegment local, long offset) {
        if (local.get(LookupAlgorithm.INT, offset) == key[lookup]) {
            found(lookup, local, offset);
        }
        client.spendCpu(comparisonPs);
    }

    /** Finishes a lookup if all its requests have been processed and no further one follows. */
    void finishIfDone(int lookup) {
        if (!tableDone[lookup] || pending[lookup] != 0) {
            return;
        }
        if (isSampled(lookup)) {
            sampledInProgress--;
            count(lookup);
        }
        finishedStartNs[finished++] = startNs[lookup];
        if (finished == finishedStartNs.length) {
            timeFinished();
        }
        if (listener != null) {
            listener.finished(client.index(), lookup, key[lookup]);
        }
        free[freeCount++] = lookup;
    }

    private void count(int lookup) {
        lookups++;
        allTableRequests += tableRequests[lookup];
        allHeapRequests += heapRequests[lookup];
        long requests = (long) tableRequests[lookup] + heapRequests[lookup];
        squaredRequests += requests * requests;
        lookupsByTableRequests[Math.min(tableRequests[lookup], LookupCounters.MAX_REQUESTS)]++;
        if (!answered[lookup]) {
            missed(lookup);
        }
    }

    private void missed(int lookup) {
        counts.wrongAnswer(() -> "client %d looked up key %s and did not find record %d, whose key it is"
                .formatted(client.index(), Integer.toUnsignedString(key[lookup]), ordinal[lookup]));
    }

    /** Records the latencies of the lookups that have finished since the last clock reading. */
    void timeFinished() {
        if (finished > 0) {
            long nowNs = client.nowNs();
            for (int i = 0; i < finished; i++) {
                boolean inSample = isSampledAt(finishedStartNs[i]);
                if (inSample) {
                    latencyNs.recordValue(Math.clamp(nowNs - finishedStartNs[i], 1, MAX_NS));
                }
                if (interval != null) {
                    interval.ended(finishedStartNs[i], nowNs, 1, inSample);
                }
            }
            finished = 0;
        }
    }

    void giveUp(int lookup) {
        drop(lookup);
        if (course != null) {
            course.failed(client.nowNs(), 1);
        }
    }

    /** Ends all lookups in progress without a result and returns their number; the caller counts them as failed. */
    int dropAll() {
        int[] inProgress = inProgress();
        for (int lookup : inProgress) {
            drop(lookup);
        }
        return inProgress.length;
    }

    private int[] inProgress() {
        boolean[] ended = new boolean[capacity()];
        for (int i = 0; i < freeCount; i++) {
            ended[free[i]] = true;
        }
        return IntStream.range(0, capacity()).filter(lookup -> !ended[lookup]).toArray();
    }

    private void drop(int lookup) {
        sampledInProgress -= isSampled(lookup) ? 1 : 0;
        free[freeCount++] = lookup;
    }

    /** Counts a lookup that writes the record found. */
    void writes(int lookup) {
        writes += isSampled(lookup) ? 1 : 0;
    }

    /** Counts a lock that a lookup found taken. */
    void lockTaken(int lookup) {
        lockRetries += isSampled(lookup) ? 1 : 0;
    }

    /** Counts lookups that may have left a record locked. */
    void cutOff(int lookups) {
        cutOff += lookups;
    }

    /** Counts requests and payload bytes posted in the interval; paced lookups pass 0 requests. */
    void posted(int requests, long bytes) {
        postedRequests += requests;
        payloadBytes += bytes;
    }

    /** Returns all counters after the client's end; lookups of the sample still in progress count as unfinished. */
    Counts over(SampledInterval interval) {
        counts.add(Counter.LOOKUPS, lookups);
        counts.add(Counter.BEGUN, lookups + sampledInProgress);
        counts.add(Counter.MATCHES, matches);
        counts.add(Counter.TABLE_REQUESTS, allTableRequests);
        counts.add(Counter.HEAP_REQUESTS, allHeapRequests);
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
        for (int lookup : inProgress()) {
            interval.stillInFlight(startNs[lookup], client.nowNs(), 1);
        }
        counts.sampled(interval, sampledInProgress);
        return counts;
    }

    private void release(int from, int to) {
        for (int lookup = to - 1; lookup >= from; lookup--) {
            free[freeCount++] = lookup;
        }
    }

    private void grow() {
        int old = key.length;
        int now = 2 * old;
        key = Arrays.copyOf(key, now);
        ordinal = Arrays.copyOf(ordinal, now);
        startNs = Arrays.copyOf(startNs, now);
        pending = Arrays.copyOf(pending, now);
        tableRequests = Arrays.copyOf(tableRequests, now);
        heapRequests = Arrays.copyOf(heapRequests, now);
        tableDone = Arrays.copyOf(tableDone, now);
        answered = Arrays.copyOf(answered, now);
        free = Arrays.copyOf(free, now);
        release(old, now);
    }
}
