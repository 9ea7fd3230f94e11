package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.testing.Seeds;

class MeasurementFileTest {
    @TempDir
    Path folder;

    private static Measurement run(int repeat, @Nullable String problem, Map<String, Double> metrics) {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("scheme", "linear-variable");
        cell.put("load-factor", 0.65);
        cell.put("record-bytes", 8);
        cell.put("theta", 1.0);
        cell.put("track", true);
        return new Measurement(
                "figure-07", new Cell(cell), repeat, 1, "sim", Kind.SIMULATED, problem == null, problem, metrics);
    }

    private static Map<String, Double> metrics() {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("throughput_ops_per_s", 5.08e7);
        metrics.put("latency_ns.p50", 2900.5);
        metrics.put("requests_per_lookup", 1.04);
        metrics.put("latency_ns.p99", Double.NaN);
        metrics.put("latency_ns.max", 12345.0);
        metrics.put("requests_at_least_fraction.16", 1.25e-4);
        return metrics;
    }

    @Test
    void aLineNestsDottedMetricsAndLeavesOutWhatIsNotANumber() {
        assertThat(MeasurementFile.line(run(0, null, metrics())))
                .isEqualTo(
                        "{\"scenario\": \"figure-07\", \"cell\": {\"scheme\": \"linear-variable\", \"load-factor\": 0.65,"
                                + " \"record-bytes\": 8, \"theta\": 1.0, \"track\": true}, \"repeat\": 0, \"seed\": 1,"
                                + " \"fabric\": \"sim\", \"kind\": \"simulated\", \"valid\": true, \"metrics\":"
                                + " {\"throughput_ops_per_s\": 50800000.0, \"latency_ns\": {\"p50\": 2900.5, \"max\": 12345.0},"
                                + " \"requests_per_lookup\": 1.04, \"requests_at_least_fraction\": {\"16\": 0.000125}}}");
    }

    @Test
    void aFailedRunReportsItsReason() {
        assertThat(MeasurementFile.line(run(0, "the server is gone", Map.of())))
                .contains("\"valid\": false, \"problem\": \"the server is gone\", \"metrics\": {}}");
    }

