package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.Metrics;

/** Keys of scenarios as a user sets them, and their effect in the files of results. */
@ShippedHome
class ScenarioKeysTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private String run(String... arguments) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
        int code = Reprobe.execute(out, out, arguments);
        String text = output.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isZero();
        return text;
    }

    private List<Measurement> read(String file) throws Exception {
        return MeasurementFile.recover(dir.resolve("results").resolve(file)).measurements();
    }

    /** The rate of a trace is in its slices, on the simulated card and between processes. */
    @ParameterizedTest
    @ValueSource(strings = {"sim", "shm"})
    void lookupsFollowATrace(String fabric) throws Exception {
        double ms = fabric.equals("sim") ? 2 : 200;
        double perS = fabric.equals("sim") ? 1e6 : 2e4;
        Files.writeString(
                dir.resolve("trace.csv"),
                "time-ms,rate-per-s\n0,%s\n%s,%s\n%s,0\n".formatted(perS, ms, 3 * perS, 2 * ms));
        Path file = Files.writeString(dir.resolve("traced.yaml"), """
                title: Traced
                clients: {machines: 1, threads: 2}
                table: {records: 4096}
                load: {trace: trace.csv}
                series: {slice-ms: %s}
                measure: {repeats: 1, warm-up-ms: 1, duration-ms: %s, real-time-ms: 0}
                """.formatted(ms, 3 * ms));
        run(
                "run",
                file.toString(),
                "--fabric",
                fabric,
                "--out",
                dir.resolve("results").toString());
        double lookups = 4 * perS * ms / 1e3;
        Measurement run = read("measurements.jsonl").getFirst();
        assertThat(run.problem()).isNull();
        assertThat(run.metric(Metrics.LOOKUPS)).isCloseTo(lookups, within(5 * Math.sqrt(lookups)));
        double[] expected = {lookups / 4, 3 * lookups / 4, 0};
        List<Measurement> slices = read("series.jsonl");
        for (int i = 0; i < expected.length; i++) {
            // Some lookups end in the next slice.
            assertThat(slices.get(i).metric(Metrics.THROUGHPUT) * ms / 1e3)
                    .as("slice %d", i)
                    .isCloseTo(expected[i], within(5 * Math.sqrt(expected[i]) + 0.05 * lookups));
        }
    }

    @Test
    void latencyRisesDuringTheShippedStep() throws Exception {
        String text = run(
                "run",
                "load-step",
                "--filter",
                "scale=1.5",
                "--set",
                "measure.repeats=1",
                "--out",
                dir.resolve("results").toString());
        assertThat(text).contains("worst windows");
        List<Measurement> slices = read("series.jsonl");
        double before = slices.get(10).metric(Metrics.LATENCY + ".p99");
        double during = slices.get(35).metric(Metrics.LATENCY + ".p99");
        assertThat(during).isGreaterThan(10 * before);
        Measurement run = read("measurements.jsonl").getFirst();
        assertThat(run.metric(Metrics.WORST_WINDOW)).isBetween(6.8e6, 7.6e6);
        assertThat(run.metric(Metrics.LATENCY_WORST_WINDOW + ".p99"))
                .isGreaterThan(run.metric(Metrics.LATENCY + ".p99"));
        assertThat(Files.readString(dir.resolve("results/latency.svg"))).contains("99th percentile");
    }
}
