package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Rectangle;
import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Panel;
import org.reprobe.plots.FigureData.Point;
import org.reprobe.plots.FigureSpec.Shape;

/**
 * Lays a figure out and paints it. XChart draws the data of each panel: lines, markers, bars and intervals, in
 * coordinates from 0 to 1; around it stand axes that panels share, one legend and the kind of the numbers. (XChart's own
 * axes fix neither the plot's place, which small multiples must share, nor their ticks at the data.)
 */
final class FigurePainter {
    private static final Color INK = new Color(0x222222);
    private static final Color QUIET = new Color(0x666666);
    private static final Color GRID = new Color(0xE2E2E2);
    private static final Color CLEAR = new Color(255, 255, 255, 0);
    private static final BasicStroke THIN = new BasicStroke(0.8f);
    private static final BasicStroke AXIS = new BasicStroke(1.1f);
    private static final BasicStroke HATCH = new BasicStroke(1.3f);

    private static final int PADDING = 8;
    private static final int LEGEND_ROW = 20;
    private static final int LEGEND_SAMPLE = 30;
    private static final int MARKER = 8;
    /** Room around a panel's plot for markers that stand on its edge. */
    private static final int BLEED = 14;

    private static final int SINGLE_WIDTH = 620;
    private static final int NAMED_ENDS_WIDTH = 660;
    private static final double LABEL_GAP = 15;
    private static final double LABEL_SHIFT = 16;
    private static final double HATCH_GAP = 6;
    private static final double GROUP_FILL = 0.8;

    private final FigureSpec spec;
    private final FigureData data;
    private final List<SeriesStyle> styles;
    private final Font tickFont;
    private final Font titleFont;
    private final Font headingFont;
    private final Font noteFont;

    private final int width;
    private final int height;
    private final List<Rectangle> plots;
    private final int columns;
    private final Axis x;
    private final Axis y;
    private final List<List<Entry>> legend;
    private final List<List<String>> xLabels;
    private final @Nullable List<EndLabel> endLabels;

    /** A legend entry; the published one has no style. */
    private record Entry(@Nullable SeriesStyle style, String label, double width) {}

    /** A line's name at its end. */
    private record EndLabel(SeriesStyle style, double dataY, double y) {}

    FigurePainter(FigureSpec spec, FigureData data, Fonts fonts) {
        this.spec = spec;
        this.data = data;
        this.styles = SeriesStyle.of(spec, data);
        this.tickFont = fonts.plain(12.5f);
        this.titleFont = fonts.plain(13.5f);
        this.headingFont = fonts.bold(12.5f);
        this.noteFont = fonts.plain(10.5f);

        int count = Math.max(1, data.panels().size());
        columns = count <= 4 ? count : count <= 6 ? 3 : 4;
        int rows = (count + columns - 1) / columns;
        boolean single = count == 1;
        int plotHeight = single ? 270 : rows == 1 ? 220 : 165;
        y = Axis.ofQuantity(data.ys(), spec.logY(), single ? 6 : 5);

        double yLabels = y.ticks().stream()
                .mapToDouble(tick -> Text.width(tick.label(), tickFont))
                .max()
                .orElse(0);
        int left = (int) Math.ceil(PADDING + 20 + yLabels + 9);

        List<EndLabel> ends = single ? endLabels(plotHeight) : null;
        endLabels = ends;
        int total;
        if (single) {
            total = ends == null ? SINGLE_WIDTH : NAMED_ENDS_WIDTH;
        } else {
            total = 340 + 150 * columns - (columns == 4 ? 60 : 0);
        }
        int right = PADDING + BLEED;
        if (ends != null) {
            double widest = ends.stream()
                    .mapToDouble(end -> Text.width(end.style().label(), tickFont))
                    .max()
                    .orElse(0);
            right = (int) Math.ceil(widest) + 22 + PADDING;
        }
        int gap = 16;
        int plotWidth = (total - left - right - gap * (columns - 1)) / columns;
        x = xAxis(plotWidth);
        xLabels = xLabels(plotWidth);
        int labelLines = xLabels.stream().mapToInt(List::size).max().orElse(1);

        legend = legend(total - left - PADDING);
        int heading = single ? 0 : 20;
        int top = PADDING + legend.size() * LEGEND_ROW + (legend.isEmpty() ? 2 : 8);
        int rowGap = 14;
        List<Rectangle> rectangles = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int row = i / columns;
            rectangles.add(new Rectangle(
                    left + i % columns * (plotWidth + gap),
                    top + heading + row * (plotHeight + heading + rowGap),
                    plotWidth,
                    plotHeight));
        }
        plots = rectangles;
        width = total;
        height = top + rows * (plotHeight + heading) + (rows - 1) * rowGap + 8 + labelLines * 16 + 24 + PADDING;
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    void paint(Graphics2D g, Text text) {
        g.setColor(Color.WHITE);
        g.fill(new Rectangle2D.Double(0, 0, width, height));
        paintLegend(g, text);
        for (int i = 0; i < plots.size(); i++) {
            paintPanel(g, text, i);
        }
        paintTitles(g, text);
    }

