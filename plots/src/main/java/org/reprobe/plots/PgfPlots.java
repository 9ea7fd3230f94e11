package org.reprobe.plots;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Panel;
import org.reprobe.plots.FigureData.Point;
import org.reprobe.plots.FigureSpec.Shape;

/**
 * Figure with its data as LaTeX for pgfplots, to be included in a paper: it takes the paper's fonts. A file to compile
 * alone needs {@code \documentclass{standalone}}, {@code \\usepackage{pgfplots}} and
 * {@code \\usepgfplotslibrary{groupplots,fillbetween}}.
 */
final class PgfPlots {
    private static final Map<Glyph, String> MARKS = Map.of(
            Glyph.CIRCLE, "*",
            Glyph.SQUARE, "square*",
            Glyph.TRIANGLE, "triangle*",
            Glyph.DIAMOND, "diamond*",
            Glyph.TRIANGLE_DOWN, "triangle*, mark options={rotate=180}",
            Glyph.CROSS, "x",
            Glyph.PENTAGON, "pentagon*");
    private static final Pattern SPECIAL = Pattern.compile("[#$%&_{}~^\\\\<>|]");
    private static final double DEFAULT_WIDTH_PT = 238;
    private static final double POINTS_PER_TEX = 72.27 / 72;

    private final FigureSpec spec;
    private final FigureData data;
    private final List<SeriesStyle> styles;
    private final StringBuilder text = new StringBuilder();

    private PgfPlots(FigureSpec spec, FigureData data) {
        this.spec = spec;
        this.data = data;
        this.styles = SeriesStyle.of(spec, data);
    }

    static String text(FigureSpec spec, FigureData data, FigureLayout layout) {
        return new PgfPlots(spec, data).document(layout);
    }

    private String document(FigureLayout layout) {
        Integer units = layout.widthUnits();
        Integer heightUnits = layout.heightUnits();
        double width = units == null ? DEFAULT_WIDTH_PT : units * layout.unitPt();
        double height = heightUnits == null ? width * 0.6 : heightUnits * layout.unitPt();
        int columns = Math.max(1, data.panels().size());
        text.append("% ").append(spec.title().replaceAll("\\s+", " ")).append('\n');
        text.append("% \\usepackage{pgfplots} \\usepgfplotslibrary{groupplots} \\pgfplotsset{compat=1.18}\n");
        for (int i = 0; i < styles.size(); i++) {
            text.append("\\definecolor{reprobe").append(i).append("}{HTML}{");
            text.append(Ink.hex(styles.get(i).color()).substring(1).toUpperCase(Locale.ROOT))
                    .append("}\n");
        }
        text.append("\\begin{tikzpicture}\n\\begin{groupplot}[\n");
        option("group style", "{group size=" + columns + " by 1, horizontal sep=6pt, y descriptions at=edge left}");
        option("width", length(columns == 1 ? width : width / columns + 24));
        option("height", length(height));
        option("xlabel", "{" + escaped(Labels.axis(spec.x())) + "}");
        option("ylabel", "{" + escaped(spec.y().axis()) + "}");
        if (spec.logX() && data.categories().isEmpty()) {
            option("xmode", "log");
        }
        option(spec.logY() ? "ymode" : "ymin", spec.logY() ? "log" : "0");
        if (!data.categories().isEmpty()) {
            option("xtick", "{" + indices() + "}");
            option(
                    "xticklabels",
                    "{"
                            + data.categories().stream()
                                    .map(label -> "{" + escaped(label) + "}")
                                    .collect(Collectors.joining(","))
                            + "}");
        } else if (!data.percentiles().isEmpty()) {
            option(
                    "xtick",
                    "{"
                            + data.percentiles().stream()
                                    .map(tick -> number(tick.value()))
                                    .collect(Collectors.joining(","))
                            + "}");
            option(
                    "xticklabels",
                    "{" + data.percentiles().stream().map(Axis.Tick::label).collect(Collectors.joining(",")) + "}");
        }
        if (spec.shape() == Shape.BAR) {
            option("ybar", "0pt");
            option(
                    "bar width",
                    length(0.7
                            * width
                            / columns
                            / Math.max(
                                    1,
                                    styles.size()
                                            * Math.max(1, data.categories().size()))));
            option("enlarge x limits", "0.15");
        }
        option("grid", "major");
        option("legend columns", "2");
        option("legend style", "{draw=none, font=\\small}");
        option("legend to name", "{" + spec.name() + "-legend}");
        text.append("]\n");
        for (Panel panel : data.panels()) {
            append(panel);
        }
        text.append(
                "\\end{groupplot}\n\\node[anchor=south] at (current bounding box.north) {\\pgfplotslegendfromname{");
        text.append(spec.name()).append("-legend}};\n\\end{tikzpicture}\n");
        return text.toString();
    }

