package org.reprobe.remote;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.HistogramBytes;
import org.reprobe.fabric.SampleQuality;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.system.Counts;

/** What clients count of the operations that begin in their intervals, reads and writes apart. Clients' tallies add up. */
public final class Tally implements Counts {
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
    private long raised;
    private long durationNs;
    private double operationsPerSecond;
    private double payloadBytesPerSecond;
    private double requests;
    private double retries;
    private double migrations;
    private double serverCalls;
    private double refusals;
    private double probes;
    private final SampleQuality quality = new SampleQuality();

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

    /** Fixes the rates: the interval is over, and these were counted in it. */
    public void over(
            SampledInterval interval,
            long requests,
            long payloadBytes,
            long retries,
            long migrations,
            long serverCalls) {
        this.durationNs = interval.lengthNs();
        quality.add(interval.quality(0));
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

    /** How often the client has raised a word by one, warm-up included: what all words must add up to. */
    public void raised(long count) {
        raised = count;
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
        raised += other.raised;
        durationNs = Math.max(durationNs, other.durationNs);
        operationsPerSecond += other.operationsPerSecond;
        payloadBytesPerSecond += other.payloadBytesPerSecond;
        requests += other.requests;
        retries += other.retries;
        migrations += other.migrations;
        serverCalls += other.serverCalls;
        refusals += other.refusals;
        probes += other.probes;
        quality.add(other.quality);
    }

    /** Writes everything, for {@link #read} in another process. */
    @Override
    public void write(DataOutput out) throws IOException {
        for (long number :
                new long[] {readRoundTrips, writeRoundTrips, chunks, unexpected, refused, raised, durationNs}) {
            out.writeLong(number);
        }
        for (double number : new double[] {
            operationsPerSecond, payloadBytesPerSecond, requests, retries, migrations, serverCalls, refusals, probes
        }) {
            out.writeDouble(number);
        }
        for (Histogram histogram : histograms()) {
            HistogramBytes.write(histogram, out);
        }
        quality.write(out);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException when it is something else
     */
    public static Tally read(DataInput in) throws IOException {
        Tally tally = new Tally();
        tally.readRoundTrips = in.readLong();
        tally.writeRoundTrips = in.readLong();
        tally.chunks = in.readLong();
        tally.unexpected = in.readLong();
        tally.refused = in.readLong();
        tally.raised = in.readLong();
        tally.durationNs = in.readLong();
        tally.operationsPerSecond = in.readDouble();
        tally.payloadBytesPerSecond = in.readDouble();
        tally.requests = in.readDouble();
        tally.retries = in.readDouble();
        tally.migrations = in.readDouble();
        tally.serverCalls = in.readDouble();
        tally.refusals = in.readDouble();
        tally.probes = in.readDouble();
        for (Histogram histogram : tally.histograms()) {
            HistogramBytes.addTo(histogram, in);
        }
        tally.quality.add(SampleQuality.read(in));
        return tally;
    }

    private List<Histogram> histograms() {
        return List.of(readNs, writeNs, remoteNs, readTrips, writeTrips);
    }

    /** What says whether all this can be relied on. */
    public SampleQuality quality() {
        return quality;
    }

    /** Operations of the sample. */
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
        return share((double) writeRoundTrips, writeNs.getTotalCount() - refused);
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
        return share((double) readRoundTrips + writeRoundTrips, operations() - refused);
    }

    public double chunksPerOperation() {
        return (double) chunks / operations();
    }

    /** Answers that can't be right: always 0, or the run is wrong. */
    public long unexpectedAnswers() {
        return unexpected;
    }

    private double perWrite(double count) {
        return share(count, writes());
    }

    /** NaN where there is nothing to have a share in. */
    private static double share(double count, long of) {
        return of <= 0 ? Double.NaN : count / of;
    }

    /** Share of the writes that found a place. */
    public double placedShare() {
        return 1 - perWrite((double) refused);
    }

    /** See {@link #raised(long)}. */
    public long raised() {
        return raised;
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
        return perWrite(migrations);
    }

    /** Places looked at, per read; 0 where that is not counted. */
    public double probesPerRead() {
        return probes / readNs.getTotalCount();
    }

    public double refusalsPerOperation() {
        return refusals / operations();
    }

    public double serverCallsPerWrite() {
        return perWrite(serverCalls);
    }
}
