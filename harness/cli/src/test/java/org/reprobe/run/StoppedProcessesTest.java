package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.testing.Nightly;

/** A stopped process of a run, as by Ctrl-Z or a debugger: for a moment, or for good. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Nightly(besides = "CoordinatorTest: a killed process ends its run")
class StoppedProcessesTest {
    private static final int WORKERS = 3;
    private static final int CLIENTS = 2;

    private static final long MOMENT_MS = 1_000;

    /** Long enough that a client or server is stopped at work. */
    private static final long REAL_TIME_MS = 4_000;

    /** Longer than a live process on a busy machine is silent. */
    private static final long SILENCE_MS = 6_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private DisturbedRun start(String name, String fabric, long silenceMs) throws Exception {
        Path file = Files.writeString(dir.resolve("stops.yaml"), DisturbedRun.scenario(2, 1, 1, REAL_TIME_MS));
        DisturbedRun run = DisturbedRun.start(
                dir, name, List.of(), silenceMs, "run", file.toString(), "--fabric", fabric, "--out", out(name));
        run.awaitClients(CLIENTS);
        assertThat(run.workers()).as(run.said()).hasSize(WORKERS);
        return run;
    }

    private String out(String name) {
        return dir.resolve(name).toString();
    }

    static List<String> fabricsOfMoments() {
        return List.of("shm", "tcp");
    }

    @ParameterizedTest
    @MethodSource("fabricsOfMoments")
    void processesStoppedForAMomentLetTheRunEnd(String fabric) throws Exception {
        try (DisturbedRun run = start("moment", fabric, DisturbedRun.USUAL_SILENCE_MS)) {
            List<ProcessHandle> all = new ArrayList<>(run.workers());
            all.add(run.coordinator());
            for (ProcessHandle one : all) {
                DisturbedRun.signal(one, "STOP");
                Thread.sleep(MOMENT_MS);
                DisturbedRun.signal(one, "CONT");
            }
            DisturbedRun.Ending ending = run.end();
            assertThat(ending.complaints()).isEmpty();
            assertThat(ending.exit()).isZero();
            assertThat(ending.left()).isEmpty();
            assertThat(Files.readString(dir.resolve("moment/measurements.jsonl")))
                    .contains("\"valid\": true");
        }
    }

    static List<Arguments> stoppedForGood() {
        return List.of(Arguments.of("tcp", 1, "client process 0"), Arguments.of("shm", 0, "the server process"));
    }

    /** A stopped process ends only by SIGKILL. */
    @ParameterizedTest
    @MethodSource("stoppedForGood")
    void aProcessStoppedForGoodEndsTheRunAndIsKilled(String fabric, int victim, String name) throws Exception {
        try (DisturbedRun run = start("worker", fabric, SILENCE_MS)) {
            DisturbedRun.signal(run.workers().get(victim), "STOP");
            DisturbedRun.Ending ending = run.end();
            assertThat(ending.exit()).isEqualTo(1);
            assertThat(ending.complaints())
                    .contains(name + " sent nothing for 6 s")
                    .doesNotContain("Exception");
            assertThat(ending.left()).isEmpty();
        }
    }

    static List<String> fabricsOfCoordinators() {
        return List.of("tcp", "shm");
    }

    /** The others end without it; when it continues it reports that. */
    @ParameterizedTest
    @MethodSource("fabricsOfCoordinators")
    void aStoppedCoordinatorLeavesNoWorkers(String fabric) throws Exception {
        try (DisturbedRun run = start("coordinator", fabric, SILENCE_MS)) {
            DisturbedRun.signal(run.coordinator(), "STOP");
            assertThat(run.awaitEndOfWorkers(10 * SILENCE_MS)).isTrue();
            DisturbedRun.signal(run.coordinator(), "CONT");
            DisturbedRun.Ending ending = run.end();
            assertThat(ending.exit()).isEqualTo(1);
            // It first detects either the end of another process, or that of a connection to it.
            assertThat(ending.complaints())
                    .containsPattern("1 run failed:\n.*(ended while|was lost)")
                    .doesNotContain("Exception");
            assertThat(ending.left()).isEmpty();
        }
    }
}
