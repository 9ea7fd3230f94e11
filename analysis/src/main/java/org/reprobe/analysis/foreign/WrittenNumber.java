package org.reprobe.analysis.foreign;

import java.util.regex.Pattern;
import org.reprobe.analysis.document.Parameter;

/** Decimal notation of numbers in files of other programs; Java's own spellings ({@code 12d}, {@code 0x1p4}) are none. */
final class WrittenNumber {
    private static final Pattern NO_NUMBER = Pattern.compile("[-+]?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

    private WrittenNumber() {}

    /** Returns the number that a text is, or NaN where it is none or too large for a double. */
    static double of(String text) {
        double number = Parameter.number(text.strip());
        return Double.isFinite(number) ? number : Double.NaN;
    }

    /** Returns true for the words by which programs write a result that is no number, such as {@code NaN} and {@code -inf}. */
    static boolean saysNone(String text) {
        return NO_NUMBER.matcher(text.strip()).matches();
    }
}
