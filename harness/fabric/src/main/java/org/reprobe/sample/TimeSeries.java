package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;
import org.reprobe.analysis.measurement.Metrics;

/** Course of a run: the operations that ended in each slice of the measured interval. Confined to one thread. */
public final class TimeSeries {
    /** Maximum number of slices; a figure can't show as many. */
    public static final int MAX_SLICES = 10_000;

    public static final int BYTES_PER_SLICE = 4 * Long.BYTES;

    /** Usual bytes of the latencies of a slice, if they are kept. */
    public static final int LATENCY_BYTES_PER_SLICE = 3 << 10;

    private static final double NS_PER_S = 1e9;
    private static final int DIGITS_OF_LATENCIES = 2; // significant decimal digits
    private static final long USUAL_LATENCY_NS = 1L << 30; // a histogram makes room for longer ones when they occur
    private static final int MAX_ENCODED_BYTES = 1 << 20;

    private static final int MAX_ROOM = MAX_SLICES + 1;

    private long sliceNs;
    private long[] operations = new long[0];
    private long[] failures = new long[0];
    private long[] latencyNs = new long[0];
    private long[] maxLatencyNs = new long[0];
    /** Latencies of each slice for their percentiles; empty if they are not kept. */
    private PackedHistogram[] latencies = new PackedHistogram[0];

    /** Creates a series without slices, to which other series can be added. */
    public TimeSeries() {}

    /** Creates empty slices of {@code sliceNs} each for {@code durationNs}; the last slice may be shorter. */
    public TimeSeries(long sliceNs, long durationNs) {
        this(sliceNs, durationNs, false);
    }

    /** Creates empty slices, which also keep each latency for percentiles if {@code keepsLatencies}. */
    public TimeSeries(long sliceNs, long durationNs, boolean keepsLatencies) {
        this.sliceNs = sliceNs;
        room(Math.clamp(Math.ceilDiv(durationNs, sliceNs), 0, MAX_ROOM));
        if (keepsLatencies) {
            keepLatencies(slices());
        }
    }

    private void keepLatencies(int slices) {
        int before = latencies.length;
        latencies = Arrays.copyOf(latencies, slices);
        for (int i = before; i < slices; i++) {
            // Its first record is not part of the measured interval: it loads classes and makes room.
            latencies[i] = new PackedHistogram(USUAL_LATENCY_NS, DIGITS_OF_LATENCIES);
            latencies[i].setAutoResize(true);
            latencies[i].recordValue(USUAL_LATENCY_NS);
            latencies[i].reset();
        }
    }

    private void room(int slices) {
        operations = Arrays.copyOf(operations, slices);
        failures = Arrays.copyOf(failures, slices);
        latencyNs = Arrays.copyOf(latencyNs, slices);
        maxLatencyNs = Arrays.copyOf(maxLatencyNs, slices);
    }

    public int slices() {
        return operations.length;
    }

    /** Returns the slice length in ns; 0 for a series without slices. */
    public long sliceNs() {
        return sliceNs;
    }

    /** Records operations that ended {@code atNs} ns after the start of the interval; ignores those outside it. */
    void did(long atNs, long tookNs, int count) {
        int slice = slice(atNs);
        if (slice >= 0) {
            operations[slice] += count;
            latencyNs[slice] += tookNs * count;
            maxLatencyNs[slice] = Math.max(maxLatencyNs[slice], tookNs);
            if (latencies.length > 0) {
                latencies[slice].recordValueWithCount(Math.max(0, tookNs), count);
            }
        }
    }

    /** Records operations given up because a machine was unreachable. */
    void failed(long atNs, int count) {
        int slice = slice(atNs);
        if (slice >= 0) {
            failures[slice] += count;
        }
    }

    private int slice(long atNs) {
        return atNs < 0 || atNs / sliceNs >= operations.length ? -1 : (int) (atNs / sliceNs);
    }

    public long operations(int slice) {
        return operations[slice];
    }

    public long failures(int slice) {
        return failures[slice];
    }

    /** Returns the mean latency of the operations that ended in a slice; NaN if there were none. */
    public double meanLatencyNs(int slice) {
        return operations[slice] == 0 ? Double.NaN : (double) latencyNs[slice] / operations[slice];
    }

    /** Returns the maximum latency of the operations that ended in a slice; 0 if there were none. */
    public long maxLatencyNs(int slice) {
        return maxLatencyNs[slice];
    }

