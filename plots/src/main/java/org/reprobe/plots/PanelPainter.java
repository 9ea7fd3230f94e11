package org.reprobe.plots;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Panel;
import org.reprobe.plots.FigureData.Point;

/** Data of a panel. */
final class PanelPainter {
    private static final Ink HATCH = Ink.line(Color.BLACK, 1.3);
    private static final Ink MARK = new Ink(null, Ink.QUIET, 1.2, List.of(4f, 3f), 1);
    /** Limit of points with markers and intervals of their own: more of them would merge into a thick line. */
    static final int MAX_MARKED = 40;
    /** Number of markers of a line with more points. */
    private static final int FEW = 7;

    private static final double BAND_OPACITY = 0.24;
    private static final double TINT = 0.2;
    /** Distance of points, in steps, from which others are missing between them. */
    private static final double GAP = 1.5;

    private static final int MARK_ROW = 14;

    private static final double HATCH_GAP = 6;
    /** Shares of a place that its bars take together, and of its own width that a bar fills. */
    private static final double GROUP_FILL = 0.8;

    private static final double BAR_FILL = 0.92;
    /** Width and opacity of a line that another one covers. */
    private static final double COVERED_WIDTH = 6;

    private static final double COVERED_OPACITY = 0.4;

    private static final Scene.Face ABSENT = new Scene.Face(8.5, false);

    private final Plot plot;
    private final Scene panel;
    private final List<SeriesStyle> styles;

    /** Series that others cover. */
    private final Set<Integer> covered;

    PanelPainter(Plot plot, Scene panel, List<SeriesStyle> styles, Set<Integer> covered) {
        this.plot = plot;
        this.panel = panel;
        this.styles = styles;
        this.covered = covered;
    }

    /** Marks times: a line at each start and end. */
    void paintMarks(List<Course.Mark> marks, Fonts fonts, Scene.Face face) {
        for (int i = 0; i < marks.size(); i++) {
            Course.Mark mark = marks.get(i);
            Scene group = panel.group("class", "data");
            double left = plot.px(mark.fromMs());
            group.line(left, plot.top(), left, plot.bottom(), MARK);
            if (mark.untilMs() < plot.x().high()) {
                double until = plot.px(mark.untilMs());
                group.line(until, plot.top(), until, plot.bottom(), MARK);
            }
            double top = plot.top() + MARK_ROW * i;
            double width = fonts.width(mark.words(), face) + 4;
            group.box(left + 3, top, width, MARK_ROW, Ink.filled(Ink.PAPER), "");
            group.text(mark.words(), left + 5, top + MARK_ROW - 3, 0, face, Ink.QUIET);
        }
    }

    private Scene data(Line line) {
        return panel.group("class", "data", "data-s", String.valueOf(line.series()));
    }

    void paintLines(Panel content) {
        for (Line line : content.lines()) {
            Color color = styles.get(line.series()).color();
            List<Point> predicted = drawable(line.predicted());
            List<Point> points = drawable(line.points());
            Scene group = data(line);
            if (predicted.size() > 1) {
                band(group, List.of(predicted), color);
            }
            if (points.size() > MAX_MARKED) {
                band(group, parts(points), color);
            }
        }
        for (Line line : content.lines()) {
            SeriesStyle style = styles.get(line.series());
            List<Point> points = drawable(line.points());
            List<List<double[]>> parts = new ArrayList<>();
            for (List<Point> part : points.size() > MAX_MARKED ? parts(points) : List.of(points)) {
                parts.add(part.stream()
                        .map(point -> new double[] {point.x(), point.y()})
                        .toList());
            }
            parts.removeIf(List::isEmpty);
            Ink ink = style.line();
            if (points.size() > MAX_MARKED) {
                ink = Ink.line(style.color(), 2);
            }
            if (covered.contains(line.series())) {
                ink = Ink.line(style.color(), COVERED_WIDTH).withOpacity(COVERED_OPACITY);
            }
            data(line).path(plot.lines(parts), ink);
        }
        for (Line line : content.lines()) {
            SeriesStyle style = styles.get(line.series());
            Scene group = data(line);
            List<Point> points = drawable(line.points());
            int every = points.size() > MAX_MARKED ? points.size() / FEW : 1;
            if (every == 1) {
                intervals(group, points, 0, style.textColor());
            }
            if (line.predicted().size() == 1) {
                intervals(group, drawable(line.predicted()), 0, Ink.QUIET);
            }
            for (int i = 0; i < points.size(); i++) {
                Point point = points.get(i);
                boolean marked = (i + line.series() * every / 3) % every == 0;
                String hint = hint(style, point);
                if (point.partial()) {
                    partial(group, style.form(), point, 0, hint);
                } else {
                    Ink ink = marked ? style.solid() : style.solid().withOpacity(0);
                    group.mark(style.form(), plot.px(point.x()), plot.py(point.y()), Plot.MARKER, ink, hint);
                }
            }
            for (Point point : drawable(line.published())) {
                published(group, style.form(), point, 0, Ink.line(style.textColor(), 1.6), hint(style, point));
            }
        }
        plot.axes(panel);
    }

    private static String hint(SeriesStyle style, Point point) {
        return style.label().isEmpty() ? point.hint() : style.label() + ", " + point.hint();
    }

    /** Returns the width of a bar among all series, in places. */
    static double barWidth(int series) {
        return GROUP_FILL / series * BAR_FILL;
    }

    /** Returns the distance of a series' bars from the middle of their places, in places. */
    static double barOffset(int index, int series) {
        return (index + 0.5) * (GROUP_FILL / series) - GROUP_FILL / 2;
    }

