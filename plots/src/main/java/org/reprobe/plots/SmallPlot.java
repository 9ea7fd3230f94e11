package org.reprobe.plots;

import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.regress.RegressionFinding;
import org.reprobe.analysis.regress.RegressionVerdict;
import org.reprobe.analysis.regress.SeriesHistory;

/** Plot of a few square centimetres as inline SVG, so that dozens fit on a page; the mouse shows a point's values. */
public final class SmallPlot {
    private static final int WIDTH = 360;
    private static final int EDGE = 10;
    private static final int BELOW = 22;
    private static final int HISTORY_HEIGHT = 110;
    private static final int ROW = 9;
    private static final Scene.Face FACE = new Scene.Face(10, false);

    private static final Color GOOD = new Color(0x1B6B3A);
    private static final Color BAD = new Color(0xA3260F);
    private static final Color POINT = new Color(0x0B5A93);

    private static final double BOLD = 1.6;
    private static final List<Float> DASHES = List.of(4f, 3f);

    private final String name;
    private final int height;
    private final Fonts fonts;
    private final Plot plot;
    private final Scene scene = new Scene();
    /** Painted last, to be found by the mouse. */
    private final List<Runnable> points = new ArrayList<>();

    private SmallPlot(String name, int plotHeight, Axis x, Axis y, boolean ticks) throws IOException {
        this.name = name;
        this.height = plotHeight + BELOW;
        fonts = Fonts.load(false);
        Axis ticked = ticks ? withUnits(y.withRoundTicks(plotHeight / 30.0)) : y;
        double labels = ticked.ticks().stream()
                .mapToDouble(tick -> fonts.width(tick.label(), FACE) + 6)
                .max()
                .orElse(0);
        double left = EDGE + labels;
        plot = new Plot(left, EDGE, WIDTH - left - EDGE, plotHeight - EDGE, x, ticked);
        plot.grid(scene, false);
        plot.yLabels(scene, FACE, Ink.QUIET);
    }

    private static Axis withUnits(Axis axis) {
        return axis.withTicks(axis.ticks().stream()
                .map(tick -> new Axis.Tick(tick.value(), number(tick.value(), axis)))
                .toList());
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
        SmallPlot small = new SmallPlot(
                series.metric() + " over " + values.length + " results",
                HISTORY_HEIGHT,
                new Axis(-0.7, values.length - 0.3, false, List.of()),
                new Axis(low - room, high + room, false, List.of()),
                true);
        List<Integer> bounds = new ArrayList<>(List.of(0));
        for (SeriesHistory.Change change : series.changes()) {
            int at = change.point().index();
            bounds.add(at);
            Color color = change.note().isEmpty() ? color(change.verdict()) : Ink.QUIET;
            small.segment(
                    at - 0.5,
                    small.plot.y().low(),
                    at - 0.5,
                    small.plot.y().high(),
                    new Ink(null, color, 1.4, DASHES, 1));
        }
        bounds.add(values.length);
        for (int i = 0; i < values.length; i++) {
            SeriesHistory.Point point = series.points().get(i);
            String hint = point.commit() + ", " + point.when().toLocalDate() + ": " + number(values[i], small.plot.y());
            small.point(i, values[i], values.length > 120 ? 1.5 : 2.2, POINT, hint);
        }
        for (int i = 0; i + 1 < bounds.size(); i++) {
            double level;
            if (i > 0) {
                level = series.changes().get(i - 1).point().after();
            } else {
                level = series.changes().isEmpty()
                        ? new Median().evaluate(values)
                        : series.changes().getFirst().point().before();
            }
            small.segment(bounds.get(i) - 0.3, level, bounds.get(i + 1) - 0.7, level, Ink.line(Ink.TEXT, BOLD));
        }
        return small.svg(List.of(
                series.points().getFirst().commit() + ", "
                        + series.points().getFirst().when().toLocalDate(),
                "",
                series.points().getLast().commit() + ", "
                        + series.points().getLast().when().toLocalDate()));
    }

