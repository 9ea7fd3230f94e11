package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** Course of a run: the operations that ended in each slice of the measured interval. Confined to one thread. */
public final class TimeSeries {
    /** Maximum number of slices; a figure can't show as many. */
    public static final int MAX_SLICES = 10_000;

    public static final int BYTES_PER_SLICE = 4 * Long.BYTES;

    private static final int MAX_ROOM = MAX_SLICES + 1;

    private long sliceNs;
    private long[] operations = new long[0];
    private long[] failures = new long[0];
    private long[] latencyNs = new long[0];
    private long[] maxLatencyNs = new long[0];

    /** Creates a series without slices, to which other series can be added. */
    public TimeSeries() {}

    /** Creates empty slices of {@code sliceNs} each for {@code durationNs}; the last slice may be shorter. */
    public TimeSeries(long sliceNs, long durationNs) {
        this.sliceNs = sliceNs;
        room(Math.clamp(Math.ceilDiv(durationNs, sliceNs), 0, MAX_ROOM));
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

    public void add(TimeSeries other) {
        if (other.slices() > slices()) {
            sliceNs = other.sliceNs;
            room(other.slices());
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
        return series;
    }
}
