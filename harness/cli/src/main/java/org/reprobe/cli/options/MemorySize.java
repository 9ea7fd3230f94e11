package org.reprobe.cli.options;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.analysis.document.Quantities;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of a memory size to bytes: k, m, g and t are powers of 1000, Ki, Mi, Gi and Ti of 1024. */
public final class MemorySize implements ITypeConverter<Long> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})\\s*([kmgt]i?)?(b?)");

    @Override
    public Long convert(String text) {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            throw new TypeConversionException("must be a size like 800M or 8Gi");
        }
        String prefix = size.group(2) == null ? "" : size.group(2);
        if (prefix.isEmpty() && size.group(3).isEmpty()) {
            throw new TypeConversionException("needs a unit, like " + text + "G or " + text + "Mi");
        }
        long number = Long.parseLong(size.group(1));
        if (number > Long.MAX_VALUE / Quantities.prefix(prefix)) {
            throw new TypeConversionException("must be below 2^63 bytes");
        }
        return number * Quantities.prefix(prefix);
    }
}
