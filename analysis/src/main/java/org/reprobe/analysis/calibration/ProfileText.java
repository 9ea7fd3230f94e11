package org.reprobe.analysis.calibration;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.reprobe.analysis.nic.NicProfile.Basis;

/** Writer of NIC profiles in the form that {@link org.reprobe.analysis.nic.NicProfiles} reads. */
public final class ProfileText {
    private static final int DIGITS = 6;
    private static final double NEGLIGIBLE = 1e-12; // in ns, bytes or ns per byte: left by subtraction

    private ProfileText() {}

    /** Constant in a profile by its dotted key; {@code interval} is empty, or its lowest and highest value. */
    public record Constant(String key, double value, List<Double> interval, Basis basis, String source) {
        private String section() {
            return key.substring(0, key.indexOf('.'));
        }
    }

    public static String of(String title, List<String> comments, Map<String, Estimate> estimates) {
        return of(
                title,
                comments,
                estimates.values().stream()
                        .map(estimate -> new Constant(
                                estimate.key(),
                                estimate.value(),
                                List.of(),
                                estimate.basis(),
                                estimate.source() + interval(estimate)))
                        .toList(),
                Map.of(),
                "");
    }

    /**
     * Returns the file's text; {@code comments} are lines with the numbers' sources.
     *
     * @param lists constants that are lists, by dotted key, each in a section that has others
     */
    public static String of(
            String title,
            List<String> comments,
            List<Constant> constants,
            Map<String, List<Double>> lists,
            String sourceOfLists) {
        StringBuilder text = new StringBuilder();
        comments.forEach(comment -> text.append("# ").append(comment).append('\n'));
        text.append("title: ").append(quoted(title)).append('\n');
        String section = "";
        for (Constant constant : constants) {
            if (!constant.section().equals(section)) {
                section = constant.section();
                text.append('\n').append(section).append(":\n");
                String prefix = section + ".";
                lists.forEach((key, values) -> {
                    if (key.startsWith(prefix)) {
                        text.append("  ").append(key.substring(prefix.length())).append(": {value: ");
                        text.append(values).append(", basis: assumed, source: ").append(quoted(sourceOfLists));
                        text.append("}\n");
                    }
                });
            }
            text.append("  ")
                    .append(constant.key().substring(section.length() + 1))
                    .append(": {value: ")
                    .append(number(constant.value()))
                    .append(ends(constant))
                    .append(", basis: ")
                    .append(constant.basis().name().toLowerCase(Locale.ROOT))
                    .append(", source: ")
                    .append(quoted(constant.source()))
                    .append("}\n");
        }
        return text.toString();
    }

    private static String interval(Estimate estimate) {
        return estimate.halfWidth95() > 0 ? "; ± " + shortNumber(estimate.halfWidth95()) + " (95 %)" : "";
    }

    /** Returns the interval, widened by what rounding takes from the value. */
    private static String ends(Constant constant) {
        if (constant.interval().isEmpty()) {
            return "";
        }
        double value = Double.parseDouble(number(constant.value()));
        return ", interval: [" + number(Math.min(value, constant.interval().getFirst())) + ", "
                + number(Math.max(value, constant.interval().getLast())) + "]";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /**
     * Formats six significant digits without an exponent; whole numbers without decimals; rounding errors of 0 as 0.
     */
    public static String number(double value) {
        return plain(value, DIGITS);
    }

    static String shortNumber(double value) {
        return plain(value, 2);
    }

    private static String plain(double value, int digits) {
        if (Math.abs(value) < NEGLIGIBLE) {
            return "0";
        }
        if (value == Math.rint(value) && Math.abs(value) < 1e17) {
            return BigDecimal.valueOf(value).setScale(0).toPlainString();
        }
        return new BigDecimal(value)
                .round(new MathContext(digits))
                .stripTrailingZeros()
                .toPlainString();
    }
}
