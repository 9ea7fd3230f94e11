package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;

/** The whole program and its processes, with systems of the test. */
class ServerProgramsTest {
    /**
     * Timeout in s: starting four JVMs takes long on a busy machine. The run's message shows whether a timeout ended
     * it.
     */
    private static final int MAX_S = 240;

    @TempDir
    Path dir;

    /** Result of a run with its output and measurements. */
    private record CommandResult(int exitCode, String output, String measurements) {}

    private CommandResult run(String fabric, Class<? extends SystemUnderTest> system, String keys) throws Exception {
        Path services = Files.createDirectories(dir.resolve("own/META-INF/services"));
        Files.writeString(services.resolve(SystemUnderTest.class.getName()), system.getName());
        Path scenario = Files.writeString(dir.resolve("own.yaml"), """
                title: a system of the test's own
                fabric: %s
                clients: {machines: 2, threads: 1}
                %s
                """.formatted(fabric, keys));
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
        return new CommandResult(
                process.exitValue(),
                Files.readString(out),
                Files.readString(dir.resolve("results/measurements.jsonl")));
    }

    static List<String> fabricsOfFailures() {
        return List.of("tcp", "shm");
    }

    /**
     * Regression: its clients over tcp waited for replies until the coordinator's timeout, which reported only that.
     */
    @ParameterizedTest
    @MethodSource("fabricsOfFailures")
    @Nightly(besides = "programs of servers exchange requests")
    void aServerProgramThatFailsEndsTheRunAtOnceWithItsSentence(String fabric) throws Exception {
        assertFailsWithWordsOfServer(fabric, "failing-server");
    }

    /** Regression: on a busy machine a client's report of the lost server arrived first and was taken for the cause. */
    @ParameterizedTest
    @MethodSource("fabricsOfFailures")
    @Nightly(besides = "programs of servers exchange requests")
    void theServersFailureExplainsThatOfItsClients(String fabric) throws Exception {
        assertFailsWithWordsOfServer(fabric, "failing-late");
    }

    private void assertFailsWithWordsOfServer(String fabric, String scheme) throws Exception {
        CommandResult ended = run(fabric, FailingServer.class, """
                scheme: %s
                verb: {kind: send}
                measure: {repeats: 1, real-time-ms: 0}""".formatted(scheme));
        assertThat(ended.exitCode()).as(ended.output()).isEqualTo(1);
        assertThat(ended.measurements())
                .as(ended.output())
                .contains("\"the server process: " + FailingServer.WORDS + "\"");
    }

    static List<String> fabricsOfPrograms() {
        return NightlyCases.of(
                "ServerProgramsTest.serverProgramsSendEachOtherRequests", 1, List.of("sim", "shm", "tcp"));
    }

    /** Programs are in one process in virtual time, in two in real time. */
    @ParameterizedTest
    @MethodSource("fabricsOfPrograms")
    void serverProgramsSendEachOtherRequests(String fabric) throws Exception {
        CommandResult ended = run(fabric, RequestingServers.class, """
                scheme: asking-servers
                verb: {kind: read}
                measure: {repeats: 2, warm-up-ms: 1, duration-ms: 20}""");
        assertThat(ended.exitCode()).as(ended.output()).isZero();
        assertThat(ended.measurements().lines()).hasSize(2).allMatch(line -> line.contains("\"valid\": true"));
    }
}
