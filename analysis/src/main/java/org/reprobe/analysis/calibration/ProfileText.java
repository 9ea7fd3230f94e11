package org.reprobe.analysis.calibration;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writer of NIC profiles in the form that {@link org.reprobe.analysis.nic.NicProfiles} reads. */
public final class ProfileText {
    private static final int DIGITS = 6;

    private ProfileText() {}

    /** Returns the file's text; {@code comments} are lines with the numbers' sources. */
    public static String of(String title, List<String> comments, Map<String, Estimate> estimates) {
        StringBuilder text = new StringBuilder();
        comments.forEach(comment -> text.append("# ").append(comment).append('\n'));
        text.append("title: ").append(quoted(title)).append('\n');
        String section = "";
        for (Estimate estimate : estimates.values()) {
            int dot = estimate.key().indexOf('.');
            String now = estimate.key().substring(0, dot);
            if (!now.equals(section)) {
                text.append('\n').append(now).append(":\n");
                section = now;
            }
            text.append("  ")
                    .append(estimate.key().substring(dot + 1))
                    .append(": {value: ")
                    .append(number(estimate.value()))
                    .append(", basis: ")
                    .append(estimate.basis().name().toLowerCase(Locale.ROOT))
                    .append(", source: ")
                    .append(quoted(estimate.source() + interval(estimate)))
                    .append("}\n");
        }
        return text.toString();
    }

    private static String interval(Estimate estimate) {
        return estimate.halfWidth95() > 0 ? "; ± " + shortNumber(estimate.halfWidth95()) + " (95 %)" : "";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Formats six significant digits without an exponent; whole numbers without decimals. */
    public static String number(double value) {
        return plain(value, DIGITS);
    }

    static String shortNumber(double value) {
        return plain(value, 2);
    }

    private static String plain(double value, int digits) {
        if (value == Math.rint(value) && Math.abs(value) < 1e17) {
            return BigDecimal.valueOf(value).setScale(0).toPlainString();
        }
        return new BigDecimal(value)
                .round(new MathContext(digits))
                .stripTrailingZeros()
                .toPlainString();
    }
}
