package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.reprobe.analysis.stats.Mser5;

/** Indicators of a sample's reliability. {@link #add} combines those of several clients. */
public final class SampleQuality {
    private static final int SLICES = 500;
    /** Relative difference of a series' halves above which {@link Mser5}, unreliable alone in real time, is used. */
    private static final double HALVES_DIFFER = 0.05;

    private boolean neverSteady;
    private boolean overloaded;
    private boolean paced;
    private long unfinished;
    private long drained;
    private LittlesLaw littlesLaw = LittlesLaw.NONE;
    /** Operations per 500th of the interval, begun or, with an offered load, in flight; if the warm-up was untested. */
    private final double[] slices = new double[SLICES];

    private final double[] observations = new double[SLICES];

    void did(long fromNs, long toNs, long durationNs, int operations) {
        if (toNs <= 0 || fromNs >= durationNs) {
            return;
        }
        double perNs = (double) SLICES / durationNs;
        double from = fromNs * perNs;
        double to = Math.max(toNs * perNs, from + 1e-9);
        int last = Math.min(SLICES - 1, (int) to);
        for (int slice = Math.max(0, (int) from); slice <= last; slice++) {
            double share = (Math.min(to, slice + 1) - Math.max(from, slice)) / (to - from);
            slices[slice] += operations * share;
        }
    }

    void observed(long ns, long durationNs, double underWay) {
        if (ns >= 0 && ns < durationNs) {
            int slice = (int) ((double) ns / durationNs * SLICES);
            slices[slice] += underWay;
            observations[slice]++;
            paced = true;
        }
    }

    /** Records the number of the sample's operations that were in flight when the load stopped. */
    void drained(long operations) {
        drained = operations;
    }

    void ended(boolean neverSteady, boolean overloaded, long unfinished, LittlesLaw law) {
        this.littlesLaw = law;
        this.neverSteady = neverSteady;
        this.overloaded |= overloaded;
        this.unfinished = unfinished;
    }

    public void add(SampleQuality other) {
        neverSteady |= other.neverSteady;
        overloaded |= other.overloaded;
        paced |= other.paced;
        unfinished += other.unfinished;
        drained += other.drained;
        littlesLaw = littlesLaw.plus(other.littlesLaw);
        for (int i = 0; i < SLICES; i++) {
            slices[i] += other.slices[i];
            observations[i] += other.observations[i];
        }
    }

    /** Serializes for {@link #read}. */
    public void write(DataOutput out) throws IOException {
        out.writeBoolean(neverSteady);
        out.writeBoolean(overloaded);
        out.writeBoolean(paced);
        out.writeLong(unfinished);
        out.writeLong(drained);
        littlesLaw.write(out);
        for (int i = 0; i < SLICES; i++) {
            out.writeDouble(slices[i]);
            out.writeDouble(observations[i]);
        }
    }

    /** Deserializes the output of {@link #write}. Throws an {@link IOException} if the data is malformed. */
    public static SampleQuality read(DataInput in) throws IOException {
        SampleQuality quality = new SampleQuality();
        quality.neverSteady = in.readBoolean();
        quality.overloaded = in.readBoolean();
        quality.paced = in.readBoolean();
        quality.unfinished = in.readLong();
        quality.drained = in.readLong();
        quality.littlesLaw = LittlesLaw.read(in);
        for (int i = 0; i < SLICES; i++) {
            quality.slices[i] = in.readDouble();
            quality.observations[i] = in.readDouble();
        }
        return quality;
    }

    /** Returns true if the run was never steady: halves differ, and {@link Mser5} truncates more than half. */
    public boolean neverSteady() {
        if (neverSteady) {
            return true;
        }
        double[] series = new double[SLICES];
        double all = 0;
        for (int i = 0; i < SLICES; i++) {
            series[i] = paced && observations[i] > 0 ? slices[i] / observations[i] : slices[i];
            all += series[i];
        }
        double firstHalf = 0;
        for (int i = 0; i < SLICES / 2; i++) {
            firstHalf += series[i];
        }
        return Math.abs(2 * firstHalf - all) > HALVES_DIFFER * all && !Mser5.isSteady(series, SLICES);
    }

    /** Returns true if the offered load exceeded the capacity. */
    public boolean overloaded() {
        return overloaded;
    }

    /** Returns the number of the sample's operations that were in flight when the load stopped. */
    public long drained() {
        return drained;
    }

    /** Returns the number of the sample's operations that had not ended at the time limit. */
    public long unfinished() {
        return unfinished;
    }

    /** Returns the check by Little's law; of a run with faults, which is not steady, one without operations. */
    public LittlesLaw littlesLaw() {
        return littlesLaw;
    }
}