    private Axis xAxis(int plotWidth) {
        if (!data.percentiles().isEmpty()) {
            return Axis.ofPercentiles(data.percentiles());
        }
        if (!data.categories().isEmpty()) {
            return Axis.ofCategories(data.categories());
        }
        List<Double> xs = data.xs();
        if (xs.isEmpty()) {
            return Axis.ofKey(List.of(0.0, 1.0), false, true, 2);
        }
        Axis atValues = Axis.ofKey(xs, spec.logX(), true, 2);
        List<Axis.Tick> labelled = withRoom(atValues, plotWidth);
        return labelled.size() * 2 >= xs.size() && xs.size() <= 12
                ? atValues.withTicks(labelled)
                : Axis.ofKey(xs, spec.logX(), false, Math.max(2, plotWidth / 70));
    }

    /** The ticks whose labels do not touch. */
    private List<Axis.Tick> withRoom(Axis axis, int plotWidth) {
        List<Axis.Tick> kept = new ArrayList<>();
        double end = Double.NEGATIVE_INFINITY;
        for (Axis.Tick tick : axis.ticks()) {
            double middle = axis.position(tick.value()) * plotWidth;
            double half = Text.width(tick.label(), tickFont) / 2;
            if (middle - half >= end + 3) {
                kept.add(tick);
                end = middle + half;
            }
        }
        return kept;
    }

    /** The x axis's labels, folded at spaces where a place is narrower than its words. */
    private List<List<String>> xLabels(int plotWidth) {
        double room = data.categories().isEmpty()
                ? Double.POSITIVE_INFINITY
                : (double) plotWidth / data.categories().size() - 4;
        List<List<String>> labels = new ArrayList<>();
        for (Axis.Tick tick : x.ticks()) {
            List<String> lines = new ArrayList<>();
            for (String word : tick.label().split(" ", -1)) {
                String joined = lines.isEmpty() ? word : lines.getLast() + " " + word;
                if (!lines.isEmpty() && Text.width(joined, tickFont) <= room) {
                    lines.set(lines.size() - 1, joined);
                } else {
                    lines.add(word);
                }
            }
            labels.add(lines);
        }
        return labels;
    }

    /** Names at the lines' ends, moved apart a little where needed; null where they would not be clear. */
    private @Nullable List<EndLabel> endLabels(int plotHeight) {
        if (spec.shape() == Shape.BAR || data.isEmpty() || data.series().size() < 2) {
            return null;
        }
        List<Double> xs = data.xs();
        if (xs.isEmpty()) {
            return null;
        }
        double lastX = xs.getLast();
        List<EndLabel> ends = new ArrayList<>();
        for (Line line : data.panels().getFirst().lines()) {
            Point last = line.points().getLast();
            double position = y.position(last.y());
            if (last.x() != lastX || Double.isNaN(position)) {
                return null;
            }
            double at = (1 - position) * plotHeight;
            ends.add(new EndLabel(styles.get(line.series()), at, at));
        }
        ends.sort(Comparator.comparingDouble(EndLabel::dataY));
        double[] at = ends.stream().mapToDouble(EndLabel::dataY).toArray();
        spread(at, plotHeight);
        List<EndLabel> spread = new ArrayList<>();
        for (int i = 0; i < at.length; i++) {
            EndLabel end = ends.get(i);
            if (Math.abs(at[i] - end.dataY()) > LABEL_SHIFT) {
                return null;
            }
            spread.add(new EndLabel(end.style(), end.dataY(), at[i]));
        }
        return spread;
    }

