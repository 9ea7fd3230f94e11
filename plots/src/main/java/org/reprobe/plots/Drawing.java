package org.reprobe.plots;

import java.awt.Font;
import java.awt.Graphics2D;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Something that can be painted.
 *
 * @param width in units
 * @param height in units
 * @param unitPt length of a unit, points of 1/72 inch
 * @param tickLabels gets the labels that XChart puts on ticks while it paints
 */
record Drawing(
        int width, int height, double unitPt, Font tickFont, Set<String> tickLabels, Consumer<Graphics2D> painter) {}
