package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ends of an axis, and its ticks: swept values, percentiles, words or round numbers. The ends are above 0 on a
 * logarithmic axis; ticks ascend.
 */
record Axis(double low, double high, boolean logarithmic, List<Tick> ticks) {
    /** Share of a plot's length left free beyond the data, so that markers are not clipped. */
    private static final double MARGIN = 0.06;

    /** Mark at a value, with a label or "". */
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

    /** Returns the value at a place, the inverse of {@link #position}. */
    double value(double position) {
        return logarithmic ? low * Math.pow(high / low, position) : low + position * (high - low);
    }

    /** Returns the axis with ticks at round numbers, at most {@code count} on a linear axis. */
    Axis withRoundTicks(double count) {
        return withTicks(logarithmic ? logarithmicTicks() : linearTicks(count));
    }

    private List<Tick> linearTicks(double count) {
        double power = Math.pow(10, Math.floor(Math.log10((high - low) / count)));
        double step = 10 * power;
        for (int factor : new int[] {5, 2, 1}) {
            step = (high - low) / (factor * power) <= count ? factor * power : step;
        }
        List<Tick> round = new ArrayList<>();
        for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++) {
            round.add(new Tick(i * step, Labels.number(i * step)));
        }
        return round;
    }

    /** Returns ticks at 1, 2 and 5, or 1 and 3, or 1 times powers of ten: fewer for more decades. */
    private List<Tick> logarithmicTicks() {
        double decades = Math.log10(high / low);
        List<Tick> round = new ArrayList<>();
        for (int power = (int) Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
            for (int digit = 1; digit < 10; digit++) {
                double value = digit * Math.pow(10, power);
                boolean labelled = digit == 1
                        || decades < 0.7
                        || (decades <= 2 ? digit == 2 || digit == 5 : decades <= 4 && digit == 3);
                if (labelled && value >= low && value <= high) {
                    round.add(new Tick(value, Labels.number(value)));
                }
            }
        }
        return round;
    }

    /** Axis of measured values: from 0, or below the smallest on a logarithmic one. */
    static Axis ofQuantity(List<Double> values, boolean logarithmic) {
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
        return new Axis(low < 0 ? low - margin : 0, high + margin, false, List.of());
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