    /** Moves ascending positions apart to {@link #LABEL_GAP}, each cluster about its own middle. */
    private static void spread(double[] at, double limit) {
        double[] wanted = at.clone();
        for (int round = 0; round < 20; round++) {
            for (int i = 1; i < at.length; i++) {
                double overlap = LABEL_GAP - (at[i] - at[i - 1]);
                if (overlap > 0) {
                    at[i - 1] -= overlap / 2;
                    at[i] += overlap / 2;
                }
            }
        }
        for (int i = 0; i < at.length; i++) {
            at[i] = Math.clamp(at[i], Math.min(wanted[i], 0), Math.max(wanted[i], limit));
        }
        // The limits have pushed some together again.
        for (int i = 1; i < at.length; i++) {
            at[i] = Math.max(at[i], at[i - 1] + LABEL_GAP);
        }
        double lowest = Math.max(limit, wanted[at.length - 1]);
        for (int i = at.length - 1; i >= 0; i--) {
            at[i] = Math.min(at[i], lowest);
            lowest = at[i] - LABEL_GAP;
        }
    }

    private List<List<Entry>> legend(int room) {
        List<Entry> entries = new ArrayList<>();
        if (endLabels == null) {
            for (SeriesStyle style : styles) {
                if (!style.label().isEmpty()) {
                    entries.add(entry(style, style.label()));
                }
            }
        }
        if (data.hasPublished()) {
            entries.add(entry(null, "published"));
        }
        List<List<Entry>> rows = new ArrayList<>();
        double used = Double.POSITIVE_INFINITY;
        for (Entry entry : entries) {
            if (used + entry.width() > room) {
                rows.add(new ArrayList<>());
                used = 0;
            }
            rows.getLast().add(entry);
            used += entry.width();
        }
        return rows;
    }

    private Entry entry(@Nullable SeriesStyle style, String label) {
        int sample = style == null ? 14 : LEGEND_SAMPLE;
        return new Entry(style, label, sample + 6 + Text.width(label, tickFont) + 18);
    }

    private void paintLegend(Graphics2D g, Text text) {
        int left = plots.getFirst().x;
        for (int row = 0; row < legend.size(); row++) {
            double at = left;
            double middle = PADDING + row * LEGEND_ROW + LEGEND_ROW / 2.0;
            for (Entry entry : legend.get(row)) {
                SeriesStyle style = entry.style();
                int sample = style == null ? 14 : LEGEND_SAMPLE;
                if (style == null) {
                    g.setColor(QUIET);
                    new Glyph(Glyph.Form.CIRCLE, true).paint(g, at + 7, middle, MARKER);
                } else if (spec.shape() == Shape.BAR) {
                    Rectangle2D box = new Rectangle2D.Double(at + 4, middle - 6, 22, 12);
                    g.setColor(fill(style));
                    g.fill(box);
                    if (style.hatched()) {
                        paintHatch(g, box, style);
                    }
                } else {
                    g.setColor(style.color());
                    g.setStroke(style.stroke());
                    g.draw(new Line2D.Double(at, middle, at + LEGEND_SAMPLE, middle));
                    new Glyph(style.form(), false).paint(g, at + LEGEND_SAMPLE / 2.0, middle, MARKER);
                }
                text.draw(g, entry.label(), tickFont, INK, at + sample + 6, middle + 4.5, 0);
                at += entry.width();
            }
        }
    }

