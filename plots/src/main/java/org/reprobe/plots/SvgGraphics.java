package org.reprobe.plots;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What becomes an SVG document. XChart fills the outlines of its tick labels; those whose outline is that of a known label
 * are written as text. What is fully transparent is left out.
 */
final class SvgGraphics extends VectorGraphics2D {
    private final Drawing drawing;
    private final Map<String, String> outlines = new HashMap<>();

    SvgGraphics(Drawing drawing) {
        this.drawing = drawing;
    }

    @Override
    public FontRenderContext getFontRenderContext() {
        return Lettering.UNHINTED;
    }

    @Override
    public void fill(Shape shape) {
        if (getColor().getAlpha() > 0 && !(shape instanceof Path2D && isText(outline(shape)))) {
            super.fill(shape);
        }
    }

    /** Writes the label that has this outline, if there is one: a chart knows its labels while it is painted. */
    private boolean isText(String outline) {
        for (String label : drawing.tickLabels()) {
            if (outlines.computeIfAbsent(label, text -> outline(Lettering.outline(text, drawing.tickFont())))
                    .equals(outline)) {
                setFont(drawing.tickFont());
                drawString(label, 0f, 0f);
                return true;
            }
        }
        return false;
    }

    private static String outline(Shape shape) {
        StringBuilder points = new StringBuilder();
        double[] at = new double[6];
        for (PathIterator path = shape.getPathIterator(null); !path.isDone(); path.next()) {
            Arrays.fill(at, 0);
            points.append(path.currentSegment(at)).append(Arrays.toString(at));
        }
        return points.toString();
    }
}
