package org.reprobe.plots;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.Rectangle;
import java.awt.geom.AffineTransform;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.XYChart;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.plots.FigureSpec.Shape;

/**
 * Figure of panels, each an XChart, whose plots have one size and share their axes. XChart has no panels, so their
 * common parts are drawn around them: the axes' titles, the legend and the kind of the numbers. The legend is not
 * XChart's also because that has a single row or column and no textures.
 */
final class FigurePainter {
    private static final int PADDING = 8;
    private static final int TITLE = 20;
    private static final int LEGEND_ROW = 20;
    private static final int SAMPLE = 30;
    private static final int HOLLOW = 15;
    private static final int GAP = 16;
    private static final int ROW_GAP = 14;
    private static final int MAX_OWN_TICKS = 12;
    private static final int OWN_WIDTH = 620;

    /** Least width of columns of panels. */
    private static final int MIN_PLOT_WIDTH = 110;
    /** Approximate width of an axis and its title. */
    private static final int BESIDE_PLOTS = 70;

    private final FigureSpec spec;
    private final FigureLayout layout;
    private final FigureData data;
    private final List<Course.Mark> marks;
    private final List<SeriesStyle> styles;
    private final Font tickFont;
    private final Font titleFont;
    private final Font headingFont;
    private final Font noteFont;
    private final Set<String> tickLabels = new LinkedHashSet<>();

    private final int width;
    private final int height;
    private final List<Rectangle> plots = new ArrayList<>();
    private final int columns;
    private final Axis x;
    private final Axis y;
    /** Widths of XChart's labels left of a plot, and below. */
    private final int leftTicks;

    private final int bottomTicks;
    private final List<List<Entry>> legend;
    private final List<List<String>> xLabels;
    private final @Nullable LineNames lineNames;

    /** Legend of points with fewer runs than planned. */
    static final String PARTIAL = "some runs failed";

    /** Legend entry; those of published values, of partial points and of predictions have no style. */
    private record Entry(@Nullable SeriesStyle style, String label, int sample, double width) {}

    FigurePainter(FigureSpec spec, FigureData data, List<Course.Mark> marks, FigureLayout layout, Fonts fonts) {
        this.spec = spec;
        this.layout = layout;
        this.data = data;
        this.marks = marks;
        this.styles = SeriesStyle.of(spec, data);
        this.tickFont = fonts.plain((float) FigureLayout.LETTER_UNITS);
        this.titleFont = fonts.plain(13.5f);
        this.headingFont = fonts.bold((float) FigureLayout.LETTER_UNITS);
        this.noteFont = fonts.plain(10.5f);

        int count = Math.max(1, data.panels().size());
        Integer given = layout.widthUnits();
        int allColumns = count <= 4 ? count : count <= 6 ? 3 : 4;
        columns = given == null
                ? allColumns
                : Math.clamp((given - BESIDE_PLOTS + GAP) / (MIN_PLOT_WIDTH + GAP), 1, allColumns);
        int rows = (count + columns - 1) / columns;
        boolean single = count == 1;
        int plotHeight = single ? given == null ? 270 : Math.min(270, given * 3 / 5) : rows == 1 ? 220 : 165;
        y = Axis.ofQuantity(data.ys(), spec.logY(), spec.shape() == Shape.BAR);
        boolean named = single && spec.shape() == Shape.LINE && (given == null || given >= OWN_WIDTH);
        lineNames = named ? LineNames.of(data, styles, y, plotHeight, tickFont) : null;

        XYChart ruler = Charts.of(new Axis(0, 1, false, List.of()), y, true, true, tickFont, tickLabels);
        Charts.axes(ruler, new Axis(0, 1, false, List.of()), y);
        ruler.paint(Canvas.ruler(), 500, plotHeight);
        leftTicks = (int) Math.ceil(ruler.getYAxisLeftWidth());
        int left = PADDING + TITLE + leftTicks;
        int suitable = !single ? 340 + 150 * columns - (columns == 4 ? 60 : 0) : lineNames == null ? OWN_WIDTH : 660;
        width = given == null ? suitable : given;
        int right = lineNames == null ? PADDING + 14 : PADDING + lineNames.width(tickFont);
        int plotWidth = (width - left - right - GAP * (columns - 1)) / columns;

        x = xAxis(plotWidth);
        bottomTicks = x.ticks().isEmpty() ? (int) Math.ceil(plotHeight - ruler.getScreenYFromChart(y.low())) : 0;
        xLabels = xLabels(plotWidth);
        int labelLines = xLabels.stream().mapToInt(List::size).max().orElse(1);
        legend = legend(width - left - PADDING);
        int heading = single ? 0 : TITLE;
        int top = PADDING + legend.size() * LEGEND_ROW + (legend.isEmpty() ? 2 : 8);
        for (int i = 0; i < count; i++) {
            plots.add(new Rectangle(
                    left + i % columns * (plotWidth + GAP),
                    top + heading + i / columns * (plotHeight + heading + ROW_GAP),
                    plotWidth,
                    plotHeight));
        }
        height = top
                + rows * (plotHeight + heading)
                + (rows - 1) * ROW_GAP
                + 8
                + labelLines * Charts.LINE_HEIGHT
                + 24
                + PADDING;
    }

