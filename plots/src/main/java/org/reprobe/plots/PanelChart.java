package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Panel;
import org.reprobe.plots.FigureData.Point;

/**
 * Data of a panel as series of an XChart. Bars are areas: XChart's own bars have categories instead of numbers, no
 * texture, and no markers on a bar of a group.
 */
final class PanelChart {
    private static final BasicStroke HATCH = new BasicStroke(1.3f);
    private static final BasicStroke MARK =
            new BasicStroke(1.2f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {4, 3}, 0);
    /** Limit of points with markers: more of them would merge into a thick line. */
    private static final int MAX_MARKED = 40;

    private static final int BAND_OPACITY = 60;
    /** Distance of points, in steps, from which others are missing between them. */
    private static final double GAP = 1.5;

    private static final int MARK_ROW = 14;

    private static final double HATCH_GAP = 6;
    /** Shares of a place that its bars take together, and of its own width that a bar fills. */
    private static final double GROUP_FILL = 0.8;

    private static final double BAR_FILL = 0.92;

    private final XYChart chart;
    private final Axis x;
    private final Axis y;
    private final int width;
    private final int height;

    /** Adds series to a chart, whose plot's width and height are in points. */
    PanelChart(XYChart chart, Axis x, Axis y, int width, int height) {
        this.chart = chart;
        this.x = x;
        this.y = y;
        this.width = width;
        this.height = height;
    }

    /** Marks times: a line at each start and end. */
    void addMarks(List<Course.Mark> marks, Font font) {
        List<double[]> lines = new ArrayList<>();
        for (Course.Mark mark : marks) {
            lines.add(new double[] {mark.fromMs(), y.low(), mark.fromMs(), y.high()});
            if (mark.untilMs() < x.high()) {
                lines.add(new double[] {mark.untilMs(), y.low(), mark.untilMs(), y.high()});
            }
        }
        Charts.segments(chart, "marks", lines, Charts.QUIET, MARK);
        chart.addAnnotation(new Charts.Overlay(g -> {
            for (int i = 0; i < marks.size(); i++) {
                String words = marks.get(i).words();
                double left = chart.getScreenXFromChart(marks.get(i).fromMs()) + 3;
                double top = chart.getScreenYFromChart(y.high()) + MARK_ROW * i;
                g.setColor(Color.WHITE);
                g.fill(new Rectangle2D.Double(left, top, Lettering.width(words, font) + 4, MARK_ROW));
                Lettering.draw(g, words, font, Charts.QUIET, left + 2, top + MARK_ROW - 3, 0);
            }
        }));
    }

