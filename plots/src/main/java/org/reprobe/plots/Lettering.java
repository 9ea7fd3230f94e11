package org.reprobe.plots;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;

/**
 * Text of a figure on a baseline. XChart centres each text on its own outline, so that words with descenders would have
 * another height. Widths are those of unhinted outlines, so they are the same on every machine.
 */
final class Lettering {
    static final FontRenderContext UNHINTED = new FontRenderContext(new AffineTransform(), true, true);

    private Lettering() {}

    /**
     * Draws a text on the baseline {@code y}: in an SVG or PDF as text, in a PNG as outlines, independent of font
     * settings. The anchor is the place of {@code x} in the text: 0 its start, 0.5 its middle, 1 its end.
     */
    static void draw(Graphics2D g, String text, Font font, Color color, double x, double y, double anchor) {
        double left = x - anchor * width(text, font);
        g.setColor(color);
        if (g instanceof TextGraphics) {
            g.setFont(font);
            g.drawString(text, (float) left, (float) y);
        } else {
            g.fill(AffineTransform.getTranslateInstance(left, y).createTransformedShape(outline(text, font)));
        }
    }

    static double width(String text, Font font) {
        return font.createGlyphVector(UNHINTED, text).getLogicalBounds().getWidth();
    }

    /** Returns the outline that XChart fills to draw the text, with its baseline's start at (0, 0). */
    static Shape outline(String text, Font font) {
        return new TextLayout(text.isEmpty() ? " " : text, font, UNHINTED).getOutline(null);
    }
}
