package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.TinyScenario;

/**
 * {@code regress} as started by a user, in this process except for GitHub's variables. A script that makes up
 * measurements at once replaces a checkout.
 */
class RegressCommandTest {
    /** Writes a result folder: a throughput with noise of a few per cent, FACTOR times as high as another. */
    private static final String CHECKOUT = """
            #!/usr/bin/env bash
            factor=%d
            out= seed=0 fail=
            while [ $# -gt 0 ]; do
              case $1 in
                --version) exit 0 ;;
                --out) out=$2; shift ;;
                --seed) seed=$2; shift ;;
              esac
              shift
            done
            mkdir -p "$out"
            noise=$(( (seed * 7919 + factor * 31) %% 41 - 20 ))
            echo '{"format":1,"status":"complete","done":1,"planned":1,"command":"x","scenarios":["t"],"combined":false}' \\
              > "$out/status.json"
            echo '{"cpu":"made up"}' > "$out/environment.json"
            echo "title: T" > "$out/scenario.yaml"
            echo '{"scenario": "t", "cell": {"scheme": "linear-fixed", "load-factor": 0.5}, "repeat": 0, "seed": '$seed',' \\
              '"fabric": "shm", "kind": "measured", "valid": %s, "problem": "no luck",' \\
              '"metrics": {"throughput_ops_per_s": '$(( factor * (1000 + noise) ))'.0}}' > "$out/measurements.jsonl"
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static Path checkout(Path home, int factor, boolean valid) throws IOException {
        Path nics = Files.createDirectories(home.resolve("scenarios/nics"));
        String nic = "connectx5-edr.yaml";
        Files.copy(TinyScenario.NICS.resolve(nic), nics.resolve(nic), StandardCopyOption.REPLACE_EXISTING);
        Path script = Files.writeString(home.resolve("run.sh"), CHECKOUT.formatted(factor, valid));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return home;
    }

    private static CommandResult run(Path home, String... arguments) {
        List<Object> words = new ArrayList<>(List.of("regress"));
        words.addAll(List.of(arguments));
        System.setProperty("reprobe.home", home.toString());
        try {
            return CommandResult.of(words.toArray());
        } finally {
            System.clearProperty("reprobe.home");
        }
    }

    /** Runs in a process of its own, as a step of GitHub Actions does. */
    private CommandResult step(Path home, String... arguments) throws IOException, InterruptedException {
        List<String> command = TinyScenario.jvm(
                "-Dreprobe.home=" + home,
                "-cp",
                System.getProperty("java.class.path"),
                "org.reprobe.cli.Reprobe",
                "regress");
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(dir.resolve("out").toFile())
                .redirectError(dir.resolve("err").toFile());
        builder.environment()
                .put("GITHUB_STEP_SUMMARY", dir.resolve("summary.md").toString());
        Process process = builder.start();
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new CommandResult(
                process.exitValue(), Files.readString(dir.resolve("out")), Files.readString(dir.resolve("err")));
    }

    private Path home(int now) throws IOException {
        return checkout(dir.resolve("now"), now, true);
    }

    private String[] pair(int base, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "pair",
                "--base",
                checkout(dir.resolve("base"), base, true).toString(),
                TinyScenario.write(dir, "t", 1).toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Test
    void aSlowerBuildIsWorseInEveryOutput() throws Exception {
        Path junit = dir.resolve("new/junit.xml");
        Path html = dir.resolve("page.html");
        CommandResult ended = step(
                home(800),
                pair(1000, "--junit", junit.toString(), "--html", html.toString(), "--json", dir + "/j.json"));
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
        assertThat(ended.out()).containsPattern("worse +t linear-fixed,load-factor=0.5 +throughput_ops_per_s");
        assertThat(Files.readString(junit)).contains("failures=\"1\"");
        assertThat(Files.readString(html)).contains("<svg ");
        assertThat(Files.readString(dir.resolve("j.json"))).contains("\"verdict\": \"worse\"");
        assertThat(Files.readString(dir.resolve("summary.md"))).contains("❌ worse");
        assertThat(ended.err()).doesNotContain("pair 40"); // it stopped early
    }

    @Test
    void theSameBuildIsTheSame() throws Exception {
        Path html = dir.resolve("page.html");
        CommandResult ended = run(home(1000), pair(1000, "--fabric", "shm", "--html", html.toString()));
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("verdict: same (1 same)");
        assertThat(html).content().contains("<dt>noise"); // measured: what disturbs it was looked at
    }

    @Test
    void aBuildWhoseRunsFailIsWorse() throws Exception {
        checkout(dir.resolve("now"), 1000, false);
        Path home = dir.resolve("now");
        CommandResult ended = run(
                home,
                "pair",
                "--base",
                checkout(dir.resolve("base"), 1000, true).toString(),
                TinyScenario.write(dir, "t", 1).toString());
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(1);
        assertThat(ended.out()).contains("1 of 1 run failed in NEW", "no luck");
    }

    @Test
    void allBadInputOfAPairIsReportedAtOnce() throws Exception {
        CommandResult ended = run(
                TinyScenario.HOME,
                "pair",
                TinyScenario.write(dir, "t", 1).toString(),
                "--a",
                "lod-factor=0.5",
                "--budget",
                "soon",
                "--max-pairs",
                "2",
                "--min-effect",
                "200%",
                "--base",
                dir.toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains("--budget soon: must be a time like")
                .contains("--max-pairs 2: must be a whole number from 6")
                .contains("--min-effect 200%: must be a percentage")
                .contains("is not a checkout or build of Reprobe")
                .doesNotContain("\tat ");
    }

    @Test
    void aMisspeltSettingOfOneSideIsFoundBeforeAnythingRuns() throws Exception {
        CommandResult ended =
                run(TinyScenario.HOME, "pair", TinyScenario.write(dir, "t", 1).toString(), "--a", "lod-factor=0.5");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains("did you mean \"load-factor\"");
    }

    @Test
    void foldersAreComparedAndAHistoryGrowsByThem() throws Exception {
        Path old = dir.resolve("old");
        Path now = dir.resolve("fresh");
        for (Path folder : List.of(old, now)) {
            Files.createDirectories(folder);
            Process process = new ProcessBuilder(
                            checkout(dir.resolve("base"), folder == old ? 1000 : 500, true)
                                    .resolve("run.sh")
                                    .toString(),
                            "--out",
                            folder.toString())
                    .start();
            assertThat(process.waitFor()).isZero();
        }
        CommandResult compared = run(TinyScenario.HOME, "compare", old.toString(), now.toString());
        assertThat(compared.exitCode()).isEqualTo(3);
        assertThat(compared.out()).contains("can't tell", "one run per side does not show the noise", "about ");

        CommandResult missing = run(TinyScenario.HOME, "compare", old.toString(), dir + "/none", "--metric", "x");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("no such folder");

        Path history = dir.resolve("history.jsonl");
        CommandResult added = run(TinyScenario.HOME, "history", history.toString(), "--result", now.toString());
        assertThat(added.exitCode()).isEqualTo(3);
        assertThat(added.out()).contains("added: unknown", "1 result so far; 9 more");
        run(TinyScenario.HOME, "history", history.toString(), "--result", now.toString());
        assertThat(Files.readAllLines(history)).hasSize(1);
    }

    private Path folder(String name, String settings, double throughput) throws IOException {
        return folder(name, settings, "\"load-factor\": 0.5", throughput);
    }

    private Path folder(String name, String settings, String cell, double throughput) throws IOException {
        Path folder = Files.createDirectories(dir.resolve(name));
        Files.writeString(
                folder.resolve("status.json"),
                "{\"format\":1,\"status\":\"complete\",\"done\":1,\"planned\":1,\"command\":\"x\","
                        + "\"scenarios\":[\"t\"],\"combined\":false}");
        Files.writeString(
                folder.resolve("environment.json"),
                "{\"commit\": \"abc\", \"started\": \"2026-11-0" + (1 + name.length()) + "T00:00:00Z\"}");
        Files.writeString(folder.resolve("scenario.yaml"), "title: T\n" + settings);
        Files.writeString(
                folder.resolve("measurements.jsonl"),
                "{\"scenario\": \"t\", \"cell\": {\"scheme\": \"linear-fixed\", " + cell + "}, \"repeat\": 0,"
                        + " \"seed\": 1, \"fabric\": \"sim\", \"kind\": \"simulated\", \"valid\": true,"
                        + " \"metrics\": {\"throughput_ops_per_s\": " + throughput + "}}\n");
        return folder;
    }

    /** Regression: the message was "Input length = 1", without the file, and the exit code 1. */
    @ParameterizedTest
    @ValueSource(strings = {"scenario.yaml", "environment.json", "status.json"})
    void aFileThatIsNoTextIsNamed(String name) throws Exception {
        Path folder = folder("a", "seed: 1\n", 1e6);
        Files.write(folder.resolve(name), new byte[] {'#', (byte) 0xff, '\n'});
        CommandResult ended = CommandResult.of("regress", "compare", folder, folder);
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(2);
        assertThat(ended.err()).contains(name + ": is not a text file in UTF-8").doesNotContain("Input length");
    }

    /** Cells of earlier versions have the last parts of keys. */
    @Test
    void cellsOfEarlierVersionsMatchThoseOfThisOne() throws Exception {
        String base = folder("a", "rules: [{when: {threads: 8}, send-queue: 64}]\n", "\"threads\": 8", 1e6)
                .toString();
        String now = folder("bb", "connection: {send-queue: 64}\n", "\"clients.threads\": 8", 1e6)
                .toString();
        assertThat(run(TinyScenario.HOME, "compare", base, now).out()).contains("verdict: same (1 same)");
        String other =
                folder("ccc", "rules: []\n", "\"clients.threads\": 8", 1e6).toString();
        assertThat(run(TinyScenario.HOME, "compare", base, other).err()).contains("connection.send-queue 64 and 16");
    }

    /** Regression: another card was "better", with exit code 0. */
    @Test
    void resultsOfDifferentSettingsAreNotComparedUnlessRequested() throws Exception {
        String base = folder("a", "nic: connectx5-edr\nrules: []\n", 1e6).toString();
        String now = folder("bb", "nic: connectx6-200g\nrules: [{when: {load-factor: 0.5}, send-queue: 64}]\n", 2e6)
                .toString();
        CommandResult refused = run(TinyScenario.HOME, "compare", base, now);
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("was run with settings other than those of", "nic connectx5-edr and connectx6-200g")
                .contains("connection.send-queue 16 and 64", "--across-settings compares them anyway");
        Path junit = dir.resolve("junit.xml");
        Path json = dir.resolve("c.json");
        Path html = dir.resolve("c.html");
        CommandResult compared = step(
                TinyScenario.HOME,
                "compare",
                base,
                now,
                "--across-settings",
                "--junit",
                junit.toString(),
                "--json",
                json.toString(),
                "--html",
                html.toString());
        assertThat(compared.exitCode()).as(compared.err()).isZero();
        for (String output : List.of(
                compared.out(),
                Files.readString(junit),
                Files.readString(json),
                Files.readString(html),
                Files.readString(dir.resolve("summary.md")))) {
            assertThat(output).contains("COMPARED ACROSS SETTINGS", "connectx6-200g");
        }
    }

    @Test
    void seedRepeatsFiguresAndKeysThatAreNewerDoNotMakeResultsIncomparable() throws Exception {
        String old = folder("a", "table: {records: 1000}\n", 1e6).toString();
        String now = folder("bb", """
                        seed: 5
                        measure: {repeats: 7}
                        table: {records: 1e3, hashes: 3}
                        find-or-put: {chunks: 32}
                        figures: [{name: f, x: load-factor, y: throughput}]
                        """, 1e6).toString();
        CommandResult ended = run(TinyScenario.HOME, "compare", old, now);
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("1 same").doesNotContain("SETTINGS");
    }

    @Test
    void aHistoryDoesNotTakeAnotherCardForAnImprovement() throws Exception {
        String history = dir.resolve("history.jsonl").toString();
        run(
                TinyScenario.HOME,
                "history",
                history,
                "--result",
                folder("a", "nic: connectx5-edr\n", 1e6).toString());
        run(
                TinyScenario.HOME,
                "history",
                history,
                "--result",
                folder("bb", "nic: connectx5-edr\n", 1e6).toString());
        CommandResult ended = run(
                TinyScenario.HOME,
                "history",
                history,
                "--result",
                folder("ccc", "nic: connectx6-200g\n", 2e6).toString());
        assertThat(ended.out())
                .doesNotContain("better")
                .contains("t was run with other settings")
                .contains("nic connectx5-edr and connectx6-200g", "2 results of other settings are left out");
        assertThat(ended.exitCode()).isEqualTo(3);
    }
}