    private void paintPanel(Graphics2D g, Text text, int index) {
        Rectangle plot = plots.get(index);
        paintGrid(g, text, plot, index);
        if (index >= data.panels().size()) {
            text.draw(g, "no valid measurement", titleFont, QUIET, plot.getCenterX(), plot.getCenterY(), 0.5);
            return;
        }
        Panel panel = data.panels().get(index);
        if (plots.size() > 1) {
            text.draw(
                    g, Labels.panel(spec.panels(), panel.value()), headingFont, INK, plot.getCenterX(), plot.y - 6, 0.5);
        }
        if (spec.shape() == Shape.BAR) {
            paintBars(g, plot, panel);
        } else {
            paintLines(g, plot, panel);
        }
        if (endLabels != null) {
            for (EndLabel end : endLabels) {
                double x0 = plot.getMaxX() + 10;
                g.setColor(end.style().color());
                new Glyph(end.style().form(), false).paint(g, x0, plot.y + end.y(), MARKER);
                text.draw(g, end.style().label(), tickFont, end.style().textColor(), x0 + 9, plot.y + end.y() + 4.5, 0);
            }
        }
    }

    private void paintGrid(Graphics2D g, Text text, Rectangle plot, int index) {
        boolean words = !data.categories().isEmpty();
        for (Axis.Tick tick : y.ticks()) {
            double at = plot.getMaxY() - y.position(tick.value()) * plot.height;
            g.setColor(GRID);
            g.setStroke(THIN);
            g.draw(new Line2D.Double(plot.x, at, plot.getMaxX(), at));
            if (index % columns == 0) {
                text.draw(g, tick.label(), tickFont, INK, plot.x - 8, at + 4.5, 1);
            }
        }
        boolean bottom = index + columns >= plots.size();
        for (int i = 0; i < x.ticks().size(); i++) {
            double at = plot.x + x.position(x.ticks().get(i).value()) * plot.width;
            if (!words) {
                g.setColor(GRID);
                g.setStroke(THIN);
                g.draw(new Line2D.Double(at, plot.y, at, plot.getMaxY()));
                g.setColor(INK);
                g.draw(new Line2D.Double(at, plot.getMaxY(), at, plot.getMaxY() + 4));
            }
            if (bottom) {
                List<String> lines = xLabels.get(i);
                for (int line = 0; line < lines.size(); line++) {
                    text.draw(g, lines.get(line), tickFont, INK, at, plot.getMaxY() + 18 + 16 * line, 0.5);
                }
            }
        }
        g.setColor(INK);
        g.setStroke(AXIS);
        g.draw(new Line2D.Double(plot.x, plot.y, plot.x, plot.getMaxY()));
        g.draw(new Line2D.Double(plot.x, plot.getMaxY(), plot.getMaxX(), plot.getMaxY()));
    }

    private void paintTitles(Graphics2D g, Text text) {
        double left = plots.getFirst().getMinX();
        double right = plots.stream().mapToDouble(Rectangle::getMaxX).max().orElse(width);
        double top = plots.getFirst().getMinY();
        double bottom = plots.getLast().getMaxY();
        double baseline = height - PADDING - 4;
        text.draw(g, Labels.axis(spec.x()), titleFont, INK, (left + right) / 2, baseline, 0.5);
        text.draw(g, note(), noteFont, QUIET, width - PADDING, baseline, 1);

        AffineTransform saved = g.getTransform();
        double middle = (top + bottom) / 2;
        g.translate(PADDING + 11, middle);
        g.rotate(-Math.PI / 2);
        text.draw(g, spec.y().axis(), titleFont, INK, 0, 0, 0.5);
        g.setTransform(saved);
    }

    /** What the numbers are, in every figure. */
    private String note() {
        return data.kinds().stream().map(Kind::word).collect(Collectors.joining(" and "));
    }

