package org.reprobe.plots;

import org.jspecify.annotations.Nullable;

/**
 * Width of a figure and size of its letters. All lengths are in units of {@code unitPt} points of 1/72 inch: letters at
 * ticks are {@value #LETTER_UNITS} high, lines and markers in proportion. The width is null to suit the content.
 */
public record FigureLayout(@Nullable Integer widthUnits, double unitPt) {
    /** Layout for pages that scale figures: one unit per point. */
    public static final FigureLayout FREE = new FigureLayout(null, 1);

    static final double LETTER_UNITS = 12.5;
    /** Minimum for the axis beside its labels. */
    private static final int MIN_WIDTH_UNITS = 280;

    /** Creates a layout for a column of a paper, in points; throws for letters larger than {@link #maxFontPt}. */
    public static FigureLayout ofColumn(double widthPt, double fontPt) {
        if (!(fontPt > 0 && fontPt <= maxFontPt(widthPt))) {
            throw new IllegalArgumentException("letters of " + fontPt + " pt in a figure of " + widthPt + " pt");
        }
        int units = (int) Math.round(widthPt * LETTER_UNITS / fontPt);
        return new FigureLayout(units, widthPt / units);
    }

    /** Returns the largest letters for a figure's width, in points. */
    public static double maxFontPt(double widthPt) {
        return widthPt * LETTER_UNITS / MIN_WIDTH_UNITS;
    }
}
