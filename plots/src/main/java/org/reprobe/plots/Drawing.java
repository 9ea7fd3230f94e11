package org.reprobe.plots;

import java.awt.Font;
import java.awt.Graphics2D;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Painting of a size in units, of {@code unitPt} points of 1/72 inch each; {@code tickLabels} receives the labels of
 * XChart's ticks during painting.
 */
record Drawing(
        int width, int height, double unitPt, Font tickFont, Set<String> tickLabels, Consumer<Graphics2D> painter) {}
