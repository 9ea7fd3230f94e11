package org.reprobe.scheme;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.reprobe.sample.SampleQuality;
import org.reprobe.system.Counts;

/** Counters of the lookups that began in the measured interval, and of the traffic in it. */
public record LookupCounters(Counts all) {
    /** Highest bin of the histogram of table requests: it also counts lookups with more. */
    public static final int MAX_REQUESTS = 64;

    enum Counter {
        LOOKUPS,
        BEGUN,
        MATCHES,
        TABLE_REQUESTS,
        HEAP_REQUESTS,
        SQUARED_REQUESTS,
        WRITES,
        LOCK_RETRIES,
        /** Lookups, also outside the sample, that had or requested a lock when client or connection failed. */
        CUT_OFF,
        POSTED_REQUESTS,
        PAYLOAD_BYTES
    }

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

    /** Returns counters that are zero. */
    public static Counts none() {
        return new Counts(Counter.class, Recorded.class);
    }

    /** Returns the number of lookups of the sample that have ended; in a valid run all. */
    public long lookups() {
        return all.total(Counter.LOOKUPS);
    }

    /** Returns the number of table READs of finished lookups. */
    public long tableRequests() {
        return all.total(Counter.TABLE_REQUESTS);
    }

    /** Returns the number of heap READs of finished lookups. */
    public long heapRequests() {
        return all.total(Counter.HEAP_REQUESTS);
    }

    public long writes() {
        return all.total(Counter.WRITES);
    }

    /** Returns the number of times that these found their lock taken. */
    public long lockRetries() {
        return all.total(Counter.LOCK_RETRIES);
    }

    /** Returns the number of lookups that may have left a record locked, because client or connection failed. */
    public long cutOff() {
        return all.total(Counter.CUT_OFF);
    }

    public double lookupsPerSecond() {
        return all.perSecond(Counter.BEGUN) * quality().littlesLaw().correction();
    }

    public double matchesPerSecond() {
        return all.perSecond(Counter.MATCHES) * quality().littlesLaw().correction();
    }

    public double payloadBytesPerSecond() {
        return all.perSecond(Counter.PAYLOAD_BYTES);
    }

    /** Returns the standard deviation of the number of READs per lookup. */
    public double requestsDeviation() {
        double mean = (double) (tableRequests() + heapRequests()) / lookups();
        return Math.sqrt(Math.max(0, (double) all.total(Counter.SQUARED_REQUESTS) / lookups() - mean * mean));
    }

    /** Returns the rate of READs posted in the interval, for lookups of the sample or not. */
    public double requestsPerSecond() {
        return all.perSecond(Counter.POSTED_REQUESTS);
    }

    public SampleQuality quality() {
        return all.quality();
    }

    public long durationNs() {
        return all.durationNs();
    }

    /** Returns the share of lookups with at least {@code n} table requests, up to {@link #MAX_REQUESTS}. */
    public double shareWithAtLeast(int n) {
        long count = all.histogram(Recorded.TABLE_REQUESTS).getCountBetweenValues(n, MAX_REQUESTS);
        return lookups() == 0 ? 0 : (double) count / lookups();
    }

    /** Returns the share of lookups with the most frequent number of table requests. */
    double modalShare() {
        Histogram requests = all.histogram(Recorded.TABLE_REQUESTS);
        long modal = 0;
        for (HistogramIterationValue value : requests.recordedValues()) {
            modal = Math.max(modal, value.getCountAtValueIteratedTo());
        }
        return lookups() == 0 ? 0 : (double) modal / lookups();
    }

    /** Returns the latencies of finished lookups in nanoseconds. */
    public Histogram latencyNs() {
        return all.histogram(Recorded.LATENCY_NS);
    }
}
