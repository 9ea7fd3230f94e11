package org.reprobe.plots;

import java.awt.Color;
import java.awt.Shape;
import java.awt.geom.Path2D;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Group of a drawing's elements in the order of painting, all in units from the top left. Attributes are those of an
 * SVG element, for pages; other formats ignore them.
 */
final class Scene implements SceneItem {
    /**
     * Lines through points, each {@code x, y, x, y, ...}; closed for areas. The hint is text under the mouse, or "".
     */
    record Path(List<double[]> lines, boolean closed, Ink ink, String hint) implements SceneItem {
        Shape shape() {
            Path2D.Double path = new Path2D.Double();
            for (double[] line : lines) {
                path.moveTo(line[0], line[1]);
                for (int i = 2; i < line.length; i += 2) {
                    path.lineTo(line[i], line[i + 1]);
                }
                if (closed) {
                    path.closePath();
                }
            }
            return path;
        }
    }

    /** Marker of a size at a point. */
    record Mark(Glyph glyph, double x, double y, double radius, Ink ink, String hint) implements SceneItem {}

    /** Text on a baseline; its anchor is the place of x in it: 0 its start, 0.5 its middle, 1 its end. */
    record Text(String text, double x, double y, double anchor, Face face, Color color, boolean upright)
            implements SceneItem {}

    /** Size of letters, and their weight. */
    record Face(double size, boolean bold) {}

    private final Map<String, String> attributes;
    private final @Nullable Plot plot;
    private final List<SceneItem> items = new ArrayList<>();

    Scene() {
        this(Map.of(), null);
    }

    private Scene(Map<String, String> attributes, @Nullable Plot plot) {
        this.attributes = attributes;
        this.plot = plot;
    }

    /** Returns the plot of a panel; null for other groups. */
    @Nullable
    Plot plot() {
        return plot;
    }

    Map<String, String> attributes() {
        return attributes;
    }

    List<SceneItem> items() {
        return Collections.unmodifiableList(items);
    }

    /** Adds a group with attributes: names and values in turn. */
    Scene group(String... namesAndValues) {
        return add(null, namesAndValues);
    }

    /** Adds a group of a plot's elements, with attributes. */
    Scene panel(Plot of, String... namesAndValues) {
        return add(of, namesAndValues);
    }

    private Scene add(@Nullable Plot of, String... namesAndValues) {
        Map<String, String> named = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            named.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        Scene group = new Scene(named, of);
        items.add(group);
        return group;
    }

    void line(double x1, double y1, double x2, double y2, Ink ink) {
        items.add(new Path(List.of(new double[] {x1, y1, x2, y2}), false, ink, ""));
    }

    void path(List<double[]> lines, Ink ink) {
        if (!lines.isEmpty()) {
            items.add(new Path(lines, false, ink, ""));
        }
    }

    void area(List<double[]> corners, Ink ink, String hint) {
        items.add(new Path(corners, true, ink, hint));
    }

    void box(double left, double top, double width, double height, Ink ink, String hint) {
        double right = left + width;
        double bottom = top + height;
        area(List.of(new double[] {left, top, right, top, right, bottom, left, bottom}), ink, hint);
    }

    void mark(Glyph glyph, double x, double y, double radius, Ink ink, String hint) {
        items.add(new Mark(glyph, x, y, radius, ink, hint));
    }

    void text(String text, double x, double y, double anchor, Face face, Color color) {
        if (!text.isEmpty()) {
            items.add(new Text(text, x, y, anchor, face, color, false));
        }
    }

    /** Adds a text that is read from the bottom to the top. */
    void uprightText(String text, double x, double y, Face face, Color color) {
        items.add(new Text(text, x, y, 0.5, face, color, true));
    }
}