    private void paintLines(Graphics2D g, Rectangle plot, Panel panel) {
        XYChart chart = chart(plot);
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            List<Point> points = drawable(line.points());
            if (!points.isEmpty()) {
                XYSeries series = series(chart, "line " + line.series(), points, XYSeriesRenderStyle.Line);
                series.setLineColor(style.color());
                series.setLineStyle(style.stroke());
                series.setMarkerColor(style.color());
                series.setMarker(new Glyph(style.form(), false));
            }
        }
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            addIntervals(chart, plot, "interval " + line.series(), line.points(), style.textColor());
            addPublished(chart, line, drawable(line.published()), style);
        }
        paintChart(g, plot, chart);
    }

    private void paintBars(Graphics2D g, Rectangle plot, Panel panel) {
        XYChart bars = chart(plot);
        XYChart marks = chart(plot);
        List<Rectangle2D> hatches = new ArrayList<>();
        List<SeriesStyle> hatchStyles = new ArrayList<>();
        double slot = GROUP_FILL / styles.size();
        double floor = y.position(floorValue());
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            double offset = (line.series() + 0.5) * slot - GROUP_FILL / 2;
            List<Point> points = shifted(drawable(line.points()), offset);
            List<Double> xs = new ArrayList<>();
            List<Double> ys = new ArrayList<>();
            for (Point point : points) {
                double left = x.position(point.x() - slot * 0.46);
                double right = x.position(point.x() + slot * 0.46);
                double top = y.position(point.y());
                for (double at : new double[] {left, left, right, right, Double.NaN}) {
                    xs.add(Double.isNaN(at) ? right : at);
                }
                ys.addAll(List.of(floor, top, top, floor, Double.NaN));
                if (style.hatched()) {
                    hatches.add(new Rectangle2D.Double(
                            plot.x + left * plot.width,
                            plot.getMaxY() - top * plot.height,
                            (right - left) * plot.width,
                            (top - floor) * plot.height));
                    hatchStyles.add(style);
                }
            }
            if (!points.isEmpty()) {
                XYSeries series = bars.addSeries("bar " + line.series(), array(xs), array(ys));
                series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
                series.setFillColor(fill(style));
                series.setLineStyle(SeriesLines.NONE);
                series.setMarker(SeriesMarkers.NONE);
            }
            addIntervals(marks, plot, "interval " + line.series(), points, INK);
            addPublished(marks, line, shifted(drawable(line.published()), offset), style);
        }
        paintChart(g, plot, bars);
        for (int i = 0; i < hatches.size(); i++) {
            paintHatch(g, hatches.get(i), hatchStyles.get(i));
        }
        paintChart(g, plot, marks);
        g.setColor(INK);
        g.setStroke(AXIS);
        g.draw(new Line2D.Double(plot.x, plot.getMaxY(), plot.getMaxX(), plot.getMaxY()));
    }

    /** Where bars stand: zero, or the lower end of a logarithmic axis. */
    private double floorValue() {
        return y instanceof Axis.Logarithmic logarithmic ? logarithmic.low() : 0;
    }

    private static List<Point> shifted(List<Point> points, double offset) {
        return points.stream()
                .map(point -> new Point(point.x() + offset, point.y(), point.halfWidth()))
                .toList();
    }

    private static Color fill(SeriesStyle style) {
        Color color = style.color();
        if (!style.hatched()) {
            return color;
        }
        return new Color(
                (color.getRed() + 4 * 255) / 5, (color.getGreen() + 4 * 255) / 5, (color.getBlue() + 4 * 255) / 5);
    }

    /** Rising strokes, cut at the box by arithmetic: a clip would cost an element in the SVG for every bar. */
    private static void paintHatch(Graphics2D g, Rectangle2D box, SeriesStyle style) {
        g.setColor(style.color());
        g.setStroke(HATCH);
        for (double c = HATCH_GAP / 2; c < box.getWidth() + box.getHeight(); c += HATCH_GAP) {
            // The line through (x0 + c, bottom) and (x0, bottom - c), as far as it lies in the box.
            double startX = Math.min(c, box.getWidth());
            double startY = c - startX;
            double endY = Math.min(c, box.getHeight());
            double endX = c - endY;
            g.draw(new Line2D.Double(
                    box.getX() + startX, box.getMaxY() - startY, box.getX() + endX, box.getMaxY() - endY));
        }
        g.draw(box);
    }

    /** Points that both axes can show: a logarithmic axis has no place for zero. */
    private List<Point> drawable(List<Point> points) {
        return points.stream()
                .filter(point -> Double.isFinite(x.position(point.x())) && Double.isFinite(y.position(point.y())))
                .toList();
    }

    private XYSeries series(XYChart chart, String name, List<Point> points, XYSeriesRenderStyle render) {
        XYSeries series = chart.addSeries(
                name,
                points.stream().mapToDouble(point -> x.position(point.x())).toArray(),
                points.stream().mapToDouble(point -> y.position(point.y())).toArray());
        series.setXYSeriesRenderStyle(render);
        return series;
    }

    /**
     * Intervals as XChart's error bars. Those are symmetric, but on a logarithmic axis an interval is not: each is drawn
     * about its own middle by a series without markers. An interval that the marker hides is left out.
     */
    private void addIntervals(XYChart chart, Rectangle plot, String name, List<Point> points, Color color) {
        double bottom = y.position(floorValue());
        List<double[]> intervals = new ArrayList<>();
        for (Point point : drawable(points)) {
            if (Double.isNaN(point.halfWidth())) {
                continue;
            }
            double high = y.position(point.y() + point.halfWidth());
            double low = y.position(point.y() - point.halfWidth());
            low = Double.isNaN(low) ? bottom : low;
            if ((high - low) / 2 * plot.height > MARKER / 2.0) {
                intervals.add(new double[] {x.position(point.x()), (high + low) / 2, (high - low) / 2});
            }
        }
        if (intervals.isEmpty()) {
            return;
        }
        XYSeries series = chart.addSeries(name, column(intervals, 0), column(intervals, 1), column(intervals, 2));
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setLineColor(color);
        series.setMarker(SeriesMarkers.NONE);
    }

    private static double[] column(List<double[]> rows, int column) {
        return rows.stream().mapToDouble(row -> row[column]).toArray();
    }

    private void addPublished(XYChart chart, Line line, List<Point> points, SeriesStyle style) {
        if (points.isEmpty()) {
            return;
        }
        XYSeries series = series(chart, "published " + line.series(), points, XYSeriesRenderStyle.Scatter);
        boolean bars = spec.shape() == Shape.BAR;
        Marker marker = bars ? new OnBar(style.textColor()) : new Glyph(style.form(), true);
        series.setMarker(marker);
        series.setMarkerColor(bars ? Color.WHITE : style.textColor());
    }

    /** A published value on a bar: white inside, so that it shows on the bar and above it. */
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

    /** An XChart without axes of its own, whose plot is {@code plot} and {@link #BLEED} more on each side. */
    private XYChart chart(Rectangle plot) {
        XYChart chart = new XYChart(plot.width + 2 * BLEED, plot.height + 2 * BLEED);
        XYStyler styler = chart.getStyler();
        styler.setBaseFont(tickFont);
        styler.setAxisTickLabelsFont(tickFont);
        styler.setAxisTitleFont(tickFont);
        styler.setLegendFont(tickFont);
        styler.setChartTitleFont(tickFont);
        styler.setChartBackgroundColor(CLEAR);
        styler.setPlotBackgroundColor(CLEAR);
        styler.setPlotBorderVisible(false);
        styler.setChartTitleVisible(false);
        styler.setLegendVisible(false);
        styler.setAxisTitlesVisible(false);
        styler.setAxisTicksVisible(false);
        styler.setPlotGridLinesVisible(false);
        styler.setPlotTicksMarksVisible(false);
        styler.setChartPadding(0);
        styler.setPlotMargin(0);
        styler.setPlotContentSize(1);
        styler.setMarkerSize(MARKER);
        styler.setErrorBarsColorSeriesColor(true);
        double bleedX = (double) BLEED / plot.width;
        double bleedY = (double) BLEED / plot.height;
        styler.setXAxisMin(-bleedX);
        styler.setXAxisMax(1 + bleedX);
        styler.setYAxisMin(-bleedY);
        styler.setYAxisMax(1 + bleedY);
        return chart;
    }

    private static void paintChart(Graphics2D g, Rectangle plot, XYChart chart) {
        AffineTransform saved = g.getTransform();
        g.translate(plot.x - BLEED, plot.y - BLEED);
        chart.paint(g, plot.width + 2 * BLEED, plot.height + 2 * BLEED);
        g.setTransform(saved);
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
