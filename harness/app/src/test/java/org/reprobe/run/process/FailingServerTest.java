package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.system.SystemUnderTest;

/** The whole program and its processes, with a system of the test's own. */
class FailingServerTest {
    /** Starting four JVMs takes long on a busy machine. What the run says tells whether its patience had to end. */
    private static final int MAX_S = 240;

    @TempDir
    Path dir;

    /** Its clients over tcp waited for answers until the coordinator's patience ended, which then said only that. */
    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void aServerProgramThatFailsEndsTheRunAtOnceWithItsSentence(String fabric) throws Exception {
        Path services = Files.createDirectories(dir.resolve("own/META-INF/services"));
        Files.writeString(services.resolve(SystemUnderTest.class.getName()), FailingServer.class.getName());
        Path scenario = Files.writeString(dir.resolve("failing.yaml"), """
                title: failing
                fabric: %s
                scheme: failing-server
                verb: {kind: send}
                clients: {machines: 2, threads: 1}
                measure: {repeats: 1, real-time-ms: 0}
                """.formatted(fabric));
        List<String> command = TinyScenario.jvm(
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + dir.resolve("own"),
                "org.reprobe.cli.Reprobe",
                "run",
                scenario.toString(),
                "--out",
                dir.resolve("results").toString());
        Path out = dir.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(MAX_S, TimeUnit.SECONDS))
                    .as("ended within " + MAX_S + " s")
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String said = Files.readString(out);
        assertThat(process.exitValue()).as(said).isEqualTo(1);
        assertThat(Files.readString(dir.resolve("results/measurements.jsonl")))
                .as(said)
                .contains("\"the server process: " + FailingServer.WORDS + "\"");
    }
}
