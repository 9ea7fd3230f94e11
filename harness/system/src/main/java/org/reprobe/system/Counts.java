package org.reprobe.system;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.sample.HistogramBytes;
import org.reprobe.sample.SampleQuality;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.TimeSeries;
import org.reprobe.trust.Printable;

/**
 * Counters and histograms of a run's clients, one per constant of two enums of the system. {@link #add(Counts)}
 * combines the counts of clients and processes: totals and rates are summed. Metrics are formulas over counts. Confined
 * to one thread.
 */
public final class Counts {
    private static final double NS_PER_S = 1e9;

    private final Class<? extends Enum<?>> counters;
    private final Class<? extends Enum<?>> kinds;
    private final long[] totals;
    private final double[] perSecond;
    private final Recorded[] recorded;
    /** Histograms by kind; null while nothing is recorded, since an empty one of hundreds of clients takes 16 KB. */
    private final @Nullable Histogram[] histograms;

    private final SampleQuality quality = new SampleQuality();
    private final TimeSeries series = new TimeSeries();
    private long durationNs;
    private double failuresPerSecond;
    private long wrongAnswers;
    private String firstWrongAnswer = "";

    /** Kind of a histogram; implemented by the enum of histograms. */
    public interface Recorded {
        /** Returns the largest value; 0 for a growing histogram. */
        long max();

        /** Returns the number of significant decimal digits of recorded values. */
        int digits();
    }

    /** Creates empty counts with a counter per constant of the first enum and a histogram per one of the second. */
    public <C extends Enum<C>, H extends Enum<H> & Recorded> Counts(Class<C> counters, Class<H> histograms) {
        this.counters = counters;
        this.kinds = histograms;
        this.totals = new long[counters.getEnumConstants().length];
        this.perSecond = new double[totals.length];
        this.recorded = histograms.getEnumConstants();
        this.histograms = new Histogram[recorded.length];
    }

    @SuppressWarnings("EnumOrdinal") // all processes of a run have the same version
    private static int index(Enum<?> constant, Class<? extends Enum<?>> of) {
        if (constant.getDeclaringClass() != of) {
            throw new IllegalArgumentException(constant + " is not one of " + of.getName());
        }
        return constant.ordinal();
    }

    /** Adds to a counter. A negative number subtracts counts from before the interval. */
    public void add(Enum<?> counter, long count) {
        totals[index(counter, counters)] += count;
    }

    public long total(Enum<?> counter) {
        return totals[index(counter, counters)];
    }

    /** Returns a counter's rate: the sum over all clients of the client's total divided by its interval. */
    public double perSecond(Enum<?> counter) {
        return perSecond[index(counter, counters)];
    }

    public Histogram histogram(Enum<?> which) {
        return histogram(index(which, kinds));
    }

    private Histogram histogram(int index) {
        Histogram histogram = histograms[index];
        if (histogram == null) {
            Recorded kind = recorded[index];
            histogram = kind.max() == 0 ? new Histogram(kind.digits()) : new Histogram(1, kind.max(), kind.digits());
            histograms[index] = histogram;
        }
        return histogram;
    }

    /** Computes a client's rates at the end of its sample, of which {@code unfinished} operations have not ended. */
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

    /** Returns the rate of operations that were given up because a machine was unreachable. */
    public double failuresPerSecond() {
        return failuresPerSecond;
    }

    /** Counts a wrong result; the first one's description is a clause with operation, client and result. */
    public void wrongAnswer(Supplier<String> operation) {
        if (wrongAnswers++ == 0) {
            firstWrongAnswer = operation.get();
        }
    }

    /** Returns the number of operations with a wrong result. */
    public long wrongAnswers() {
        return wrongAnswers;
    }

    /** Returns the description of the first operation with a wrong result; empty if there was none. */
    public String firstWrongAnswer() {
        return firstWrongAnswer;
    }

    private void addWrongAnswers(long count, String first) {
        if (wrongAnswers == 0) {
            firstWrongAnswer = first;
        }
        wrongAnswers += count;
    }

    /** Returns the length of the longest interval of a client. */
    public long durationNs() {
        return durationNs;
    }

    public SampleQuality quality() {
        return quality;
    }

    /** Returns the series of the run; without slices if none was requested. */
    public TimeSeries series() {
        return series;
    }

    /** Adds the counts of another client or process of the same system. */
    public void add(Counts other) {
        if (other.counters != counters || other.kinds != kinds) {
            throw new IllegalArgumentException("counts of " + other.counters + " are no counts of " + counters);
        }
        for (int i = 0; i < totals.length; i++) {
            totals[i] += other.totals[i];
            perSecond[i] += other.perSecond[i];
        }
        for (int i = 0; i < histograms.length; i++) {
            Histogram histogram = other.histograms[i];
            if (histogram != null) {
                histogram(i).add(histogram);
            }
        }
        durationNs = Math.max(durationNs, other.durationNs);
        failuresPerSecond += other.failuresPerSecond;
        addWrongAnswers(other.wrongAnswers, other.firstWrongAnswer);
        quality.add(other.quality);
        series.add(other.series);
    }

    /** Serializes for {@link #add(DataInput)}. */
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
        for (int i = 0; i < histograms.length; i++) {
            HistogramBytes.write(histogram(i), out);
        }
        series.write(out);
    }

    /** Adds serialized counts; throws on malformed data, after which these counts are invalid. */
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
        for (int i = 0; i < histograms.length; i++) {
            HistogramBytes.addTo(histogram(i), in);
        }
        series.add(TimeSeries.read(in));
    }
}
