package org.reprobe.plots;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Point;

/** Names at the ends of lines instead of a legend, moved apart if necessary. */
record LineNames(List<LineNames.Name> names) {
    private static final double GAP = 15;
    private static final double MAX_SHIFT = 16;
    private static final int TO_TEXT = 19;
    private static final int MAX_WIDTH = 240;

    /** Name of a line, with its middle in points below the top of the plot. */
    private record Name(int series, SeriesStyle style, double y) {}

    /** Returns names right of a plot; null if a line ends early, or names are too long or too far from their lines. */
    static @Nullable LineNames of(FigureData data, List<SeriesStyle> styles, Axis y, int plotHeight, Fonts fonts) {
        if (data.isEmpty() || data.series().size() < 2 || data.xs().isEmpty()) {
            return null;
        }
        double lastX = data.xs().getLast();
        List<Name> ends = new ArrayList<>();
        for (Line line : data.panels().getFirst().lines()) {
            Point last = line.points().getLast();
            double position = y.position(last.y());
            if (last.x() != lastX || Double.isNaN(position)) {
                return null;
            }
            ends.add(new Name(line.series(), styles.get(line.series()), (1 - position) * plotHeight));
        }
        ends.sort(Comparator.comparingDouble(Name::y));
        double[] at = ends.stream().mapToDouble(Name::y).toArray();
        spread(at, plotHeight);
        List<Name> names = new ArrayList<>();
        for (int i = 0; i < at.length; i++) {
            if (Math.abs(at[i] - ends.get(i).y()) > MAX_SHIFT) {
                return null;
            }
            names.add(new Name(ends.get(i).series(), ends.get(i).style(), at[i]));
        }
        LineNames placed = new LineNames(names);
        return placed.width(fonts) <= MAX_WIDTH ? placed : null;
    }

    /** Moves ascending positions apart to {@link #GAP}, each cluster about its own middle, within the plot's height. */
    private static void spread(double[] at, double limit) {
        double[] wanted = at.clone();
        for (int round = 0; round < 200; round++) {
            for (int i = 1; i < at.length; i++) {
                double overlap = Math.max(0, GAP - (at[i] - at[i - 1]));
                at[i - 1] -= overlap / 2;
                at[i] += overlap / 2;
            }
            for (int i = 0; i < at.length; i++) {
                at[i] = Math.clamp(at[i], Math.min(wanted[i], 0), Math.max(wanted[i], limit));
            }
        }
    }

    /** Returns the width to the right of the plot, in points. */
    int width(Fonts fonts) {
        double widest = names.stream()
                .mapToDouble(name -> fonts.width(name.style().label(), FigurePainter.TICK_FACE))
                .max()
                .orElse(0);
        return (int) Math.ceil(widest) + TO_TEXT + 3;
    }

    /** Paints the names right of a plot. */
    void paint(Scene legend, Plot plot) {
        for (Name name : names) {
            Scene entry = legend.group("data-s", String.valueOf(name.series()));
            double middle = plot.top() + name.y();
            SeriesStyle style = name.style();
            entry.mark(style.form(), plot.right() + 10, middle, Plot.MARKER, style.solid(), "");
            entry.text(
                    style.label(), plot.right() + TO_TEXT, middle + 4.5, 0, FigurePainter.TICK_FACE, style.textColor());
        }
    }
}
