package org.reprobe.scheme;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.reprobe.sample.SampleQuality;
import org.reprobe.system.Counts;

/** Clients' counts of the lookups that began in their intervals, and of the traffic in them. */
public record LookupCounters(Counts all) {
    /** Lookups with this many table requests or more share the last count. */
    public static final int MAX_REQUESTS = 64;

    /** Counters. */
    enum Counter {
        LOOKUPS,
        BEGUN,
        MATCHES,
        TABLE_REQUESTS,
        HEAP_REQUESTS,
        SQUARED_REQUESTS,
        WRITES,
        LOCK_RETRIES,
        /** Lookups, of the sample or not, that held a lock or had asked for one when their client died or lost its connection. */
        CUT_OFF,
        POSTED_REQUESTS,
        PAYLOAD_BYTES
    }

    /** Histograms. */
    enum Recorded implements Counts.Recorded {
        LATENCY_NS(3_600_000_000_000L, 3),
        TABLE_REQUESTS(MAX_REQUESTS, 2);

        private final long max;
        private final int digits;

        Recorded(long max, int digits) {
            this.max = max;
            this.digits = digits;
        }

        @Override
        public long max() {
            return max;
        }

        @Override
        public int digits() {
            return digits;
        }
    }

    /** Nothing counted. */
    public static Counts none() {
        return new Counts(Counter.class, Recorded.class);
    }

    /** Lookups of the sample that have ended: all, as a rule. */
    public long lookups() {
        return all.total(Counter.LOOKUPS);
    }

    /** READs of the table, by finished lookups. */
    public long tableRequests() {
        return all.total(Counter.TABLE_REQUESTS);
    }

    /** READs of the heap, by finished lookups. */
    public long heapRequests() {
        return all.total(Counter.HEAP_REQUESTS);
    }

    /** Lookups that went on to write. */
    public long writes() {
        return all.total(Counter.WRITES);
    }

    /** Locks that those found taken. */
    public long lockRetries() {
        return all.total(Counter.LOCK_RETRIES);
    }

    /** Lookups that may have left a record locked, since their client has died or lost its connection. */
    public long cutOff() {
        return all.total(Counter.CUT_OFF);
    }

    public double lookupsPerSecond() {
        return all.perSecond(Counter.BEGUN);
    }

    public double matchesPerSecond() {
        return all.perSecond(Counter.MATCHES);
    }

    public double payloadBytesPerSecond() {
        return all.perSecond(Counter.PAYLOAD_BYTES);
    }

    /** Standard deviation of a lookup's READs. */
    public double requestsDeviation() {
        double mean = (double) (tableRequests() + heapRequests()) / lookups();
        return Math.sqrt(Math.max(0, (double) all.total(Counter.SQUARED_REQUESTS) / lookups() - mean * mean));
    }

    /** READs posted in the interval, for whatever lookups. */
    public double requestsPerSecond() {
        return all.perSecond(Counter.POSTED_REQUESTS);
    }

    public SampleQuality quality() {
        return all.quality();
    }

    public long durationNs() {
        return all.durationNs();
    }

    /** Share of lookups that made at least {@code n} (at most {@link #MAX_REQUESTS}) table requests. */
    public double shareWithAtLeast(int n) {
        long count = all.histogram(Recorded.TABLE_REQUESTS).getCountBetweenValues(n, MAX_REQUESTS);
        return lookups() == 0 ? 0 : (double) count / lookups();
    }

    /** Share of lookups that made as many table requests as most did. */
    double modalShare() {
        Histogram requests = all.histogram(Recorded.TABLE_REQUESTS);
        long modal = 0;
        for (HistogramIterationValue value : requests.recordedValues()) {
            modal = Math.max(modal, value.getCountAtValueIteratedTo());
        }
        return lookups() == 0 ? 0 : (double) modal / lookups();
    }

    /** Latency of each finished lookup, in nanoseconds. */
    public Histogram latencyNs() {
        return all.histogram(Recorded.LATENCY_NS);
    }
}
