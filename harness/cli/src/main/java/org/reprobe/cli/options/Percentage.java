package org.reprobe.cli.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 5%} or {@code 5} as a fraction, 0.05. */
public final class Percentage implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
        String digits = text.strip().replaceFirst("\\s*%$", "");
        if (digits.matches("\\d{1,3}(\\.\\d{1,6})?")) {
            double fraction = Double.parseDouble(digits) / 100;
            if (fraction > 0 && fraction < 1) {
                return fraction;
            }
        }
        throw new TypeConversionException("must be a percentage above 0 and below 100, like 5%");
    }
}
