package org.reprobe.plots;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Ends of an axis, and its ticks (swept values, percentiles, words), since XChart's ticks cannot be placed. An axis
 * with no ticks of its own has XChart's, at round numbers. The ends are above 0 on a logarithmic axis; ticks ascend.
 */
record Axis(double low, double high, boolean logarithmic, List<Tick> ticks) {
    /** Share of a plot's length left free beyond the data, so that markers are not clipped. */
    private static final double MARGIN = 0.06;

    /** Labelled mark at a value. */
    record Tick(double value, String label) {}

    Axis {
        ticks = List.copyOf(ticks);
    }

    Axis withTicks(List<Tick> others) {
        return new Axis(low, high, logarithmic, others);
    }

    /** Returns a value's place: 0 at the start, 1 at the end, beyond for values outside, NaN for an impossible one. */
    double position(double value) {
        if (logarithmic) {
            return value > 0 ? Math.log(value / low) / Math.log(high / low) : Double.NaN;
        }
        return (value - low) / (high - low);
    }

    /** Returns the value at a {@link #position}. */
    double value(double position) {
        return logarithmic ? low * Math.pow(high / low, position) : low + position * (high - low);
    }

    /** Returns the label of one of XChart's ticks: on a logarithmic axis "" for those between 1, 2, 5 or 1, 3 or 1. */
    String label(double value) {
        if (logarithmic) {
            double power = Math.floor(Math.log10(value) + 1e-9);
            long digit = Math.round(value / Math.pow(10, power));
            double decades = Math.log10(high / low);
            boolean labelled = digit == 1
                    || decades < 0.7
                    || (decades <= 2 ? digit == 2 || digit == 5 : decades <= 4 && digit == 3);
            if (!labelled) {
                return "";
            }
        }
        return Labels.number(value);
    }

    /** Axis of measured values: from 0, or below the smallest on a logarithmic one; standing bars touch it at 0. */
    static Axis ofQuantity(List<Double> values, boolean logarithmic, boolean standing) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            if (Double.isFinite(value) && (!logarithmic || value > 0)) {
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        }
        if (low > high) {
            low = logarithmic ? 1 : 0;
            high = logarithmic ? 10 : 1;
        }
        if (logarithmic) {
            double margin = Math.max(1.15, Math.pow(high / low, MARGIN));
            return new Axis(low / margin, high * margin, true, List.of());
        }
        high = high <= Math.min(0, low) ? low + 1 : high;
        double margin = MARGIN * (high - Math.min(0, low));
        double from = low < 0 || (low < margin / 2 && !standing) ? Math.min(0, low) - margin : 0;
        return new Axis(from, high + margin, false, List.of());
    }

    /** Axis of a key, slightly wider than its distinct, ascending values, with a tick at each. */
    static Axis ofKey(List<Double> values, boolean logarithmic) {
        double low = values.getFirst();
        double high = values.getLast();
        List<Tick> ticks = values.stream()
                .map(value -> new Tick(value, Labels.number(value)))
                .toList();
        if (logarithmic && low > 0) {
            double margin = low == high ? 2 : Math.pow(high / low, MARGIN);
            return new Axis(low / margin, high * margin, true, ticks);
        }
        double margin = low == high ? 1 : MARGIN * (high - low);
        return new Axis(low - margin, high + margin, false, ticks);
    }

    /** Axis of one place per label, with half a place free at both ends. */
    static Axis ofCategories(List<String> labels) {
        List<Tick> ticks = IntStream.range(0, labels.size())
                .mapToObj(i -> new Tick(i, labels.get(i)))
                .toList();
        return new Axis(-0.5, Math.max(1, labels.size()) - 0.5, false, ticks);
    }

    /** Axis of latency percentiles, whose values are {@link #nines}: each nine takes the same space. */
    static Axis ofPercentiles(List<Tick> ticks) {
        return new Axis(ticks.getFirst().value() - 0.2, ticks.getLast().value() + 0.2, false, ticks);
    }

    /** Returns {@code -log10(1 - fraction)}: 1 for p90, 2 for p99. */
    static double nines(double fraction) {
        return -Math.log10(1 - fraction);
    }
}
