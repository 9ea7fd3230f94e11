package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;

/** Small files in the formats of other programs, each detected and read. */
class ForeignFormatsTest {
    private static final ForeignReading PLAIN = new ForeignReading(null, List.of(), List.of(), null);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private Path fixture(String name) throws Exception {
        Path file = dir.resolve(name);
        try (InputStream in = Objects.requireNonNull(ForeignFormatsTest.class.getResourceAsStream(name))) {
            Files.write(file, in.readAllBytes());
        }
        return file;
    }

    private static ForeignReading reading(Path file) {
        return file.toString().endsWith(".hgrm")
                ? new ForeignReading(null, List.of(), List.of(), Unit.of("us"))
                : PLAIN;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pytest-benchmark.json | PYTEST | tests/test_table.py::test_lookup,size=64 | time_per_op_ns | 2500",
                "hyperfine.json | HYPERFINE | ./probe --records 1000,records=1000 | time_per_op_ns | 12e6",
                "cargo-criterion.json | CRITERION | lookup/64 | time_per_op_ns | 125",
                "estimates.json | CRITERION | criterion | time_per_op_ns | 124.5",
                "memtier.json | MEMTIER | Gets | throughput_ops_per_s | 100000.5",
                "memtier.json | MEMTIER | Totals | latency_ns.p999 | 6.175e6",
                "memtier.json | MEMTIER | Gets | latency_ns.mean | 1.99e6",
                "openmessaging.json | OPENMESSAGING | publish | throughput_ops_per_s | 50000",
                "openmessaging.json | OPENMESSAGING | end-to-end | latency_ns.p99 | 7e6",
                "go.txt | GO | BenchmarkLookup,procs=2,kind=cuckoo,size=64,pkg=example.org/table | time_per_op_ns | 5.165",
                "go.txt | GO | BenchmarkLookup | own.B_per_op | 16",
                "go.txt | GO | BenchmarkRate | own.ops_per_s | 123456",
                "ycsb.txt | YCSB | OVERALL | throughput_ops_per_s | 98911.96",
                "ycsb.txt | YCSB | READ | latency_ns.p99 | 744e3",
                "ycsb.txt | YCSB | READ | latency_ns.p999 | 1200e3",
                "wrk2.txt | WRK | path=/records?size=64,threads=2,connections=100 | throughput_ops_per_s | 2000.28",
                "wrk2.txt | WRK | path | latency_ns.p50 | 1.5e6",
                "wrk2.txt | WRK | path | latency_ns.p999 | 1.07e9",
                "wrk2.txt | WRK | path | latency_ns.mean | 1.62e6",
                "wrk2.txt | WRK | path | latency_ns.max | 1.1e9",
                "latencies.hgrm | PERCENTILES | all | latency_ns.p50 | 2000",
                "latencies.hgrm | PERCENTILES | all | latency_ns.p99 | 4500",
                "latencies.hgrm | PERCENTILES | all | latency_ns.max | 12000",
                "jmh.csv | JMH_CSV | org.example.Lookup.cuckoo,mode=avgt | time_per_op_ns | 1250",
                "jmh.csv | JMH_CSV | mode=thrpt,threads=1,size=64 | throughput_ops_per_s | 800e3"
            })
    void aFileIsDetectedAndItsNumbersAreConverted(
            String name, ForeignFormat format, String label, String metric, double value) throws Exception {
        Path file = fixture(name);
        for (Path each : List.of(file, compressed(file))) {
            ForeignResults results = ForeignResults.read(each, reading(file));
            assertThat(results.format()).isEqualTo(format);
            Measurement run = results.runs().stream()
                    .filter(one -> one.cell().label().contains(label))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(results.runs().toString()));
            assertThat(run.metric(metric)).isCloseTo(value, org.assertj.core.data.Percentage.withPercentage(1e-9));
        }
    }

    private static Path compressed(Path file) throws Exception {
        Path zip = file.resolveSibling(file.getFileName() + ".gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zip))) {
            Files.copy(file, out);
        }
        return zip;
    }

    @Test
    void eachTimeOfHyperfineIsARepeatAndAnExitCodeAFailure() throws Exception {
        List<Measurement> runs =
                ForeignResults.read(fixture("hyperfine.json"), PLAIN).runs();
        assertThat(runs).hasSize(3);
        assertThat(runs.getLast().valid()).isFalse();
        assertThat(runs.getLast().problem()).isEqualTo("exit code 1");
    }

    @Test
    void linesOfGoAreRepeatsAndAFailedBenchmarkIsAFailedRun() throws Exception {
        List<Measurement> runs = ForeignResults.read(fixture("go.txt"), PLAIN).runs();
        assertThat(runs.stream().filter(Measurement::valid)).hasSize(3);
        assertThat(runs.stream().filter(run -> !run.valid()))
                .singleElement()
                .matches(run -> run.cell().label().contains("BenchmarkLookup,procs=2,kind=cuckoo,size=128"));
    }

    @Test
    void aTestOfWrkWithoutReplyIsAFailedRun() throws Exception {
        Path file = fixture("wrk2.txt");
        assertThat(ForeignResults.read(file, PLAIN).notes())
                .singleElement()
                .asString()
                .endsWith("wrk2.txt: Non-2xx or 3xx responses: 3");
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("Latency     1.62ms    0.72ms", "Latency     -nanus    -nanus")
                        .replace("2000.28", "0.00"));
        assertThat(ForeignResults.read(file, PLAIN).runs())
                .singleElement()
                .matches(run -> !run.valid())
                .extracting(Measurement::problem)
                .isEqualTo("no request was completed");
    }

    /** Regression: two shapes were repeats of "a list", and objects with their addresses matched no other file. */
    @Test
    void parametersOfPytestWithoutAPlainTextAreThoseOfTheName() throws Exception {
        Path file = fixture("pytest-benchmark.json");
        String text = Files.readString(file);
        for (String params : new String[] {"{\"size\": [64, 2]}", "{\"size\": \"UNSERIALIZABLE[<f at 0x7f>]\"}"}) {
            Files.writeString(file, text.replace("{\"size\": 64}", params));
            assertThat(ForeignResults.read(file, PLAIN).runs().getFirst().cell().get("benchmark"))
                    .isEqualTo("tests/test_table.py::test_lookup[64]");
        }
    }

    @Test
    void machineTimeAndVersionOfPytestAreKnown() throws Exception {
        ForeignResults results = ForeignResults.read(fixture("pytest-benchmark.json"), PLAIN);
        assertThat(results.environment())
                .containsEntry("commit", "0123abc")
                .containsEntry("branch", "main")
                .containsEntry("uncommitted-changes", "no");
        assertThat(results.machine()).isEqualTo("lab1, 8 CPUs");
        assertThat(results.when().toString()).startsWith("2026-10-02T03:00");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hyperfine.json | \"times\": [0.012, 0.0125, 0.013] | \"times\": [] | \"times\" has no elements",
                "pytest-benchmark.json | \"median\": 0.0000025 | \"median\": \"fast\" | stats.median must be a number, but is fast",
                "memtier.json | \"Ops/sec\": 100000.50 | \"Ops/sec\": {} | Ops/sec must be a number, but is an object",
                "cargo-criterion.json | \"unit\":\"ns\" | \"unit\":\"cycles\" | typical.unit must be a unit of time, but is \"cycles\"",
                "ycsb.txt | , 98911.96 | , fast | Throughput(ops/sec) must be a number",
                "jmh.csv | us/op | watts | a score with a unit such as ops/s or us/op is expected"
            })
    void aDamagedNumberIsAProblemWithItsPlace(String name, String from, String to, String message) throws Exception {
        Path file = fixture(name);
        Files.writeString(file, Files.readString(file, StandardCharsets.UTF_8).replace(from, to));
        assertThatThrownBy(() -> ForeignResults.read(file, PLAIN))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(message)
                .hasMessageMatching("(?s).*" + name + ":\\d+:\\d+.*");
    }

    @Test
    void problemsOfCriterionHaveTheLinesOfTheFile() throws Exception {
        Path file = fixture("cargo-criterion.json");
        Files.writeString(file, "\n\n" + Files.readString(file).replace("\"estimate\"", "\"guess\""));
        assertThatThrownBy(() -> ForeignResults.read(file, PLAIN)).hasMessageContaining("cargo-criterion.json:3:");
    }

    @Test
    void theMessageOnAnUnknownFormatListsThoseThatAreKnown() throws Exception {
        Path file = Files.writeString(dir.resolve("x.txt"), "nothing of interest\n");
        assertThatThrownBy(() -> ForeignResults.read(file, PLAIN))
                .hasMessageContaining("is in an unknown format")
                .hasMessageContaining("hyperfine's JSON (--export-json), or Criterion's JSON")
                .hasMessageContaining("YCSB's text");
    }
}
