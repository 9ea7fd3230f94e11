package org.reprobe.cli.report;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of a length on paper, 84mm, 8.4cm, 3.3in or 240pt, to points of 1/72 inch. */
class PaperLength implements ITypeConverter<Double> {
    private static final Pattern LENGTH = Pattern.compile("(\\d{1,5}(?:\\.\\d{1,4})?)\\s*(mm|cm|in|pt)");
    private static final double INCH_PT = 72;
    private static final double INCH_MM = 25.4;

    private final double minPt;
    private final double maxPt;
    private final String rule;

    private PaperLength(double minPt, double maxPt, String rule) {
        this.minPt = minPt;
        this.maxPt = maxPt;
        this.rule = rule;
    }

    static final class Width extends PaperLength {
        Width() {
            super(
                    40 / INCH_MM * INCH_PT,
                    1000 / INCH_MM * INCH_PT,
                    "must be a width of 40mm to 1000mm, such as 84mm, 3.33in or 240pt");
        }
    }

    static final class Height extends PaperLength {
        Height() {
            super(
                    25 / INCH_MM * INCH_PT,
                    1000 / INCH_MM * INCH_PT,
                    "must be a height of 25mm to 1000mm, such as 50mm or 2in");
        }
    }

    static final class Letters extends PaperLength {
        Letters() {
            super(4, 40, "must be a size of 4pt to 40pt, such as 8pt");
        }
    }

    @Override
    public final Double convert(String text) {
        Matcher length = LENGTH.matcher(text);
        if (length.matches()) {
            double number = Double.parseDouble(length.group(1));
            double points = switch (length.group(2)) {
                case "mm" -> number / INCH_MM * INCH_PT;
                case "cm" -> number * 10 / INCH_MM * INCH_PT;
                case "in" -> number * INCH_PT;
                default -> number;
            };
            if (points >= minPt && points <= maxPt) {
                return points;
            }
        }
        throw new TypeConversionException(rule);
    }
}
