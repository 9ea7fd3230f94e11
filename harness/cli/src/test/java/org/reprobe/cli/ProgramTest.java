package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Nightly;

/**
 * The program as started by a user: its output, exit codes and signals. Tests that need no JVM of their own use the
 * command line in this one, which is ten times as fast.
 */
@ShippedHome
class ProgramTest {
    private static final String WINDOWS = "win";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private List<String> command(String... arguments) {
        List<String> command =
                TinyScenario.jvm("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe");
        command.addAll(List.of(arguments));
        return command;
    }

    private Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .directory(dir.toFile())
                .redirectOutput(dir.resolve("out").toFile())
                .redirectError(dir.resolve("err").toFile())
                .start();
    }

    private CommandResult end(Process process) throws IOException, InterruptedException {
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return new CommandResult(
                process.waitFor(), Files.readString(dir.resolve("out")), Files.readString(dir.resolve("err")));
    }

    /** Runs the program in a process of its own. */
    private CommandResult program(String... arguments) throws IOException, InterruptedException {
        return end(start(command(arguments)));
    }

    private void assertNothingWritten() throws IOException {
        try (var files = Files.list(dir)) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.equals("out") && !name.equals("err") && !name.endsWith(".yaml")))
                    .isEmpty();
        }
    }

    private static String lastLines(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** Scenario of 72 runs, long enough to be interrupted in the middle. */
    private Path slow() throws IOException {
        return Files.writeString(
                dir.resolve("slow.yaml"), TinyScenario.yaml(12).replace("duration-ms: 0.05", "duration-ms: 2"));
    }

    /** Runs it to its end in the folder "whole", and starts it in "cut". */
    private Process startBesideAWholeOne(Path file) throws IOException {
        String whole = dir.resolve("whole").toString();
        assertThat(CommandResult.of("run", file, "--out", whole).exitCode()).isZero();
        return start(command(
                "run",
                file.toString(),
                "--jobs",
                "1",
                "--out",
                dir.resolve("cut").toString()));
    }

    private void waitForRuns(Process process, Path measurements, int runs) throws Exception {
        while (process.isAlive() && lastLines(measurements).lines().count() < runs) {
            Thread.sleep(20);
        }
        assertThat(process.isAlive())
                .as("still running, so that it can be interrupted")
                .isTrue();
    }

    private static void signal(Process process, String name) throws Exception {
        // The shell's own: not every system has a program for it.
        int exit = new ProcessBuilder("bash", "-c", "kill -" + name + " " + process.pid())
                .start()
                .waitFor();
        assertThat(exit).isZero();
    }

    /** Returns true if this JVM, and so those that it starts, ignores SIGINT from its start on. */
    static boolean interruptsAreIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+")[1], 16) & 1L << (2 - 1)) != 0);
    }

    @Test
    void aScenarioRunsToItsEnd() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 2);
        CommandResult ended =
                program("run", file.toString(), "--out", dir.resolve("results").toString());
        assertThat(ended.complaints()).isEmpty();
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .contains("# fabric: sim (simulated), NIC connectx5-edr")
                .contains("cuckoo-parallel,load-factor=0.25")
                .contains("M lookups/s, us")
                .contains("simulated, not measured")
                .contains("report.html");
        for (String name : List.of(
                "scenario.yaml",
                "environment.json",
                "status.json",
                "measurements.jsonl",
                "histograms.hlog",
                "summary.csv",
                "claims.jsonl",
                "figure-7.svg",
                "figure-7.png",
                "figure-7.pdf",
                "figure-7.data.csv",
                "figure-7.tex",
                "report.html")) {
            assertThat(dir.resolve("results").resolve(name)).exists();
        }
        assertThat(Files.readString(dir.resolve("results/environment.json")))
                .contains("\"command\" : \"./run.sh run", "\"jdk\"", "\"kernel\"", "\"commit\"");
        CommandResult twice = CommandResult.of(
                "report",
                dir.resolve("results").toString(),
                dir.resolve("results").toString());
        assertThat(twice.exitCode()).isEqualTo(2);
        assertThat(twice.err()).contains("tiny: several of the folders have results of this scenario");
        Path page = dir.resolve("results/report.html");
        Path opened = dir.resolve("opened");
        Path opener = Files.createDirectory(dir.resolve("bin")).resolve("xdg-open");
        Files.writeString(
                opener, "#!/bin/sh\necho \"$1\" > " + opened + ".part && mv " + opened + ".part " + opened + "\n");
        assertThat(opener.toFile().setExecutable(true)).isTrue();
        ProcessBuilder onDisplay = new ProcessBuilder(
                        command("report", dir.resolve("results").toString(), "--open"))
                .redirectOutput(dir.resolve("out").toFile())
                .redirectError(dir.resolve("err").toFile());
        onDisplay.environment().put("DISPLAY", ":0");
        onDisplay.environment().put("PATH", opener.getParent() + ":" + System.getenv("PATH"));
        onDisplay.environment().remove("WSL_DISTRO_NAME");
        CommandResult report = end(onDisplay.start());
        assertThat(report.exitCode()).isZero();
        assertThat(report.err()).doesNotContain("--open");
        assertThat(report.out()).contains("linear-variable,load-factor=0.5");
        for (int i = 0; i < 600 && Files.notExists(opened); i++) {
            Thread.sleep(100);
        }
        assertThat(opened).hasContent(page.toString());
    }

    @Test
    void shardsMergeToTheBytesOfOneRun() throws Exception {
        String whole = dir.resolve("whole").toString();
        String parts = dir.resolve("parts").toString();
        String file = TinyScenario.write(dir, "tiny", 2).toString();
        assertThat(CommandResult.of("run", file, "--out", whole, "--quiet").exitCode())
                .isZero();
        CommandResult second = program("run", file, "--out", parts, "--shard", "2/2", "--max-memory", "1g");
        assertThat(second.complaints()).isEmpty();
        assertThat(second.exitCode()).isZero();
        assertThat(second.out()).contains("Shard 2/2: 6 of 6 runs are kept in", "./run.sh merge " + parts);

        CommandResult early = CommandResult.of("merge", parts);
        assertThat(early.exitCode()).isEqualTo(1);
        assertThat(early.err())
                .contains("missing: shard 1/2, 6 of 6 runs: tiny ", "Incomplete: 6 of 12 runs", "run --resume ");
        CommandResult first = CommandResult.of("run", "--resume", parts, "--shard", "1/2");
        assertThat(first.complaints()).isEmpty();
        CommandResult done = CommandResult.of("merge", parts);
        assertThat(done.complaints()).isEmpty();
        assertThat(done.exitCode()).isZero();
        TreeMap<String, String> merged = TinyScenario.results(dir.resolve("parts"));
        merged.keySet().removeIf(name -> name.startsWith("shards/"));
        assertThat(merged).isEqualTo(TinyScenario.results(dir.resolve("whole")));
        assertThat(Files.readString(dir.resolve("parts/environment.json")))
                .contains("\"shards\" : \"2\"", "\"nodes\"", "\"command\" : \"./run.sh run");
    }

    @Test
    void aCounterexampleIsShownWithTheCommandThatReplaysIt() throws Exception {
        Path page = dir.resolve("page").resolve("check.html");
        CommandResult ended = CommandResult.of(
                "check",
                "--system",
                "nessie-printed-slow-read",
                "--system",
                "nessie-delete",
                "--schedules",
                "50",
                "--html",
                page.toString());
        assertThat(Files.readString(page))
                .contains("nessie-printed-slow-read", "breaks as printed", "--replay")
                .containsPattern("READ D\\[1\\] \\(\\d+ B\\)")
                .containsPattern("read a present key</th><td class=\"n\">\\d+\\.\\d\\d</td>");
        assertThat(ended.complaints()).isEmpty();
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .containsPattern("nessie-delete +\\d+ +\\d+ +all +50 +0 +holds")
                .containsPattern("nessie-printed-slow-read .* breaks as printed")
                .contains("explains client 1's read(0) -> absent");
        String command = ended.out()
                .lines()
                .filter(line -> line.strip().startsWith("replay: ./run.sh "))
                .findFirst()
                .orElseThrow();
        CommandResult again = CommandResult.of(
                (Object[]) command.substring(command.indexOf("check")).split(" "));
        assertThat(again.exitCode()).isZero();
        assertThat(again.out())
                .contains("explains client 1's read(0) -> absent")
                .contains("CAS I[0]");

        CommandResult wrong =
                CommandResult.of("check", "--system", "nessie-delte", "--seed", "x", "--replay", "s0,q", "--html", ".");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("did you mean \"nessie-delete\"?")
                .contains("--seed x: must be a whole number")
                .contains("--html .: is a folder, not a file")
                .contains("not with --replay")
                .contains("\"q\" is no part of a schedule");
        CommandResult misfit = CommandResult.of("check", "--system", "nessie-delete", "--replay", "s1,s1");
        assertThat(misfit.exitCode()).isEqualTo(2);
        assertThat(misfit.err()).contains("choice 1 is s1, but possible actions are g0, g1");
    }

    @Test
    void wrongOptionsOfHistoriesInRealTimeAreAllNamed() throws Exception {
        CommandResult wrong = CommandResult.of(
                "check", "--fabric", "shn", "--duration", "1d", "--kills", "-1", "--processes", "0", "--bound", "3");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("--fabric shn")
                .contains("did you mean \"shm\"?")
                .contains("--duration 1d: must be a time of 1s to 24h, such as 60s, 5m or 2h")
                .contains("--kills -1: must be a whole number from 0 to 1000")
                .contains("--processes 0: must be a whole number from 1 to 64")
                .contains("--bound: not with --fabric");
        CommandResult without = CommandResult.of("check", "--kills", "3");
        assertThat(without.exitCode()).isEqualTo(2);
        assertThat(without.err()).contains("--kills: only with --fabric");
        CommandResult few =
                CommandResult.of("check", "--fabric", "tcp", "--system", "farm-transactions", "--kills", "9");
        assertThat(few.exitCode()).isEqualTo(2);
        assertThat(few.err())
                .contains(
                        "--duration 60s: 9 kills, 1 stop take 10 runs of at least 8 s, since 1 of 3 machines may fail per run: at least 80 s");
        CommandResult misfit = CommandResult.of("check", "--fabric", "tcp", "--system", "pilaf", "--stops", "2");
        assertThat(misfit.exitCode()).isEqualTo(2);
        assertThat(misfit.err()).contains("--stops: only of systems whose machines may fail: farm-transactions");
        CommandResult nowhere = CommandResult.of("check", "--fabric", "tcp", "--zookeeper", "somewhere");
        assertThat(nowhere.exitCode()).isEqualTo(2);
        assertThat(nowhere.err()).contains("--zookeeper", "'somewhere' is not host:port");
    }

    @Test
    void allErrorsOfTheInputAreShownAtOnceAndNoFileIsWritten() throws Exception {
        Path file = dir.resolve("bad.yaml");
        Files.writeString(file, TinyScenario.yaml(2).replace("records: 4096", "recrods: 4096"));
        CommandResult ended = program(
                "run",
                file.toString(),
                "figure-77",
                "--scale",
                "quik",
                "--jobs",
                "none",
                "--seed",
                "one",
                "--max-memory",
                "much",
                "--set",
                "table.storag=heap",
                "--out",
                "/dev/null/x");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err())
                .contains("--scale quik: must be one of quick, full; did you mean \"quick\"?")
                .contains("--jobs none: must be a whole number from 1 to 9999")
                .contains("--seed one: must be a whole number")
                .contains("--max-memory much: must be a size like 800M or 8Gi")
                .contains("figure-77: there is no such scenario or file; did you mean \"figure-07\"?")
                .contains("--set table.storag=heap: unknown key \"table.storag\"; did you mean \"table.storage\"?")
                .contains("bad.yaml:4:9: unknown key \"recrods\"; did you mean \"records\"?")
                .contains("    4 | table: {recrods: 4096}")
                .contains("--out /dev/null/x: can't be created: /dev/null is a file, not a folder")
                .doesNotContain("Exception", "org.reprobe", "\tat ");
        assertNothingWritten();
    }

    @Test
    void anUnknownCommandOrOptionIsBadInput() throws Exception {
        CommandResult command = program("rnu");
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err())
                .contains("rnu")
                .contains("did you mean \"run\"?")
                .doesNotContain("\tat ");
        CommandResult option = CommandResult.of("run", "--strcit");
        assertThat(option.exitCode()).isEqualTo(2);
        assertThat(option.err()).contains("did you mean \"--strict\"?");
    }

    /**
     * Systems may first be loaded by a scenario, by picocli describing a command, or by a search for commands' names.
     */
    @ParameterizedTest
    @ValueSource(strings = {"list", "plan", "lsit"})
    void aSystemThatCannotBeLoadedIsReported(String called) throws Exception {
        Path services = Files.createDirectories(dir.resolve("jar/META-INF/services"));
        Files.writeString(services.resolve("org.reprobe.system.SystemUnderTest"), "no.such.Thing");
        List<String> command = command(called);
        int at = command.indexOf("-cp") + 1;
        command.set(at, command.get(at) + File.pathSeparator + dir.resolve("jar"));

        CommandResult ended = end(start(command));

        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.complaints())
                .contains("a system can't be loaded: Provider no.such.Thing not found")
                .contains("META-INF/services/org.reprobe.system.SystemUnderTest")
                .doesNotContain("\tat ");
    }

    @Test
    void aJavaWithoutFlightRecorderIsReported() throws Exception {
        List<String> command = command("run", TinyScenario.write(dir, "tiny", 1).toString(), "--profile");
        command.add(
                1,
                ModuleFinder.ofSystem().findAll().stream()
                        .map(module -> module.descriptor().name())
                        .filter(name -> !name.contains("jfr"))
                        .collect(Collectors.joining(",", "--limit-modules=", "")));
        CommandResult ended = end(start(command));
        assertThat(ended.exitCode()).isEqualTo(2);
        // The JVM warns that it can't use the tests' cache of classes.
        assertThat(ended.complaints())
                .endsWith("--profile: needs the module jdk.jfr, which is missing here: use a complete JDK");
        assertNothingWritten();
    }

    @Test
    void aMissingProfileIsBadInput() throws Exception {
        CommandResult ended = CommandResult.of(
                "run",
                "figure-07",
                "--nic",
                "connectx5-erd",
                "--out",
                dir.resolve("x").toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("there is no NIC profile \"connectx5-erd\"")
                .contains("connectx5-edr");
        assertNothingWritten();
    }

    @Test
    void aFolderThatIsNotEmptyIsLeftAlone() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        CommandResult ended = CommandResult.of("run", file.toString(), "--out", dir.toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("is not empty");
    }

    @Test
    void validateShowsAllErrorsOfAllFilesAndWhatIsGood() throws Exception {
        Path good = TinyScenario.write(dir, "good", 1);
        Path bad = dir.resolve("bad.yaml");
        Files.writeString(bad, TinyScenario.yaml(1).replace("load-factor: [0.25, 0.50]", "load-factor: [0.25, 1.50]"));
        CommandResult ended = CommandResult.of("validate", good.toString(), bad.toString(), "nowhere.yaml");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.out()).contains("good.yaml: ok (quick: 6 cells, 6 runs");
        assertThat(ended.err()).contains("bad.yaml:6:").contains("nowhere.yaml: there is no such scenario or file");
        assertThat(CommandResult.of("validate", good.toString()).exitCode()).isZero();
    }

    @Test
    void aFileOfAnotherKindIsIdentified() throws Exception {
        Path plan = Files.copy(TinyScenario.HOME.resolve("scenarios/plans/sessions.yaml"), dir.resolve("wishes.yaml"));
        Path nic = Files.copy(TinyScenario.NICS.resolve("efa.yaml"), dir.resolve("card.yaml"));
        Path claims = Files.copy(TinyScenario.HOME.resolve("results/published/nessie.yaml"), dir.resolve("said.yaml"));
        Path results = Files.createDirectory(dir.resolve("results.yaml"));
        Files.writeString(results.resolve("status.json"), "{}");

        CommandResult run =
                CommandResult.of("run", plan.toString(), nic.toString(), claims.toString(), results.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines())
                .containsExactly(
                        plan + ": is a plan, not a scenario: ./run.sh plan " + plan,
                        nic + ": is a NIC profile, not a scenario: ./run.sh run SCENARIO --nic " + nic,
                        claims + ": is a claims file, not a scenario",
                        results + ": a result folder: ./run.sh report " + results + " shows it, ./run.sh run --resume "
                                + results + " completes it");
        Path scenario = TinyScenario.write(dir, "tiny", 1);
        CommandResult planned = CommandResult.of("plan", scenario.toString());
        assertThat(planned.exitCode()).isEqualTo(2);
        assertThat(planned.err().lines())
                .containsExactly(scenario + ": is a scenario, not a plan: ./run.sh run " + scenario);
        CommandResult withPlan = CommandResult.of("validate", scenario.toString(), "--nic", plan.toString());
        assertThat(withPlan.exitCode()).isEqualTo(2);
        assertThat(withPlan.err()).contains("is a plan, not a NIC profile");
    }

    @Test
    void validateAndPlanTakeANicProfileOfTheUsersOwn() throws Exception {
        Path nic = dir.resolve("mine.yaml");
        Files.writeString(
                nic,
                Files.readString(TinyScenario.NICS.resolve("connectx5-edr.yaml"))
                        .replaceFirst("title: .*", "title: My card"));
        Path scenario = TinyScenario.write(dir, "tiny", 1);
        assertThat(CommandResult.of("validate", scenario.toString(), "--nic", nic.toString())
                        .exitCode())
                .isZero();
        CommandResult plan = CommandResult.of(
                "plan",
                TinyScenario.HOME.resolve("scenarios/plans/sessions.yaml").toString(),
                "--nic",
                nic.toString(),
                "--top",
                "1");
        assertThat(plan.complaints()).isEmpty();
        assertThat(plan.exitCode()).isZero();
        assertThat(plan.out()).contains("My card");

        Files.writeString(nic, Files.readString(nic).replaceFirst("jitter: \\{value: [0-9.]+", "jitter: {value: -1"));
        for (String[] command : new String[][] {
            {"validate", scenario.toString(), "--nic", nic.toString()},
            {"plan", "--nic", nic.toString(), "--records", "1e9", "--value-bytes", "8"}
        }) {
            CommandResult bad = CommandResult.of((Object[]) command);
            assertThat(bad.exitCode()).isEqualTo(2);
            assertThat(bad.err()).contains("jitter", nic + ":").doesNotContain("Exception", "\tat ", "reprobe-nics");
        }
    }

    @Test
    void aTerminalIsShownNothingOfAFileThatItWouldObey() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 1);
        Files.writeString(
                file, Files.readString(file).replace("title: Tiny", "title: \"Tiny \\e]0;yours\\a \\u202e\""));
        CommandResult ended = program("run", file.toString(), "--dry-run");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.complaints())
                .contains("title can't contain the control character U+001B")
                .doesNotContain("\u001b", "\u0007", "\u202e");
        Files.writeString(file, Files.readString(file).replace("\\e]0;yours\\a ", ""));
        ended = program("run", file.toString(), "--dry-run");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("Tiny \\u202e").doesNotContain("\u202e");
    }

    @Test
    void listNamesEveryShippedScenario() throws Exception {
        CommandResult ended = CommandResult.of("list");
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out()).contains("figure-07", "linear-probing/table-1", "Lookup throughput");
    }

    @Test
    void aDryRunShowsCellsAndMemoryAndWritesNothing() throws Exception {
        Path file = TinyScenario.write(dir, "tiny", 2);
        CommandResult ended = CommandResult.of(
                "run", file.toString(), "--dry-run", "--out", dir.resolve("x").toString());
        assertThat(ended.exitCode()).isZero();
        assertThat(ended.out())
                .contains("linear-fixed,load-factor=0.5", "12 runs; memory: at least", "Nothing was run or written.");
        assertNothingWritten();
    }

    @Test
    void ctrlCKeepsEndedRunsAndResumeCompletesToTheSameBytes() throws Exception {
        assumeThat(System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT))
                .doesNotStartWith(WINDOWS);
        assumeThat(interruptsAreIgnored())
                .as("a shell has started this in the background")
                .isFalse();
        Path file = slow();
        Process process = startBesideAWholeOne(file);
        waitForRuns(process, dir.resolve("cut/measurements.jsonl"), 3);
        signal(process, "INT");
        CommandResult ended = end(process);
        assertThat(ended.exitCode()).isEqualTo(130);
        assertThat(ended.out()).contains("of 72 runs are kept", "--resume");
        assertThat(Files.readString(dir.resolve("cut/status.json"))).contains("\"interrupted\"");
        CommandResult resumed =
                CommandResult.of("run", "--resume", dir.resolve("cut").toString());
        assertThat(resumed.complaints()).isEmpty();
        assertThat(resumed.exitCode()).isZero();
        assertThat(TinyScenario.results(dir.resolve("cut"))).isEqualTo(TinyScenario.results(dir.resolve("whole")));
    }

    @Test
    void aSecondCtrlCWritesAnInterruptedStatusAndPrintsHowToResume() throws Exception {
        assumeThat(System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT))
                .doesNotStartWith(WINDOWS);
        assumeThat(interruptsAreIgnored())
                .as("a shell has started this in the background")
                .isFalse();
        // Each run takes minutes, so that the first signal does not end them before the second comes.
        Path file = Files.writeString(
                dir.resolve("slow.yaml"), TinyScenario.yaml(2).replace("duration-ms: 0.05", "duration-ms: 20000"));
        Process process = start(command(
                "run",
                file.toString(),
                "--jobs",
                "1",
                "--out",
                dir.resolve("cut").toString()));
        Path status = dir.resolve("cut/status.json");
        while (process.isAlive() && !lastLines(status).contains("running")) {
            Thread.sleep(20);
        }
        Thread.sleep(1_000); // signals are handled soon after that
        signal(process, "INT");
        while (process.isAlive() && !lastLines(dir.resolve("err")).contains("Ending")) {
            Thread.sleep(20);
        }
        signal(process, "INT");
        CommandResult ended = end(process);
        assertThat(ended.exitCode()).isEqualTo(130);
        // On a busy machine the first signal may come before the first run, and end the program before the second
        // comes.
        assertThat(ended.complaints() + ended.out()).contains("To continue:", "--resume");
        assertThat(status).content().contains("\"status\":\"interrupted\"");
    }

    @Test
    @Nightly(besides = "ExperimentTest: a folder whose writer was killed resumes to the same bytes")
    void aKilledRunResumesToTheSameBytes() throws Exception {
        Path file = slow();
        Process process = startBesideAWholeOne(file);
        waitForRuns(process, dir.resolve("cut/measurements.jsonl"), 3);
        process.destroyForcibly();
        end(process);
        CommandResult report = CommandResult.of("report", dir.resolve("cut").toString());
        assertThat(report.out()).contains("INCOMPLETE");
        assertThat(CommandResult.of("run", "--resume", dir.resolve("cut").toString())
                        .exitCode())
                .isZero();
        assertThat(TinyScenario.results(dir.resolve("cut"))).isEqualTo(TinyScenario.results(dir.resolve("whole")));
    }

    @Test
    void aFullDiskIsReportedAndLosesNoRunThatEnded() throws Exception {
        // A limit on the size of files fails writes as a full disk does.
        assumeThat(Path.of("/bin/bash")).exists();
        Path file = TinyScenario.write(dir, "tiny", 12);
        List<String> command = new ArrayList<>(List.of("/bin/bash", "-c", "ulimit -f 16 && exec \"$@\"", "bash"));
        command.addAll(command(
                "run",
                file.toString(),
                "--jobs",
                "1",
                "--out",
                dir.resolve("full").toString()));
        CommandResult ended = end(start(command));
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err()).contains("Results can't be stored").doesNotContain("\tat ");
        assertThat(Files.readString(dir.resolve("full/status.json"))).contains("\"status\":\"failed\"");
        long kept = lastLines(dir.resolve("full/measurements.jsonl")).lines().count();
        assertThat(kept).isBetween(1L, 71L);
        CommandResult resumed =
                CommandResult.of("run", "--resume", dir.resolve("full").toString());
        assertThat(resumed.exitCode()).isZero();
        assertThat(lastLines(dir.resolve("full/measurements.jsonl")).lines()).hasSize(72);
    }

    @Test
    void aMissedClaimFailsOnlyAStrictRun() throws Exception {
        // The simulated card takes 19 % longer for 1 KB than for 10 bytes, which the paper calls negligible.
        String[] figure = {"run", "figure-1", "--set", "sweep.fabric=[sim]", "--set", "sweep.bytes=[10, 1024]", "--out"
        };
        CommandResult lenient =
                CommandResult.of((Object[]) with(figure, dir.resolve("lenient").toString()));
        assertThat(lenient.exitCode()).isZero();
        assertThat(lenient.out()).containsPattern("Claims: \\d+ of \\d+ hold, 1 missed, .* [1-9]\\d* not measured");
        CommandResult strict =
                CommandResult.of((Object[]) with(figure, dir.resolve("strict").toString(), "--strict"));
        assertThat(strict.exitCode()).isEqualTo(1);
        assertThat(strict.out()).contains("missed claim", "equivalent to");
    }

    @Test
    @Nightly(besides = "RegressCommandTest")
    void resultsThatDifferInTheirSeedAloneAreCountedTogether() throws Exception {
        List<String> report = new ArrayList<>(List.of("report"));
        for (String seed : List.of("1", "2", "3")) {
            String out = dir.resolve("seed-" + seed).toString();
            assertThat(CommandResult.of("run", "figure-13", "--seed", seed, "--out", out)
                            .exitCode())
                    .isZero();
            report.add(out);
        }
        CommandResult counted = CommandResult.of(report.toArray());
        assertThat(counted.exitCode()).isZero();
        assertThat(counted.out())
                .contains("Claims over 3 seeds (1, 2, 3)", "hold in 3 of 3")
                .containsPattern("Read-size model +9 +9 +0 +0 +0");
    }

    @Test
    void runsWithOtherSettingsThanThePapersAreNotJudged() throws Exception {
        Path file = Files.writeString(
                dir.resolve("figure-07.yaml"),
                TinyScenario.yaml(2).replace("title: Tiny\n", "title: Tiny\nreproduces: [linear-probing/figure-7]\n"));
        CommandResult strict = CommandResult.of(
                "run",
                file.toString(),
                "--strict",
                "--out",
                dir.resolve("other").toString());
        assertThat(strict.exitCode()).isZero();
        assertThat(strict.out())
                .containsPattern("Claims: 0 of \\d+ hold, 0 missed, 0 can't tell, [1-9]\\d* not comparable")
                .containsPattern("Not comparable with the paper: .*table.records \\d+ instead of at least 1048576");
    }

    @Test
    void unpublishedClaimsCannotBeReproduced() throws Exception {
        Path file = Files.writeString(
                dir.resolve("mine.yaml"),
                TinyScenario.yaml(2)
                        .replace(
                                "title: Tiny\n",
                                "title: Tiny\nreproduces: [linear-probing/figure-7, linear-probing/figur-8]\n"));
        CommandResult ended = CommandResult.of("validate", file.toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("mine.yaml:2:39:", "\"linear-probing/figur-8\"; did you mean \"linear-probing/figure-8\"?")
                .doesNotContain("\"linear-probing/figure-7\"");
    }

    private static String[] with(String[] arguments, String... more) {
        String[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        return all;
    }

    @Test
    void aFolderOfAnotherVersionIsBadInput() throws Exception {
        Path old = Files.createDirectory(dir.resolve("old"));
        Files.writeString(old.resolve("status.json"), "{\"format\":99,\"status\":\"complete\"}\n");
        for (String[] arguments :
                List.of(new String[] {"report", old.toString()}, new String[] {"run", "--resume", old.toString()})) {
            CommandResult ended = CommandResult.of((Object[]) arguments);
            assertThat(ended.exitCode()).isEqualTo(2);
            assertThat(ended.err()).contains("written by another version of Reprobe (folder format 99");
        }
    }

    @Test
    void everyCommandHasHelp() throws Exception {
        for (String command : List.of("list", "validate", "run", "report")) {
            CommandResult ended = CommandResult.of(command, "--help");
            assertThat(ended.exitCode()).isZero();
            assertThat(ended.out()).contains("Usage: ./run.sh " + command);
        }
        assertThat(program("--version").out()).contains("Reprobe 0.1.0");
    }
}
