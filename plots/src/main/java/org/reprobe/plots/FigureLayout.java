package org.reprobe.plots;

import org.jspecify.annotations.Nullable;

/**
 * Size of a figure and of its letters. All lengths are in units of {@code unitPt} points of 1/72 inch: letters at ticks
 * are {@value #LETTER_UNITS} high, lines and markers in proportion. Width and height are null to suit the content.
 */
public record FigureLayout(
        @Nullable Integer widthUnits, @Nullable Integer heightUnits, double unitPt, boolean serif) {
    /** Layout for pages that scale figures: one unit per point. */
    public static final FigureLayout FREE = new FigureLayout(null, null, 1, false);

    /** Layout for pages on a phone. */
    static final FigureLayout NARROW = new FigureLayout(372, null, 1, false);

    static final double LETTER_UNITS = 12.5;
    /** Minimum for the axis beside its labels. */
    private static final int MIN_WIDTH_UNITS = 280;
    /** Minimum for a plot between title, legend and axis. */
    private static final int MIN_HEIGHT_UNITS = 170;

    /**
     * Creates a layout for a column of a paper, in points; throws for letters larger than {@link #maxFontPt}. The
     * height is null to suit the content.
     */
    public static FigureLayout ofColumn(double widthPt, @Nullable Double heightPt, double fontPt, boolean serif) {
        if (!(fontPt > 0 && fontPt <= maxFontPt(widthPt, heightPt))) {
            throw new IllegalArgumentException("letters of " + fontPt + " pt in a figure of " + widthPt + " pt");
        }
        int units = (int) Math.round(widthPt * LETTER_UNITS / fontPt);
        double unitPt = widthPt / units;
        return new FigureLayout(units, heightPt == null ? null : (int) Math.round(heightPt / unitPt), unitPt, serif);
    }

    /** Returns the largest letters for a figure's size, in points. */
    public static double maxFontPt(double widthPt, @Nullable Double heightPt) {
        double byWidth = widthPt * LETTER_UNITS / MIN_WIDTH_UNITS;
        return heightPt == null ? byWidth : Math.min(byWidth, heightPt * LETTER_UNITS / MIN_HEIGHT_UNITS);
    }
}
