package org.reprobe.analysis.foreign;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Order of percentiles by their names: a p99 below the p50 of the same run means that units or columns are mixed up. */
final class PercentileOrder {
    private static final Pattern NUMBERED =
            Pattern.compile("(|.*[^a-z0-9])(?:p|pct|percentile)[-_ ]?([0-9]+(?:[._][0-9]+)?)((?:th)?(?:[^a-z0-9].*)?)");
    private static final Pattern WORD = Pattern.compile("(|.*[^a-z0-9])(min|median|max)((?:[^a-z0-9].*)?)");
    /** Rounding of what was printed. */
    private static final double TOLERANCE = 1e-9;

    private PercentileOrder() {}

    /**
     * Returns a message about the first two percentiles that are out of order, or null where there are none.
     *
     * @param values in one unit, by names like {@code p50}, {@code latency p99.9}, {@code latency_p999_us} or {@code max}
     */
    static @Nullable String violation(Map<String, Double> values) {
        Map<String, Map<Double, Map.Entry<String, Double>>> groups = new HashMap<>();
        for (Map.Entry<String, Double> value : values.entrySet()) {
            String plain = value.getKey().toLowerCase(Locale.ROOT);
            Matcher numbered = NUMBERED.matcher(plain);
            Matcher word = WORD.matcher(plain);
            if (numbered.matches()) {
                group(groups, numbered).put(share(numbered.group(2)), value);
            } else if (word.matches()) {
                double share = word.group(2).equals("min") ? 0 : word.group(2).equals("max") ? 100 : 50;
                group(groups, word).put(share, value);
            }
        }
        for (Map<Double, Map.Entry<String, Double>> group : groups.values()) {
            Map.Entry<String, Double> before = null;
            for (Map.Entry<String, Double> value : group.values()) {
                if (before != null && value.getValue() < before.getValue() * (1 - TOLERANCE)) {
                    return value.getKey() + " is below " + before.getKey()
                            + ", which no run can have: are columns or units mixed up?";
                }
                before = value;
            }
        }
        return null;
    }

    private static Map<Double, Map.Entry<String, Double>> group(
            Map<String, Map<Double, Map.Entry<String, Double>>> groups, Matcher name) {
        return groups.computeIfAbsent(
                name.group(1) + "|" + name.group(3).replaceFirst("^th", ""), _ -> new TreeMap<>());
    }

    /** The percentage: of 50 and 99.9 as they are, of 999 as 99.9. */
    private static double share(String digits) {
        String plain = digits.replace('_', '.');
        return plain.contains(".") || plain.length() <= 2 || plain.equals("100")
                ? Double.parseDouble(plain)
                : Double.parseDouble(plain.substring(0, 2) + "." + plain.substring(2));
    }
}
