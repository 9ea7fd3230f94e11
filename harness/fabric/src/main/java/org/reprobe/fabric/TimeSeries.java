package org.reprobe.fabric;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * The course of a run: what ended in each slice of the interval that counts, however long ago it began. Not to be shared between
 * threads.
 */
public final class TimeSeries {
    /** More than a figure can show. */
    public static final int MAX_SLICES = 10_000;

    /** What a slice takes. */
    public static final int BYTES_PER_SLICE = 4 * Long.BYTES;

    private static final int MAX_ROOM = MAX_SLICES + 1;

    private long sliceNs;
    private long[] operations = new long[0];
    private long[] failures = new long[0];
    private long[] latencyNs = new long[0];
    private long[] maxLatencyNs = new long[0];

    /** One of no slices, to add others to. */
    public TimeSeries() {}

    /** Nothing done in the slices, of {@code sliceNs} each, of {@code durationNs}; the last may be a part of one. */
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

    /** How many slices it has. */
    public int slices() {
        return operations.length;
    }

    /** Length of a slice; 0 for a series without any. */
    public long sliceNs() {
        return sliceNs;
    }

    /** Operations have ended {@code atNs} after the interval began; what ended before or after the interval is left out. */
    void did(long atNs, long tookNs, int count) {
        int slice = slice(atNs);
        if (slice >= 0) {
            operations[slice] += count;
            latencyNs[slice] += tookNs * count;
            maxLatencyNs[slice] = Math.max(maxLatencyNs[slice], tookNs);
        }
    }

    /** Operations were given up, since what they needed could not be reached. */
    void failed(long atNs, int count) {
        int slice = slice(atNs);
        if (slice >= 0) {
            failures[slice] += count;
        }
    }

    private int slice(long atNs) {
        return atNs < 0 || atNs / sliceNs >= operations.length ? -1 : (int) (atNs / sliceNs);
    }

    /** Operations that ended in a slice. */
    public long operations(int slice) {
        return operations[slice];
    }

    /** Operations that were given up in a slice. */
    public long failures(int slice) {
        return failures[slice];
    }

    /** Mean latency of those that ended in a slice; NaN where none did. */
    public double meanLatencyNs(int slice) {
        return operations[slice] == 0 ? Double.NaN : (double) latencyNs[slice] / operations[slice];
    }

    /** The longest latency of those that ended in a slice; 0 where none did. */
    public long maxLatencyNs(int slice) {
        return maxLatencyNs[slice];
    }

    /** Adds another client's. */
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

    /** Writes it for {@link #read}. */
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

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException when it is something else
     */
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