    void addLines(Panel panel, List<SeriesStyle> styles) {
        for (Line line : panel.lines()) {
            List<Point> predicted = drawable(line.predicted(), 0);
            if (predicted.size() > 1) {
                addBand(
                        "predicted " + line.series(),
                        predicted,
                        styles.get(line.series()).color());
            }
            List<Point> points = drawable(line.points(), 0);
            if (points.size() > MAX_MARKED) {
                addBand(
                        "band " + line.series(),
                        withGaps(points),
                        styles.get(line.series()).color());
            }
        }
        Charts.axes(chart, x, y);
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            List<Point> points = drawable(line.points(), 0);
            if (!points.isEmpty()) {
                boolean dense = points.size() > MAX_MARKED;
                List<Point> drawn = dense ? withGaps(points) : points;
                XYSeries series = chart.addSeries("line " + line.series(), xs(drawn), ys(drawn));
                series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
                series.setLineColor(style.color());
                series.setLineStyle(dense ? SeriesLines.SOLID : style.stroke());
                series.setMarkerColor(style.color());
                series.setMarker(dense ? SeriesMarkers.NONE : new Glyph(style.form(), false));
            }
        }
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            if (line.points().size() <= MAX_MARKED) {
                addIntervals("interval " + line.series(), drawable(line.points(), 0), style.textColor());
            }
            if (line.predicted().size() == 1) {
                addIntervals("predicted " + line.series(), drawable(line.predicted(), 0), Charts.QUIET);
            }
            addPublished(line, 0, new Glyph(style.form(), true), style.textColor());
            addPartial(line, 0, style.form());
        }
    }

    void addBars(Panel panel, List<SeriesStyle> styles) {
        double slot = GROUP_FILL / styles.size();
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            List<double[]> hatch = new ArrayList<>();
            List<Point> corners = new ArrayList<>();
            for (Point point : drawable(line.points(), offset(line, slot))) {
                double left = point.x() - slot * BAR_FILL / 2;
                double right = point.x() + slot * BAR_FILL / 2;
                corners.add(new Point(left, floor(), 0));
                corners.add(new Point(left, point.y(), 0));
                corners.add(new Point(right, point.y(), 0));
                corners.add(new Point(right, floor(), 0));
                corners.add(new Point(right, Double.NaN, 0));
                if (style.hatched()) {
                    Rectangle2D box = new Rectangle2D.Double(
                            x.position(left) * width,
                            y.position(floor()) * height,
                            (x.position(right) - x.position(left)) * width,
                            (y.position(point.y()) - y.position(floor())) * height);
                    for (double[] stroke : hatch(box)) {
                        hatch.add(new double[] {
                            x.value(stroke[0] / width),
                            y.value(stroke[1] / height),
                            x.value(stroke[2] / width),
                            y.value(stroke[3] / height)
                        });
                    }
                }
            }
            if (!corners.isEmpty()) {
                XYSeries series = chart.addSeries("bar " + line.series(), xs(corners), ys(corners));
                series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
                series.setFillColor(fill(style));
                series.setLineStyle(SeriesLines.NONE);
                series.setMarker(SeriesMarkers.NONE);
                Charts.segments(chart, "hatch " + line.series(), hatch, style.color(), HATCH);
            }
        }
        for (Line line : panel.lines()) {
            double offset = offset(line, slot);
            addIntervals("interval " + line.series(), drawable(line.points(), offset), Charts.INK);
            addIntervals("predicted " + line.series(), drawable(line.predicted(), offset), Charts.QUIET);
            Color edge = styles.get(line.series()).textColor();
            addPublished(line, offset, new OnBar(edge), Color.WHITE);
            addPartial(line, offset, Glyph.Form.DIAMOND);
        }
        Charts.axes(chart, x, y);
    }

    /** Paints a bar's sample of a legend. */
    static void paintSample(Graphics2D g, Rectangle2D box, SeriesStyle style) {
        g.setColor(fill(style));
        g.fill(box);
        if (style.hatched()) {
            g.setColor(style.color());
            g.setStroke(HATCH);
            for (double[] stroke : hatch(box)) {
                double bottom = box.getMinY() + box.getMaxY();
                g.draw(new Line2D.Double(stroke[0], bottom - stroke[1], stroke[2], bottom - stroke[3]));
            }
        }
    }

    private static double offset(Line line, double slot) {
        return (line.series() + 0.5) * slot - GROUP_FILL / 2;
    }

    /** Returns the base of bars: zero, or the lower end of a logarithmic axis. */
    private double floor() {
        return y.logarithmic() ? y.low() : 0;
    }

    private static Color fill(SeriesStyle style) {
        Color color = style.color();
        if (!style.hatched()) {
            return color;
        }
        return new Color(
                (color.getRed() + 4 * 255) / 5, (color.getGreen() + 4 * 255) / 5, (color.getBlue() + 4 * 255) / 5);
    }

    /** Returns a texture, which XChart's areas lack: the box's edges and rising strokes in it; y grows upwards. */
    private static List<double[]> hatch(Rectangle2D box) {
        double left = box.getMinX();
        double bottom = box.getMinY();
        List<double[]> strokes = new ArrayList<>(List.of(
                new double[] {left, bottom, left, box.getMaxY()},
                new double[] {left, box.getMaxY(), box.getMaxX(), box.getMaxY()},
                new double[] {box.getMaxX(), box.getMaxY(), box.getMaxX(), bottom},
                new double[] {left, bottom, box.getMaxX(), bottom}));
        for (double c = HATCH_GAP / 2; c < box.getWidth() + box.getHeight(); c += HATCH_GAP) {
            // The line through (left + c, bottom) and (left, bottom + c), mirrored, clipped to the box.
            double startX = Math.min(c, box.getWidth());
            double endY = Math.min(c, box.getHeight());
            strokes.add(new double[] {left + startX, bottom + c - startX, left + c - endY, bottom + endY});
        }
        return strokes;
    }

    /** Returns the points that both axes can show: a logarithmic axis has no zero. */
    private List<Point> drawable(List<Point> points, double offset) {
        return points.stream()
                .map(point -> new Point(point.x() + offset, point.y(), point.halfWidth(), point.partial()))
                .filter(point -> Double.isFinite(x.position(point.x())) && Double.isFinite(y.position(point.y())))
                .toList();
    }

    /** Returns dense points, with a gap if some are missing, since a line there would be invented. */
    private static List<Point> withGaps(List<Point> points) {
        double step = Double.POSITIVE_INFINITY;
        for (int i = 1; i < points.size(); i++) {
            step = Math.min(step, points.get(i).x() - points.get(i - 1).x());
        }
        List<Point> all = new ArrayList<>();
        for (Point point : points) {
            if (!all.isEmpty() && point.x() - all.getLast().x() > GAP * step) {
                all.add(new Point(all.getLast().x() + step, Double.NaN, Double.NaN));
            }
            all.add(point);
        }
        return all;
    }

    /** Adds the intervals of dense points as one band. */
    private void addBand(String name, List<Point> points, Color color) {
        List<Point> around = new ArrayList<>();
        List<Point> back = new ArrayList<>();
        for (Point point : points) {
            if (Double.isNaN(point.y())) {
                around.addAll(back.reversed());
                around.add(point);
                back.clear();
            } else {
                around.add(new Point(point.x(), edge(point, 1), 0));
                back.add(new Point(point.x(), edge(point, -1), 0));
            }
        }
        around.addAll(back.reversed());
        XYSeries series = chart.addSeries(name, xs(around), ys(around));
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        series.setFillColor(band(color));
        series.setLineStyle(SeriesLines.NONE);
        series.setMarker(SeriesMarkers.NONE);
    }

    static Color band(Color color) {
        return new Color(color.getRed(), color.getGreen(), color.getBlue(), BAND_OPACITY);
    }

    private double edge(Point point, int sign) {
        double half = Double.isFinite(point.halfWidth()) ? point.halfWidth() : 0;
        // No quantity over time is negative.
        return Math.clamp(point.y() + sign * half, Math.max(0, y.low()), y.high());
    }

    /** Adds intervals as XChart's error bars, clipped at the end of a logarithmic axis; not those within a marker. */
    private void addIntervals(String name, List<Point> points, Color color) {
        List<Point> intervals = new ArrayList<>();
        for (Point point : points) {
            double high = point.y() + point.halfWidth();
            double low = point.y() - point.halfWidth();
            low = y.logarithmic() ? Math.max(low, y.low()) : low;
            if ((y.position(high) - y.position(low)) * height > Charts.MARKER) {
                intervals.add(new Point(point.x(), (high + low) / 2, (high - low) / 2));
            }
        }
        if (!intervals.isEmpty()) {
            double[] halves = intervals.stream().mapToDouble(Point::halfWidth).toArray();
            XYSeries series = chart.addSeries(name, xs(intervals), ys(intervals), halves);
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            series.setLineColor(color);
            series.setMarker(SeriesMarkers.NONE);
        }
    }

    private void addPublished(Line line, double offset, Marker marker, Color color) {
        List<Point> points = drawable(line.published(), offset);
        if (!points.isEmpty()) {
            Charts.marks(chart, "published " + line.series(), xs(points), ys(points), marker, color);
        }
    }

    private void addPartial(Line line, double offset, Glyph.Form form) {
        List<Point> points =
                drawable(line.points(), offset).stream().filter(Point::partial).toList();
        if (!points.isEmpty()) {
            Charts.marks(chart, "partial " + line.series(), xs(points), ys(points), new Partial(form), Charts.QUIET);
        }
    }

    /** Marker of a point with fewer runs than planned: grey with a white edge, over the point's own. */
    static final class Partial extends Marker {
        private final Glyph.Form form;

        Partial(Glyph.Form form) {
            this.form = form;
        }

        @Override
        public void paint(Graphics2D g, double xOffset, double yOffset, int markerSize) {
            g.setColor(Color.WHITE);
            new Glyph(form, false).paint(g, xOffset, yOffset, markerSize + 4);
            g.setColor(Charts.QUIET);
            new Glyph(form, false).paint(g, xOffset, yOffset, markerSize);
        }
    }

    private static double[] xs(List<Point> points) {
        return points.stream().mapToDouble(Point::x).toArray();
    }

    private static double[] ys(List<Point> points) {
        return points.stream().mapToDouble(Point::y).toArray();
    }

    /** Published value on a bar: white inside, so that it is visible on the bar and above it. */
    private static final class OnBar extends Marker {
        private final Color edge;

        private OnBar(Color edge) {
            this.edge = edge;
        }

        @Override
        public void paint(Graphics2D g, double xOffset, double yOffset, int markerSize) {
            new Glyph(Glyph.Form.CIRCLE, false).paint(g, xOffset, yOffset, markerSize + 3);
            g.setColor(edge);
            new Glyph(Glyph.Form.CIRCLE, true).paint(g, xOffset, yOffset, markerSize - 2);
            g.setColor(Color.WHITE);
        }
    }
}
