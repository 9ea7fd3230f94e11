package org.reprobe.system;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.reprobe.fabric.HistogramBytes;
import org.reprobe.fabric.SampleQuality;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.TimeSeries;
import org.reprobe.trust.Printable;

/**
 * What clients have counted in a run: a number for each constant of one enum of the system's, a histogram for each of another. Those of
 * clients and processes add up, totals as well as rates; metrics are formulas over them. Not to be shared between threads.
 */
public final class Counts {
    private static final double NS_PER_S = 1e9;

    private final Class<? extends Enum<?>> counters;
    private final Class<? extends Enum<?>> kinds;
    private final long[] totals;
    private final double[] perSecond;
    private final Histogram[] histograms;
    private final SampleQuality quality = new SampleQuality();
    private final TimeSeries series = new TimeSeries();
    private long durationNs;
    private double failuresPerSecond;
    private long wrongAnswers;
    private String firstWrongAnswer = "";

    /** A histogram of a system's: a constant of an enum. */
    public interface Recorded {
        /** The largest value; 0 for one that grows as it needs to. */
        long max();

        /** Significant decimal digits that values are kept with. */
        int digits();
    }

    /** Nothing counted. */
    public <C extends Enum<C>, H extends Enum<H> & Recorded> Counts(Class<C> counters, Class<H> histograms) {
        this.counters = counters;
        this.kinds = histograms;
        this.totals = new long[counters.getEnumConstants().length];
        this.perSecond = new double[totals.length];
        H[] all = histograms.getEnumConstants();
        this.histograms = new Histogram[all.length];
        for (int i = 0; i < all.length; i++) {
            this.histograms[i] = all[i].max() == 0
                    ? new Histogram(all[i].digits())
                    : new Histogram(1, all[i].max(), all[i].digits());
        }
    }

    @SuppressWarnings("EnumOrdinal") // of this program only, whose processes are all of one version
    private static int index(Enum<?> constant, Class<? extends Enum<?>> of) {
        if (constant.getDeclaringClass() != of) {
            throw new IllegalArgumentException(constant + " is none of " + of.getName());
        }
        return constant.ordinal();
    }

    /** Adds to a counter; a negative number takes away what was counted before an interval. */
    public void add(Enum<?> counter, long count) {
        totals[index(counter, counters)] += count;
    }

    /** A counter's total. */
    public long total(Enum<?> counter) {
        return totals[index(counter, counters)];
    }

    /** A counter's rate: the sum of each client's total by the length of that client's own interval. */
    public double perSecond(Enum<?> counter) {
        return perSecond[index(counter, counters)];
    }

    /** One of the histograms, to record in or to read. */
    public Histogram histogram(Enum<?> which) {
        return histograms[index(which, kinds)];
    }

    /**
     * Fixes one client's rates, when its sample has ended.
     *
     * @param unfinished operations of the sample that have not ended and won't
     */
    public void sampled(SampledInterval interval, long unfinished) {
        durationNs = interval.lengthNs();
        series.add(interval.series());
        quality.add(interval.quality(unfinished));
        double each = NS_PER_S / Math.max(1, durationNs);
        for (int i = 0; i < totals.length; i++) {
            perSecond[i] = totals[i] * each;
        }
        failuresPerSecond = interval.failures() * each;
    }

    /** Operations that were given up: what they needed could not be reached. */
    public double failuresPerSecond() {
        return failuresPerSecond;
    }

    /**
     * Counts an operation that got a wrong answer.
     *
     * @param operation describes it, its client and its answer in one clause; used for the first one only
     */
    public void wrongAnswer(Supplier<String> operation) {
        if (wrongAnswers++ == 0) {
            firstWrongAnswer = operation.get();
        }
    }

    /** Number of operations that got a wrong answer. */
    public long wrongAnswers() {
        return wrongAnswers;
    }

    /** Description of the first of them; empty when there is none. */
    public String firstWrongAnswer() {
        return firstWrongAnswer;
    }

    private void addWrongAnswers(long count, String first) {
        if (wrongAnswers == 0) {
            firstWrongAnswer = first;
        }
        wrongAnswers += count;
    }

    /** Length of the longest client's interval. */
    public long durationNs() {
        return durationNs;
    }

    /** What says whether all this can be relied on. */
    public SampleQuality quality() {
        return quality;
    }

    /** What was done when; without slices where that was not asked for. */
    public TimeSeries series() {
        return series;
    }

    /** Adds another client's or process' counts of the same kinds. */
    public void add(Counts other) {
        if (other.counters != counters || other.kinds != kinds) {
            throw new IllegalArgumentException("counts of " + other.counters + " are no counts of " + counters);
        }
        for (int i = 0; i < totals.length; i++) {
            totals[i] += other.totals[i];
            perSecond[i] += other.perSecond[i];
        }
        for (int i = 0; i < histograms.length; i++) {
            histograms[i].add(other.histograms[i]);
        }
        durationNs = Math.max(durationNs, other.durationNs);
        failuresPerSecond += other.failuresPerSecond;
        addWrongAnswers(other.wrongAnswers, other.firstWrongAnswer);
        quality.add(other.quality);
        series.add(other.series);
    }

    /** Writes everything, for {@link #add(DataInput)} in another process. */
    public void write(DataOutput out) throws IOException {
        out.writeInt(totals.length);
        out.writeInt(histograms.length);
        for (int i = 0; i < totals.length; i++) {
            out.writeLong(totals[i]);
            out.writeDouble(perSecond[i]);
        }
        out.writeLong(durationNs);
        out.writeDouble(failuresPerSecond);
        out.writeLong(wrongAnswers);
        out.writeUTF(firstWrongAnswer);
        quality.write(out);
        for (Histogram histogram : histograms) {
            HistogramBytes.write(histogram, out);
        }
        series.write(out);
    }

    /**
     * Adds what {@link #write} wrote.
     *
     * @throws IOException when it is something else; then these counts mean nothing any more
     */
    public void add(DataInput in) throws IOException {
        if (in.readInt() != totals.length || in.readInt() != histograms.length) {
            throw new IOException("counts of another system");
        }
        for (int i = 0; i < totals.length; i++) {
            totals[i] += in.readLong();
            perSecond[i] += in.readDouble();
        }
        durationNs = Math.max(durationNs, in.readLong());
        failuresPerSecond += in.readDouble();
        addWrongAnswers(in.readLong(), Printable.line(in.readUTF()));
        quality.add(SampleQuality.read(in));
        for (Histogram histogram : histograms) {
            HistogramBytes.addTo(histogram, in);
        }
        series.add(TimeSeries.read(in));
    }
}
