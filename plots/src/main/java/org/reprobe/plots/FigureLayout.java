package org.reprobe.plots;

import org.jspecify.annotations.Nullable;

/**
 * How wide a figure is and how large its letters are. Everything in a figure is laid out in units: the letters at its axes'
 * ticks are {@value #LETTER_UNITS} of them high, lines and markers in proportion.
 *
 * @param widthUnits null for the width that suits what is in the figure
 * @param unitPt length of a unit, points of 1/72 inch
 */
public record FigureLayout(@Nullable Integer widthUnits, double unitPt) {
    /** For pages that are scaled, a unit a point. */
    public static final FigureLayout FREE = new FigureLayout(null, 1);

    static final double LETTER_UNITS = 12.5;
    /** Less leaves no room for the axis beside its labels. */
    private static final int MIN_WIDTH_UNITS = 280;

    /**
     * For a column of a paper.
     *
     * @param widthPt of the figure, points
     * @param fontPt size of the letters at the axes, points
     * @throws IllegalArgumentException when the letters are larger than {@link #maxFontPt}
     */
    public static FigureLayout ofColumn(double widthPt, double fontPt) {
        if (!(fontPt > 0 && fontPt <= maxFontPt(widthPt))) {
            throw new IllegalArgumentException("letters of " + fontPt + " pt in " + widthPt + " pt");
        }
        int units = (int) Math.round(widthPt * LETTER_UNITS / fontPt);
        return new FigureLayout(units, widthPt / units);
    }

    /** The largest letters that leave room for a figure of a width, points. */
    public static double maxFontPt(double widthPt) {
        return widthPt * LETTER_UNITS / MIN_WIDTH_UNITS;
    }
}
