package org.reprobe.plots;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.plots.FigureData.Line;
import org.reprobe.plots.FigureData.Panel;
import org.reprobe.plots.FigureData.Point;
import org.reprobe.plots.FigureSpec.Shape;

/**
 * Figure of panels, whose plots have one size and share their axes, with the axes' titles, the legend and the stamp.
 */
final class FigurePainter {
    static final Scene.Face TICK_FACE = new Scene.Face(FigureLayout.LETTER_UNITS, false);
    private static final Scene.Face TITLE_FACE = new Scene.Face(13.5, false);
    private static final Scene.Face HEADING_FACE = new Scene.Face(FigureLayout.LETTER_UNITS, true);
    private static final Scene.Face NOTE_FACE = new Scene.Face(10.5, false);

    private static final int PADDING = 8;
    private static final int TITLE = 20;
    private static final int LEGEND_ROW = 18;
    private static final int SAMPLE = 30;
    private static final int HOLLOW = 15;
    private static final int GAP = 16;
    private static final int ROW_GAP = 14;
    private static final int MAX_OWN_TICKS = 12;
    private static final int OWN_WIDTH = 620;

    /** Least width of columns of panels, and least height of a plot. */
    private static final int MIN_PLOT_WIDTH = 110;

    private static final int MIN_PLOT_HEIGHT = 50;
    /** Approximate width of an axis and its title. */
    private static final int BESIDE_PLOTS = 70;
    /** Least distance of round ticks. */
    private static final double TICK_GAP = 38;

    private static final double MIN_TICKS = 3.5;
    /** Distance below which two lines look like one. */
    private static final double COVERED = 1.5;

    private final FigureSpec spec;
    private final FigureData data;
    private final List<Course.Mark> marks;
    private final List<SeriesStyle> styles;
    private final Fonts fonts;
    private final double unitPt;

    private final int width;
    private final int height;
    private final List<Plot> plots = new ArrayList<>();
    private final int columns;
    private final Axis x;
    private final Axis y;
    private final List<List<Entry>> legend;
    private final List<List<String>> xLabels;
    private final @Nullable LineNames lineNames;
    /** Series covered by a later one in every panel. */
    private final Map<Integer, Integer> covered;

    /** Legend of points with fewer runs than planned. */
    static final String PARTIAL = "some runs failed";

    /** Legend entry of a series; those of published values, of partial points and of predictions have the series -1. */
    private record Entry(int series, String label, int sample, double width) {}

    FigurePainter(FigureSpec spec, FigureData data, List<Course.Mark> marks, FigureLayout layout, Fonts fonts) {
        this.spec = spec;
        this.data = data;
        this.marks = marks;
        this.styles = SeriesStyle.of(spec, data);
        this.fonts = fonts;
        this.unitPt = layout.unitPt();

        int count = Math.max(1, data.panels().size());
        Integer given = layout.widthUnits();
        int allColumns = count <= 4 ? count : count <= 6 ? 3 : 4;
        columns = given == null
                ? allColumns
                : Math.clamp((given - BESIDE_PLOTS + GAP) / (MIN_PLOT_WIDTH + GAP), 1, allColumns);
        int rows = (count + columns - 1) / columns;
        boolean single = count == 1;
        int suitableHeight = single ? given == null ? 270 : Math.min(270, given * 3 / 5) : rows == 1 ? 220 : 165;
        Axis quantity = Axis.ofQuantity(data.ys(), spec.logY());
        boolean named = single && spec.shape() == Shape.LINE && (given == null || given >= OWN_WIDTH);
        lineNames = named ? LineNames.of(data, styles, quantity, suitableHeight, fonts) : null;

        double labels = quantity.withRoundTicks(suitableHeight / TICK_GAP).ticks().stream()
                .mapToDouble(tick -> fonts.width(tick.label(), TICK_FACE))
                .max()
                .orElse(0);
        int left = PADDING + TITLE + (int) Math.ceil(labels) + 8;
        int suitable = !single ? 340 + 150 * columns - (columns == 4 ? 60 : 0) : lineNames == null ? OWN_WIDTH : 660;
        width = given == null ? suitable : given;
        int right = lineNames == null ? PADDING + 14 : PADDING + lineNames.width(fonts);
        int plotWidth = (width - left - right - GAP * (columns - 1)) / columns;

        x = xAxis(plotWidth);
        xLabels = xLabels(plotWidth);
        int labelLines = xLabels.stream().mapToInt(List::size).max().orElse(1);
        legend = legend(width - PADDING - 4 - legendLeft(left));
        int heading = single ? 0 : TITLE;
        int top = PADDING + legend.size() * LEGEND_ROW + (legend.isEmpty() ? 2 : 8);
        int below = 8 + labelLines * Plot.LINE_HEIGHT + 24 + PADDING;
        Integer total = layout.heightUnits();
        int plotHeight = total == null
                ? suitableHeight
                : Math.max(MIN_PLOT_HEIGHT, (total - top - below - (rows - 1) * ROW_GAP) / rows - heading);
        height = top + rows * (plotHeight + heading) + (rows - 1) * ROW_GAP + below;
        y = quantity.withRoundTicks(Math.max(MIN_TICKS, plotHeight / TICK_GAP));
        for (int i = 0; i < count; i++) {
            int above = i / columns * (plotHeight + heading + ROW_GAP);
            plots.add(new Plot(
                    left + i % columns * (plotWidth + GAP), top + heading + above, plotWidth, plotHeight, x, y));
        }
        covered = spec.shape() == Shape.LINE ? covered() : Map.of();
    }