    private void option(String name, String value) {
        text.append("  ").append(name).append('=').append(value).append(",\n");
    }

    private static String length(double pt) {
        return String.format(Locale.ROOT, "%.1fpt", pt * POINTS_PER_TEX);
    }

    private String indices() {
        return java.util.stream.IntStream.range(0, data.categories().size())
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
    }

    private void append(Panel panel) {
        text.append("\\nextgroupplot[");
        if (panel.value() != null) {
            text.append("title={")
                    .append(escaped(Labels.panel(spec, panel.value())))
                    .append('}');
        }
        text.append("]\n");
        for (Line line : panel.lines()) {
            SeriesStyle style = styles.get(line.series());
            String color = "reprobe" + line.series();
            String look = spec.shape() == Shape.BAR
                    ? "fill=" + color + (style.hatched() ? "!30" : "") + ", draw=" + color
                    : color + ", thick" + dashes(style) + ", mark=" + MARKS.get(style.form());
            boolean dense = line.points().size() > PanelPainter.MAX_MARKED;
            plot(look + (dense ? ", mark=none" : ", error bars/.cd, y dir=both, y explicit"), line.points(), !dense);
            text.append("\\addlegendentry{").append(escaped(style.label())).append("}\n");
            if (!line.published().isEmpty()) {
                String hollow = "only marks, forget plot, mark size=3pt, mark=o, " + color;
                plot(spec.shape() == Shape.BAR ? hollow + ", sharp plot" : hollow, line.published(), false);
            }
        }
    }

    private static String dashes(SeriesStyle style) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < style.dash().size(); i++) {
            pattern.append(i % 2 == 0 ? " on " : " off ")
                    .append(style.dash().get(i) / 2)
                    .append("pt");
        }
        return pattern.isEmpty() ? "" : ", dash pattern=" + pattern.toString().strip();
    }

    private void plot(String look, List<Point> points, boolean intervals) {
        text.append("\\addplot[").append(look).append("] table[x=x, y=y");
        text.append(intervals ? ", y error plus=up, y error minus=down" : "").append("] {\nx y up down\n");
        for (Point point : points) {
            boolean known = Double.isFinite(point.high());
            text.append(number(point.x())).append(' ').append(number(point.y())).append(' ');
            text.append(number(known ? point.high() - point.y() : 0)).append(' ');
            text.append(number(known ? point.y() - point.low() : 0)).append('\n');
        }
        text.append("};\n");
    }

    private static String number(double value) {
        return Double.toString(value);
    }

    private static String escaped(String text) {
        return SPECIAL.matcher(text.replaceAll("\\s+", " "))
                .replaceAll(found -> switch (found.group()) {
                    case "\\" -> "\\\\textbackslash{}";
                    case "~" -> "\\\\textasciitilde{}";
                    case "^" -> "\\\\textasciicircum{}";
                    case "<" -> "\\\\textless{}";
                    case ">" -> "\\\\textgreater{}";
                    case "|" -> "\\\\textbar{}";
                    case "$" -> "\\\\\\$";
                    default -> "\\\\" + found.group();
                })
                .replace("µ", "$\\mu$")
                .replace("θ", "$\\theta$");
    }
}
