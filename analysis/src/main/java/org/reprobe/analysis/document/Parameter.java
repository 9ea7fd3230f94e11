package org.reprobe.analysis.document;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/**
 * Value of a program's parameter: the text that the program receives, independent of YAML's types. 3.10 and 3.1, 010
 * and 10, 1.0 and 1 are different values; true and "true" are one.
 */
public final class Parameter {
    /** Key whose entries are parameters, each a key of its own. */
    public static final String FAMILY = "command.parameters";

    private static final Pattern FRACTION = Pattern.compile("-?(0|[1-9][0-9]*)\\.[0-9]*[1-9]");
    private static final Pattern NUMBER = Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?");

    private Parameter() {}

    public static boolean isKey(String key) {
        return key.startsWith(FAMILY + ".");
    }

    /** Returns a {@code Long}, {@code Double} or {@code Boolean} whose own notation is the text, else the text. */
    public static Object value(String text) {
        if (text.equals("true") || text.equals("false")) {
            return text.equals("true");
        }
        try {
            Long whole = Long.valueOf(text);
            return whole.toString().equals(text) ? whole : text;
        } catch (NumberFormatException e) {
            boolean fraction = FRACTION.matcher(text).matches();
            return fraction && Double.toString(Double.parseDouble(text)).equals(text)
                    ? (Object) Double.valueOf(text)
                    : text;
        }
    }

    /** Returns the text of a value, also of one from results of earlier versions. */
    public static String text(Object value) {
        if (!(value instanceof Double number) || !Double.isFinite(number)) {
            return value.toString();
        }
        BigDecimal decimal = BigDecimal.valueOf(number);
        return (decimal.scale() < 1 ? decimal.setScale(1) : decimal).toPlainString();
    }

    /** Returns the number that a value is, or that its text denotes in decimal notation; NaN if there is none. */
    public static double number(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        String text = value.toString();
        return NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
    }
}
