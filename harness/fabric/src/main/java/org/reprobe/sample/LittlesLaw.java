package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Check of a sample by Little's law (J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research
 * 9(3), 1961): rate times mean latency is the mean number of operations in flight. The sample gives rate and latency.
 * The number in flight is measured: the time that all operations, of the sample or not, spend within the interval,
 * divided by its length.
 *
 * <p>The difference is what the interval cuts off: time of the sample's operations after its end, less time within it
 * of operations that began before. In a steady run both are equal on average. Two causes make them differ. Operations
 * that begin in waves are counted too often or too seldom if an interval does not hold whole waves;
 * {@link #correction()} then counts the fraction of each operation's time that is within the interval. Latencies that
 * grow or fall during the run can't be corrected.
 *
 * @param perNs operations of the sample per ns
 * @param product rate times mean latency, by the sample
 * @param inFlight mean number of operations in flight
 * @param sharesPerNs fractions, within the interval, of operations in flight, per ns
 * @param variance upper bound of the variance of {@code product - inFlight} if operations begin at independent times:
 *     the sum of the squares of each operation's contribution
 */
public record LittlesLaw(double perNs, double product, double inFlight, double sharesPerNs, double variance) {
    static final LittlesLaw NONE = new LittlesLaw(0, 0, 0, 0, 0);

    /** Relative difference that is accepted. */
    private static final double ACCEPTED = 0.02;

    /** Standard deviations that are accepted. */
    private static final double SIGMAS = 4;

    /** Returns the sum for two clients. */
    LittlesLaw plus(LittlesLaw other) {
        return new LittlesLaw(
                perNs + other.perNs,
                product + other.product,
                inFlight + other.inFlight,
                sharesPerNs + other.sharesPerNs,
                variance + other.variance);
    }

    /** Returns the factor that corrects the sample's rate for operations cut off; 1 if none is needed or helps. */
    public double correction() {
        if (isWithin(product)) {
            return 1;
        }
        double factor = sharesPerNs / perNs;
        return isWithin(product * factor) ? factor : 1;
    }

    /** Returns true if the law does not hold, beyond chance, even with the {@link #correction()}. */
    public boolean isBroken() {
        return !isWithin(product) && correction() == 1;
    }

    private boolean isWithin(double asProduct) {
        double accepted = Math.max(ACCEPTED * inFlight, SIGMAS * Math.sqrt(variance));
        return perNs == 0 || inFlight == 0 || Math.abs(asProduct - inFlight) <= accepted;
    }

    /** Returns the product of rate and mean latency relative to the number in flight; 1 if the law holds exactly. */
    public double ratio() {
        return product / inFlight;
    }

    /** Returns the mean latency of the sample in ns. */
    public double meanLatencyNs() {
        return product / perNs;
    }

    /** Serializes for {@link #read}. */
    void write(DataOutput out) throws IOException {
        out.writeDouble(perNs);
        out.writeDouble(product);
        out.writeDouble(inFlight);
        out.writeDouble(sharesPerNs);
        out.writeDouble(variance);
    }

    static LittlesLaw read(DataInput in) throws IOException {
        return new LittlesLaw(in.readDouble(), in.readDouble(), in.readDouble(), in.readDouble(), in.readDouble());
    }
}
