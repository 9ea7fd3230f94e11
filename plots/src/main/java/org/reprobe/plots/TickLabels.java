package org.reprobe.plots;

import java.awt.Graphics2D;
import java.awt.Shape;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Texts of XChart's tick labels by their outlines, which is all that XChart paints. */
final class TickLabels {
    private final Drawing drawing;
    private final Map<String, String> outlines = new HashMap<>();

    TickLabels(Drawing drawing) {
        this.drawing = drawing;
    }

    /** Writes the label with this outline, whose baseline starts at (0, 0), as text; returns false if there is none. */
    boolean write(Shape shape, Graphics2D graphics) {
        if (!(shape instanceof Path2D)) {
            return false;
        }
        String outline = outline(shape);
        // A chart has its labels only during painting.
        for (String label : drawing.tickLabels()) {
            if (outlines.computeIfAbsent(label, text -> outline(Lettering.outline(text, drawing.tickFont())))
                    .equals(outline)) {
                graphics.setFont(drawing.tickFont());
                graphics.drawString(label, 0f, 0f);
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
