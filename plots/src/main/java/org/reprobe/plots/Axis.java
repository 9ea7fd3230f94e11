package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;

/** One axis: where a value lies between its ends, and where its ticks are. */
sealed interface Axis {

    /**
     * A mark on the axis.
     *
     * @param value in the axis's unit
     * @param label as drawn
     */
    record Tick(double value, String label) {}

    /** 0 at the start, 1 at the end; outside for values beyond. NaN for a value that the axis can't show. */
    double position(double value);

    List<Tick> ticks();

    /** The same axis with other ticks. */
    Axis withTicks(List<Tick> ticks);

    /** Evenly spaced values. */
    record Linear(double low, double high, List<Tick> ticks) implements Axis {
        @Override
        public Axis withTicks(List<Tick> others) {
            return new Linear(low, high, others);
        }

        @Override
        public double position(double value) {
            return (value - low) / (high - low);
        }
    }

    /** Evenly spaced ratios; what is not positive has no place. */
    record Logarithmic(double low, double high, List<Tick> ticks) implements Axis {
        @Override
        public Axis withTicks(List<Tick> others) {
            return new Logarithmic(low, high, others);
        }

        @Override
        public double position(double value) {
            return value > 0 ? Math.log(value / low) / Math.log(high / low) : Double.NaN;
        }
    }

    /** From 0 or the lowest value up to a round number above the highest. */
    static Axis ofQuantity(List<Double> values, boolean logarithmic, int tickTarget) {
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
            double from = low / 1.15;
            double to = high * 1.15;
            return new Logarithmic(from, to, logarithmicTicks(from, to));
        }
        low = Math.min(0, low);
        high = high <= low ? low + 1 : high;
        double step = roundStep((high - low) / tickTarget);
        double from = low < 0 ? Math.floor(low / step) * step : 0;
        double to = high + 0.04 * (high - from);
        return new Linear(from, to, linearTicks(from, to, step));
    }

    /**
     * A little wider than the values. Ticks stand at the values themselves when there are few.
     *
     * @param values distinct, ascending
     * @param atValues ticks at the values instead of round numbers
     */
    static Axis ofKey(List<Double> values, boolean logarithmic, boolean atValues, int tickTarget) {
        double low = values.getFirst();
        double high = values.getLast();
        List<Tick> own = values.stream()
                .map(value -> new Tick(value, Labels.number(value)))
                .toList();
        if (logarithmic && low > 0) {
            double margin = low == high ? 2 : Math.pow(high / low, 0.05);
            double from = low / margin;
            double to = high * margin;
            return new Logarithmic(from, to, atValues ? own : logarithmicTicks(from, to));
        }
        double margin = low == high ? 1 : 0.05 * (high - low);
        double from = low - margin;
        double to = high + margin;
        return new Linear(from, to, atValues ? own : linearTicks(from, to, roundStep((to - from) / tickTarget)));
    }

    /** One place a label, half a place free at both ends. */
    static Axis ofCategories(List<String> labels) {
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            ticks.add(new Tick(i, labels.get(i)));
        }
        return new Linear(-0.5, Math.max(1, labels.size()) - 0.5, ticks);
    }

    /** Latency percentiles: each nine takes the same space. Values are from {@link #nines}. */
    static Axis ofPercentiles(List<Tick> ticks) {
        return new Linear(ticks.getFirst().value() - 0.2, ticks.getLast().value() + 0.2, ticks);
    }

    /** {@code -log10(1 - fraction)}: 1 for p90, 2 for p99. */
    static double nines(double fraction) {
        return -Math.log10(1 - fraction);
    }

    private static List<Tick> linearTicks(double from, double to, double step) {
        List<Tick> ticks = new ArrayList<>();
        for (long i = (long) Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) {
            ticks.add(new Tick(i * step, Labels.number(i * step)));
        }
        return ticks;
    }

    private static List<Tick> logarithmicTicks(double from, double to) {
        double decades = Math.log10(to / from);
        double[] steps = decades > 4 ? new double[] {1} : decades > 2 ? new double[] {1, 3} : new double[] {1, 2, 5};
        List<Tick> ticks = new ArrayList<>();
        for (int exponent = (int) Math.floor(Math.log10(from)); Math.pow(10, exponent) <= to; exponent++) {
            for (double step : steps) {
                double value = step * Math.pow(10, exponent);
                if (value >= from * (1 - 1e-9) && value <= to * (1 + 1e-9)) {
                    ticks.add(new Tick(value, Labels.number(value)));
                }
            }
        }
        return ticks;
    }

    /** 1, 2, 2.5 or 5 times a power of ten, at least {@code rough}. */
    private static double roundStep(double rough) {
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        for (double step : new double[] {1, 2, 2.5, 5}) {
            if (step * power >= rough * (1 - 1e-9)) {
                return step * power;
            }
        }
        return 10 * power;
    }
}
