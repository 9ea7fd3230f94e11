package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.internal.chartpart.Annotation;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Common settings of XChart: it draws scales, ticks, grid, lines, markers, areas and error bars. Other elements are
 * series of line segments ({@link #segments}), {@link Marker}s, and {@link Overlay}s.
 */
final class Charts {
    static final Color INK = new Color(0x222222);
    static final Color QUIET = new Color(0x666666);
    static final Color GRID = new Color(0xE2E2E2);
    static final int MARKER = 8;

    private static final Color CLEAR = new Color(255, 255, 255, 0);
    private static final BasicStroke THIN = new BasicStroke(0.8f);
    /** Twice the visible width: half of the stroke lies outside the plot, where XChart draws nothing. */
    private static final BasicStroke AXIS = new BasicStroke(2.2f);

    private static final int TICK = 4;
    static final int LINE_HEIGHT = 16;

    private Charts() {}

    /** Painting over the chart, in the chart's coordinates, of elements that XChart does not have. */
    static final class Overlay extends Annotation {
        private final Consumer<Graphics2D> painter;

        Overlay(Consumer<Graphics2D> painter) {
            super(true);
            this.painter = painter;
        }

        @Override
        public void paint(Graphics2D g) {
            painter.accept(g);
        }
    }

    /**
     * Creates a chart without series, which contains only the plot and XChart's ticks. XChart draws the ticks of the x
     * axis if that has none of its own; {@code labels} receives the labels of XChart's ticks.
     */
    static XYChart of(Axis x, Axis y, boolean leftTicks, boolean bottomTicks, Font font, Set<String> labels) {
        XYChart chart = new XYChart(1, 1);
        XYStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(CLEAR);
        styler.setPlotBackgroundColor(CLEAR);
        styler.setPlotBorderVisible(false);
        styler.setLegendVisible(false);
        styler.setChartPadding(0);
        styler.setPlotMargin(0);
        // XChart omits ticks at the very ends of an axis.
        styler.setPlotContentSize(0.9999);
        styler.setMarkerSize(MARKER);
        styler.setErrorBarsColorSeriesColor(true);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(THIN);
        styler.setPlotGridVerticalLinesVisible(x.ticks().isEmpty());
        styler.setPlotGridHorizontalLinesVisible(y.ticks().isEmpty());
        styler.setAxisTickLabelsFont(font);
        styler.setAxisTickLabelsColor(INK);
        styler.setAxisTicksLineVisible(false);
        styler.setAxisTicksMarksVisible(false);
        styler.setAxisTickMarkLength(TICK);
        styler.setAxisTickPadding(TICK);
        styler.setYAxisLabelAlignment(TextAlignment.Right);
        styler.setYAxisTicksVisible(leftTicks && y.ticks().isEmpty());
        styler.setXAxisTicksVisible(bottomTicks && x.ticks().isEmpty());
        styler.setYAxisTickMarkSpacingHint(55);
        styler.setXAxisLogarithmic(x.logarithmic());
        styler.setYAxisLogarithmic(y.logarithmic());
        styler.setXAxisLogarithmicDecadeOnly(false);
        styler.setYAxisLogarithmicDecadeOnly(false);
        styler.setXAxisMin(x.low());
        styler.setXAxisMax(x.high());
        styler.setYAxisMin(y.low());
        styler.setYAxisMax(y.high());
        styler.setXAxisTickLabelsFormattingFunction(value -> noted(x.label(value), labels));
        styler.setYAxisTickLabelsFormattingFunction(value -> noted(y.label(value), labels));
        for (Axis.Tick tick : x.ticks()) {
            segments(chart, "x " + tick.value(), List.of(vertical(tick.value(), y)), GRID, THIN);
        }
        return chart;
    }

    private static String noted(String label, Set<String> labels) {
        labels.add(label);
        return label;
    }

    private static double[] vertical(double x, Axis y) {
        return new double[] {x, y.low(), x, y.high()};
    }

    /** Draws the two axes, at their place among the series. */
    static void axes(XYChart chart, Axis x, Axis y) {
        segments(
                chart,
                "axes",
                List.of(vertical(x.low(), y), new double[] {x.low(), y.low(), x.high(), y.low()}),
                INK,
                AXIS);
    }

    /** Adds line segments, each {@code x1, y1, x2, y2} in the axes' units, as one series with gaps. */
    static void segments(XYChart chart, String name, Collection<double[]> segments, Color color, BasicStroke stroke) {
        if (segments.isEmpty()) {
            return;
        }
        double[] xs = segments.stream()
                .flatMapToDouble(each -> DoubleStream.of(each[0], each[2], each[2]))
                .toArray();
        double[] ys = segments.stream()
                .flatMapToDouble(each -> DoubleStream.of(each[1], each[3], Double.NaN))
                .toArray();
        XYSeries series = chart.addSeries(name, xs, ys);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
        series.setLineColor(color);
        series.setLineStyle(stroke);
        series.setMarker(SeriesMarkers.NONE);
    }

    /** Adds markers without lines. */
    static XYSeries marks(XYChart chart, String name, double[] xs, double[] ys, Marker marker, Color color) {
        XYSeries series = chart.addSeries(name, xs, ys);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setLineStyle(SeriesLines.NONE);
        series.setMarker(marker);
        series.setMarkerColor(color);
        return series;
    }

    /** Creates the labels (line by line) of an axis's own ticks below the plot; marked ticks have a stroke. */
    static Overlay ticks(XYChart chart, Axis x, Axis y, List<List<String>> labels, boolean marked, Font font) {
        return new Overlay(g -> {
            double bottom = chart.getScreenYFromChart(y.low());
            for (int i = 0; i < labels.size(); i++) {
                double at = chart.getScreenXFromChart(x.ticks().get(i).value());
                if (marked) {
                    g.setColor(INK);
                    g.setStroke(THIN);
                    g.draw(new Line2D.Double(at, bottom, at, bottom + TICK));
                }
                for (int line = 0; line < labels.get(i).size(); line++) {
                    String text = labels.get(i).get(line);
                    Lettering.draw(g, text, font, INK, at, bottom + 18 + LINE_HEIGHT * line, 0.5);
                }
            }
        });
    }

    static void paint(XYChart chart, Graphics2D g, double left, double top, int width, int height) {
        AffineTransform saved = g.getTransform();
        g.translate(left, top);
        chart.paint(g, width, height);
        g.setTransform(saved);
    }
}
