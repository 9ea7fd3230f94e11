package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;

/**
 * A user's own programs: the page about them, command by command, and leftovers of an ended run. The program's folder
 * has a run.sh of these tests, which builds nothing.
 */
class OwnArtifactTest {
    private static final String PAGE = "docs/own-artifact.md";

    /** Handling of --project in run.sh. */
    private static final String RUN_SH = """
            #!/bin/bash
            project=${REPROBE_PROJECT:-}
            words=()
            while [ $# -gt 0 ]; do
              if [ "$1" = --project ]; then project=$2; shift; else words+=("$1"); fi
              shift
            done
            exec %s -Dreprobe.home="%s" ${project:+-Dreprobe.project="$(cd "$project" && pwd)"} \\
              -cp '%s' org.reprobe.cli.Reprobe "${words[@]}"
            """;

    /** Program that prints its process id and sleeps with a child until a file exists. */
    private static final String SLEEPER = """
            title: Sleeper
            scheme: command
            fabric: shm
            command:
              start: [sh, -c, "echo $$ >>{folder}/../../pids; echo ready; while :; do sleep 0.1; done"]
              ready: ready
              run:
                - sh
                - -c
                - "echo $$ >>{folder}/../../pids; while [ {repeat} -gt 0 -a ! -f awake ]; do sleep 0.05; done; echo '{\\"ops\\": 5}'"
              metrics: {throughput: {from: ops, unit: ops/s}}
            measure: {repeats: 3}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path home;

    private record CommandResult(int exitCode, String output) {}

    @BeforeEach
    void makeAHome() throws IOException {
        for (String part : List.of("scenarios", "harness", "docs")) {
            Files.createSymbolicLink(home.resolve(part), Project.path(part));
        }
        Files.createDirectories(home.resolve("results"));
        Files.createSymbolicLink(home.resolve("results/published"), Project.path("results/published"));
        List<String> jvm = TinyScenario.jvm();
        jvm.removeIf(flag -> flag.startsWith("-Dreprobe.home="));
        Path script = Files.writeString(
                home.resolve("run.sh"),
                RUN_SH.formatted(String.join(" ", jvm), home, System.getProperty("java.class.path")));
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    /** Their targets must not be deleted by the test, and JUnit would report each. */
    @AfterEach
    void takeTheLinksAway() throws IOException {
        for (String link : List.of("scenarios", "harness", "docs", "results/published")) {
            Files.delete(home.resolve(link));
        }
    }

    /** Commands of the page without those that need a virtual machine or programs that not every host has. */
    static List<String> commands() throws IOException {
        try (Stream<String> lines = Files.lines(Project.path(PAGE))) {
            return lines.map(String::strip)
                    .filter(line -> line.startsWith("./run.sh "))
                    .filter(line -> !line.startsWith("./run.sh vm ") && !line.contains("memaslap"))
                    .toList();
        }
    }

    static List<String> triedCommands() throws IOException {
        return NightlyCases.of("OwnArtifactTest.aCommandOfThePageDoesAsDocumented", 2, commands());
    }

    @ParameterizedTest
    @MethodSource("triedCommands")
    void aCommandOfThePageDoesAsDocumented(String command) throws Exception {
        // Fewer pairs than on the page.
        CommandResult ended = bash(command.replace("--budget 20s", "--budget 5s"));

        // On a busy machine a few pairs may not suffice, and the page's two settings differ for real.
        List<Integer> fine = command.contains(" pair ") ? List.of(0, 1, 3) : List.of(0);
        assertThat(fine).as(ended.output()).contains(ended.exitCode());
        if (command.contains(" run ")) {
            Path latest = home.resolve("results/latest");
            assertThat(ended.output())
                    .contains("probes_count")
                    .containsPattern("Claims: [0-3] of 3 hold, 0 missed, [0-3] can't tell");
            assertThat(latest.resolve("throughput.svg")).exists();
            assertThat(latest.resolve("report.html"))
                    .content()
                    .contains("Knuth")
                    .contains("measured: real time");
            assertThat(latest.resolve("measurements.jsonl")).content().contains("\"kind\": \"measured\"");
            assertThat(latest.resolve("environment.json")).content().contains("\"noise");
        }
    }

    @Test
    void thePageAndTheExampleSayTheSame() throws Exception {
        String page = Files.readString(Project.path(PAGE));
        String scenario =
                Files.readString(Project.path("harness/examples/own-artifact/scenarios/own-artifact/probing.yaml"));

        for (String line : List.of(
                "throughput: {from: rate.kops, unit: kops/s}",
                "probes: {from: probes, unit: count}",
                "command.parameters.rounds: [1, 4]",
                "parameters: {rounds: 1}")) {
            assertThat(page).contains(line);
            assertThat(scenario).contains(line);
        }
        assertThat(commands()).hasSize(3);
    }

    @Test
    @Nightly(besides = "RegressForeignTest, without runs")
    void resultsAreComparedAndAcceptedByAHistoryAsOurOwnAre() throws Exception {
        String run = "./run.sh run probing --project harness/examples/own-artifact --set sweep.load-factor=[0.5]"
                + " --set sweep.command.parameters.rounds=[1] --out ";
        bash(run + "a");
        bash(run + "b");
        bash(run + "c --set table.records=5000");

        assertThat(bash("./run.sh regress compare a b").output()).contains("throughput_ops_per_s");
        assertThat(bash("./run.sh regress compare a b --metric own.probes_count")
                        .output())
                .contains("own.probes_count");
        CommandResult other = bash("./run.sh regress compare a c");
        assertThat(other.exitCode()).as(other.output()).isEqualTo(2);
        assertThat(other.output()).contains("table.records");
        assertThat(bash("./run.sh report a").exitCode()).isZero();
    }

    @Test
    @Needs(Need.MEMCASLAP)
    @Nightly(besides = "the commands of the page")
    void memcachedRunsUnderItsOwnLoadGenerator() throws Exception {
        CommandResult ended =
                bash("./run.sh run memaslap --project harness/examples/own-artifact --out m --set repeats=1"
                        + " --set sweep.command.parameters.concurrency=[4]");

        assertThat(ended.exitCode()).as(ended.output()).isZero();
        assertThat(home.resolve("m/measurements.jsonl"))
                .content()
                .containsPattern("\"throughput_ops_per_s\": [1-9]")
                .containsPattern("\"mean\": [1-9]")
                .contains("\"misses_count\": 0.0");
    }

    static List<String> signals() {
        return NightlyCases.of(
                "OwnArtifactTest.aRunThatIsEndedLeavesNothingAndIsNoResultUntilItIsCompleted",
                1,
                List.of("KILL", "TERM"));
    }

    @ParameterizedTest
    @MethodSource("signals")
    void aRunThatIsEndedLeavesNothingAndIsNoResultUntilItIsCompleted(String signal) throws Exception {
        Files.writeString(home.resolve("sleeper.yaml"), SLEEPER);
        Process process = new ProcessBuilder("bash", "-c", "exec ./run.sh run sleeper.yaml --out s")
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("said").toFile())
                .start();
        Path pids = home.resolve("s/pids");
        // The second run begins while the first is stored.
        while (process.isAlive() && (lines(pids) < 4 || lines(home.resolve("s/measurements.jsonl")) < 1)) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive()).as(Files.readString(home.resolve("said"))).isTrue();

        assertThat(new ProcessBuilder("bash", "-c", "kill -" + signal + " " + process.pid())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        for (String pid : Files.readAllLines(pids)) {
            for (int tries = 0; tries < 200 && TinyScenario.runs(pid); tries++) {
                Thread.sleep(50); // a shell outlives us for a moment, to kill them
            }
            assertThat(TinyScenario.runs(pid)).as("process " + pid + " runs").isFalse();
        }
        assertThat(home.resolve("s/status.json")).content().doesNotContain("complete");
        assertThat(Files.readAllLines(home.resolve("s/measurements.jsonl")))
                .as("the first of three runs")
                .hasSize(1);
        Files.createFile(home.resolve("awake"));
        CommandResult resumed = bash("./run.sh run --resume s");
        assertThat(resumed.exitCode()).as(resumed.output()).isZero();
        assertThat(home.resolve("s/status.json")).content().contains("complete");
        assertThat(Files.readAllLines(home.resolve("s/measurements.jsonl"))).hasSize(3);
    }

    private static int lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    @Test
    void aMissingProgramOmitsItsScenario() throws Exception {
        Files.writeString(home.resolve("sleeper.yaml"), SLEEPER);
        Files.writeString(
                home.resolve("gone.yaml"),
                SLEEPER.replace("- sh\n", "- ./gone\n").replace("ready: ready", "ready: ready\n  install: run make"));
        Files.createFile(home.resolve("awake"));

        CommandResult both = bash("./run.sh run sleeper.yaml gone.yaml --out both");
        CommandResult alone = bash("./run.sh run gone.yaml --out alone");

        String why = "it needs the program ./gone, which is not in " + home.toRealPath()
                + ", or can't be executed; run make";
        assertThat(both.exitCode()).as(both.output()).isZero();
        assertThat(both.output()).contains("*** NOT RUN: gone: " + why + " ***");
        assertThat(alone.exitCode()).isEqualTo(2);
        assertThat(alone.output()).contains("gone: " + why);
        assertThat(home.resolve("alone")).doesNotExist();
    }

    private CommandResult bash(String command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(home, "said", ".txt");
        Process process = new ProcessBuilder(new ArrayList<>(List.of("bash", "-c", command)))
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return new CommandResult(process.waitFor(), Files.readString(output));
    }
}
