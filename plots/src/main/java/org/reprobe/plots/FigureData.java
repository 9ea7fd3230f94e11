package org.reprobe.plots;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.plots.FigureSpec.Shape;

/**
 * Numbers of a figure: panels of lines of points, in the axis's units.
 *
 * @param series every line of any panel, in the order of the measurements; a line's index determines its style
 * @param categories places of the x axis for words (or bars); empty if x is a number
 * @param rows all points, panel by panel and line by line
 */
record FigureData(
        List<Series> series,
        List<Panel> panels,
        List<String> categories,
        List<Axis.Tick> percentiles,
        Set<Kind> kinds,
        List<Row> rows) {

    /** Keys whose words have titles of their own. */
    private static final Set<String> TITLED = Set.of("scheme", Labels.WORKLOAD);

    /** Percentile by the end of the metric's name ("p999"), fraction (0.999) and label ("p99.9"). */
    private record Percentile(String key, double fraction, String label) {}

    private static final List<Percentile> PERCENTILES = List.of(
            new Percentile("p50", 0.5, "p50"),
            new Percentile("p90", 0.9, "p90"),
            new Percentile("p99", 0.99, "p99"),
            new Percentile("p999", 0.999, "p99.9"));

    /** Line by the values of the spec's series keys, in their order (null if a cell lacks one), and kind. */
    record Series(List<@Nullable Object> values, Kind kind) {}

    record Panel(@Nullable Object value, List<Line> lines) {}

    /**
     * Points of a series in a panel, by ascending x; {@code predicted} are the middles of intervals over drawn
     * profiles, with half their widths.
     */
    record Line(int series, List<Point> points, List<Point> published, List<Point> predicted) {}

    /**
     * Point at x (data units, or the place of a category) with the ends of its 95 % interval in the axis's unit (NaN
     * for none), which is computed from logarithms for a logarithmic axis; partial if some of its runs failed. The hint
     * is the point in words.
     */
    record Point(double x, double y, double low, double high, boolean partial, String hint) {}

    /** Point in words, for CSV: x is the key's value or percentile's name; {@code runs} is 0 for a published value. */
    record Row(
            @Nullable Object panel,
            int series,
            Object x,
            double y,
            double halfWidth,
            int runs,
            @Nullable PredictedInterval predicted) {}

    /** Place of a cell. */
    private record Place(@Nullable Object panel, Series series, Object x) {
        /** Returns true if a run of a cell would have been drawn here. */
        boolean isOf(FigureSpec spec, Measurement run) {
            Object own = run.cell().get(spec.x());
            return Objects.equals(panel, FigureData.panel(spec, run.cell()))
                    && series.equals(FigureData.series(spec, run))
                    && (own == null || x.equals(number(own)));
        }
    }

    private record Runs(Cell cell, List<Double> values) {}

    boolean isEmpty() {
        return panels.isEmpty();
    }

    List<Double> xs() {
        TreeSet<Double> xs = new TreeSet<>();
        forEachPoint(point -> xs.add(point.x()));
        return List.copyOf(xs);
    }

    /** Returns all values that the y axis must include, with ends of intervals. */
    List<Double> ys() {
        List<Double> ys = new ArrayList<>();
        forEachPoint(point -> {
            ys.add(point.y());
            ys.add(point.high());
            if (point.low() > 0) {
                ys.add(point.low());
            }
        });
        return ys;
    }

    boolean hasPublished() {
        return panels.stream()
                .flatMap(panel -> panel.lines().stream())
                .anyMatch(line -> !line.published().isEmpty());
    }

    boolean hasPredicted() {
        return panels.stream()
                .flatMap(panel -> panel.lines().stream())
                .anyMatch(line -> !line.predicted().isEmpty());
    }

    /** Returns true if a point has fewer runs than planned. */
    boolean hasPartial() {
        return panels.stream()
                .flatMap(panel -> panel.lines().stream())
                .anyMatch(line -> line.points().stream().anyMatch(Point::partial));
    }

    private void forEachPoint(Consumer<Point> consumer) {
        for (Panel panel : panels) {
            for (Line line : panel.lines()) {
                line.points().forEach(consumer);
                line.published().forEach(consumer);
                line.predicted().forEach(consumer);
            }
        }
    }

    /**
     * Collects a figure's data. Invalid runs, cells that {@code where} excludes and cells without the x key are
     * omitted; a point with invalid runs is partial. Throws an {@link InvalidInputException} if two cells fall on one
     * point.
     */
    static FigureData of(
            FigureSpec spec, List<Measurement> measurements, List<Measurement> drawn, PublishedPoints published)
            throws InvalidInputException {
        List<Measurement> shown = shown(spec, measurements);
        Map<Place, Runs> places = places(spec, shown);
        List<Measurement> failed = measurements.stream()
                .filter(measurement ->
                        !measurement.valid() && measurement.cell().matches(spec.where()))
                .toList();
        Set<Place> partial = places.keySet().stream()
                .filter(place -> failed.stream().anyMatch(run -> place.isOf(spec, run)))
                .collect(Collectors.toSet());
        Map<Place, PredictedInterval> predicted = new HashMap<>();
        places(spec, shown(spec, drawn))
                .forEach((place, runs) -> predicted.put(place, PredictedInterval.of(runs.values())));
        return arrange(spec, places, partial, predicted, printed(spec, published, places, shown));
    }

    private static List<Measurement> shown(FigureSpec spec, List<Measurement> measurements) {
        return measurements.stream()
                .filter(Measurement::valid)
                .filter(measurement -> measurement.cell().matches(spec.where()))
                .toList();
    }

    private static Map<Place, Runs> places(FigureSpec spec, List<Measurement> shown) throws InvalidInputException {
        Map<Place, Runs> places = new LinkedHashMap<>();
        for (Measurement measurement : shown) {
            if (spec.x().equals(FigureSpec.PERCENTILE)) {
                for (Percentile percentile : PERCENTILES) {
                    String metric = spec.y().metric() + "." + percentile.key();
                    if (Double.isFinite(measurement.metric(metric))) {
                        add(spec, places, measurement, percentile.key(), measurement.metric(metric));
                    }
                }
            } else if (!spec.parts().isEmpty()) {
                for (String part : spec.parts()) {
                    double value = measurement.metric(spec.y().metric() + "." + part);
                    if (Double.isFinite(value)) {
                        add(spec, places, measurement, part, value);
                    }
                }
            } else {
                Object x = measurement.cell().get(spec.x());
                double value = measurement.metric(spec.y().metric());
                if (x != null && Double.isFinite(value)) {
                    add(spec, places, measurement, number(x), value);
                }
            }
        }
        return places;
    }

    private static void add(FigureSpec spec, Map<Place, Runs> places, Measurement measurement, Object x, double value)
            throws InvalidInputException {
        Place place = new Place(panel(spec, measurement.cell()), series(spec, measurement), x);
        Runs runs = places.computeIfAbsent(place, key -> new Runs(measurement.cell(), new ArrayList<>()));
        if (!runs.cell().equals(measurement.cell())) {
            throw new InvalidInputException(
                    "figure " + spec.name(),
                    "the cells " + runs.cell() + " and " + measurement.cell()
                            + " fall on the same point: name the key that distinguishes them ("
                            + String.join(", ", differing(runs.cell(), measurement.cell()))
                            + ") in x, series, panels or where");
        }
        runs.values().add(value * spec.y().factor());
    }

    private static List<String> differing(Cell left, Cell right) {
        Set<String> keys = new LinkedHashSet<>(left.values().keySet());
        keys.addAll(right.values().keySet());
        return keys.stream()
                .filter(key -> !Cell.equalValues(left.get(key), right.get(key)))
                .toList();
    }

    /** Returns the published values whose cells are drawn at exactly one place. */
    private static Map<Place, List<Double>> printed(
            FigureSpec spec, PublishedPoints published, Map<Place, Runs> places, List<Measurement> shown) {
        Map<Place, List<Double>> printed = new LinkedHashMap<>();
        for (PublishedPoints.Point point : published.points()) {
            String metric = point.metric();
            boolean percentile = spec.x().equals(FigureSpec.PERCENTILE);
            if (percentile
                    ? !metric.startsWith(spec.y().metric() + ".p")
                    : !metric.equals(spec.y().metric())) {
                continue;
            }
            Set<Place> candidates = new LinkedHashSet<>();
            for (Measurement measurement : shown) {
                Object x = percentile
                        ? metric.substring(spec.y().metric().length() + 1)
                        : measurement.cell().get(spec.x());
                if (x != null && measurement.cell().matches(point.where())) {
                    Place place = new Place(panel(spec, measurement.cell()), series(spec, measurement), number(x));
                    if (places.containsKey(place)) {
                        candidates.add(place);
                    }
                }
            }
            if (candidates.size() == 1) {
                printed.computeIfAbsent(candidates.iterator().next(), key -> new ArrayList<>())
                        .add(point.value() * spec.y().factor());
            }
        }
        return printed;
    }

    private static FigureData arrange(
            FigureSpec spec,
            Map<Place, Runs> places,
            Set<Place> partial,
            Map<Place, PredictedInterval> predicted,
            Map<Place, List<Double>> printed) {
        // Bars have one place per percentile; lines run along an axis of nines.
        boolean percentile = spec.x().equals(FigureSpec.PERCENTILE) && spec.shape() != Shape.BAR;
        Set<Object> distinct = places.keySet().stream().map(Place::x).collect(Collectors.toSet());
        // Cells may lack parts.
        List<Object> xs = spec.parts().isEmpty()
                ? ordered(distinct, places, Place::x)
                : spec.parts().stream()
                        .filter(distinct::contains)
                        .map(Object.class::cast)
                        .toList();
        boolean words = !percentile && (spec.shape() == Shape.BAR || !areNumbers(distinct));
        List<Series> series =
                places.keySet().stream().map(Place::series).distinct().toList();
        List<Panel> panels = new ArrayList<>();
        List<Row> rows = new ArrayList<>();
        for (Object value : panelValues(places)) {
            @Nullable Object panel = value.equals(NO_PANEL) ? null : value;
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < series.size(); i++) {
                List<Point> points = new ArrayList<>();
                List<Point> publishedPoints = new ArrayList<>();
                List<Point> predictedPoints = new ArrayList<>();
                for (Object x : xs) {
                    Place place = new Place(panel, series.get(i), x);
                    Runs runs = places.get(place);
                    if (runs == null) {
                        continue;
                    }
                    double at = percentile
                            ? Axis.nines(percentile(x).fraction())
                            : words ? xs.indexOf(x) : Parameter.number(x);
                    Summary estimate = Summary.of(runs.values());
                    PredictedInterval interval = predicted.get(place);
                    String hint = hint(spec, x);
                    if (interval != null) {
                        predictedPoints.add(
                                new Point(at, interval.median(), interval.low(), interval.high(), false, ""));
                    }
                    points.add(point(spec, at, runs.values(), estimate, partial.contains(place), hint));
                    rows.add(new Row(
                            panel,
                            i,
                            x,
                            estimate.mean(),
                            estimate.halfWidth95(),
                            runs.values().size(),
                            interval));
                    for (double y : printed.getOrDefault(place, List.of())) {
                        publishedPoints.add(
                                new Point(at, y, Double.NaN, Double.NaN, false, hint + "published " + rounded(y)));
                        rows.add(new Row(panel, i, x, y, Double.NaN, 0, null));
                    }
                }
                if (!points.isEmpty()) {
                    points.sort(Comparator.comparingDouble(Point::x));
                    predictedPoints.sort(Comparator.comparingDouble(Point::x));
                    lines.add(new Line(
                            i, List.copyOf(points), List.copyOf(publishedPoints), List.copyOf(predictedPoints)));
                }
            }
            panels.add(new Panel(panel, List.copyOf(lines)));
        }
        List<Axis.Tick> ticks = percentile
                ? PERCENTILES.stream()
                        .filter(each -> xs.contains(each.key()))
                        .map(each -> new Axis.Tick(Axis.nines(each.fraction()), each.label()))
                        .toList()
                : List.of();
        return new FigureData(
                series,
                List.copyOf(panels),
                words ? xs.stream().map(x -> categoryLabel(spec, x)).toList() : List.of(),
                ticks,
                series.stream().map(Series::kind).collect(Collectors.toCollection(TreeSet::new)),
                List.copyOf(rows));
    }

    private static Point point(
            FigureSpec spec, double at, List<Double> values, Summary estimate, boolean partial, String hint) {
        double mean = estimate.mean();
        double half = estimate.halfWidth95();
        double low = mean - half;
        double high = mean + half;
        if (spec.logY()) {
            double factor =
                    Math.exp(Summary.of(values.stream().map(Math::log).toList()).halfWidth95());
            low = mean / factor;
            high = mean * factor;
        }
        String interval = Double.isFinite(high) && half > 0 ? " (" + rounded(low) + " to " + rounded(high) + ")" : "";
        String runs = values.size() == 1 ? ", one run" : ", " + values.size() + " runs";
        return new Point(at, mean, low, high, partial, hint + rounded(mean) + interval + runs);
    }

    /** Returns "Load factor 0.65: ". */
    private static String hint(FigureSpec spec, Object x) {
        String label = x instanceof Number || spec.x().equals(FigureSpec.PERCENTILE)
                ? Labels.axis(spec.x()) + " "
                        + (x instanceof Number ? Labels.value(x) : percentile(x).label())
                : categoryLabel(spec, x);
        return label + ": ";
    }

    /** Returns a value with four digits. */
    private static String rounded(double value) {
        return Labels.number(JsonLine.rounded(value, 4));
    }

    private static final Object NO_PANEL = new Object();

    private static List<Object> panelValues(Map<Place, Runs> places) {
        return ordered(
                places.keySet().stream()
                        .map(place -> Objects.requireNonNullElse(place.panel(), NO_PANEL))
                        .collect(Collectors.toSet()),
                places,
                place -> Objects.requireNonNullElse(place.panel(), NO_PANEL));
    }

    /** Returns values in order: numbers ascending, words in the order of the measurements. */
    private static List<Object> ordered(Set<Object> distinct, Map<Place, Runs> places, Function<Place, Object> of) {
        Collection<Object> inOrder =
                places.keySet().stream().map(of).collect(Collectors.toCollection(LinkedHashSet::new));
        return areNumbers(distinct)
                ? inOrder.stream()
                        .sorted(Comparator.comparingDouble(Parameter::number))
                        .toList()
                : List.copyOf(inOrder);
    }

    /** Returns true if values are distinct as numbers: 0.5 and the text 1.0 are, 3.1 and the text 3.10 are not. */
    private static boolean areNumbers(Collection<Object> values) {
        return values.stream()
                        .map(Parameter::number)
                        .filter(Double::isFinite)
                        .distinct()
                        .count()
                == values.size();
    }

    private static String categoryLabel(FigureSpec spec, Object x) {
        if (spec.x().equals(FigureSpec.PERCENTILE)) {
            return percentile(x).label();
        }
        return x instanceof Number
                ? Labels.value(x)
                : Labels.entry(spec, TITLED.contains(spec.x()) ? spec.x() : "storage", x);
    }

    private static Percentile percentile(Object key) {
        for (Percentile percentile : PERCENTILES) {
            if (percentile.key().equals(key)) {
                return percentile;
            }
        }
        throw new IllegalArgumentException("no percentile is called " + key);
    }

    private static @Nullable Object panel(FigureSpec spec, Cell cell) {
        Object value = spec.panels().isEmpty() ? null : cell.get(spec.panels());
        return value == null ? null : number(value);
    }

    private static Series series(FigureSpec spec, Measurement measurement) {
        List<@Nullable Object> values = new ArrayList<>();
        for (String key : spec.series()) {
            Object value = measurement.cell().get(key);
            values.add(value == null ? null : number(value));
        }
        return new Series(values, Metrics.isOfFormula(spec.y().metric()) ? Kind.PREDICTED : measurement.kind());
    }

    /** Returns one form for equal values such as 1 and 1.0; a whole number that no double holds is kept. */
    private static Object number(Object value) {
        return value instanceof Number number && Cell.equalValues(value, number.doubleValue())
                ? (Object) number.doubleValue()
                : value;
    }
}
