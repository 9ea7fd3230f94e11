package org.reprobe.analysis.foreign;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Order of percentiles by their names: a p99 below the p50 of the same run is a mistake in units or columns. */
public final class PercentileOrder {
    private static final Pattern NUMBERED =
            Pattern.compile("(|.*[^a-z0-9])(?:p|pct|percentile)[-_ ]?([0-9]+(?:[._][0-9]+)?)((?:th)?(?:[^a-z0-9].*)?)");
    private static final Pattern WORD = Pattern.compile("(|.*[^a-z0-9])(min|median|max|mean)((?:[^a-z0-9].*)?)");
    /** Rounding of printed numbers. */
    private static final double TOLERANCE = 1e-9;
    /** Rounding of the mean and the extremes beside percentiles, which may be from a histogram of two digits. */
    private static final double HISTOGRAM_TOLERANCE = 0.01;

    private static final double MIN = 0;
    private static final double MAX = 100;

    private PercentileOrder() {}

    private static final class Group {
        private final Map<Double, Map.Entry<String, Double>> percentiles = new TreeMap<>();
        private Map.@Nullable Entry<String, Double> mean;
    }

    /**
     * Returns a message about the first two numbers that are out of order, or null; the mean lies between the smallest
     * and the largest value. All have one unit and names such as {@code p50}, {@code latency p99.9},
     * {@code latency_p999_us} or {@code max}.
     */
    public static @Nullable String violation(Map<String, Double> values) {
        Map<String, Group> groups = new HashMap<>();
        for (Map.Entry<String, Double> value : values.entrySet()) {
            String plain = value.getKey().toLowerCase(Locale.ROOT);
            Matcher numbered = NUMBERED.matcher(plain);
            Matcher word = WORD.matcher(plain);
            if (numbered.matches()) {
                group(groups, numbered).percentiles.put(share(numbered.group(2)), value);
            } else if (word.matches()) {
                switch (word.group(2)) {
                    case "mean" -> group(groups, word).mean = value;
                    case "min" -> group(groups, word).percentiles.put(MIN, value);
                    case "max" -> group(groups, word).percentiles.put(MAX, value);
                    default -> group(groups, word).percentiles.put(50.0, value);
                }
            }
        }
        for (Group group : groups.values()) {
            Map.Entry<String, Double> before = null;
            double beforeAt = MIN;
            for (Map.Entry<Double, Map.Entry<String, Double>> each : group.percentiles.entrySet()) {
                boolean end = beforeAt == MIN || each.getKey() == MAX;
                String violation = violation(before, each.getValue(), end ? HISTOGRAM_TOLERANCE : TOLERANCE);
                if (violation == null && each.getKey() == MIN) {
                    violation = violation(each.getValue(), group.mean, HISTOGRAM_TOLERANCE);
                } else if (violation == null && each.getKey() == MAX) {
                    violation = violation(group.mean, each.getValue(), HISTOGRAM_TOLERANCE);
                }
                if (violation != null) {
                    return violation;
                }
                before = each.getValue();
                beforeAt = each.getKey();
            }
        }
        return null;
    }

    private static @Nullable String violation(
            Map.@Nullable Entry<String, Double> lower, Map.@Nullable Entry<String, Double> higher, double tolerance) {
        return lower != null && higher != null && higher.getValue() < lower.getValue() * (1 - tolerance)
                ? higher.getKey() + " is below " + lower.getKey() + ", which is impossible: check columns and units"
                : null;
    }

    private static Group group(Map<String, Group> groups, Matcher name) {
        return groups.computeIfAbsent(name.group(1) + "|" + name.group(3).replaceFirst("^th", ""), _ -> new Group());
    }

    /** Returns the percentage: 50 and 99.9 unchanged, 999 as 99.9. */
    private static double share(String digits) {
        String plain = digits.replace('_', '.');
        return plain.contains(".") || plain.length() <= 2 || plain.equals("100")
                ? Double.parseDouble(plain)
                : Double.parseDouble(plain.substring(0, 2) + "." + plain.substring(2));
    }
}
