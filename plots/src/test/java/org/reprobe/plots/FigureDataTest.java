package org.reprobe.plots;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.FigureData.Point;

class FigureDataTest {

    @Test
    void aPointIsTheMeanOfItsRepeatsWithStudentsInterval() throws Exception {
        List<Measurement> runs = new ArrayList<>();
        double[] millions = {10, 12, 14};
        for (int repeat = 0; repeat < 3; repeat++) {
            runs.add(SampleResults.run(
                    "s",
                    SampleResults.cell("scheme", "linear-fixed", "load-factor", 0.5),
                    repeat,
                    Map.of(Metrics.THROUGHPUT, millions[repeat] * 1e6)));
        }
        runs.add(new Measurement(
                "s",
                runs.getFirst().cell(),
                3,
                1,
                "sim",
                Kind.SIMULATED,
                false,
                "failed",
                Map.of(Metrics.THROUGHPUT, 1e12)));

        Point point = only(FigureData.of(SampleResults.figure7(), runs, List.of(), PublishedPoints.none()));

        // t(0.975, 2) = 4.302653; the standard error of 10, 12, 14 is 2 / sqrt(3).
        assertThat(point.x()).isEqualTo(0.5);
        assertThat(point.y()).isEqualTo(12, within(1e-9));
        assertThat(point.high() - point.y()).isEqualTo(4.302653 * 2 / Math.sqrt(3), within(1e-5));
        assertThat(point.y() - point.low()).isEqualTo(4.302653 * 2 / Math.sqrt(3), within(1e-5));
        assertThat(point.hint()).isEqualTo("Load factor 0.5: 12 (7.032 to 16.97), 3 runs");
        assertThat(point.partial()).as("its fourth run failed").isTrue();
    }

    /** A symmetric interval of values over decades went below the axis. */
    @Test
    void anIntervalOnALogarithmicAxisIsOfTheLogarithms() throws Exception {
        List<Measurement> runs = new ArrayList<>();
        double[] matches = {1e6, 10e6, 100e6};
        for (int repeat = 0; repeat < matches.length; repeat++) {
            runs.add(SampleResults.run(
                    "s", SampleResults.cell("workload.theta", 0.5), repeat, Map.of(Metrics.MATCHES, matches[repeat])));
        }
        Point point = only(FigureData.of(SampleResults.figure12(), runs, List.of(), PublishedPoints.none()));
        assertThat(point.y()).isEqualTo(37, within(1e-9));
        // Logarithms of base 10: 0, 1 and 2, whose standard error is 1 / sqrt(3).
        double factor = Math.pow(10, 4.302653 / Math.sqrt(3));
        assertThat(point.low()).isEqualTo(37 / factor, within(1e-3));
        assertThat(point.high()).isEqualTo(37 * factor, within(1e-1));
    }

    /** A formula's cost was stamped "simulated" as the lookups beside it. */
    @Test
    void aMetricOfAFormulaIsPredicted() throws Exception {
        FigureSpec spec = SampleResults.figure7();
        FigureSpec cost = new FigureSpec(
                "cost",
                "",
                spec.x(),
                FigureQuantity.MODEL_COST,
                spec.series(),
                "",
                spec.shape(),
                false,
                false,
                Map.of());
        List<Measurement> runs = List.of(SampleResults.run(
                "s",
                SampleResults.cell("load-factor", 0.5),
                0,
                Map.of(Metrics.MODEL_COST, 5.0, Metrics.THROUGHPUT, 1e6)));
        assertThat(FigureData.of(cost, runs, List.of(), PublishedPoints.none()).kinds())
                .containsExactly(Kind.PREDICTED);
        assertThat(FigureData.of(spec, runs, List.of(), PublishedPoints.none()).kinds())
                .containsExactly(Kind.SIMULATED);
    }

