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
 * Figure with its data as LaTeX for pgfplots, to be included in a paper: it takes the paper's fonts. Panels, axes and
 * ticks are those of the drawn figure in a column.
 */
final class PgfPlots {
    private static final Map<Glyph, String> MARKS = Map.of(
            Glyph.CIRCLE, "*",
            Glyph.SQUARE, "square*",
            Glyph.TRIANGLE, "triangle*",
            Glyph.DIAMOND, "diamond*",
            Glyph.TRIANGLE_DOWN, "triangle*",
            Glyph.CROSS, "x",
            Glyph.PENTAGON, "pentagon*");
    private static final Pattern SPECIAL = Pattern.compile("[#$%&_{}~^\\\\<>|]");
    /** Layout of a column, for figures without a width. */
    private static final FigureLayout COLUMN = FigureLayout.ofColumn(238, null, 8, false);

    private static final double POINTS_PER_TEX = 72.27 / 72;
    private static final String SMALL = "font=\\footnotesize";
    /** Approximate widths of a letter and of a sample in a legend, in points. */
    private static final double LETTER_PT = 4;

    private static final double SAMPLE_PT = 30;

    private final FigureSpec spec;
    private final FigureData data;
    private final FigurePainter painter;
    private final List<SeriesStyle> styles;
    private final StringBuilder text = new StringBuilder();

    private PgfPlots(FigureSpec spec, FigureData data, FigurePainter painter) {
        this.spec = spec;
        this.data = data;
        this.painter = painter;
        this.styles = SeriesStyle.of(spec, data);
    }

    /** Returns the layout for LaTeX: the given one, or a column's. */
    static FigureLayout layout(FigureLayout given) {
        return given.widthUnits() == null ? COLUMN : given;
    }

    /** Returns the file for a painter of this {@link #layout}. */
    static String text(FigureSpec spec, FigureData data, FigurePainter painter) {
        return new PgfPlots(spec, data, painter).document();
    }

    private String document() {
        Plot plot = painter.plot();
        int panels = Math.max(1, data.panels().size());
        int rows = (panels + painter.columns() - 1) / painter.columns();
        text.append("% ").append(spec.title().replaceAll("\\s+", " ")).append('\n');
        text.append("% \\usepackage{pgfplots} \\usepgfplotslibrary{groupplots} \\pgfplotsset{compat=1.18}\n");
        for (int i = 0; i < styles.size(); i++) {
            text.append("\\definecolor{reprobe").append(i).append("}{HTML}{");
            text.append(Ink.hex(styles.get(i).color()).substring(1).toUpperCase(Locale.ROOT))
                    .append("}\n");
        }
        text.append("\\begin{tikzpicture}\n\\begin{groupplot}[\n");
        option(
                "group style",
                "{group size=" + painter.columns() + " by " + rows + ", horizontal sep=8pt, vertical sep="
                        + (panels > 1 ? "20pt" : "8pt")
                        + ", x descriptions at=edge bottom, y descriptions at=edge left}");
        text.append("  scale only axis,\n");
        option("width", length(plot.width()));
        option("height", length(plot.height()));
        axis(
                "x",
                plot.x(),
                painter.xLabels().stream()
                        .map(lines -> lines.stream().map(PgfPlots::escaped).collect(Collectors.joining("\\\\")))
                        .toList());
        axis(
                "y",
                plot.y(),
                plot.y().ticks().stream().map(tick -> escaped(tick.label())).toList());
        text.append("  minor tick num=0, xminorticks=false, yminorticks=false,\n");
        option("tick label style", "{" + SMALL + "}");
        if (!data.categories().isEmpty()) {
            option("x tick label style", "{align=center, font=\\scriptsize}");
        }
        option("title style", "{" + SMALL + ", yshift=-5pt}");
        option("/tikz/mark size", "1.6pt");
        if (spec.shape() == Shape.BAR) {
            text.append("  ybar, /pgf/bar shift=0pt,\n");
            option(
                    "/pgf/bar width",
                    length(plot.width()
                            * PanelPainter.barWidth(styles.size())
                            / (plot.x().high() - plot.x().low())));
            if (plot.y().logarithmic()) {
                option("log origin", "infty");
            }
        }
        option("grid", data.categories().isEmpty() ? "major" : "none, ymajorgrids");
        text.append("]\n");
        for (int i = 0; i < data.panels().size(); i++) {
            append(data.panels().get(i), i == 0, plot);
        }
        text.append("\\end{groupplot}\n");
        below("west", "south, rotate=90, " + SMALL, escaped(spec.y().axis()));
        below("south", "north, " + SMALL, escaped(Labels.axis(spec.x())));
        if (data.hasPublished()
                || styles.stream().anyMatch(style -> !style.label().isEmpty())) {
            below("north", "south", "\\pgfplotslegendfromname{" + spec.name() + "-legend}");
        }
        return text.append("\\end{tikzpicture}\n").toString();
    }