    @Test
    void metricsThatCannotBeWrittenAreRefused() {
        assertThatThrownBy(() -> MeasurementFile.line(run(0, null, Map.of("m", Double.POSITIVE_INFINITY))))
                .isInstanceOf(IllegalArgumentException.class);
        Map<String, Double> parentFirst = new LinkedHashMap<>();
        parentFirst.put("a", 1.0);
        parentFirst.put("a.b", 1.0);
        assertThatThrownBy(() -> MeasurementFile.line(run(0, null, parentFirst)))
                .isInstanceOf(IllegalArgumentException.class);
        Map<String, Double> childFirst = new LinkedHashMap<>();
        childFirst.put("a.b", 1.0);
        childFirst.put("a", 1.0);
        assertThatThrownBy(() -> MeasurementFile.line(run(0, null, childFirst)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void writingAndReadingBackKeepsTheBytes() throws Exception {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        List<Measurement> runs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Map<String, Double> metrics = new LinkedHashMap<>();
            metrics.put("a", random.nextDouble());
            metrics.put("b.c", random.nextDouble() * Math.pow(10, random.nextInt(-30, 30)));
            metrics.put("b.d", -(double) random.nextLong());
            runs.add(run(i, i % 7 == 0 ? "line\nbreak, \"quote\" and \u00e9" : null, metrics));
        }
        Path file = folder.resolve(MeasurementFile.NAME);
        try (MeasurementFile.Appender appender = MeasurementFile.Appender.create(file)) {
            for (Measurement run : runs) {
                appender.append(run);
            }
        }
        List<Measurement> back = MeasurementFile.recover(file).measurements();
        assertThat(back).as(Seeds.replay()).isEqualTo(runs);
        assertThat(back.stream().map(MeasurementFile::line)).as(Seeds.replay()).isEqualTo(Files.readAllLines(file));
    }

    @Test
    void aDamagedLastLineIsReportedAndGoneAfterResuming() throws Exception {
        Path file = folder.resolve(MeasurementFile.NAME);
        String first = MeasurementFile.line(run(0, null, metrics())) + "\n";
        String second = MeasurementFile.line(run(1, null, metrics())) + "\n";
        for (int cut = 1; cut < second.length() - 1; cut++) {
            Files.writeString(file, first + second.substring(0, cut));
            MeasurementFile.Recovered recovered = MeasurementFile.recover(file);
            assertThat(recovered.measurements()).hasSize(1);
            assertThat(recovered.ignored())
                    .singleElement()
                    .satisfies(problem -> assertThat(problem.line()).isEqualTo(2));
            try (MeasurementFile.Appender appender = MeasurementFile.Appender.resume(file, recovered.intactBytes())) {
                appender.append(run(1, null, metrics()));
            }
            assertThat(Files.readString(file))
                    .as("cut after %s characters", cut)
                    .isEqualTo(first + second);
        }
    }

    @Test
    void aLastLineThatLacksOnlyItsEndIsIntact() throws Exception {
        Path file = folder.resolve(MeasurementFile.NAME);
        String first = MeasurementFile.line(run(0, null, metrics()));
        String second = MeasurementFile.line(run(1, null, metrics()));
        Files.writeString(file, first);
        MeasurementFile.Recovered recovered = MeasurementFile.recover(file);
        assertThat(recovered.measurements()).hasSize(1);
        assertThat(recovered.ignored()).isEmpty();
        try (MeasurementFile.Appender appender = MeasurementFile.Appender.resume(file, recovered.intactBytes())) {
            appender.append(run(1, null, metrics()));
        }
        assertThat(Files.readString(file)).isEqualTo(first + "\n" + second + "\n");
    }

    @Test
    void damageBeforeTheLastLineIsNotForgiven() throws Exception {
        Path file = folder.resolve(MeasurementFile.NAME);
        String line = MeasurementFile.line(run(0, null, metrics())) + "\n";
        Files.writeString(file, "{\"scenario\": \"x\n" + line + "\n" + line);
        assertThatThrownBy(() -> MeasurementFile.recover(file))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(MeasurementFile.NAME + ":1:")
                .hasMessageContaining(MeasurementFile.NAME + ":3:1: the line is empty; a measurement is expected");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "repeat": 0,      |                        | "repeat" is missing
            "repeat": 0       | "repeat": -1           | "repeat" must be from 0 to 2147483647, but is -1
            "repeat": 0       | "repeat": 0.5          | "repeat" must be a whole number, but is 0.5
            "simulated"       | "imagined"             | unknown kind "imagined"; one of measured, simulated, predicted
            "valid": true     | "valid": 1             | "valid" must be true or false, but is 1
            "theta": 1.0      | "theta": [1]           | "theta" of the cell must be text, a number, true or false, but is [1]
            "max": 12345.0    | "max": "long"          | "latency_ns.max" must hold numbers, but is "long"
            "seed": 1         | "seed": 1, "sed": 2    | unknown field "sed"; the file is from another version
            "seed": 1         | "seed": 1, "seed": 2   | the line is damaged: it is not one whole JSON object
            """)
    void aWrongFieldIsNamedWithItsLine(String from, @Nullable String to, String message) throws Exception {
        Path file = folder.resolve(MeasurementFile.NAME);
        String line = MeasurementFile.line(run(0, null, metrics()));
        assertThat(line).contains(from);
        Files.writeString(file, line + "\n" + line.replace(from, to == null ? "" : to) + "\n");
        assertThat(MeasurementFile.recover(file).ignored())
                .singleElement()
                .asString()
                .contains(MeasurementFile.NAME + ":2:")
                .endsWith(": " + message);
    }

    @Test
    void bytesThatAreNoTextAndMissingFilesAreNamed() throws Exception {
        Path file = folder.resolve(MeasurementFile.NAME);
        Files.write(file, new byte[] {(byte) 0xff, '\n'});
        assertThat(MeasurementFile.recover(file).ignored())
                .singleElement()
                .asString()
                .endsWith(":1:1: the line is not UTF-8 text");
        assertThatThrownBy(() -> MeasurementFile.recover(folder.resolve("none.jsonl")))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("none.jsonl: there is no such file");
        assertThatThrownBy(() -> MeasurementFile.recover(folder))
                .hasMessageEndingWith("is a folder, not a file of measurements");
        Files.write(file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
        assertThat(MeasurementFile.recover(file).measurements()).isEmpty();
        assertThatThrownBy(() -> MeasurementFile.Appender.create(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void aFullDiskNamesTheFileAndTheRun() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "needs the device that is always full");
        try (MeasurementFile.Appender appender = MeasurementFile.Appender.resume(full, 0)) {
            assertThatThrownBy(() -> appender.append(run(3, null, metrics())))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(
                            "/dev/full: run 3 of figure-07 could not be stored (No space left on device)");
        }
    }

    @Test
    void warningsAreKept() throws Exception {
        Measurement plain = run(0, null, Map.of("m", 1.0));
        Measurement warned = new Measurement(
                "s",
                plain.cell(),
                0,
                1,
                "sim",
                Kind.SIMULATED,
                true,
                null,
                Map.of("m", 1.0),
                List.of("only 3 operations", "p99 needs 1000"));
        Path file = folder.resolve("warned.jsonl");
        Files.writeString(file, MeasurementFile.line(warned) + "\n");
        assertThat(MeasurementFile.recover(file).measurements()).containsExactly(warned);
    }
}