    /** Returns the 99th percentile of a slice's latencies; NaN if there were none or they are not kept. */
    public double p99LatencyNs(int slice) {
        return latencies.length == 0 ? Double.NaN : p99Ns(latencies[slice]);
    }

    /**
     * Adds the metrics of the worst windows of {@code windowNs} within the first {@code durationNs}: the one with the
     * fewest operations, and the one with the longest 99th percentile of latency. A window consists of whole slices;
     * its operations are those that end in it.
     */
    public void putWorstWindows(Map<String, Double> metrics, long windowNs, long durationNs) {
        int width = Math.toIntExact(Math.max(1, Math.round((double) windowNs / sliceNs)));
        long whole = Math.min(durationNs / sliceNs, latencies.length);
        Histogram window = new Histogram(DIGITS_OF_LATENCIES);
        long count = 0;
        long fewest = Long.MAX_VALUE;
        double longestNs = 0;
        for (int slice = 0; slice < whole; slice++) {
            window.add(latencies[slice]);
            count += operations[slice];
            if (slice >= width) {
                window.subtract(latencies[slice - width]);
                count -= operations[slice - width];
            }
            if (slice >= width - 1) {
                fewest = Math.min(fewest, count);
                double p99Ns = p99Ns(window);
                longestNs = p99Ns > longestNs ? p99Ns : longestNs; // NaN without operations
            }
        }
        if (whole >= width) {
            metrics.put(Metrics.WORST_WINDOW, fewest * NS_PER_S / (width * sliceNs));
        }
        if (longestNs > 0) {
            metrics.put(Metrics.LATENCY_WORST_WINDOW + ".p99", longestNs);
        }
    }

    private static double p99Ns(AbstractHistogram latencies) {
        return latencies.getTotalCount() == 0 ? Double.NaN : latencies.getValueAtPercentile(99);
    }

    public void add(TimeSeries other) {
        if (other.slices() > slices()) {
            sliceNs = other.sliceNs;
            room(other.slices());
        }
        if (other.latencies.length > latencies.length) {
            keepLatencies(other.latencies.length);
        }
        for (int i = 0; i < other.latencies.length; i++) {
            latencies[i].add(other.latencies[i]);
        }
        for (int i = 0; i < other.slices(); i++) {
            operations[i] += other.operations[i];
            failures[i] += other.failures[i];
            latencyNs[i] += other.latencyNs[i];
            maxLatencyNs[i] = Math.max(maxLatencyNs[i], other.maxLatencyNs[i]);
        }
    }

    /** Serializes for {@link #read}. */
    public void write(DataOutput out) throws IOException {
        out.writeLong(sliceNs);
        out.writeInt(slices());
        for (int i = 0; i < slices(); i++) {
            out.writeLong(operations[i]);
            out.writeLong(failures[i]);
            out.writeLong(latencyNs[i]);
            out.writeLong(maxLatencyNs[i]);
        }
        out.writeBoolean(latencies.length > 0);
        for (PackedHistogram slice : latencies) {
            ByteBuffer bytes = ByteBuffer.allocate(slice.getNeededByteBufferCapacity());
            int length = slice.encodeIntoByteBuffer(bytes);
            out.writeInt(length);
            out.write(bytes.array(), 0, length);
        }
    }

    /** Deserializes the output of {@link #write}. Throws an {@link IOException} if the data is malformed. */
    public static TimeSeries read(DataInput in) throws IOException {
        TimeSeries series = new TimeSeries();
        series.sliceNs = in.readLong();
        int slices = in.readInt();
        if (slices < 0 || slices > MAX_ROOM) {
            throw new IOException("a series of " + slices + " slices");
        }
        series.room(slices);
        for (int i = 0; i < slices; i++) {
            series.operations[i] = in.readLong();
            series.failures[i] = in.readLong();
            series.latencyNs[i] = in.readLong();
            series.maxLatencyNs[i] = in.readLong();
        }
        if (in.readBoolean()) {
            series.latencies = new PackedHistogram[slices];
            for (int i = 0; i < slices; i++) {
                series.latencies[i] = readLatencies(in);
            }
        }
        return series;
    }

    private static PackedHistogram readLatencies(DataInput in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MAX_ENCODED_BYTES) {
            throw new IOException("latencies of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        try {
            PackedHistogram read = PackedHistogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0);
            read.setAutoResize(true);
            return read;
        } catch (RuntimeException e) {
            throw new IOException("damaged latencies", e);
        }
    }
}