    @Test
    void parametersOfDifferentTextsAreDifferentPlaces() throws Exception {
        assertThat(places("0.5", "1.0", "2.0").categories())
                .as("an axis of numbers")
                .isEmpty();
        assertThat(only(places("2.0"))).extracting(Point::x).isEqualTo(2.0);
        assertThat(places("3.1", "3.10", "x").categories()).containsExactly("3.1", "3.10", "x");
        assertThat(places("3.1", "3.10").categories()).containsExactly("3.1", "3.10");
        assertThat(places("9007199254740993", "9007199254740992", "x").categories())
                .containsExactly("9007199254740993", "9,007,199,254,740,992", "x");
        assertThat(Labels.value(1.0000001)).isEqualTo("1.0000001");
        assertThat(Labels.value(12_345.5)).isEqualTo("12345.5");
        assertThat(Labels.value("a\u0001")).isEqualTo("a\\u0001");
    }

    private static FigureData places(String... texts) throws Exception {
        FigureSpec spec = SampleResults.figure7();
        List<Measurement> runs = new ArrayList<>();
        for (String text : texts) {
            runs.add(SampleResults.run(
                    "s",
                    SampleResults.cell("scheme", "command", "command.parameters.v", Parameter.value(text)),
                    0,
                    Map.of(Metrics.THROUGHPUT, 1e6)));
        }
        return FigureData.of(
                new FigureSpec(
                        spec.name(),
                        spec.title(),
                        "command.parameters.v",
                        spec.y(),
                        List.of("scheme"),
                        "",
                        spec.shape(),
                        spec.logX(),
                        spec.logY(),
                        Map.of()),
                runs,
                List.of(),
                PublishedPoints.none());
    }

    @Test
    void aPointHasAnIntervalOverDrawnProfilesAndTheFileItsQuantiles() throws Exception {
        List<Measurement> runs = List.of(throughput(0, 4e6));
        List<Measurement> drawn = IntStream.rangeClosed(1, 10)
                .mapToObj(i -> throughput(i, i * 1e6))
                .toList();

        FigureData data = FigureData.of(SampleResults.figure7(), runs, drawn, PublishedPoints.none());

        assertThat(only(data).y()).isEqualTo(4);
        assertThat(data.panels().getFirst().lines().getFirst().predicted())
                .containsExactly(new Point(0.5, 5.5, 1, 10, false, ""));
        assertThat(data.ys()).contains(1.0, 10.0);
        assertThat(FigureCsv.text(SampleResults.figure7(), data).lines())
                .first()
                .asString()
                .endsWith(",ci95,runs,low,median,high");
        assertThat(FigureCsv.text(SampleResults.figure7(), data)).endsWith(",,1,1.0,5.5,10.0\n");
    }

    private static Measurement throughput(int repeat, double operationsPerS) {
        return SampleResults.run(
                "s", SampleResults.cell("load-factor", 0.5), repeat, Map.of(Metrics.THROUGHPUT, operationsPerS));
    }

    @Test
    void oneRepeatHasNoInterval() throws Exception {
        Point point = only(FigureData.of(
                SampleResults.figure7(),
                List.of(SampleResults.run(
                        "s", SampleResults.cell("load-factor", 0.5), 0, Map.of(Metrics.THROUGHPUT, 1e6))),
                List.of(),
                PublishedPoints.none()));
        assertThat(point.high()).isNaN();
        assertThat(point.partial()).isFalse();
    }

    @Test
    void aPercentileIsTheMeanOfTheRepeatsPercentiles() throws Exception {
        List<Measurement> runs = new ArrayList<>();
        double[] p90 = {5000, 1000, 6000, 10_000};
        for (int repeat = 0; repeat < p90.length; repeat++) {
            runs.add(SampleResults.run(
                    "s",
                    SampleResults.cell("scheme", "linear-fixed", "load-factor", 0.5),
                    repeat,
                    Map.of(Metrics.LATENCY + ".p90", p90[repeat])));
        }
        Point point = only(FigureData.of(SampleResults.figure9(), runs, List.of(), PublishedPoints.none()));
        assertThat(point.x()).isEqualTo(1, within(1e-9));
        assertThat(point.y()).isEqualTo(5.5);
    }

