package org.reprobe.plots;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;

/**
 * Words in a figure, on a baseline: XChart centres each on its own outline, so that words with descenders stand at another
 * height than those without. Widths come from unhinted outlines, so they are the same on every machine.
 */
final class Lettering {
    static final FontRenderContext UNHINTED = new FontRenderContext(new AffineTransform(), true, true);

    private Lettering() {}

    /**
     * Draws a text: in an SVG or PDF as text, in a PNG as outlines, which no setting of the machine's fonts changes.
     *
     * @param y of the baseline
     * @param anchor where {@code x} lies in the text: 0 at its start, 0.5 in its middle, 1 at its end
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

    /** The outline that XChart fills to draw the text, with its baseline's start at (0, 0). */
    static Shape outline(String text, Font font) {
        return new TextLayout(text.isEmpty() ? " " : text, font, UNHINTED).getOutline(null);
    }
}
