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
 * The lookups of one client: those in progress, their matches, and what is counted of those that began in its interval. Plain
 * arrays, indexed by a lookup's number, which is used again once the lookup has finished; and counters in fields of their own: a
 * lookup takes less than 100 ns.
 */
public final class Lookups {
    private static final int MAX_CAPACITY = 1 << 16;
    private static final long MAX_NS = 3_600_000_000_000L;

    int[] key;
    /** The record whose key is looked up; the answer must hold it. */
    long[] ordinal;

    long[] startNs;
    /** Requests not yet processed, and one for what else keeps a lookup from finishing. */
    int[] pending;

    int[] tableRequests;
    int[] heapRequests;
    /** No further request to the table will be made. */
    boolean[] tableDone;
    /** The record of {@link #ordinal} was among the matches. */
    boolean[] answered;

    private int[] free;
    private int freeCount;

    private final Client client;
    private final long comparisonPs;
    private final @Nullable FoundRecords records;
    private final @Nullable MatchListener listener;

    /** The sample is lookups that begin in it: only these count. */
    private @Nullable SampledInterval interval;
    /** The same, or null where the course of the run is not kept. */
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

    /**
     * No lookups yet.
     *
     * @param requests work requests of the queue pair: there may be as many lookups in progress, or more
     * @param counts the counters of {@link LookupCounters#none}
     * @param records takes the records that lookups are for; null where none is written
     */
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

    /** Sets the interval; where the course of the run is kept, it is kept there. */
    void sample(SampledInterval interval, boolean keepsCourse) {
        this.interval = interval;
        course = keepsCourse ? interval : null;
    }

    /**
     * Reads the clock for so many finished lookups at once, or for fewer at {@link #timeFinished}: latencies come out longer
     * by what passes until then, never shorter.
     */
    void readClockEvery(int lookups) {
        finishedStartNs = new long[lookups];
    }

    /** Numbers of lookups are below it. It grows with the lookups in progress: what an algorithm keeps of each grows with it. */
    int capacity() {
        return key.length;
    }

    /** Begins a lookup; its number. */
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

    /** Returns true if a lookup is of the sample. */
    private boolean isSampled(int lookup) {
        return isSampledAt(startNs[lookup]);
    }

    /** Returns the number of lookups of the sample that are in progress. */
    int sampledInProgress() {
        return sampledInProgress;
    }

    /** Reports finding the record at {@code offset} of local memory, whose key matches. */
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

    /** Takes in a record that a slot's signature or offset named: a match if it has the lookup's key. */
    void fromHeap(int lookup, MemorySegment local, long offset) {
        if (local.get(LookupAlgorithm.INT, offset) == key[lookup]) {
            found(lookup, local, offset);
        }
        client.spendCpu(comparisonPs);
    }

    /** Finishes a lookup once its last request has been processed and no further one will be made. */
    void finishIfDone(int lookup) {
        if (!tableDone[lookup] || pending[lookup] != 0) {
            return;
        }
        if (isSampled(lookup)) {
            sampledInProgress--;
            count(lookup);
            finishedStartNs[finished++] = startNs[lookup];
            if (finished == finishedStartNs.length) {
                timeFinished();
            }
        } else if (course != null) {
            course.ended(startNs[lookup], client.nowNs(), 1);
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

    /** Fixes the latencies of lookups that have finished since the clock was last read. */
    void timeFinished() {
        if (finished > 0) {
            long nowNs = client.nowNs();
            for (int i = 0; i < finished; i++) {
                latencyNs.recordValue(Math.clamp(nowNs - finishedStartNs[i], 1, MAX_NS));
                if (course != null) {
                    course.ended(finishedStartNs[i], nowNs, 1);
                }
            }
            finished = 0;
        }
    }

    /** Gives a lookup up. */
    void giveUp(int lookup) {
        drop(lookup);
        if (course != null) {
            course.failed(client.nowNs(), 1);
        }
    }

    /** Ends all lookups in progress without an answer, which the caller counts; how many that were. */
    int dropAll() {
        boolean[] ended = new boolean[capacity()];
        for (int i = 0; i < freeCount; i++) {
            ended[free[i]] = true;
        }
        int[] inProgress =
                IntStream.range(0, capacity()).filter(lookup -> !ended[lookup]).toArray();
        for (int lookup : inProgress) {
            drop(lookup);
        }
        return inProgress.length;
    }

    private void drop(int lookup) {
        sampledInProgress -= isSampled(lookup) ? 1 : 0;
        free[freeCount++] = lookup;
    }

    /** Counts a lookup that goes on to write. */
    void writes(int lookup) {
        writes += isSampled(lookup) ? 1 : 0;
    }

    /** Counts a lock that a lookup found taken. */
    void lockTaken(int lookup) {
        lockRetries += isSampled(lookup) ? 1 : 0;
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

    /** Returns all counters, when the client has ended: lookups of the sample that are in progress won't end. */
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
