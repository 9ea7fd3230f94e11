package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Direction;

/** Files with the results of many versions, and runs whose clients have a file each. */
class TimeSeriesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static ForeignReading reading(@Nullable String time, @Nullable String client, String... keys) {
        ForeignReading.Column latency = new ForeignReading.Column("latency", Unit.of("us"));
        return new ForeignReading(
                null, client == null ? List.of(latency) : List.of(), List.of(keys), Unit.of("us"), time, client);
    }

    private Path file(String name, String text) throws Exception {
        Path file = dir.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return Files.writeString(file, text);
    }

    private static List<String> words(ForeignResults results) {
        List<String> words = new ArrayList<>();
        results.series()
                .forEach((origin, runs) -> words.add(origin.when() + " " + origin.commit() + " " + origin.branch() + " "
                        + runs.stream()
                                .map(run -> run.cell().label() + " " + run.metrics())
                                .toList()));
        return words;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "2026-10-02 | 2026-10-02T00:00Z",
                "2026-10-02T03:00:00Z | 2026-10-02T03:00Z",
                "2024.01.01 3:00:00 +0100 | 2024-01-01T03:00+01:00",
                "2026-10-02 03:00:00.250 +02:00 | 2026-10-02T03:00:00.250+02:00",
                "2026/10/2 03:00 UTC | 2026-10-02T03:00Z",
                "1790000000 | 2026-09-21T14:13:20Z",
                "1790000000500 | 2026-09-21T14:13:20.500Z",
                "2026-02-30 | none",
                "2026-10/02 | none",
                "12 | none",
                "Friday | none"
            })
    void timesAreReadAsProgramsWriteThem(String text, @Nullable String time) {
        assertThat(Objects.toString(WrittenTime.of(text), null)).isEqualTo(time);
    }

    @Test
    void eachTimeOfACsvIsAResultOfItsVersion() throws Exception {
        Path csv = file("nights.csv", """
                Time,Commit,Branch,operation,latency,remark
                2026-10-02 03:00:00 +0200,aaa1,main,get,10,fine
                2026-10-02 03:00:00 +0200,aaa1,main,get,12,fine
                2026-10-02 03:00:00 +0200,aaa1,main,put,20,fine
                2026-10-02 03:00:00 +0200,aaa1,dev,get,99,hot
                2026-10-01 03:00:00 +0200,aaa0,main,get,11,cold
                """);
        ForeignResults results = ForeignResults.read(csv, reading("Time", null));
        assertThat(results.runs()).isEmpty();
        assertThat(words(results))
                .containsExactly(
                        "2026-10-02T03:00+02:00 aaa1 main [operation=get {latency_ns=10000.0},"
                                + " operation=get {latency_ns=12000.0}, operation=put {latency_ns=20000.0}]",
                        "2026-10-02T03:00+02:00 aaa1 dev [operation=get {latency_ns=99000.0}]",
                        "2026-10-01T03:00+02:00 aaa0 main [operation=get {latency_ns=11000.0}]");
        assertThat(results.notes())
                .singleElement()
                .asString()
                .contains("neither key nor value")
                .endsWith(": remark");
        assertThat(ForeignResults.read(csv, reading(null, null)).notes())
                .contains("times in column Time of " + csv
                        + " are taken as a key; regress history --time Time reads each" + " time as a result");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "when | --time when: | has no such column",
                "latency | --time latency: | is already a measured column",
                "time | s.csv:3:5: | time must be a time, like 2026-11-30 or 2026-11-30T03:00:00Z, but is \"soon\""
            })
    void aTimeThatIsNoneIsReportedWithItsPlace(String column, String place, String message) throws Exception {
        Path csv = file("s.csv", "x,time,commit,latency\n1,2026-10-01,a,5\n  1,soon,b,5\n");
        assertThatThrownBy(() -> ForeignResults.read(csv, reading(column, null)))
                .hasMessageContaining(place)
                .hasMessageContaining(message);
    }

    @Test
    void suitesOfACommitAreOneResultAndItsNextMeasurementIsAnother() throws Exception {
        Path data = dir.resolve("data.js");
        try (InputStream in = Objects.requireNonNull(TimeSeriesTest.class.getResourceAsStream("data.js"))) {
            Files.write(data, in.readAllBytes());
        }
        ForeignResults results = ForeignResults.read(data, reading(null, null));
        assertThat(results.format()).isEqualTo(ForeignFormat.GITHUB_ACTION);
        assertThat(words(results))
                .containsExactly(
                        "2026-09-21T14:13:20Z aaa1  [benchmark=lookup/64,suite=Rust {time_per_op_ns=125.0},"
                                + " benchmark=lookup/1024,suite=Rust {time_per_op_ns=1500.0},"
                                + " benchmark=draw,suite=Frames {frames_more_is_better=60.0},"
                                + " benchmark=hold,suite=Frames {ms_more_is_better=4.0}]",
                        "2026-09-21T14:16:40Z aaa1  [benchmark=lookup/64,suite=Rust {}]",
                        "2026-09-21T14:18:10Z bbb2  [benchmark=wait,suite=Frames {cycles_per_op_less_is_better=7.0},"
                                + " benchmark=load,suite=Frames {jobs_per_s_less_is_better=3.0},"
                                + " benchmark=test_lookup,suite=Python {iter_per_s=952.5}]");
        assertThat(List.of("frames_more_is_better", "iter_per_s"))
                .allMatch(metric -> Direction.of(metric) == Direction.HIGHER_IS_BETTER);
        assertThat(Direction.of("jobs_per_s_less_is_better")).isEqualTo(Direction.LOWER_IS_BETTER);

        String text = Files.readString(data);
        file("data.json", text.substring(text.indexOf('{')));
        assertThat(words(ForeignResults.read(dir.resolve("data.json"), reading(null, null))))
                .hasSize(3);
        file("data.js", text.replace("\"date\": 1790000300000", "\"date\": \"late\""));
        assertThatThrownBy(() -> ForeignResults.read(data, reading(null, null)))
                .hasMessageContaining("data.js:32:7: date must be in milliseconds since 1970, but is \"late\"");
        file("data.js", text.replace("\"entries\"", "\"results\""));
        assertThatThrownBy(() -> ForeignResults.read(data, reading(null, null)))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("data.js:1:25: \"entries\" is expected in this object");
    }

    private void log(String name, long latencyUs, int count) throws Exception {
        Path file = file(name, "");
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8)) {
            HistogramLogWriter writer = new HistogramLogWriter(out);
            writer.outputLogFormatVersion();
            Histogram histogram = new Histogram(3);
            histogram.recordValueWithCount(latencyUs, count);
            writer.outputIntervalHistogram(histogram);
        }
    }

    /** The mean of the clients' 99th percentiles would be 505 us. */
    @Test
    void percentilesOfARunAreThoseOfAllItsClients() throws Exception {
        for (int run = 1; run <= 2; run++) {
            log("logs/run" + run + "-client1.hdr", 10, 979 + run);
            log("logs/run" + run + "-client2.hdr", 1000, 19 + run);
        }
        ForeignResults merged = ForeignResults.read(dir.resolve("logs"), reading(null, "client"));
        assertThat(merged.runs()).hasSize(2);
        for (Measurement run : merged.runs()) {
            assertThat(run.cell().label()).isEqualTo("tag=none");
            assertThat(run.metric("latency_ns.p50")).isCloseTo(10e3, within(10.0));
            assertThat(run.metric("latency_ns.p99")).isCloseTo(1e6, within(1e3));
            assertThat(run.metric("latency_ns.mean")).isBetween(29.7e3, 30.9e3);
        }
        assertThat(merged.notes())
                .containsExactly("logs of clients were merged in " + dir.resolve("logs") + ": 2 per run");
        assertThat(ForeignResults.read(dir.resolve("logs"), reading(null, null, "x"))
                        .runs())
                .hasSize(4);

        log("logs/run2-client-b.hdr", 10, 1);
        assertThat(ForeignResults.read(dir.resolve("logs"), reading(null, "client"))
                        .notes())
                .singleElement()
                .asString()
                .endsWith("runs have different numbers of them, run1-.hdr (2), run2-.hdr (3)");
        assertThatThrownBy(() -> ForeignResults.read(dir.resolve("logs"), reading(null, "host")))
                .hasMessageContaining("--merge host: no two files of " + dir.resolve("logs"));
        file("p/client1.hgrm", "       Value     Percentile TotalCount 1/(1-Percentile)\n   1.0  0.5  2  2.0\n");
        assertThatThrownBy(() -> ForeignResults.read(dir.resolve("p"), reading(null, "client")))
                .hasMessageContaining("--merge client: only logs of HdrHistogram can be merged;")
                .hasMessageContaining("percentiles (.hgrm)");
    }
}
