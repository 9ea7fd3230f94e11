package org.reprobe.plots;

import java.util.List;
import java.util.Map;

/**
 * What a scenario's {@code figures} entry asks for.
 *
 * @param name file name without extension, "figure-7"
 * @param title the caption's first sentence
 * @param x a cell key, or "percentile" to draw latency percentiles
 * @param y a quantity, see {@link FigureQuantity}
 * @param series cell keys whose values together name a line
 * @param panels a cell key; one small panel a value. "" for one panel
 * @param shape line or bar
 * @param logX logarithmic x axis
 * @param logY logarithmic y axis
 * @param where only measurements whose cell matches
 */
public record FigureSpec(
        String name,
        String title,
        String x,
        FigureQuantity y,
        List<String> series,
        String panels,
        Shape shape,
        boolean logX,
        boolean logY,
        Map<String, Object> where) {

    public FigureSpec {
        series = List.copyOf(series);
        where = Map.copyOf(where);
    }

    /** How values are drawn. */
    public enum Shape {
        LINE,
        BAR
    }
}