    void paintBars(Panel content) {
        double half = barWidth(styles.size()) / 2;
        for (Line line : content.lines()) {
            SeriesStyle style = styles.get(line.series());
            Scene group = data(line);
            double offset = barOffset(line.series(), styles.size());
            List<Point> points = drawable(line.points());
            for (Point point : points) {
                double left = plot.px(point.x() + offset - half);
                double right = plot.px(point.x() + offset + half);
                double top = plot.py(point.y());
                bar(group, style, left, top, right - left, plot.bottom() - top, hint(style, point));
            }
            for (int at = 0; at < plot.x().ticks().size(); at++) {
                int place = at;
                if (line.points().stream().noneMatch(point -> point.x() == place)) {
                    group.text("n/a", plot.px(at + offset), plot.bottom() - 4, 0.5, ABSENT, Ink.QUIET);
                }
            }
            intervals(group, points, offset, Ink.TEXT);
            intervals(group, drawable(line.predicted()), offset, Ink.QUIET);
            for (Point point : drawable(line.published())) {
                Ink ink = new Ink(Ink.PAPER, style.textColor(), 1.6, List.of(), 1);
                published(group, Glyph.CIRCLE, point, offset, ink, hint(style, point));
            }
            for (Point point : points) {
                if (point.partial()) {
                    partial(group, Glyph.DIAMOND, point, offset, hint(style, point));
                }
            }
        }
        plot.axes(panel);
    }

    /** Draws a bar, or its sample in a legend. */
    static void bar(Scene scene, SeriesStyle style, double left, double top, double width, double height, String hint) {
        Ink fill = style.hatched() ? style.solid().withOpacity(TINT) : style.solid();
        scene.box(left, top, width, height, fill, hint);
        if (style.hatched()) {
            Ink ink = new Ink(null, style.color(), HATCH.width(), List.of(), 1);
            scene.box(left, top, width, height, ink, "");
            scene.path(hatch(left, top, width, height), ink);
        }
    }

    /** Returns rising strokes in a box. */
    private static List<double[]> hatch(double left, double top, double width, double height) {
        List<double[]> strokes = new ArrayList<>();
        for (double c = HATCH_GAP / 2; c < width + height; c += HATCH_GAP) {
            // The line from (c, 0) down to (0, c), clipped.
            strokes.add(new double[] {
                left + Math.max(0, c - height),
                top + Math.min(c, height),
                left + Math.min(c, width),
                top + Math.max(0, c - width)
            });
        }
        return strokes;
    }

    /** Returns the points that both axes can show: a logarithmic axis has no zero. */
    private List<Point> drawable(List<Point> points) {
        return points.stream()
                .filter(point -> Double.isFinite(plot.px(point.x())) && Double.isFinite(plot.py(point.y())))
                .toList();
    }

    /** Returns dense points in parts between which some are missing, since a line there would be invented. */
    private static List<List<Point>> parts(List<Point> points) {
        double step = Double.POSITIVE_INFINITY;
        for (int i = 1; i < points.size(); i++) {
            step = Math.min(step, points.get(i).x() - points.get(i - 1).x());
        }
        List<List<Point>> parts = new ArrayList<>();
        double last = Double.NEGATIVE_INFINITY;
        for (Point point : points) {
            if (point.x() - last > GAP * step) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(point);
            last = point.x();
        }
        return parts;
    }

    /** Draws the intervals of points as an area. */
    private void band(Scene scene, List<List<Point>> parts, Color color) {
        List<double[]> areas = new ArrayList<>();
        for (List<Point> part : parts) {
            List<double[]> around = new ArrayList<>();
            part.forEach(point -> around.add(new double[] {point.x(), end(point, point.high())}));
            part.reversed().forEach(point -> around.add(new double[] {point.x(), end(point, point.low())}));
            areas.add(plot.line(around));
        }
        scene.area(areas, Ink.filled(color).withOpacity(BAND_OPACITY), "");
    }

    /** Returns an end of an interval within the axis; the point itself without an interval. */
    private double end(Point point, double end) {
        return Double.isFinite(end) ? Math.clamp(end, plot.y().low(), plot.y().high()) : point.y();
    }

    /** Returns true if an interval is wider than a marker. */
    static boolean hasInterval(Plot plot, Point point) {
        return Double.isFinite(point.high())
                && plot.y().position(point.high()) - plot.y().position(point.low()) > 2 * Plot.MARKER / plot.height();
    }

    private void intervals(Scene scene, List<Point> points, double offset, Color color) {
        List<double[]> bars = new ArrayList<>();
        for (Point point : points) {
            if (hasInterval(plot, new Point(0, 0, end(point, point.low()), end(point, point.high()), false, ""))) {
                double at = plot.px(point.x() + offset);
                double low = plot.py(end(point, point.low()));
                double high = plot.py(end(point, point.high()));
                bars.add(new double[] {at, low, at, high});
                bars.add(new double[] {at - 3, low, at + 3, low});
                bars.add(new double[] {at - 3, high, at + 3, high});
            }
        }
        scene.path(bars, Ink.line(color, 1.2));
    }

    private void published(Scene scene, Glyph form, Point point, double offset, Ink ink, String hint) {
        double size = ink.fill() == null ? 1.6 * Plot.MARKER : 1.3 * Plot.MARKER;
        scene.mark(form, plot.px(point.x() + offset), plot.py(point.y()), size, ink, hint);
    }

    private void partial(Scene scene, Glyph form, Point point, double offset, String hint) {
        partial(scene, form, plot.px(point.x() + offset), plot.py(point.y()), hint + ", some runs failed");
    }

    /** Draws a marker of a point with fewer runs than planned: grey with an edge, over the point's own. */
    static void partial(Scene scene, Glyph form, double x, double y, String hint) {
        scene.mark(form, x, y, Plot.MARKER, new Ink(Ink.QUIET, Ink.PAPER, 2, List.of(), 1), hint);
    }
}
