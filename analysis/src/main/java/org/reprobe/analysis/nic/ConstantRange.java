package org.reprobe.analysis.nic;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfile.Provenance;

/**
 * Distribution of a constant: {@code low}, {@code value} and {@code high} are its 5 %, 50 % and 95 % quantiles. Each
 * half is log-normal, or normal towards an end of 0. No quantile leaves the bounds of the constant's {@link Key}.
 *
 * <p>An {@code interval} of a profile is such a range. Without one, the range of a time, rate or share follows from its
 * basis ({@link #factor}). Counts, sizes and switches have none.
 */
public record ConstantRange(double low, double value, double high, double min, double max) {
    private static final double Z95 = 1.6448536269514722;

    /** Factor by which a constant that must be above 0 can fall. */
    private static final double LARGEST_FACTOR = 1000;

    private static final String DOORBELL = "client.doorbell-ns";

    /** Parts of a post of which a profile's interval of {@code client.doorbell-ns} is a bound of the sum. */
    private static final List<String> OF_A_POST = List.of("client.post-ns", "client.completion-ns");

    /** Returns the ranges of a profile's constants that have one, by dotted key. */
    public static Map<String, ConstantRange> of(NicProfile nic) {
        Map<String, ConstantRange> ranges = new LinkedHashMap<>();
        NicProfiles.eachConstant(nic, (key, constant, value) -> {
            Provenance provenance = nic.provenance().get(key);
            if (provenance != null) {
                ConstantRange range = of(nic, key, constant, value, provenance);
                if (range.low < range.high) {
                    ranges.put(key, range);
                }
            }
        });
        return ranges;
    }

    private static ConstantRange of(
            NicProfile nic, String key, RecordComponent constant, double value, Provenance provenance) {
        Key bounds = constant.getAnnotation(Key.class);
        double min = Math.max(bounds.min(), bounds.above() == 0 ? value / LARGEST_FACTOR : bounds.above());
        double max = bounds.max();
        List<Double> interval = provenance.interval();
        if (!interval.isEmpty()) {
            return new ConstantRange(interval.getFirst(), value, interval.getLast(), min, max);
        }
        boolean postIsKnown = OF_A_POST.contains(key)
                && nic.provenance().containsKey(DOORBELL)
                && !nic.provenance().get(DOORBELL).interval().isEmpty();
        double factor = postIsKnown || constant.getType() != double.class ? 1 : factor(provenance.basis());
        double low = scaled(value, 1 / factor, min, max);
        double high = provenance.basis() == Basis.CEILING ? value : scaled(value, factor, min, max);
        return new ConstantRange(low, value, high, min, max);
    }

    /** Returns the factor from the value to the ends of its range; a ceiling has a lower end only. */
    public static double factor(Basis basis) {
        return switch (basis) {
            case DERIVED -> 1;
            case MEASURED, PUBLISHED -> 1.03;
            case FITTED -> 1.07;
            case BOUND, CEILING -> 1.25;
            case ASSUMED -> 2;
        };
    }

    /** Scales a value's distance from its minimum; of a share, its odds. */
    private static double scaled(double value, double factor, double min, double max) {
        if (factor == 1) {
            return value;
        }
        if (max == 1) {
            return factor * value / (1 - value + factor * value);
        }
        double least = Math.max(0, Math.min(min, value)); // a ratio's is 1
        return Math.clamp(least + (value - least) * factor, min, max);
    }

    /** Returns the value at a quantile of the standard normal law. */
    public double at(double z) {
        double part = Math.abs(z) / Z95;
        double end = z < 0 ? low : high;
        double found = end > 0 && value > 0 ? value * StrictMath.pow(end / value, part) : value + (end - value) * part;
        return Math.clamp(found, min, max);
    }
}
