package org.reprobe.analysis.foreign;

import java.util.regex.Pattern;
import org.reprobe.analysis.document.Parameter;

/** Decimal notation of numbers in files of other programs; Java's {@code 12d} and {@code 0x1p4} are not accepted. */
final class WrittenNumber {
    private static final Pattern NO_NUMBER = Pattern.compile("[-+]?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

    private WrittenNumber() {}

    /** Returns the number of a text; NaN if it is not a number or too large for a double. */
    static double of(String text) {
        double number = Parameter.number(text.strip());
        return Double.isFinite(number) ? number : Double.NaN;
    }

    /** Returns true for the words by which programs write a missing number, such as {@code NaN} and {@code -inf}. */
    static boolean isAbsent(String text) {
        return NO_NUMBER.matcher(text.strip()).matches();
    }
}
