package org.reprobe.scheme;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.HdrHistogram.Histogram;
import org.reprobe.fabric.HistogramBytes;
import org.reprobe.fabric.SampleQuality;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.system.Counts;

/** What one client counted of the lookups that began in its interval, and of the traffic in it. Clients' counters add up. */
public final class LookupCounters implements Counts {
    /** Lookups with this many table requests or more share the last count. */
    public static final int MOST_REQUESTS = 64;

    private static final long LONGEST_NS = 3_600_000_000_000L;

    long lookups;
    long matches;
    long tableRequests;
    long heapRequests;
    long payloadBytes;
    long unanswered;
    double squaredRequests;
    double lookupsPerSecond;
    double matchesPerSecond;
    double payloadBytesPerSecond;
    double requestsPerSecond;
    long durationNs;
    private final SampleQuality quality = new SampleQuality();
    final long[] lookupsByTableRequests = new long[MOST_REQUESTS + 1];
    private final Histogram latencyNs = new Histogram(1, LONGEST_NS, 3);

    /** Nothing counted. */
    public LookupCounters() {}

    /** Counts a lookup; its latency is {@link #took}'s. */
    void finished(int tableRequests, int heapRequests, boolean answered) {
        lookups++;
        this.tableRequests += tableRequests;
        double requests = tableRequests + heapRequests;
        squaredRequests += requests * requests;
        this.heapRequests += heapRequests;
        lookupsByTableRequests[Math.min(tableRequests, MOST_REQUESTS)]++;
        if (!answered) {
            unanswered++;
        }
    }

    /** Records the latency of a lookup. */
    void took(long latencyNs) {
        this.latencyNs.recordValue(Math.max(1, Math.min(latencyNs, LONGEST_NS)));
    }

    /**
     * Fixes the rates, when the sample has ended.
     *
     * @param requests READs posted in the interval, for whatever lookups; 0 where that is not counted
     * @param payloadBytes bytes of all that was posted in it
     * @param unfinished lookups of the sample that have not ended and won't
     */
    void over(SampledInterval interval, long requests, long payloadBytes, long unfinished) {
        this.durationNs = interval.lengthNs();
        this.payloadBytes = payloadBytes;
        double perSecond = 1e9 / Math.max(1, durationNs);
        lookupsPerSecond = (lookups + unfinished) * perSecond;
        matchesPerSecond = matches * perSecond;
        payloadBytesPerSecond = payloadBytes * perSecond;
        requestsPerSecond = requests * perSecond;
        quality.add(interval.quality(unfinished));
    }

    /** Adds another client's counts and rates; the duration becomes the longest. */
    public void add(LookupCounters other) {
        lookups += other.lookups;
        matches += other.matches;
        tableRequests += other.tableRequests;
        heapRequests += other.heapRequests;
        payloadBytes += other.payloadBytes;
        unanswered += other.unanswered;
        squaredRequests += other.squaredRequests;
        lookupsPerSecond += other.lookupsPerSecond;
        matchesPerSecond += other.matchesPerSecond;
        payloadBytesPerSecond += other.payloadBytesPerSecond;
        requestsPerSecond += other.requestsPerSecond;
        quality.add(other.quality);
        durationNs = Math.max(durationNs, other.durationNs);
        for (int i = 0; i < lookupsByTableRequests.length; i++) {
            lookupsByTableRequests[i] += other.lookupsByTableRequests[i];
        }
        latencyNs.add(other.latencyNs);
    }

    /** Writes everything, for {@link #read} in another process. */
    @Override
    public void write(DataOutput out) throws IOException {
        long[] whole = {lookups, matches, tableRequests, heapRequests, payloadBytes, unanswered, durationNs};
        for (long number : whole) {
            out.writeLong(number);
        }
        out.writeDouble(lookupsPerSecond);
        out.writeDouble(matchesPerSecond);
        out.writeDouble(payloadBytesPerSecond);
        out.writeDouble(requestsPerSecond);
        out.writeDouble(squaredRequests);
        quality.write(out);
        for (long number : lookupsByTableRequests) {
            out.writeLong(number);
        }
        HistogramBytes.write(latencyNs, out);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException when it is something else
     */
    public static LookupCounters read(DataInput in) throws IOException {
        LookupCounters counters = new LookupCounters();
        counters.lookups = in.readLong();
        counters.matches = in.readLong();
        counters.tableRequests = in.readLong();
        counters.heapRequests = in.readLong();
        counters.payloadBytes = in.readLong();
        counters.unanswered = in.readLong();
        counters.durationNs = in.readLong();
        counters.lookupsPerSecond = in.readDouble();
        counters.matchesPerSecond = in.readDouble();
        counters.payloadBytesPerSecond = in.readDouble();
        counters.requestsPerSecond = in.readDouble();
        counters.squaredRequests = in.readDouble();
        counters.quality.add(SampleQuality.read(in));
        for (int i = 0; i < counters.lookupsByTableRequests.length; i++) {
            counters.lookupsByTableRequests[i] = in.readLong();
        }
        HistogramBytes.addTo(counters.latencyNs, in);
        return counters;
    }

    /** Lookups of the sample that have ended: all, as a rule. */
    public long lookups() {
        return lookups;
    }

    /** Matching records returned. */
    public long matches() {
        return matches;
    }

    /** READs of the table, by finished lookups. */
    public long tableRequests() {
        return tableRequests;
    }

    /** READs of the heap, by finished lookups. */
    public long heapRequests() {
        return heapRequests;
    }

    /** Lookups of a key that exists whose record was not among the matches: always 0, or the run is wrong. */
    public long unanswered() {
        return unanswered;
    }

    public double lookupsPerSecond() {
        return lookupsPerSecond;
    }

    public double matchesPerSecond() {
        return matchesPerSecond;
    }

    public double payloadBytesPerSecond() {
        return payloadBytesPerSecond;
    }

    /** Standard deviation of a lookup's READs. */
    public double requestsDeviation() {
        double mean = (double) (tableRequests + heapRequests) / lookups;
        return Math.sqrt(Math.max(0, squaredRequests / lookups - mean * mean));
    }

    /** READs posted in the interval, for whatever lookups. */
    public double requestsPerSecond() {
        return requestsPerSecond;
    }

    /** What says whether all this can be relied on. */
    public SampleQuality quality() {
        return quality;
    }

    public long durationNs() {
        return durationNs;
    }

    /** Share of lookups that made at least {@code n} (at most {@link #MOST_REQUESTS}) table requests. */
    public double shareWithAtLeast(int n) {
        long count = 0;
        for (int i = n; i <= MOST_REQUESTS; i++) {
            count += lookupsByTableRequests[i];
        }
        return lookups == 0 ? 0 : (double) count / lookups;
    }

    /** Latency of each finished lookup, in nanoseconds. */
    public Histogram latencyNs() {
        return latencyNs;
    }
}