    Drawing drawing() {
        return new Drawing(width, height, layout.unitPt(), tickFont, tickLabels, this::paint);
    }

    private void paint(Graphics2D g) {
        g.setColor(Color.WHITE);
        g.fill(new Rectangle2D.Double(0, 0, width, height));
        paintLegend(g);
        for (int i = 0; i < plots.size(); i++) {
            paintPanel(g, i);
        }
        paintTitles(g);
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
        List<Axis.Tick> labelled = withRoom(atValues, plotWidth);
        return atValues.withTicks(
                labelled.size() * 2 >= xs.size() && xs.size() <= MAX_OWN_TICKS ? labelled : List.of());
    }

    /** Returns the ticks whose labels do not touch. */
    private List<Axis.Tick> withRoom(Axis axis, int plotWidth) {
        List<Axis.Tick> kept = new ArrayList<>();
        double end = Double.NEGATIVE_INFINITY;
        for (Axis.Tick tick : axis.ticks()) {
            double middle = axis.position(tick.value()) * plotWidth;
            double half = Lettering.width(tick.label(), tickFont) / 2;
            if (middle - half >= end + 3) {
                kept.add(tick);
                end = middle + half;
            }
        }
        return kept;
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
                if (!lines.isEmpty() && Lettering.width(joined, tickFont) <= room) {
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
        for (SeriesStyle style : styles) {
            if (lineNames == null && !style.label().isEmpty()) {
                entries.add(entry(style, style.label(), SAMPLE));
            }
        }
        if (data.hasPublished()) {
            entries.add(entry(null, "published", HOLLOW * publishedForms().size()));
        }
        if (data.hasPredicted()) {
            entries.add(entry(null, PredictedInterval.LABEL, SAMPLE));
        }
        if (data.hasPartial()) {
            entries.add(entry(null, PARTIAL, HOLLOW));
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

    private Entry entry(@Nullable SeriesStyle style, String label, int sample) {
        return new Entry(style, label, sample, sample + 6 + Lettering.width(label, tickFont) + 18);
    }

    private void paintLegend(Graphics2D g) {
        for (int row = 0; row < legend.size(); row++) {
            double at = plots.getFirst().x;
            double middle = PADDING + (row + 0.5) * LEGEND_ROW;
            for (Entry entry : legend.get(row)) {
                SeriesStyle style = entry.style();
                if (entry.label().equals(PARTIAL)) {
                    Glyph.Form form = spec.shape() == Shape.BAR ? Glyph.Form.DIAMOND : Glyph.Form.CIRCLE;
                    new PanelChart.Partial(form).paint(g, at + HOLLOW / 2.0, middle, Charts.MARKER);
                } else if (entry.label().equals(PredictedInterval.LABEL)) {
                    g.setColor(PanelChart.band(Charts.QUIET));
                    g.fill(new Rectangle2D.Double(at, middle - 6, SAMPLE, 12));
                } else if (style == null) {
                    g.setColor(Charts.QUIET);
                    double form = at + HOLLOW / 2.0;
                    for (Glyph.Form each : publishedForms()) {
                        new Glyph(each, true).paint(g, form, middle, Charts.MARKER - 1);
                        form += HOLLOW;
                    }
                } else if (spec.shape() == Shape.BAR) {
                    PanelChart.paintSample(g, new Rectangle2D.Double(at + 4, middle - 6, 22, 12), style);
                } else {
                    g.setColor(style.color());
                    g.setStroke(style.stroke());
                    g.draw(new Line2D.Double(at, middle, at + SAMPLE, middle));
                    new Glyph(style.form(), false).paint(g, at + SAMPLE / 2.0, middle, Charts.MARKER);
                }
                Lettering.draw(g, entry.label(), tickFont, Charts.INK, at + entry.sample() + 6, middle + 4.5, 0);
                at += entry.width();
            }
        }
    }

    /** Returns the forms of the hollow markers, two at most. */
    private List<Glyph.Form> publishedForms() {
        return data.panels().stream()
                .flatMap(panel -> panel.lines().stream())
                .filter(line -> !line.published().isEmpty())
                .map(line -> spec.shape() == Shape.BAR
                        ? Glyph.Form.CIRCLE
                        : styles.get(line.series()).form())
                .distinct()
                .sorted()
                .limit(2)
                .toList();
    }

    private void paintPanel(Graphics2D g, int index) {
        Rectangle plot = plots.get(index);
        boolean first = index % columns == 0;
        boolean bottom = index + columns >= plots.size();
        XYChart chart = Charts.of(x, y, first, bottom, tickFont, tickLabels);
        PanelChart content = new PanelChart(chart, x, y, plot.width, plot.height);
        if (index >= data.panels().size()) {
            Charts.axes(chart, x, y);
            chart.addAnnotation(new Charts.Overlay(over -> Lettering.draw(
                    over,
                    "no valid measurement",
                    titleFont,
                    Charts.QUIET,
                    leftTicks + plot.width / 2.0,
                    plot.height / 2.0,
                    0.5)));
        } else if (spec.shape() == Shape.BAR) {
            content.addBars(data.panels().get(index), styles);
        } else {
            content.addMarks(marks, noteFont);
            content.addLines(data.panels().get(index), styles);
        }
        int left = first ? leftTicks : 0;
        chart.getStyler().setYAxisLeftWidthHint(left);
        if (bottom) {
            boolean marked = data.categories().isEmpty();
            chart.addAnnotation(Charts.ticks(chart, x, y, xLabels, marked, tickFont));
        }
        if (plots.size() > 1) {
            String heading =
                    Labels.panel(spec.panels(), data.panels().get(index).value());
            chart.addAnnotation(new Charts.Overlay(
                    over -> Lettering.draw(over, heading, headingFont, Charts.INK, left + plot.width / 2.0, -6, 0.5)));
        }
        if (lineNames != null) {
            chart.addAnnotation(new Charts.Overlay(over -> lineNames.paint(over, left + plot.width, tickFont)));
        }
        Charts.paint(chart, g, plot.x - left, plot.y, plot.width + left, plot.height + (bottom ? bottomTicks : 0));
    }

    private void paintTitles(Graphics2D g) {
        double left = plots.getFirst().getMinX();
        double right = plots.stream().mapToDouble(Rectangle::getMaxX).max().orElse(width);
        double middle = (plots.getFirst().getMinY() + plots.getLast().getMaxY()) / 2;
        double baseline = height - PADDING - 4;
        String kinds = data.kinds().stream().map(Kind::word).collect(Collectors.joining(" and "));
        Lettering.draw(g, kinds, noteFont, Charts.QUIET, width - PADDING, baseline, 1);
        String title = Labels.axis(spec.x());
        double half = Lettering.width(title, titleFont) / 2;
        double end = width - PADDING - Lettering.width(kinds, noteFont) - GAP;
        Lettering.draw(g, title, titleFont, Charts.INK, Math.min((left + right) / 2, end - half), baseline, 0.5);

        AffineTransform saved = g.getTransform();
        g.translate(PADDING + 11, middle);
        g.rotate(-Math.PI / 2);
        Lettering.draw(g, spec.y().axis(), titleFont, Charts.INK, 0, 0, 0.5);
        g.setTransform(saved);
    }
}
