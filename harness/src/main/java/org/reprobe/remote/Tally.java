package org.reprobe.remote;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** What clients count in their measured intervals, reads and writes apart. Clients' tallies add up. */
public final class Tally {
    private static final long LONGEST_NS = 3_600_000_000_000L;
    private static final long MOST_TRIPS = 1_000_000;

    private final Histogram readNs = histogram();
    private final Histogram writeNs = histogram();
    private final Histogram remoteNs = histogram();
    private final Histogram readTrips = trips();
    private final Histogram writeTrips = trips();
    private long readRoundTrips;
    private long writeRoundTrips;
    private long chunks;
    private long unexpected;
    private long refused;
    private long durationNs;
    private double operationsPerSecond;
    private double payloadBytesPerSecond;
    private double requests;
    private double retries;
    private double migrations;
    private double serverCalls;
    private double refusals;
    private double probes;

    /** Grows as it needs to: hundreds of clients have four each. */
    private static Histogram histogram() {
        return new Histogram(3);
    }

    private static Histogram trips() {
        return new Histogram(1, MOST_TRIPS, 2);
    }

    /** The sum of those of clients that came to have one. */
    public static Tally all(@Nullable Tally[] tallies) {
        Tally all = new Tally();
        for (Tally one : tallies) {
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    /** An operation is over. */
    public void operation(boolean write, long ns, long roundTrips) {
        long recorded = Math.clamp(ns, 1, LONGEST_NS);
        if (write) {
            writeNs.recordValue(recorded);
            writeRoundTrips += roundTrips;
            writeTrips.recordValue(Math.clamp(roundTrips, 1, MOST_TRIPS));
        } else {
            readNs.recordValue(recorded);
            readRoundTrips += roundTrips;
            readTrips.recordValue(Math.clamp(roundTrips, 1, MOST_TRIPS));
        }
    }

    /** The operation has needed another machine. */
    public void remote(long ns) {
        remoteNs.recordValue(Math.clamp(ns, 1, LONGEST_NS));
    }

    /** The operation has looked at so many chunks. */
    public void chunks(long count) {
        chunks += count;
    }

    /** The operation's answer was wrong. */
    public void unexpected() {
        unexpected++;
    }

    /** The operation found the table full: a write or insert whose round trips count nowhere. */
    public void refused(long roundTrips) {
        refused++;
        writeRoundTrips -= roundTrips;
    }

    /** Fixes the rates: the interval was so long, and these were counted in it. */
    public void over(
            long durationNs, long requests, long payloadBytes, long retries, long migrations, long serverCalls) {
        this.durationNs = durationNs;
        this.requests = requests;
        this.retries = retries;
        this.migrations = migrations;
        this.serverCalls = serverCalls;
        double perSecond = 1e9 / Math.max(1, durationNs);
        operationsPerSecond = operations() * perSecond;
        payloadBytesPerSecond = payloadBytes * perSecond;
    }

    /** Counted in the interval as well: attempts that the server refused, and places that reads have looked at. */
    public void over(long refusals, long probes) {
        this.refusals = refusals;
        this.probes = probes;
    }

    /** Adds another client's. */
    public void add(Tally other) {
        readNs.add(other.readNs);
        writeNs.add(other.writeNs);
        remoteNs.add(other.remoteNs);
        readTrips.add(other.readTrips);
        writeTrips.add(other.writeTrips);
        readRoundTrips += other.readRoundTrips;
        writeRoundTrips += other.writeRoundTrips;
        chunks += other.chunks;
        unexpected += other.unexpected;
        refused += other.refused;
        durationNs = Math.max(durationNs, other.durationNs);
        operationsPerSecond += other.operationsPerSecond;
        payloadBytesPerSecond += other.payloadBytesPerSecond;
        requests += other.requests;
        retries += other.retries;
        migrations += other.migrations;
        serverCalls += other.serverCalls;
        refusals += other.refusals;
        probes += other.probes;
    }

    /** Operations finished. */
    public long operations() {
        return readNs.getTotalCount() + writeNs.getTotalCount();
    }

    /** Writes among them. */
    public long writes() {
        return writeNs.getTotalCount();
    }

    /** Of reads and writes together. */
    public Histogram latencyNs() {
        Histogram both = readNs.copy();
        both.add(writeNs);
        return both;
    }

    public Histogram readNs() {
        return readNs;
    }

    public Histogram writeNs() {
        return writeNs;
    }

    /** Latency of those that needed another machine. */
    public Histogram remoteNs() {
        return remoteNs;
    }

    public double roundTripsPerRead() {
        return (double) readRoundTrips / readNs.getTotalCount();
    }

    /** Of those that were not refused. */
    public double roundTripsPerWrite() {
        return (double) writeRoundTrips / (writeNs.getTotalCount() - refused);
    }

    public double medianRoundTripsOfReads() {
        return median(readTrips);
    }

    /** Of all writes. */
    public double medianRoundTripsOfWrites() {
        return median(writeTrips);
    }

    private static double median(Histogram trips) {
        return trips.getTotalCount() == 0 ? Double.NaN : trips.getValueAtPercentile(50);
    }

    public double roundTripsPerOperation() {
        return (double) (readRoundTrips + writeRoundTrips) / (operations() - refused);
    }

    public double chunksPerOperation() {
        return (double) chunks / operations();
    }

    /** Answers that can't be right: always 0, or the run is wrong. */
    public long unexpectedAnswers() {
        return unexpected;
    }

    /** Share of the writes that found a place. */
    public double placedShare() {
        return 1 - (double) refused / writes();
    }

    public long durationNs() {
        return durationNs;
    }

    public double operationsPerSecond() {
        return operationsPerSecond;
    }

    public double payloadBytesPerSecond() {
        return payloadBytesPerSecond;
    }

    public double requestsPerOperation() {
        return requests / operations();
    }

    public double retriesPerOperation() {
        return retries / operations();
    }

    public double migrationsPerWrite() {
        return migrations / writes();
    }

    /** Places looked at, per read; 0 where that is not counted. */
    public double probesPerRead() {
        return probes / readNs.getTotalCount();
    }

    public double refusalsPerOperation() {
        return refusals / operations();
    }

    public double serverCallsPerWrite() {
        return serverCalls / writes();
    }
}
