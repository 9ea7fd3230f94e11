package org.reprobe.plots;

import java.awt.Shape;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Texts of XChart's tick labels by their outlines, which is all that XChart paints. */
final class TickLabels {
    private final Drawing drawing;
    private final Map<String, String> outlines = new HashMap<>();

    TickLabels(Drawing drawing) {
        this.drawing = drawing;
    }

    /** Returns the label with this outline, whose baseline starts at (0, 0); null if there is none. */
    @Nullable
    String of(Shape shape) {
        if (!(shape instanceof Path2D)) {
            return null;
        }
        String outline = outline(shape);
        // A chart has its labels only during painting.
        for (String label : drawing.tickLabels()) {
            if (outlines.computeIfAbsent(label, text -> outline(Lettering.outline(text, drawing.tickFont())))
                    .equals(outline)) {
                return label;
            }
        }
        return null;
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
