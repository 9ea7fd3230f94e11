package org.reprobe.plots;

import java.awt.Shape;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** XChart fills the outlines of its tick labels; where text should stay text, this tells which label an outline is of. */
final class TickLabels {
    private final Drawing drawing;
    private final Map<String, String> outlines = new HashMap<>();

    TickLabels(Drawing drawing) {
        this.drawing = drawing;
    }

    /** The label that has this outline, with its baseline's start at (0, 0); null if there is none. */
    @Nullable
    String of(Shape shape) {
        if (!(shape instanceof Path2D)) {
            return null;
        }
        String outline = outline(shape);
        // A chart knows its labels while it is painted.
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
