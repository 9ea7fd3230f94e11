package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Results of other programs carry those programs' version: they used to be dated by Reprobe's commit. */
class ArtifactVersionTest {
    private static final String SCENARIO = """
            title: Own
            scheme: command
            fabric: shm
            command:
              run: [./bench.sh]
              metrics: {throughput: {from: ops, unit: ops/s}}
            %s
            measure: {repeats: 1}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private Path project;
    private Path scenario;
    private int runs;

    @BeforeEach
    void makeAProject() throws IOException {
        project = Files.createDirectories(dir.resolve("kv"));
        scenario = project.resolve("own.yaml");
        program("echo '{\"ops\": 5}'");
        write("");
        System.setProperty("reprobe.project", project.toString());
        System.setProperty("reprobe.home", Project.path("").toString());
    }

    @AfterEach
    void clear() {
        System.clearProperty("reprobe.home");
        System.clearProperty("reprobe.project");
    }

    private void program(String script) throws IOException {
        Path file = Files.writeString(project.resolve("bench.sh"), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void write(String more) throws IOException {
        Files.writeString(scenario, SCENARIO.formatted(more.isEmpty() ? "" : "  " + more));
    }

    private String git(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "git",
                "-C",
                project.toString(),
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private Path run() {
        Path out = dir.resolve("out" + runs++);
        CommandResult ended = CommandResult.of("run", scenario, "--out", out, "--quiet");
        assertThat(ended.exitCode()).as(ended.out() + ended.err()).isZero();
        return out;
    }

    private static JsonNode environment(Path results) throws IOException {
        return JsonMapper.shared().readTree(Files.readString(results.resolve("environment.json")));
    }

    private static String version(Path results) throws IOException {
        return environment(results).path("artifact-version").asString("");
    }

    @Test
    void theProjectsCommitIsTheVersionAndHistoriesAreOfIt() throws Exception {
        git("init", "-q");
        git("add", ".");
        git("commit", "-qm", "first");
        String head = git("rev-parse", "HEAD");
        Path clean = run();
        assertThat(version(clean)).isEqualTo(head);
        assertThat(environment(clean).path("artifact").asString("")).isEqualTo("kv");
        assertThat(environment(clean).path("artifact-uncommitted-changes").asString(""))
                .isEqualTo("no");
        assertThat(environment(clean).path("artifact-files").asString("")).startsWith("bench.sh sha256:");

        program("echo '{\"ops\": 6}'");
        Path changed = run();
        assertThat(version(changed)).isEqualTo(head);
        assertThat(environment(changed).path("artifact-uncommitted-changes").asString(""))
                .isEqualTo("yes");
        assertThat(environment(changed).path("artifact-files"))
                .isNotEqualTo(environment(clean).path("artifact-files"));

        Path history = dir.resolve("h.jsonl");
        String shown = head.substring(0, 12);
        assertThat(CommandResult.of("regress", "history", history, "--result", clean)
                        .out())
                .contains("added: " + shown + ",");
        assertThat(CommandResult.of("regress", "history", history, "--result", changed)
                        .out())
                .contains("added: " + shown + "+changes,");
        assertThat(Files.readString(history)).contains("\"commit\": \"" + head + "\"");
        assertThat(CommandResult.of("regress", "history", history, "--result", changed, "--commit", "v7")
                        .out())
                .contains("added: v7,");
        Path page = dir.resolve("p.html");
        CommandResult.of("regress", "compare", clean, changed, "--html", page);
        assertThat(Files.readString(page)).contains("kv, version " + head + " with uncommitted changes");
    }

    @Test
    @Nightly(besides = "the project's commit is the version")
    void aFolderThatGitDoesNotTrackHasTheHashOfItsPrograms() throws Exception {
        Path first = run();
        Path same = run();
        program("echo '{\"ops\": 6}'");
        Path other = run();
        assertThat(version(first))
                .startsWith("sha256:")
                .isEqualTo(version(same))
                .isNotEqualTo(version(other));
    }

    @Test
    @Nightly(besides = "the project's commit is the version")
    void theScenarioMayGiveTheVersionAsTextOrCommand() throws Exception {
        write("version: release/1.2");
        assertThat(version(run())).isEqualTo("release/1.2");
        write("version: [sh, -c, \"echo v3; echo more\"]");
        Path third = run();
        assertThat(version(third)).isEqualTo("v3");
        // A child that outlives the command keeps its output open, and a pipe does not hold a long one.
        long beganNs = System.nanoTime();
        write("version: [sh, -c, \"sleep 60 & echo v3; yes | head -n 100000\"]");
        assertThat(version(run())).isEqualTo("v3");
        assertThat(System.nanoTime() - beganNs).isLessThan(TimeUnit.SECONDS.toNanos(40));
        write("version: v4"); // another version is no other setting: nothing else could be compared
        CommandResult compared = CommandResult.of("regress", "compare", third, run());
        assertThat(compared.err()).doesNotContain("settings");
        assertThat(compared.exitCode()).isNotEqualTo(2);

        write("version: [sh, -c, \"exit 7\"]");
        CommandResult failed = CommandResult.of("run", scenario, "--out", dir.resolve("none"));
        assertThat(failed.exitCode()).isEqualTo(2);
        assertThat(failed.err()).contains("command.version: \"sh -c exit 7\" failed (exit code 7)");
        assertThat(dir.resolve("none")).doesNotExist();
    }

    @Test
    void resultsOfAnotherArtifactAreLeftOutOfAHistory() throws Exception {
        Path history = dir.resolve("h.jsonl");
        CommandResult.of("regress", "history", history, "--result", run());
        Files.move(project, dir.resolve("other"));
        project = dir.resolve("other");
        scenario = project.resolve("own.yaml");
        System.setProperty("reprobe.project", project.toString());
        CommandResult ended = CommandResult.of("regress", "history", history, "--result", run());
        assertThat(ended.out())
                .contains("2 results")
                .contains("the newest result is of the artifact other; 1 result of other artifacts left out: kv")
                .contains("1 result so far");
    }

    @Test
    void runsOfTwoVersionsAreNotPutTogether() throws Exception {
        write("version: v1");
        Path all = dir.resolve("all");
        assertThat(CommandResult.of("run", scenario, "--shard", "1/2", "--out", all, "--quiet")
                        .exitCode())
                .isZero();
        program("echo '{\"ops\": 6}'");
        write("version: v2");
        CommandResult second = CommandResult.of("run", scenario, "--shard", "2/2", "--out", all, "--quiet");
        assertThat(second.exitCode()).isEqualTo(2);

        Path attempt = Files.list(all.resolve("shards/1")).findFirst().orElseThrow();
        Path copy = all.resolve("shards/1/another");
        Files.createDirectories(copy);
        for (Path file : Files.list(attempt).filter(Files::isRegularFile).toList()) {
            Files.copy(file, copy.resolve(file.getFileName()));
        }
        Path environment = copy.resolve("environment.json");
        Files.writeString(environment, Files.readString(environment).replace("\"v1\"", "\"v2\""));
        CommandResult merged = CommandResult.of("merge", all);
        assertThat(merged.exitCode()).isEqualTo(2);
        assertThat(merged.err()).contains("was begun with kv, version v", "results of different versions");
    }

    @Test
    void aNodeWithoutGitMayRunAShardOfTheSameFiles() {
        Map<String, String> stored =
                Map.of("artifact", "kv", "artifact-version", "0123", "artifact-files", "bench.sh sha256:1");
        Map<String, String> node =
                Map.of("artifact", "folder", "artifact-version", "sha256:1", "artifact-files", "bench.sh sha256:1");
        Map<String, String> other =
                Map.of("artifact", "folder", "artifact-version", "sha256:2", "artifact-files", "bench.sh sha256:2");
        assertThat(ArtifactVersion.difference(stored, node)).isNull();
        assertThat(ArtifactVersion.difference(stored, other)).contains("was begun with kv, version 0123");
    }

    @Test
    void aRunIsNotResumedWithAnotherVersion() throws Exception {
        Path results = run();
        Path measurements = results.resolve("measurements.jsonl");
        Files.writeString(measurements, "");
        assertThat(CommandResult.of("run", "--resume", results).exitCode()).isZero();
        Files.writeString(measurements, "");
        program("echo '{\"ops\": 6}'");
        CommandResult resumed = CommandResult.of("run", "--resume", results);
        assertThat(resumed.exitCode()).isEqualTo(2);
        assertThat(resumed.err()).contains("was begun with kv, version sha256:");
    }
}