    @Test
    void barsOfPercentilesStandBesideEachOtherUnderTheirNames() throws Exception {
        FigureSpec spec = SampleResults.figure9();
        FigureData data = FigureData.of(
                new FigureSpec(
                        spec.name(),
                        spec.title(),
                        spec.x(),
                        spec.y(),
                        spec.series(),
                        spec.panels(),
                        FigureSpec.Shape.BAR,
                        spec.logX(),
                        spec.logY(),
                        spec.where()),
                SampleResults.latencies(),
                List.of(),
                PublishedPoints.none());
        assertThat(data.percentiles()).isEmpty();
        assertThat(data.categories()).containsExactly("p50", "p90", "p99", "p99.9");
        assertThat(data.panels().getFirst().lines().getFirst().points())
                .extracting(Point::x)
                .containsExactly(0.0, 1.0, 2.0, 3.0);
    }

    @Test
    void aPublishedValueStandsWhereItsCellIsDrawn() throws Exception {
        PublishedPoints published = new PublishedPoints(List.of(
                new PublishedPoints.Point(
                        Map.of("scheme", "linear-variable", "load-factor", 0.5), Metrics.THROUGHPUT, 43.9e6),
                // The first names no scheme, so it would stand in four places; the second was not run.
                new PublishedPoints.Point(Map.of("load-factor", 0.5), Metrics.THROUGHPUT, 1e6),
                new PublishedPoints.Point(
                        Map.of("scheme", "linear-variable", "load-factor", 0.51), Metrics.THROUGHPUT, 1e6),
                new PublishedPoints.Point(
                        Map.of("scheme", "linear-variable", "load-factor", 0.5), Metrics.REQUESTS, 1.03)));
        FigureData data =
                FigureData.of(SampleResults.figure7(), SampleResults.lookupThroughput(), List.of(), published);
        List<Point> points = data.panels().getFirst().lines().stream()
                .flatMap(line -> line.published().stream())
                .toList();
        assertThat(points).hasSize(1);
        assertThat(points.getFirst().x()).isEqualTo(0.5);
        assertThat(points.getFirst().y()).isEqualTo(43.9, within(1e-9));
    }

    /** Also if the first cell lacks some phases. */
    @Test
    void phasesStandInTheOrderOfATransactionsLife() throws Exception {
        List<Measurement> runs = new ArrayList<>();
        for (String phases : List.of("read prepare primaries", "primaries allocate read")) {
            Map<String, Double> metrics = new HashMap<>();
            for (String phase : phases.split(" ")) {
                metrics.put(Metrics.LATENCY_PHASE + "." + phase, 1000.0);
            }
            runs.add(SampleResults.run("s", SampleResults.cell("scheme", phases, "load-factor", 0.5), 0, metrics));
        }
        FigureSpec all = SampleResults.figure9();
        FigureSpec spec = new FigureSpec(
                all.name(),
                all.title(),
                FigureSpec.PHASE,
                FigureQuantity.PHASE_LATENCY,
                List.of("scheme"),
                "",
                FigureSpec.Shape.BAR,
                false,
                false,
                Map.of());
        assertThat(FigureData.of(spec, runs, List.of(), PublishedPoints.none()).categories())
                .containsExactly("read", "allocate", "prepare", "primaries");
    }

    @Test
    void whereFiltersAFigureAndPanelsAscend() throws Exception {
        FigureSpec all = SampleResults.figure9();
        FigureData data = FigureData.of(all, SampleResults.latencies(), List.of(), PublishedPoints.none());
        assertThat(data.panels().stream().map(FigureData.Panel::value))
                .containsExactly(0.25, 0.5, 0.65, 0.8, 0.85, 0.9, 0.95);
        FigureSpec narrow = new FigureSpec(
                all.name(),
                all.title(),
                all.x(),
                all.y(),
                all.series(),
                "",
                all.shape(),
                false,
                false,
                Map.of("load-factor", 0.8, "scheme", "linear-fixed"));
        data = FigureData.of(narrow, SampleResults.latencies(), List.of(), PublishedPoints.none());
        assertThat(data.panels()).hasSize(1);
        assertThat(data.series()).hasSize(1);
    }

