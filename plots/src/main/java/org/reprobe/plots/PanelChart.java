package org.reprobe.plots;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.util.Set;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Plot of a panel as an XChart: grid, lines, areas, intervals and markers are its series. XChart draws them at their
 * values on its own axes, which have the ends of the plot's axes.
 */
final class PanelChart {
    private static final Color CLEAR = new Color(255, 255, 255, 0);

    /** Groups of a panel with values. */
    private static final Set<String> CONTENT = Set.of("gx", "gy", "data");

    private final XYChart chart = new XYChart(1, 1);
    private final Plot plot;
    /** Number of series. */
    private int count;

    private PanelChart(Plot plot) {
        this.plot = plot;
        XYStyler styler = chart.getStyler();
        styler.setChartBackgroundColor(CLEAR);
        styler.setPlotBackgroundColor(CLEAR);
        styler.setPlotBorderVisible(false);
        styler.setLegendVisible(false);
        styler.setChartPadding(0);
        styler.setPlotMargin(0);
        styler.setPlotContentSize(0.9999); // at 1 XChart leaves out values at the ends
        styler.setPlotGridLinesVisible(false);
        styler.setXAxisTicksVisible(false);
        styler.setYAxisTicksVisible(false);
        styler.setXAxisLogarithmic(plot.x().logarithmic());
        styler.setYAxisLogarithmic(plot.y().logarithmic());
        styler.setXAxisMin(plot.x().low());
        styler.setXAxisMax(plot.x().high());
        styler.setYAxisMin(plot.y().low());
        styler.setYAxisMax(plot.y().high());
    }

    /** Returns true for a group that a chart draws. */
    static boolean draws(Scene group) {
        return CONTENT.contains(group.attributes().getOrDefault("class", ""));
    }

    /** Draws the values of a panel. */
    static void paint(Scene panel, Plot plot, Graphics2D g) {
        PanelChart content = new PanelChart(plot);
        for (SceneItem item : panel.items()) {
            if (item instanceof Scene group && draws(group)) {
                content.add(group);
            }
        }
        if (content.count > 0) {
            AffineTransform saved = g.getTransform();
            g.translate(plot.left(), plot.top());
            content.chart.paint(g, (int) Math.round(plot.width()), (int) Math.round(plot.height()));
            g.setTransform(saved);
        }
    }

    private void add(Scene group) {
        for (SceneItem item : group.items()) {
            switch (item) {
                case Scene inner -> add(inner);
                case Scene.Path path -> add(path);
                case Scene.Mark mark -> add(mark);
                case Scene.Text _ -> {
                    // It has no value; Canvas draws it.
                }
            }
        }
    }

    private void add(Scene.Path path) {
        Ink ink = path.ink();
        Color fill = ink.fill();
        if (fill != null) {
            XYSeries area = series(path, false);
            area.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
            area.setFillColor(ink.translucent(fill));
            area.setLineStyle(SeriesLines.NONE);
            area.setMarker(SeriesMarkers.NONE);
        }
        Color stroke = ink.stroke();
        if (stroke != null) {
            XYSeries line = series(path, path.closed());
            line.setXYSeriesRenderStyle(XYSeriesRenderStyle.Line);
            line.setLineColor(ink.translucent(stroke));
            line.setLineStyle(ink.basicStroke());
            line.setMarker(SeriesMarkers.NONE);
        }
    }

    private void add(Scene.Mark mark) {
        if (mark.ink().opacity() > 0) {
            XYSeries series = chart.addSeries(nextName(), new double[] {x(mark.x())}, new double[] {y(mark.y())});
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            series.setLineStyle(SeriesLines.NONE);
            series.setMarker(new GlyphMarker(mark));
        }
    }

    /** Adds the points of lines, with a gap after each line. */
    private XYSeries series(Scene.Path path, boolean back) {
        int each = back ? 2 : 1;
        int count =
                path.lines().stream().mapToInt(line -> line.length / 2 + each).sum();
        double[] xs = new double[count];
        double[] ys = new double[count];
        int at = 0;
        for (double[] line : path.lines()) {
            for (int i = 0; i < line.length + (back ? 2 : 0); i += 2) {
                xs[at] = x(line[i % line.length]);
                ys[at] = y(line[(i + 1) % line.length]);
                at++;
            }
            xs[at] = xs[at - 1];
            ys[at] = Double.NaN;
            at++;
        }
        return chart.addSeries(nextName(), xs, ys);
    }

    private String nextName() {
        count++;
        return "series " + count;
    }

    private double x(double units) {
        return plot.x().value((units - plot.left()) / plot.width());
    }

    private double y(double units) {
        return plot.y().value((plot.bottom() - units) / plot.height());
    }

    private static final class GlyphMarker extends Marker {
        private final Scene.Mark mark;

        GlyphMarker(Scene.Mark mark) {
            this.mark = mark;
        }

        @Override
        public void paint(Graphics2D g, double x, double y, int size) {
            Canvas.paint(mark.glyph().at(x, y, mark.radius()), mark.ink(), g);
        }
    }
}
