package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Direction;

/**
 * Files of other benchmark programs. The fixtures are written by hand after what these programs document and write: JMH
 * 1.37's JSON, Google Benchmark 1.9's.
 */
class ForeignResultsTest {
    private static final ForeignReading PLAIN = new ForeignReading(null, List.of(), List.of(), null);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private Path fixture(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ForeignResultsTest.class.getResourceAsStream(name))) {
            return file(name, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private Path file(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return Files.writeString(file, text);
    }

    private static List<Measurement> of(ForeignResults results, String part) {
        return results.runs().stream()
                .filter(run -> run.cell().label().contains(part))
                .toList();
    }

    private static double[] values(List<Measurement> runs, String metric) {
        return runs.stream().mapToDouble(run -> run.metric(metric)).toArray();
    }

    /** Iterations share their fork's JVM, so a fork is one repeat. */
    @Test
    void forksOfJmhAreRepeatsAndIterationsAreNot() throws Exception {
        ForeignResults results = ForeignResults.read(fixture("jmh.json"), PLAIN);
        assertThat(results.format()).isEqualTo(ForeignFormat.JMH);
        List<Measurement> get = of(results, "get");
        assertThat(get).hasSize(2);
        assertThat(values(get, "throughput_ops_per_s")).containsExactly(20e6, 21e6);
        assertThat(values(get, "own.gc.alloc.rate.norm_b_per_op")).containsExactly(24, 25);
        assertThat(get.getFirst().kind()).isEqualTo(Kind.MEASURED);
        assertThat(get.getFirst().scenario()).isEqualTo("org.example.map");
        assertThat(get.getFirst().cell().label()).isEqualTo("benchmark=MapBench.get,mode=thrpt,threads=4,size=64");
        assertThat(get.getLast().repeat()).isEqualTo(1);
        assertThat(results.settingsOf(get.getFirst()))
                .containsEntry("measurementTime", "10 s")
                .containsEntry("warmupIterations", "3");
        assertThat(results.environment()).containsEntry("jdkVersion", "25.0.1").containsEntry("jvmArgs", "-Xmx2g");
        assertThat(values(of(results, "put,mode=avgt"), "time_per_op_ns")).containsExactly(1_000, 2_000);
    }

    @Test
    void samplesOfJmhHavePercentilesOfTheWholeFork() throws Exception {
        List<Measurement> sampled = of(ForeignResults.read(fixture("jmh.json"), PLAIN), "mode=sample");
        assertThat(values(sampled, "time_per_op_ns.p50")).containsExactly(1e6, 2e6);
        assertThat(values(sampled, "time_per_op_ns.p99")).containsExactly(3e6, 2e6);
        assertThat(values(sampled, "time_per_op_ns.max")).containsExactly(7e6, 2e6);
        assertThat(values(sampled, "time_per_op_ns.mean")).containsExactly(1.08e6, 2e6);
    }

    @Test
    void unitsSayWhichWayIsBetter() throws Exception {
        ForeignResults results = ForeignResults.read(fixture("jmh.json"), PLAIN);
        List<String> judged = ForeignResults.judged(
                results.runs().stream().map(Measurement::metrics).toList());
        assertThat(judged)
                .containsExactlyInAnyOrder(
                        "throughput_ops_per_s", "time_per_op_ns", "time_per_op_ns.p50", "time_per_op_ns.p99");
        assertThat(Direction.of("throughput_ops_per_s")).isEqualTo(Direction.HIGHER_IS_BETTER);
        assertThat(Direction.of("time_per_op_ns.p99")).isEqualTo(Direction.LOWER_IS_BETTER);
        assertThat(Direction.of("own.gc.alloc.rate.norm_b_per_op")).isEqualTo(Direction.NEITHER);
    }

    @Test
    void repetitionsOfGoogleBenchmarkAreRepeatsAndAggregatesAreNot() throws Exception {
        ForeignResults results = ForeignResults.read(fixture("google-benchmark.json"), PLAIN);
        assertThat(results.format()).isEqualTo(ForeignFormat.GOOGLE_BENCHMARK);
        List<Measurement> lookup = of(results, "Lookup");
        assertThat(values(lookup, "time_per_op_ns")).containsExactly(100_000, 102_000);
        assertThat(values(lookup, "own.cpu_time_ns")).containsExactly(98_000, 99_000);
        assertThat(lookup.getFirst().metric("own.items_per_s")).isEqualTo(1e4);
        assertThat(lookup.getFirst().metric("own.probes")).isEqualTo(1.25);
        assertThat(lookup.getLast().metric("own.probes")).isNaN();
        assertThat(lookup.getFirst().cell().label())
                .isEqualTo("benchmark=BM_Lookup<Cuckoo>,threads=1,records=64,arg1=8,clock=real_time");
        Measurement failed = of(results, "Insert").getFirst();
        assertThat(failed.valid()).isFalse();
        assertThat(failed.problem()).isEqualTo("table full");
        assertThat(results.machine()).isEqualTo("lab1, 8 CPUs");
        assertThat(results.when()).isEqualTo("2026-11-21T02:00:00Z");
        assertThat(results.notes()).containsExactly("CPU frequency scaling was enabled, which adds noise");
    }

    @Test
    void aggregatesAloneAreRefused() throws Exception {
        String all = Files.readString(fixture("google-benchmark.json"));
        String aggregates = all.replace("\"run_type\": \"iteration\"", "\"run_type\": \"aggregate\"");
        assertThat(problems(file("g.json", aggregates), PLAIN))
                .contains("g.json:22:17: holds only aggregates", "without --benchmark_report_aggregates_only");
    }

    private static final String TABLE = """
            # made up
            scheme;size;repeat;latency;rate
            cuckoo;8;0;1.5;2
            cuckoo;8;1;1.7;
            linear;8;0;2.5;1
            """;

    private static ForeignReading columns(List<String> keys) {
        return new ForeignReading(
                null,
                List.of(
                        new ForeignReading.Column("latency", Unit.of("us")),
                        new ForeignReading.Column("rate", Unit.of("Mops/s"))),
                keys,
                null);
    }

    @Test
    void linesOfCsvWithEqualKeysAreRepeats() throws Exception {
        ForeignResults results = ForeignResults.read(file("t.csv", TABLE), columns(List.of()));
        assertThat(results.runs()).hasSize(3);
        assertThat(values(results.runs(), "latency_ns")).containsExactly(1_500, 1_700, 2_500);
        assertThat(results.runs().get(0).metric("rate_ops_per_s")).isEqualTo(2e6);
        assertThat(results.runs().get(1).metrics()).doesNotContainKey("rate_ops_per_s");
        assertThat(results.runs().get(0).cell().label()).isEqualTo("cuckoo,size=8");
        ForeignResults bySize = ForeignResults.read(file("t.csv", TABLE), columns(List.of("size")));
        assertThat(bySize.runs().get(2).cell().label()).isEqualTo("size=8");
    }

    private static String problems(Path path, ForeignReading reading) {
        try {
            return "read: " + ForeignResults.read(path, reading);
        } catch (InvalidInputException e) {
            return String.valueOf(e.getMessage());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cuckoo;8;0;1.5;2 | cuckoo;8;0;fast;2 | t.csv:3:12: latency must be a number (us), but is \"fast\"",
                "cuckoo;8;0;1.5;2 | cuckoo;8;0        | t.csv:3:1: 5 values are expected",
                "latency;rate     | latenzy;rate      | --value latency: t.csv has no such column; did you mean \"latenzy\"?",
            })
    void errorsInCsvAreReportedWithTheirPlace(String right, String wrong, String message) throws Exception {
        String output = problems(file("t.csv", TABLE.replace(right, wrong)), columns(List.of()));
        assertThat(output.replace(dir + "/", "")).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'\"ops/us\"'      | '\"us/op\"'  | jmh.json:36:27: a unit like ops/s or ops/us is expected in mode thrpt",
                "'\"rawData\"'     | '\"raw\"'    | 'jmh.json:24:27: \"rawData\" is missing: a score alone'",
                "'21.0\n'          | '\"21\"\n'   | 'jmh.json:41:21: a number is expected, an iteration''s score, but it is 21'",
                "'[3.0, 1]'        | '[3.0]'      | jmh.json:114:17: a list of forks",
                "'\"mode\" : \"thrpt\",' | ''     | 'jmh.json:2:5: \"mode\" is missing'",
                "'24.0'            | '24.0.1'     | jmh.json:52:29: damaged JSON",
            })
    void errorsInJsonAreReportedWithTheirPlace(String right, String wrong, String message) throws Exception {
        String text = Files.readString(fixture("jmh.json"));
        String output = problems(file("jmh.json", text.replace(right, wrong)), PLAIN);
        assertThat(output.replace(dir + "/", "")).contains(message);
    }

    private Path log(String name, long latencyUs, @Nullable String tag) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8)) {
            HistogramLogWriter writer = new HistogramLogWriter(out);
            writer.outputLogFormatVersion();
            writer.outputLegend();
            for (String each : new String[] {null, tag}) {
                Histogram histogram = new Histogram(3);
                histogram.recordValueWithCount(latencyUs, 99);
                histogram.recordValue(10 * latencyUs);
                histogram.setTag(each);
                writer.outputIntervalHistogram(histogram);
            }
        }
        return file;
    }

    /** Intervals of one log are one run's; another run is another file. */
    @Test
    void logsOfAFolderAreRepeatsOfEachTag() throws Exception {
        log("logs/1.hlog", 100, "writes");
        log("logs/2.hlog", 110, "writes");
        ForeignReading us = new ForeignReading(null, List.of(), List.of(), Unit.of("us"));
        ForeignResults results = ForeignResults.read(dir.resolve("logs"), us);
        assertThat(results.format()).isEqualTo(ForeignFormat.HISTOGRAM_LOG);
        assertThat(results.runs()).hasSize(4);
        double[] writes = values(of(results, "tag=writes"), "latency_ns.p50");
        assertThat(writes[0]).isCloseTo(100e3, within(100.0));
        assertThat(writes[1]).isCloseTo(110e3, within(110.0));
        assertThat(of(results, "tag=none").getLast().metric("latency_ns.max")).isCloseTo(1.1e6, within(1100.0));
        assertThat(problems(dir.resolve("logs"), PLAIN)).contains("has no unit", "--unit us");
    }

    @Test
    void aDamagedLogIsReportedWithItsLine() throws Exception {
        Path log = log("x.hlog", 100, null);
        Files.writeString(log, Files.readString(log) + "1,2,three\n");
        ForeignReading us = new ForeignReading(null, List.of(), List.of(), Unit.of("us"));
        assertThat(problems(log, us)).contains("x.hlog:5:1: an interval of an HdrHistogram log is expected");
    }

    @Test
    void invalidResultsAreRefusedWithTheExpectedForm() throws Exception {
        for (String text :
                List.of("", "Once upon a time, there was a table.\nIt was full.\n", "a,b\n", "{\"a\": 1}", "[1, 2]")) {
            Path file = file("x", text);
            assertThat(problems(file, PLAIN)).contains("JMH's JSON (-rf json), or pytest-benchmark's JSON");
        }
        assertThat(problems(file("prose/x.md", "Once upon a time\n").getParent(), PLAIN))
                .contains("is not a result folder, since it has no status.json")
                .contains("x.md:1:1: is in an unknown format; expected is a log of HdrHistogram, or JMH's JSON");
        file("mixed/1.json", Files.readString(fixture("jmh.json")));
        file("mixed/2.json", Files.readString(fixture("google-benchmark.json")));
        assertThat(problems(dir.resolve("mixed"), PLAIN)).contains("2.json: is Google Benchmark's JSON");
    }

    @Test
    void anExplicitFormatIsNotGuessed() throws Exception {
        ForeignReading told = new ForeignReading(ForeignFormat.GOOGLE_BENCHMARK, List.of(), List.of(), null);
        assertThatThrownBy(() -> ForeignResults.read(fixture("jmh.json"), told))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("jmh.json:1:1: a list \"benchmarks\" is expected");
        assertThat(Set.copyOf(ForeignFormat.words())).hasSize(15);
    }
}