    @Test
    void linesOfALogarithmicAxisKeepRatios() {
        Axis axis = Axis.ofQuantity(List.of(1.0, 0.0, 1000.0, Double.NaN), true);
        assertThat(axis.position(0)).isNaN();
        assertThat(axis.position(10) - axis.position(1))
                .isEqualTo(axis.position(100) - axis.position(10), within(1e-12));
        assertThat(axis.withRoundTicks(5).ticks().stream().map(Axis.Tick::label))
                .containsExactly("1", "3", "10", "30", "100", "300", "1000");
    }

    @Test
    void anAxisOfAQuantityStartsAtZeroAndHoldsItsValues() {
        for (double high : new double[] {1e-3, 0.7, 9.99, 50.8, 1234, 7e9}) {
            Axis axis = Axis.ofQuantity(List.of(high / 3, high), false);
            assertThat(axis.position(0)).isZero();
            assertThat(axis.position(high)).isBetween(0.8, 1.0);
            assertThat(axis.withRoundTicks(7).ticks())
                    .hasSizeBetween(4, 8)
                    .allMatch(tick -> tick.value() >= 0 && tick.value() <= axis.high());
        }
    }

    @Test
    void aNameInASeriesColourCanBeReadOnWhite() throws Exception {
        FigureData data =
                FigureData.of(SampleResults.figure9(), SampleResults.latencies(), List.of(), PublishedPoints.none());
        for (SeriesStyle style : SeriesStyle.of(SampleResults.figure9(), data)) {
            java.awt.Color color = style.textColor();
            assertThat(color.getRed() * 0.2126 + color.getGreen() * 0.7152 + color.getBlue() * 0.0722)
                    .as(style.label())
                    .isLessThan(125);
            java.awt.Color onDark = Ink.onDark(color);
            assertThat(onDark.getRed() * 0.2126 + onDark.getGreen() * 0.7152 + onDark.getBlue() * 0.0722)
                    .as(style.label())
                    .isGreaterThan(110);
        }
    }

    @Test
    void measuredAndSimulatedLinesOfASchemeShareItsColourAndDifferInDashes() throws Exception {
        List<Measurement> both = new ArrayList<>(SampleResults.lookupThroughput());
        both.addAll(SampleResults.lookupThroughput().stream()
                .map(run -> new Measurement(
                        run.scenario(), run.cell(), run.repeat(), 1, "shm", Kind.MEASURED, true, null, run.metrics()))
                .toList());
        List<SeriesStyle> styles = SeriesStyle.of(
                SampleResults.figure7(),
                FigureData.of(SampleResults.figure7(), both, List.of(), PublishedPoints.none()));
        assertThat(styles).hasSize(8);
        assertThat(styles.stream().map(SeriesStyle::color).distinct()).hasSize(4);
        assertThat(styles.stream()
                        .map(style -> List.of(style.color(), style.dash()))
                        .distinct())
                .hasSize(8);
    }

    @Test
    void moreSeriesThanColoursDifferInDashesAndMarker() throws Exception {
        List<Measurement> runs = IntStream.range(0, 20)
                .mapToObj(i -> SampleResults.run(
                        "many", SampleResults.cell("c", i, "load-factor", 0.5), 0, Map.of(Metrics.THROUGHPUT, 1e6)))
                .toList();
        FigureSpec spec = new FigureSpec(
                "many",
                "",
                "load-factor",
                FigureQuantity.THROUGHPUT,
                List.of("c"),
                "",
                FigureSpec.Shape.LINE,
                false,
                false,
                Map.of());
        List<SeriesStyle> styles = SeriesStyle.of(spec, FigureData.of(spec, runs, List.of(), PublishedPoints.none()));
        assertThat(styles.stream()
                        .map(style -> List.of(style.color(), style.dash(), style.form()))
                        .distinct())
                .hasSize(20);
    }

    private static Point only(FigureData data) {
        List<Point> points = data.panels().stream()
                .flatMap(panel -> panel.lines().stream())
                .flatMap(line -> line.points().stream())
                .toList();
        assertThat(points).hasSize(1);
        return points.getFirst();
    }
}
