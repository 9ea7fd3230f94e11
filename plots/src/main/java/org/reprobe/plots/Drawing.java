package org.reprobe.plots;

import java.awt.Font;
import java.awt.Graphics2D;
import java.util.Set;
import java.util.function.Consumer;

/** Painting in units of {@code unitPt} points (1/72 inch); {@code tickLabels} receives XChart's labels meanwhile. */
record Drawing(
        int width, int height, double unitPt, Font tickFont, Set<String> tickLabels, Consumer<Graphics2D> painter) {}
