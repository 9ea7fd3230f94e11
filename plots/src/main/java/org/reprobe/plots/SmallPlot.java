package org.reprobe.plots;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.knowm.xchart.XYChart;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.regress.RegressionFinding;
import org.reprobe.analysis.regress.RegressionVerdict;
import org.reprobe.analysis.regress.SeriesHistory;

/**
 * Plot of a few square centimetres as inline SVG, so that dozens fit on a page. It is an XChart like the figures'
 * ({@link Charts}), in the page's own colours; the mouse shows a point's values.
 */
public final class SmallPlot {
    private static final int WIDTH = 360;
    private static final int EDGE = 10;
    private static final int BELOW = 22;
    private static final int HISTORY_HEIGHT = 110;
    private static final int ROW = 9;

    private static final Color GOOD = new Color(0x1B6B3A);
    private static final Color BAD = new Color(0xA3260F);
    private static final Color POINT = new Color(0x0B5A93);

    /** Page's CSS variables, by the colours that represent them here. */
    private static final Map<Color, String> THEME = Map.of(
            Charts.INK,
            "--ink",
            Charts.QUIET,
            "--quiet",
            Charts.GRID,
            "--line",
            GOOD,
            "--good",
            BAD,
            "--bad",
            POINT,
            "--link");

    private static final BasicStroke THIN = new BasicStroke(1f);
    private static final BasicStroke BOLD = new BasicStroke(1.6f);
    private static final BasicStroke DASHED =
            new BasicStroke(1.4f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 10, new float[] {4, 3}, 0);

    private final String name;
    private final int height;
    private final Font font;
    private final Set<String> tickLabels = new LinkedHashSet<>();
    private final XYChart chart;
    private final Axis x;
    private final Axis y;
    private final List<Hint> hints = new ArrayList<>();

    /** Text of a point under the mouse. */
    private record Hint(double x, double y, String text) {}

    private SmallPlot(String name, int plotHeight, Axis x, Axis y, boolean ticks) throws IOException {
        this.name = name;
        this.height = plotHeight + BELOW;
        this.x = x;
        this.y = y;
        font = Fonts.load().plain(10);
        chart = Charts.of(x, y, ticks, false, font, tickLabels);
        chart.getStyler().setPlotGridVerticalLinesVisible(false);
        chart.getStyler().setPlotGridHorizontalLinesVisible(ticks);
        chart.getStyler().setAxisTickLabelsColor(Charts.QUIET);
        chart.getStyler().setYAxisTickLabelsFormattingFunction(value -> {
            String label = number(value);
            tickLabels.add(label);
            return label;
        });
    }

