package org.reprobe.cli.options;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of a memory size, 800m or 8g, to bytes. */
public final class MemorySize implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})\\s*([kmgt]?)(i?b)?");

    @Override
    public Long convert(String text) {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("must be a size like 800m or 8g");
        }
        if (size.group(2).isEmpty() && size.group(3) == null) {
            throw new TypeConversionException("needs a unit, like " + text + "g or " + text + "m");
        }
        int power = size.group(2).isEmpty() ? 0 : "kmgt".indexOf(size.group(2)) + 1;
        return Long.parseLong(size.group(1)) << (10 * power);
    }
}