    /**
     * Returns the start of the legend: in narrow figures right of the y axis's title, which may be as high as the
     * figure.
     */
    private int legendLeft(int left) {
        return width < OWN_WIDTH ? PADDING + TITLE : left;
    }

    /** Returns the series that lie on a later one, with that one. */
    private Map<Integer, Integer> covered() {
        Map<Integer, Integer> found = new HashMap<>();
        for (int i = 0; i < styles.size(); i++) {
            for (int j = i + 1; j < styles.size() && !found.containsKey(i); j++) {
                if (covers(i, j)) {
                    found.put(i, j);
                }
            }
        }
        return found;
    }

    private boolean covers(int below, int above) {
        int common = 0;
        for (int i = 0; i < data.panels().size(); i++) {
            Map<Double, Double> lower = points(data.panels().get(i), below);
            Map<Double, Double> upper = points(data.panels().get(i), above);
            if (lower.size() != upper.size()) {
                return false;
            }
            Plot plot = plots.get(i);
            for (Map.Entry<Double, Double> each : lower.entrySet()) {
                Double other = upper.get(each.getKey());
                if (other == null || !(Math.abs(plot.py(each.getValue()) - plot.py(other)) < COVERED)) {
                    return false;
                }
            }
            common += lower.size();
        }
        return common > 0;
    }

    private static Map<Double, Double> points(Panel panel, int series) {
        return panel.lines().stream()
                .filter(line -> line.series() == series)
                .flatMap(line -> line.points().stream())
                .collect(Collectors.toMap(Point::x, Point::y, (first, _) -> first));
    }

    /** Returns what is drawn, in sentences. */
    String reading() {
        List<String> sentences = new ArrayList<>();
        Set<Integer> counts = data.rows().stream()
                .map(FigureData.Row::runs)
                .filter(runs -> runs > 0)
                .collect(Collectors.toCollection(java.util.TreeSet::new));
        boolean computed = data.kinds().equals(Set.of(Kind.PREDICTED));
        List<Line> lines =
                data.panels().stream().flatMap(panel -> panel.lines().stream()).toList();
        List<Point> points =
                lines.stream().flatMap(line -> line.points().stream()).toList();
        boolean intervals = points.stream().anyMatch(point -> PanelPainter.hasInterval(plots.getFirst(), point));
        boolean bands = lines.stream().anyMatch(line -> line.points().size() > PanelPainter.MAX_MARKED)
                && spec.shape() == Shape.LINE;
        if (computed) {
            sentences.add("Computed from a formula.");
        } else if (counts.equals(Set.of(1))) {
            sentences.add("One run per point.");
        } else if (!counts.isEmpty()) {
            List<Integer> ordered = List.copyOf(counts);
            sentences.add("Means of " + ordered.getFirst()
                    + (ordered.size() == 1 ? "" : " to " + ordered.getLast()) + " runs, with 95 % intervals "
                    + (!intervals ? "narrower than the markers" : bands ? "as bands" : "where wider than the marker")
                    + (intervals && spec.logY() ? ", computed from logarithms." : "."));
        }
        if (data.hasPublished()) {
            sentences.add("Hollow: published.");
        }
        if (data.hasPartial()) {
            sentences.add("Grey: fewer runs than planned, since some failed.");
        }
        covered.forEach((below, above) -> sentences.add("The same line: "
                + styles.get(below).label() + " (wide) and " + styles.get(above).label() + "."));
        return String.join(" ", sentences);
    }

    /** Returns the area of the plots: left, top, width and height. */
    String area() {
        Plot first = plots.getFirst();
        double right = plots.stream().mapToDouble(Plot::right).max().orElse(0);
        double bottom = plots.getLast().bottom();
        return String.format(
                java.util.Locale.ROOT,
                "%.0f %.0f %.0f %.0f",
                first.left() - 2,
                first.top() - 6,
                right - first.left() + 8,
                bottom - first.top() + 10);
    }

