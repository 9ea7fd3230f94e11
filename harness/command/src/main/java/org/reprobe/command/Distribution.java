package org.reprobe.command;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.foreign.UnusableOutputException;
import org.reprobe.analysis.measurement.Metrics;

/** Order of the numbers that describe one distribution: smallest value, percentiles, largest value, with the mean between the ends. */
final class Distribution {
    /** Metric of a distribution: its name, a part, its unit. */
    private static final Pattern PART = Pattern.compile("(.+_)(min|mean|max|p([0-9]{1,6}))(_[a-z_]+)");

    private static final String LATENCY = Metrics.LATENCY + ".";

    /** Tolerance for the mean and the ends: percentiles may be those of a histogram, which rounds them. */
    private static final double ROUNDING = 0.01;

    private static final double CONVERSION = 1e-9;

    private static final double MIN = -1;
    private static final double MAX = 100;

    /**
     * A number of a distribution.
     *
     * @param at percentile; {@link #MIN} and {@link #MAX} for the ends
     */
    private record Part(String metric, double at, double value) {}

    private Distribution() {}

    /** @throws UnusableOutputException for two numbers that no distribution has, such as a median above the 99th percentile */
    static void requireOrder(Map<String, Double> metrics) throws UnusableOutputException {
        Map<String, TreeMap<Double, Part>> distributions = new TreeMap<>();
        Map<String, Part> means = new TreeMap<>();
        metrics.forEach((metric, value) -> {
            Matcher form = PART.matcher(
                    metric.startsWith(LATENCY)
                            ? Metrics.OWN + ".latency_" + metric.substring(LATENCY.length()) + "_ns"
                            : metric);
            if (form.matches()) {
                String distribution = form.group(1) + form.group(4);
                Part part = new Part(metric, at(form.group(2), form.group(3)), value);
                if (form.group(2).equals("mean")) {
                    means.put(distribution, part);
                } else {
                    distributions
                            .computeIfAbsent(distribution, _ -> new TreeMap<>())
                            .put(part.at, part);
                }
            }
        });
        for (Map.Entry<String, TreeMap<Double, Part>> distribution : distributions.entrySet()) {
            Part mean = means.get(distribution.getKey());
            Part before = null;
            for (Part part : distribution.getValue().values()) {
                requireOrder(before, part);
                before = part;
                if (mean != null && part.at == MIN) {
                    requireOrder(part, mean);
                } else if (mean != null && part.at == MAX) {
                    requireOrder(mean, part);
                }
            }
        }
    }

    private static double at(String part, @Nullable String digits) {
        if (digits == null) {
            return part.equals("min") ? MIN : MAX;
        }
        return digits.length() <= 2 || digits.equals("100")
                ? Double.parseDouble(digits)
                : Double.parseDouble(digits.substring(0, 2) + "." + digits.substring(2));
    }

    private static boolean isPercentile(Part part) {
        return part.at > MIN && part.at < MAX;
    }

    private static void requireOrder(@Nullable Part lower, Part higher) throws UnusableOutputException {
        if (lower == null) {
            return;
        }
        double rounding = isPercentile(lower) && isPercentile(higher) ? CONVERSION : ROUNDING;
        if (lower.value > higher.value + rounding * Math.abs(higher.value)) {
            throw new UnusableOutputException(lower.metric + " is " + lower.value + ", and so above " + higher.metric
                    + ", which is " + higher.value + ": see in command.metrics where they are found, and their units");
        }
    }
}