    private void below(String side, String anchor, String content) {
        text.append("\\path (current bounding box.")
                .append(side)
                .append(") node[anchor=")
                .append(anchor);
        text.append("] {").append(content).append("};\n");
    }

    private void option(String name, String value) {
        text.append("  ").append(name).append('=').append(value).append(",\n");
    }

    private void axis(String name, Axis axis, List<String> labels) {
        if (axis.logarithmic()) {
            option(name + "mode", "log");
        }
        option(name + "min", number(axis.low()));
        option(name + "max", number(axis.high()));
        option(
                name + "tick",
                "{" + axis.ticks().stream().map(tick -> number(tick.value())).collect(Collectors.joining(",")) + "}");
        option(
                name + "ticklabels",
                "{" + labels.stream().map(label -> "{" + label + "}").collect(Collectors.joining(",")) + "}");
    }

    private String length(double units) {
        return String.format(Locale.ROOT, "%.1fpt", units * painter.unitPt() * POINTS_PER_TEX);
    }

    /** Appends a panel; the first has the legend of all. */
    private void append(Panel panel, boolean first, Plot plot) {
        text.append("\\nextgroupplot[");
        if (panel.value() != null) {
            text.append("title={")
                    .append(escaped(Labels.panel(spec, panel.value())))
                    .append('}');
        }
        if (first) {
            int letters = styles.stream()
                    .mapToInt(style -> style.label().length())
                    .max()
                    .orElse(0);
            double columnPt = SAMPLE_PT + LETTER_PT * letters;
            int columns = Math.clamp((int) (painter.width() * painter.unitPt() / columnPt), 1, styles.size());
            text.append(panel.value() == null ? "" : ", ")
                    .append("legend to name={")
                    .append(spec.name());
            text.append("-legend}, legend columns=").append(columns).append(", legend cell align=left, ");
            text.append("legend style={draw=none, ").append(SMALL).append('}');
        }
        text.append("]\n");
        for (int i = 0; first && i < styles.size(); i++) {
            if (!styles.get(i).label().isEmpty()) {
                text.append("\\addlegendimage{").append(look(i)).append(bars() ? ", area legend" : "");
                text.append("}\\addlegendentry{")
                        .append(escaped(styles.get(i).label()))
                        .append("}\n");
            }
        }
        if (first && data.hasPublished()) {
            text.append("\\addlegendimage{only marks, mark=o, mark size=2.6pt}\\addlegendentry{published}\n");
        }
        for (Course.Mark mark : painter.marks()) {
            vertical(mark.fromMs(), plot, mark.words());
            vertical(mark.untilMs(), plot, "");
        }
        for (Line line : panel.lines()) {
            double offset = bars() ? PanelPainter.barOffset(line.series(), styles.size()) : 0;
            boolean dense = line.points().size() > PanelPainter.MAX_MARKED;
            plot(
                    "forget plot, " + look(line.series())
                            + (dense ? ", mark=none" : ", error bars/.cd, y dir=both, y explicit"),
                    line.points(),
                    offset,
                    !dense);
            if (!line.published().isEmpty()) {
                plot(
                        "forget plot, " + (bars() ? "sharp plot, " : "")
                                + "only marks, mark size=2.6pt, mark=o, mark options={solid}, reprobe" + line.series(),
                        line.published(),
                        offset,
                        false);
            }
        }
    }

    private boolean bars() {
        return spec.shape() == Shape.BAR;
    }

    private String look(int series) {
        SeriesStyle style = styles.get(series);
        String color = "reprobe" + series;
        return bars()
                ? "fill=" + color + (style.hatched() ? "!30" : "") + ", draw=" + color
                : color + ", thick" + dashes(style) + ", mark=" + MARKS.get(style.form()) + ", mark options={solid"
                        + (style.form() == Glyph.TRIANGLE_DOWN ? ", rotate=180" : "") + "}";
    }

    private void vertical(double time, Plot plot, String words) {
        if (time < plot.x().high()) {
            text.append("\\draw[densely dashed, gray] (axis cs:")
                    .append(number(time))
                    .append(',');
            text.append(number(plot.y().high())).append(") ");
            text.append("node[anchor=north west, font=\\scriptsize] {")
                    .append(escaped(words))
                    .append("} -- (axis cs:");
            text.append(number(time)).append(',').append(number(plot.y().low())).append(");\n");
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

    private void plot(String look, List<Point> points, double offset, boolean intervals) {
        text.append("\\addplot[").append(look).append("] table[x=x, y=y");
        text.append(intervals ? ", y error plus=up, y error minus=down" : "").append("] {\nx y up down\n");
        for (Point point : points) {
            boolean known = Double.isFinite(point.high());
            text.append(number(point.x() + offset))
                    .append(' ')
                    .append(number(point.y()))
                    .append(' ');
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
                .replace("−", "$-$")
                .replace("≥", "$\\geq$")
                .replace("≤", "$\\leq$")
                .replace("θ", "$\\theta$");
    }
}