    int width() {
        return width;
    }

    double unitPt() {
        return unitPt;
    }

    List<Course.Mark> marks() {
        return marks;
    }

    int columns() {
        return columns;
    }

    /** Returns a plot, with the size and the axes of all. */
    Plot plot() {
        return plots.getFirst();
    }

    /** Returns the labels of the x axis's ticks, line by line. */
    List<List<String>> xLabels() {
        return xLabels;
    }

    Drawing drawing() {
        Scene scene = new Scene();
        scene.box(0, 0, width, height, Ink.filled(Ink.PAPER), "");
        paintLegend(scene.group("class", "legend"));
        Scene panels = scene.group("id", "plots");
        for (int i = 0; i < plots.size(); i++) {
            paintPanel(panels, i);
        }
        paintTitles(scene);
        return new Drawing(width, height, unitPt, fonts, scene);
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
            return Axis.ofKey(List.of(0.0, 1.0), false);
        }
        Axis atValues = Axis.ofKey(xs, spec.logX());
        if (xs.size() > MAX_OWN_TICKS) {
            return atValues.withTicks(List.of()).withRoundTicks(plotWidth / (2 * TICK_GAP));
        }
        return atValues.withTicks(withRoom(atValues, plotWidth));
    }

    /** Returns the ticks, of which those whose labels would touch another have none. */
    private List<Axis.Tick> withRoom(Axis axis, int plotWidth) {
        List<Axis.Tick> ticks = new ArrayList<>();
        double end = Double.NEGATIVE_INFINITY;
        for (Axis.Tick tick : axis.ticks()) {
            double middle = axis.position(tick.value()) * plotWidth;
            double half = fonts.width(tick.label(), TICK_FACE) / 2;
            boolean room = middle - half >= end + 3;
            ticks.add(room ? tick : new Axis.Tick(tick.value(), ""));
            end = room ? middle + half : end;
        }
        return ticks;
    }

    /** Returns the labels of the x axis's own ticks, wrapped at spaces to the width of a place. */
    private List<List<String>> xLabels(int plotWidth) {
        double room = data.categories().isEmpty()
                ? Double.POSITIVE_INFINITY
                : (double) plotWidth / data.categories().size() - 4;
        List<List<String>> labels = new ArrayList<>();
        for (Axis.Tick tick : x.ticks()) {
            List<String> lines = new ArrayList<>();
            for (String word : tick.label().split(" ", -1)) {
                String joined = lines.isEmpty() ? word : lines.getLast() + " " + word;
                if (!lines.isEmpty() && fonts.width(joined, TICK_FACE) <= room) {
                    lines.set(lines.size() - 1, joined);
                } else {
                    lines.add(word);
                }
            }
            labels.add(lines);
        }
        return labels;
    }

    private List<List<Entry>> legend(int room) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < styles.size(); i++) {
            if (lineNames == null && !styles.get(i).label().isEmpty()) {
                entries.add(entry(i, styles.get(i).label(), SAMPLE));
            }
        }
        if (data.hasPublished()) {
            entries.add(entry(-1, "published", HOLLOW * publishedForms().size()));
        }
        if (data.hasPredicted()) {
            entries.add(entry(-1, PredictedInterval.LABEL, SAMPLE));
        }
        if (data.hasPartial()) {
            entries.add(entry(-1, PARTIAL, HOLLOW));
        }
        List<List<Entry>> rows = new ArrayList<>();
        for (Entry entry : entries) {
            List<Entry> row = rows.stream()
                    .filter(other -> width(other) + entry.width() <= room)
                    .findFirst()
                    .orElse(null);
            if (row == null) {
                row = new ArrayList<>();
                rows.add(row);
            }
            row.add(entry);
        }
        return rows;
    }

    private static double width(List<Entry> row) {
        return row.stream().mapToDouble(entry -> entry.width() + GAP).sum();
    }

    private Entry entry(int series, String label, int sample) {
        return new Entry(series, label, sample, sample + 6 + fonts.width(label, TICK_FACE));
    }

    private void paintLegend(Scene scene) {
        for (int row = 0; row < legend.size(); row++) {
            double at = legendLeft((int) plots.getFirst().left());
            double middle = PADDING + (row + 0.5) * LEGEND_ROW;
            for (Entry entry : legend.get(row)) {
                boolean ofSeries = entry.series() >= 0;
                Scene group = ofSeries ? scene.group("data-s", String.valueOf(entry.series())) : scene.group();
                if (ofSeries) {
                    paintSample(group, entry.series(), at, middle);
                } else if (entry.label().equals(PARTIAL)) {
                    Glyph form = spec.shape() == Shape.BAR ? Glyph.DIAMOND : Glyph.CIRCLE;
                    PanelPainter.partial(group, form, at + HOLLOW / 2.0, middle, "");
                } else if (entry.label().equals(PredictedInterval.LABEL)) {
                    group.box(at, middle - 6, SAMPLE, 12, Ink.filled(Ink.QUIET).withOpacity(0.24), "");
                } else {
                    double form = at + HOLLOW / 2.0;
                    for (Glyph each : publishedForms()) {
                        group.mark(each, form, middle, 1.5 * Plot.MARKER, Ink.line(Ink.QUIET, 1.6), "");
                        form += HOLLOW;
                    }
                }
                group.text(entry.label(), at + entry.sample() + 6, middle + 4.5, 0, TICK_FACE, Ink.TEXT);
                at += entry.width() + GAP;
            }
        }
        if (lineNames != null) {
            lineNames.paint(scene, plots.getFirst());
        }
    }

    private void paintSample(Scene scene, int series, double at, double middle) {
        SeriesStyle style = styles.get(series);
        if (spec.shape() == Shape.BAR) {
            PanelPainter.bar(scene, style, at + 4, middle - 6, 22, 12, "");
        } else {
            boolean dense = data.panels().stream()
                    .flatMap(panel -> panel.lines().stream())
                    .anyMatch(line -> line.series() == series && line.points().size() > PanelPainter.MAX_MARKED);
            scene.line(at, middle, at + SAMPLE, middle, dense ? Ink.line(style.color(), 2) : style.line());
            scene.mark(style.form(), at + SAMPLE / 2.0, middle, Plot.MARKER, style.solid(), "");
        }
    }

    /** Returns the forms of the hollow markers, two at most. */
    private List<Glyph> publishedForms() {
        return data.panels().stream()
                .flatMap(panel -> panel.lines().stream())
                .filter(line -> !line.published().isEmpty())
                .map(line -> spec.shape() == Shape.BAR
                        ? Glyph.CIRCLE
                        : styles.get(line.series()).form())
                .distinct()
                .sorted()
                .limit(2)
                .toList();
    }

    private void paintPanel(Scene panels, int index) {
        Plot plot = plots.get(index);
        boolean words = !data.categories().isEmpty() || !data.percentiles().isEmpty();
        Scene panel = plot.group(panels, words);
        double middle = plot.left() + plot.width() / 2;
        plot.grid(panel, data.categories().isEmpty());
        if (index % columns == 0) {
            plot.yLabels(panel, TICK_FACE, Ink.TEXT);
        }
        if (index + columns >= plots.size()) {
            plot.xLabels(panel, xLabels, data.categories().isEmpty(), TICK_FACE);
        }
        if (plots.size() > 1) {
            String heading = Labels.panel(spec, data.panels().get(index).value());
            panel.text(heading, middle, plot.top() - 6, 0.5, HEADING_FACE, Ink.TEXT);
        }
        PanelPainter painter = new PanelPainter(plot, panel, styles, covered.keySet());
        if (index >= data.panels().size()) {
            plot.axes(panel);
            panel.text("no valid measurement", middle, plot.top() + plot.height() / 2, 0.5, TITLE_FACE, Ink.QUIET);
        } else if (spec.shape() == Shape.BAR) {
            painter.paintBars(data.panels().get(index));
        } else {
            painter.paintMarks(marks, fonts, NOTE_FACE);
            painter.paintLines(data.panels().get(index));
        }
    }

    private void paintTitles(Scene scene) {
        double left = plots.getFirst().left();
        double right = plots.stream().mapToDouble(Plot::right).max().orElse(width);
        double middle = (plots.getFirst().top() + plots.getLast().bottom()) / 2;
        double baseline = height - PADDING - 4.0;
        String kinds = data.kinds().stream().map(Kind::word).collect(Collectors.joining(" and "));
        scene.text(kinds, width - PADDING, baseline, 1, NOTE_FACE, Ink.QUIET);
        String title = Labels.axis(spec.x());
        double half = fonts.width(title, TITLE_FACE) / 2;
        double end = width - PADDING - fonts.width(kinds, NOTE_FACE) - GAP;
        double at = Math.max(PADDING + half, Math.min((left + right) / 2, end - half));
        scene.text(title, at, baseline, 0.5, TITLE_FACE, Ink.TEXT);
        double titleWidth = fonts.width(spec.y().axis(), TITLE_FACE);
        double size = Math.min(1, (height - 2.0 * PADDING) / titleWidth);
        double halfLength = size * titleWidth / 2;
        scene.uprightText(
                spec.y().axis(),
                PADDING + 11,
                Math.clamp(middle, PADDING + halfLength, Math.max(PADDING + halfLength, height - PADDING - halfLength)),
                new Scene.Face(TITLE_FACE.size() * size, false),
                Ink.TEXT);
    }
}
