package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;

/**
 * An axis's ends, and its ticks where it has ticks of its own: swept values, percentiles, words. XChart can't be told
 * where ticks are to stand; without ticks of its own an axis has those that XChart chooses, at round numbers.
 *
 * @param low smallest value shown, above 0 on a logarithmic axis
 * @param high largest value shown
 * @param logarithmic evenly spaced ratios instead of differences
 * @param ticks ascending; empty for XChart's
 */
record Axis(double low, double high, boolean logarithmic, List<Tick> ticks) {
    /** Share of a plot's length that stays free beyond the data, so that markers are whole. */
    private static final double MARGIN = 0.06;

    /**
     * A mark on the axis.
     *
     * @param value in the axis's unit
     * @param label as drawn
     */
    record Tick(double value, String label) {}

    Axis {
        ticks = List.copyOf(ticks);
    }

    /** The same axis with other ticks. */
    Axis withTicks(List<Tick> others) {
        return new Axis(low, high, logarithmic, others);
    }

    /** 0 at the start, 1 at the end; outside for values beyond. NaN for a value that the axis can't show. */
    double position(double value) {
        if (logarithmic) {
            return value > 0 ? Math.log(value / low) / Math.log(high / low) : Double.NaN;
        }
        return (value - low) / (high - low);
    }

    /** The value at a {@link #position}. */
    double value(double position) {
        return logarithmic ? low * Math.pow(high / low, position) : low + position * (high - low);
    }

    /** A label of one of XChart's ticks: on a logarithmic axis "" for those between 1, 2, 5 or 1, 3 or 1. */
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

    /**
     * The axis of measured values: from 0, or below the smallest on a logarithmic one.
     *
     * @param standing bars stand on the axis; markers at 0 stay clear of it
     */
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

    /**
     * The axis of a key: a little wider than its values, with a tick at each.
     *
     * @param values distinct, ascending
     */
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

    /** One place a label, half a place free at both ends. */
    static Axis ofCategories(List<String> labels) {
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            ticks.add(new Tick(i, labels.get(i)));
        }
        return new Axis(-0.5, Math.max(1, labels.size()) - 0.5, false, ticks);
    }

    /** Latency percentiles: each nine takes the same space. Values are from {@link #nines}. */
    static Axis ofPercentiles(List<Tick> ticks) {
        return new Axis(ticks.getFirst().value() - 0.2, ticks.getLast().value() + 0.2, false, ticks);
    }

    /** {@code -log10(1 - fraction)}: 1 for p90, 2 for p99. */
    static double nines(double fraction) {
        return -Math.log10(1 - fraction);
    }
}