    /** Plots the ratios of a metric's cells, one below the other, with intervals as lines. */
    public static String of(List<RegressionFinding> findings) throws IOException {
        double widest = 0.02;
        for (RegressionFinding finding : findings) {
            widest = Math.max(widest, finite(finding.ratio(), Double.MAX_VALUE));
            widest = Math.max(widest, Math.max(finite(finding.low(), 1), finite(finding.high(), 1)));
        }
        widest *= 1.1;
        SmallPlot small = new SmallPlot(
                findings.getFirst().metric() + ", new / base by cell",
                ROW * findings.size() + EDGE,
                new Axis(-widest, widest, false, List.of()),
                new Axis(-findings.size(), 0, false, List.of()),
                false);
        small.segment(0, small.plot.y().low(), 0, 0, Ink.line(Ink.GRID, 1));
        for (int i = 0; i < findings.size(); i++) {
            RegressionFinding finding = findings.get(i);
            double row = -i - 0.5;
            double at = Math.log(finding.ratio());
            Color color = color(finding.verdict());
            if (Double.isFinite(finding.low()) && Double.isFinite(finding.high())) {
                double from = Math.max(-widest, Math.log(finding.low()));
                double to = Math.min(widest, Math.log(finding.high()));
                small.segment(from, row, to, row, Ink.line(color, BOLD));
            }
            String change = String.format(Locale.ROOT, "%+.2f %%", finding.changePercent());
            small.point(at, row, 3, color, finding.cell() + ": " + change);
        }
        return small.svg(List.of(percent(-widest), "no change", percent(widest)));
    }

    /** Returns the distance of a ratio from 1, as a logarithm; 0 if it cannot be drawn. */
    private static double finite(double ratio, double max) {
        double log = Math.abs(Math.log(ratio));
        return Double.isFinite(log) ? Math.min(max, log) : 0;
    }

    private void segment(double x1, double y1, double x2, double y2, Ink ink) {
        scene.line(plot.px(x1), plot.py(y1), plot.px(x2), plot.py(y2), ink);
    }

    private void point(double x, double y, double radius, Color color, String hint) {
        if (Double.isFinite(x)) {
            points.add(() -> {
                scene.mark(Glyph.CIRCLE, plot.px(x), plot.py(y), radius, Ink.filled(color), "");
                scene.mark(
                        Glyph.CIRCLE,
                        plot.px(x),
                        plot.py(y),
                        4,
                        Ink.filled(color).withOpacity(0),
                        hint);
            });
        }
    }

    /** Returns the SVG; {@code below} are the texts at the start, middle and end of the x axis. */
    private String svg(List<String> below) {
        points.forEach(Runnable::run);
        for (int i = 0; i < below.size(); i++) {
            double at = plot.left() + plot.width() * i / 2;
            scene.text(below.get(i), at, height - 7.0, i / 2.0, FACE, Ink.QUIET);
        }
        return SvgText.inline(new Drawing(WIDTH, height, 1, fonts, scene), "", name, "small");
    }

    private static String percent(double logRatio) {
        return String.format(Locale.ROOT, "%+.1f %%", Math.expm1(logRatio) * 100);
    }

    private static Color color(RegressionVerdict verdict) {
        return switch (verdict) {
            case WORSE -> BAD;
            case BETTER -> GOOD;
            case CANT_TELL, CHANGED, SAME -> Ink.QUIET;
        };
    }

    /** Formats at most five digits, in the unit that suits the axis: 33.9 M, 1290, 1.02. */
    private static String number(double value, Axis y) {
        double size = Math.max(Math.abs(y.low()), Math.abs(y.high()));
        if (size < 0.001) {
            return String.format(Locale.ROOT, "%.2g", value);
        }
        double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : 1;
        String digits = Labels.number(Double.parseDouble(String.format(Locale.ROOT, "%.5g", value / unit)));
        return digits + (size >= 1e9 ? " G" : size >= 1e6 ? " M" : "");
    }
}