    /** Plots a series over time: values as points, levels between changes as lines, each change a dashed line. */
    public static String of(SeriesHistory series) throws IOException {
        double[] values =
                series.points().stream().mapToDouble(SeriesHistory.Point::value).toArray();
        double low = Arrays.stream(values).min().orElse(0);
        double high = Arrays.stream(values).max().orElse(1);
        // The y axis spans at least 10 % of noisy values' level, so that noise looks small; exact values have no noise.
        boolean exact = series.kind() != Kind.MEASURED && high > low;
        double room =
                exact ? (high - low) * 0.3 : Math.max((high - low) * 0.1, (0.1 * Math.abs(high) - (high - low)) / 2);
        room = room > 0 ? room : 1;
        SmallPlot plot = new SmallPlot(
                series.metric() + " over " + values.length + " results",
                HISTORY_HEIGHT,
                new Axis(-0.7, values.length - 0.3, false, List.of()),
                new Axis(low - room, high + room, false, List.of()),
                true);
        List<Integer> bounds = new ArrayList<>(List.of(0));
        for (SeriesHistory.Change change : series.changes()) {
            int at = change.point().index();
            bounds.add(at);
            plot.segments(
                    "change " + at,
                    new double[] {at - 0.5, plot.y.low(), at - 0.5, plot.y.high()},
                    change.note().isEmpty() ? color(change.verdict()) : Charts.QUIET,
                    DASHED);
        }
        bounds.add(values.length);
        double[] xs = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            SeriesHistory.Point point = series.points().get(i);
            xs[i] = i;
            plot.hints.add(new Hint(
                    i, values[i], point.commit() + ", " + point.when().toLocalDate() + ": " + plot.number(values[i])));
        }
        plot.chart.getStyler().setMarkerSize(values.length > 120 ? 3 : 4);
        Charts.marks(plot.chart, "values", xs, values, new Glyph(Glyph.Form.CIRCLE, false), POINT);
        for (int i = 0; i + 1 < bounds.size(); i++) {
            double level;
            if (i > 0) {
                level = series.changes().get(i - 1).point().after();
            } else {
                level = series.changes().isEmpty()
                        ? new Median().evaluate(values)
                        : series.changes().getFirst().point().before();
            }
            plot.segments(
                    "level " + i,
                    new double[] {bounds.get(i) - 0.3, level, bounds.get(i + 1) - 0.7, level},
                    Charts.INK,
                    BOLD);
        }
        return plot.svg(List.of(
                series.points().getFirst().when().toLocalDate().toString(),
                "",
                series.points().getLast().when().toLocalDate().toString()));
    }

    /** Plots the ratios of a metric's cells, one below the other, with intervals as lines: error bars are vertical. */
    public static String of(List<RegressionFinding> findings) throws IOException {
        double widest = 0.02;
        for (RegressionFinding finding : findings) {
            widest = Math.max(widest, finite(finding.ratio(), Double.MAX_VALUE));
            widest = Math.max(widest, Math.max(finite(finding.low(), 1), finite(finding.high(), 1)));
        }
        widest *= 1.1;
        SmallPlot plot = new SmallPlot(
                findings.getFirst().metric() + ", new / base by cell",
                ROW * findings.size() + EDGE,
                new Axis(-widest, widest, false, List.of()),
                new Axis(-findings.size(), 0, false, List.of()),
                false);
        plot.segments("none", new double[] {0, plot.y.low(), 0, 0}, Charts.GRID, THIN);
        Map<RegressionVerdict, List<double[]>> points = new EnumMap<>(RegressionVerdict.class);
        for (int i = 0; i < findings.size(); i++) {
            RegressionFinding finding = findings.get(i);
            double row = -i - 0.5;
            double at = Math.log(finding.ratio());
            if (Double.isFinite(finding.low()) && Double.isFinite(finding.high())) {
                double from = Math.max(-widest, Math.log(finding.low()));
                double to = Math.min(widest, Math.log(finding.high()));
                plot.segments("interval " + i, new double[] {from, row, to, row}, color(finding.verdict()), BOLD);
            }
            points.computeIfAbsent(finding.verdict(), _ -> new ArrayList<>()).add(new double[] {at, row});
            String change = String.format(Locale.ROOT, "%+.2f %%", finding.changePercent());
            plot.hints.add(new Hint(at, row, finding.cell() + ": " + change));
        }
        plot.chart.getStyler().setMarkerSize(6);
        points.forEach((verdict, each) -> Charts.marks(
                plot.chart,
                verdict.name(),
                each.stream().mapToDouble(point -> point[0]).toArray(),
                each.stream().mapToDouble(point -> point[1]).toArray(),
                new Glyph(Glyph.Form.CIRCLE, false),
                color(verdict)));
        return plot.svg(List.of(percent(-widest), "no change", percent(widest)));
    }

    /** Returns the distance of a ratio from 1, as a logarithm; 0 if it cannot be drawn. */
    private static double finite(double ratio, double max) {
        double log = Math.abs(Math.log(ratio));
        return Double.isFinite(log) ? Math.min(max, log) : 0;
    }

    private void segments(String series, double[] segment, Color color, BasicStroke stroke) {
        Charts.segments(chart, series, List.of(segment), color, stroke);
    }

    /** Returns the SVG; {@code below} are the texts at the start, middle and end of the x axis. */
    private String svg(List<String> below) throws IOException {
        chart.addAnnotation(new Charts.Overlay(g -> {
            for (int i = 0; i < below.size(); i++) {
                double at = chart.getScreenXFromChart(x.value(i / 2.0));
                Lettering.draw(g, below.get(i), font, Charts.QUIET, at, height - EDGE - 7.0, i / 2.0);
            }
        }));
        Drawing drawing = new Drawing(
                WIDTH,
                height,
                1,
                font,
                tickLabels,
                g -> Charts.paint(chart, g, EDGE, EDGE, WIDTH - 2 * EDGE, height - BELOW - EDGE));
        String svg = FigureWriter.inline(Canvas.svg(drawing, name), Integer.toHexString(hints.hashCode()) + "-", name)
                .replaceFirst("<svg ", "<svg class=\"small\" ");
        for (Map.Entry<Color, String> each : THEME.entrySet()) {
            Color color = each.getKey();
            svg = svg.replace(
                    "rgb(" + color.getRed() + "," + color.getGreen() + "," + color.getBlue() + ")",
                    "var(" + each.getValue() + ")");
        }
        StringBuilder circles = new StringBuilder();
        for (Hint hint : hints) {
            circles.append(String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"transparent\" stroke=\"none\"><title>%s</title></circle>",
                    EDGE + chart.getScreenXFromChart(hint.x()),
                    EDGE + (1 - y.position(hint.y())) * (height - BELOW - EDGE),
                    Canvas.escaped(hint.text())));
        }
        return svg.replace("</svg>", circles + "</svg>");
    }

    private static String percent(double logRatio) {
        return String.format(Locale.ROOT, "%+.1f %%", Math.expm1(logRatio) * 100);
    }

    private static Color color(RegressionVerdict verdict) {
        return switch (verdict) {
            case WORSE -> BAD;
            case BETTER -> GOOD;
            case CANT_TELL, CHANGED, SAME -> Charts.QUIET;
        };
    }

    /** Formats at most five digits, in the unit that suits the axis: 33.9 M, 1290, 1.02. */
    private String number(double value) {
        double size = Math.max(Math.abs(y.low()), Math.abs(y.high()));
        if (size < 0.001) {
            return String.format(Locale.ROOT, "%.2g", value);
        }
        double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1;
        String digits = Labels.number(Double.parseDouble(String.format(Locale.ROOT, "%.5g", value / unit)));
        return digits + (size >= 1e9 ? " G" : size >= 1e6 ? " M" : "");
    }
}
