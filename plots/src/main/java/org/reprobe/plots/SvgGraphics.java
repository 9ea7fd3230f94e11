package org.reprobe.plots;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import java.awt.Shape;
import java.awt.font.FontRenderContext;

/** What becomes an SVG document. What is fully transparent is left out. */
final class SvgGraphics extends VectorGraphics2D implements TextGraphics {
    private final Drawing drawing;
    private final TickLabels labels;

    SvgGraphics(Drawing drawing) {
        this.drawing = drawing;
        this.labels = new TickLabels(drawing);
    }

    @Override
    public FontRenderContext getFontRenderContext() {
        return Lettering.UNHINTED;
    }

    @Override
    public void fill(Shape shape) {
        if (getColor().getAlpha() == 0) {
            return;
        }
        String label = labels.of(shape);
        if (label == null) {
            super.fill(shape);
        } else {
            setFont(drawing.tickFont());
            drawString(label, 0f, 0f);
        }
    }
}
