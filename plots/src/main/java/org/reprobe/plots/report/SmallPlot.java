package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.regress.Finding;
import org.reprobe.analysis.regress.SeriesHistory;
import org.reprobe.analysis.regress.Verdict;

/**
 * A plot of a few square centimetres as inline SVG, in the page's own colours, so that dozens stand on one page. The
 * figures of reports are another matter: {@link org.reprobe.plots.FigureWriter}.
 */
final class SmallPlot {
    private static final double WIDTH = 360;
    private static final double LEFT = 58;
    private static final double RIGHT = 10;
    private static final double TOP = 10;
    private static final double BOTTOM = 22;

    private final StringBuilder svg = new StringBuilder();
    private final double height;
    private final double low;
    private final double high;

    private SmallPlot(double height, double low, double high, String name) {
        this.height = height;
        this.low = low;
        this.high = high;
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"small\" viewBox=\"0 0 %.0f %.0f\" role=\"img\""
                        + " aria-label=\"%s\">",
                WIDTH,
                height,
                escaped(name)));
    }

    /** A series over time: values as points, levels between changes as lines, each change a dashed line. */
    static String of(SeriesHistory series) {
        double[] values =
                series.points().stream().mapToDouble(SeriesHistory.Point::value).toArray();
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        // Noise is drawn flat, at least 10 % of its level from top to bottom; exact values differ for a reason.
        boolean exact = series.kind() != Kind.MEASURED && most > least;
        double room = exact
                ? (most - least) * 0.3
                : Math.max((most - least) * 0.1, (0.1 * Math.abs(most) - (most - least)) / 2);
        room = room > 0 ? room : 1;
        SmallPlot plot =
                new SmallPlot(130, least - room, most + room, series.metric() + " over " + values.length + " results");
        plot.scale(least, most);
        double step = (WIDTH - LEFT - RIGHT - 8) / Math.max(1, values.length - 1);
        double x0 = LEFT + 4;
        List<Integer> bounds = new ArrayList<>(List.of(0));
        for (SeriesHistory.Change change : series.changes()) {
            int at = change.point().index();
            bounds.add(at);
            double x = x0 + (at - 0.5) * step;
            plot.line(
                    x,
                    TOP,
                    x,
                    130 - BOTTOM,
                    "change " + css(change.verdict(), change.note().isEmpty()));
        }
        bounds.add(values.length);
        for (int i = 0; i < values.length; i++) {
            SeriesHistory.Point point = series.points().get(i);
            plot.point(
                    x0 + i * step,
                    values[i],
                    values.length > 120 ? 1.4 : 2.2,
                    "value",
                    point.commit() + ", " + point.when().toLocalDate() + ": " + number(values[i]));
        }
        for (int i = 0; i + 1 < bounds.size(); i++) {
            int from = bounds.get(i);
            int to = bounds.get(i + 1) - 1;
            double level = i == 0
                    ? series.changes().isEmpty()
                            ? median(values)
                            : series.changes().getFirst().point().before()
                    : series.changes().get(i - 1).point().after();
            double begin = Math.max(LEFT, x0 + (from - 0.3) * step); // labels stand left of it
            plot.line(begin, plot.y(level), x0 + (to + 0.3) * step, plot.y(level), "level");
        }
        plot.text(
                LEFT,
                130 - 7,
                "start",
                series.points().getFirst().when().toLocalDate().toString());
        plot.text(
                WIDTH - RIGHT,
                130 - 7,
                "end",
                series.points().getLast().when().toLocalDate().toString());
        return plot.svg.append("</svg>").toString();
    }

    /** The ratios of a metric's cells, one below the other, with their intervals where there are any. */
    static String of(List<Finding> findings) {
        double widest = 0.02;
        for (Finding finding : findings) {
            for (double ratio : new double[] {finding.ratio(), finding.low(), finding.high()}) {
                if (Double.isFinite(ratio) && ratio > 0) {
                    widest = Math.max(widest, Math.min(1, Math.abs(Math.log(ratio))));
                }
            }
        }
        widest *= 1.1;
        double rows = TOP + findings.size() * 9.0;
        SmallPlot plot = new SmallPlot(rows + BOTTOM, 0, 1, findings.getFirst().metric() + ", new / base by cell");
        double middle = WIDTH / 2;
        double scale = (WIDTH / 2 - 14) / widest;
        plot.line(middle, TOP - 6, middle, rows, "axis");
        double y = TOP + 3;
        for (Finding finding : findings) {
            double x = middle + clamp(Math.log(finding.ratio()), widest) * scale;
            String css = css(finding.verdict(), true);
            if (Double.isFinite(finding.low()) && Double.isFinite(finding.high())) {
                plot.line(
                        middle + clamp(Math.log(finding.low()), widest) * scale,
                        y,
                        middle + clamp(Math.log(finding.high()), widest) * scale,
                        y,
                        "interval " + css);
            }
            plot.circle(
                    x,
                    y,
                    3,
                    "value " + css,
                    finding.cell() + ": " + String.format(Locale.ROOT, "%+.2f %%", finding.changePercent()));
            y += 9;
        }
        plot.text(14, rows + 15, "start", percent(-widest));
        plot.text(middle, rows + 15, "middle", "no change");
        plot.text(WIDTH - 14, rows + 15, "end", percent(widest));
        return plot.svg.append("</svg>").toString();
    }

    private static double clamp(double logRatio, double widest) {
        return Math.max(-widest, Math.min(widest, logRatio));
    }

    private static String percent(double logRatio) {
        return String.format(Locale.ROOT, "%+.1f %%", Math.expm1(logRatio) * 100);
    }

    private static String css(Verdict verdict, boolean counts) {
        return switch (verdict) {
            case WORSE -> counts ? "bad" : "quiet";
            case BETTER -> counts ? "good" : "quiet";
            case CANT_TELL, CHANGED, SAME -> "quiet";
        };
    }

    private void scale(double least, double most) {
        line(LEFT, TOP, LEFT, height - BOTTOM, "axis");
        line(LEFT, height - BOTTOM, WIDTH - RIGHT, height - BOTTOM, "axis");
        text(LEFT - 5, y(most) + 4, "end", number(most));
        if (y(least) - y(most) > 14) {
            text(LEFT - 5, y(least) + 4, "end", number(least));
        }
    }

    private double y(double value) {
        return TOP + (high - value) / (high - low) * (height - TOP - BOTTOM);
    }

    private void point(double x, double value, double radius, String css, String hint) {
        circle(x, y(value), radius, css, hint);
    }

    private void circle(double x, double y, double radius, String css, String hint) {
        svg.append(String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"><title>%s</title></circle>",
                x,
                y,
                radius,
                css,
                escaped(hint)));
    }

    private void line(double x1, double y1, double x2, double y2, String css) {
        svg.append(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>",
                x1,
                y1,
                x2,
                y2,
                css));
    }

    private void text(double x, double y, String anchor, String text) {
        svg.append(String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escaped(text)));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        java.util.Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** At most five characters or so: 33.9 M, 1,290, 1.02. */
    private static String number(double value) {
        double size = Math.abs(value);
        if (size >= 1e9) {
            return String.format(Locale.ROOT, "%.4g G", value / 1e9);
        }
        if (size >= 1e6) {
            return String.format(Locale.ROOT, "%.4g M", value / 1e6);
        }
        return size >= 1000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, size < 0.001 && size > 0 ? "%.2g" : "%.4g", value);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
