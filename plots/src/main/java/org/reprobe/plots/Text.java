package org.reprobe.plots;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import java.awt.geom.AffineTransform;

/** Writing into a figure. Widths come from unhinted outlines, so they are the same on every machine. */
enum Text {
    /** For SVG: searchable, selectable. */
    AS_TEXT,
    /** For PNG: untouched by the machine's font rendering settings. */
    AS_OUTLINES;

    private static final FontRenderContext UNHINTED = new FontRenderContext(new AffineTransform(), true, true);

    /** Where a text's given x lies in it: 0 at its start, 0.5 in its middle, 1 at its end. */
    void draw(Graphics2D g, String text, Font font, Color color, double x, double y, double anchor) {
        double left = x - anchor * width(text, font);
        g.setColor(color);
        if (this == AS_TEXT) {
            g.setFont(font);
            g.drawString(text, (float) left, (float) y);
        } else {
            g.fill(font.createGlyphVector(UNHINTED, text).getOutline((float) left, (float) y));
        }
    }

    static double width(String text, Font font) {
        return font.createGlyphVector(UNHINTED, text).getLogicalBounds().getWidth();
    }
}
