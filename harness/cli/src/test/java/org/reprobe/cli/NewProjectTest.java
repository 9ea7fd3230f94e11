package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Project;

/** Project folders that {@code new} writes: each runs as it is, and all errors of its files are reported at once. */
@ShippedHome
class NewProjectTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Runs a command with the project, as in a new process. */
    private CommandResult run(Path project, String... arguments) {
        System.setProperty("reprobe.project", project.toString());
        try {
            return CommandResult.of((Object[]) arguments);
        } finally {
            System.clearProperty("reprobe.project");
        }
    }

    private Path made(String kind, String name) {
        Path project = dir.resolve(name);
        CommandResult ended = CommandResult.of("new", kind, project.toString());
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("--project " + project);
        return project;
    }

    @ParameterizedTest
    @CsvSource({
        "artifact, kv, kv, 'Claims: [0-3] of 3 hold, 0 missed'",
        "paper, doorbells, figure-1, 'Claims: 1 of 2 hold, 1 missed'"
    })
    void aNewProjectRunsAndIsJudged(String kind, String name, String scenario, String claims) throws Exception {
        Path project = made(kind, name);
        CommandResult valid = run(project, "validate", scenario);
        assertThat(valid.err()).isEmpty();
        CommandResult ended =
                run(project, "run", scenario, "--out", dir.resolve("out").toString());
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern(claims);
        assertThat(dir.resolve("out/report.html")).exists();
        assertThat(Files.readString(project.resolve("README.md"))).contains("run " + scenario, "reference metrics");
    }

    @Test
    void aNewSystemHasItsNameEverywhereAndCompiles() throws Exception {
        Path project = made("system", "my-table");
        Path jar = project.resolve("target/my-table.jar");
        ExampleProject.compile(project.resolve("src"), dir.resolve("classes"), createdParent(jar));

        assertThat(project.resolve("build.sh")).isExecutable();
        assertThat(Files.readString(project.resolve("build.sh")))
                .contains(TinyScenario.HOME.toString(), "my-table.jar");
        assertThat(project.resolve("src/main/java/org/example/mytable/MyTableSystem.java"))
                .content()
                .contains("new Scheme(\"my-table\", \"my-table\")");
        Process process = new ProcessBuilder(TinyScenario.jvm(
                        "-Dreprobe.project=" + project,
                        "-cp",
                        System.getProperty("java.class.path") + java.io.File.pathSeparator + jar,
                        "org.reprobe.cli.Reprobe",
                        "validate",
                        "my-table"))
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(Files.readString(dir.resolve("log"))).contains("scenarios/my-table.yaml: ok (quick: 9 cells");
    }

    private static Path createdParent(Path file) throws Exception {
        Files.createDirectories(file.resolveSibling("."));
        return file;
    }

    @ParameterizedTest
    @CsvSource({
        "artefact, kv, 'must be one of artifact, system, paper; did you mean \"artifact\"?'",
        "system, My Table, lower-case letters",
        "artifact, figure-07, is the name of a shipped scenario",
        "paper, nessie, is the name of a shipped scenario or of a folder of them",
        "paper, there, 'exists: name a new folder'"
    })
    void aWrongKindOrNameIsRefused(String kind, String name, String message) throws Exception {
        Files.createDirectories(dir.resolve("there"));
        CommandResult ended = CommandResult.of("new", kind, dir.resolve(name).toString());
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err()).contains(message);
        assertThat(dir.resolve(name).resolve("README.md")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"validate", "run"})
    void errorsOfScenarioClaimsAndNicProfilesAreReportedTogether(String command) throws Exception {
        Path project = made("paper", "doorbells");
        Path scenario = project.resolve("scenarios/doorbells/figure-1.yaml");
        Files.writeString(scenario, Files.readString(scenario).replace("threads: 4", "threads: none"));
        Path claims = project.resolve("results/published/doorbells.yaml");
        Files.writeString(claims, Files.readString(claims).replace("above: 1", "above: one"));
        Path nics = Files.createDirectories(project.resolve("scenarios/nics"));
        Files.writeString(nics.resolve("mine.yaml"), "title: Mine\nresponder: {message-ns: fast}\n");

        CommandResult ended = run(project, command, "figure-1");
        assertThat(ended.exitCode()).isEqualTo(2);
        assertThat(ended.err())
                .contains(
                        "figure-1.yaml:3:33: threads must be",
                        "doorbells.yaml:10:12: doorbells/figure-1/grows: above must be",
                        "nics/mine.yaml:2:25: message-ns must be");
        assertThat(ended.err().split(Pattern.quote("doorbells.yaml:10:12"), -1)).hasSize(2);
    }

    @Test
    void aProgramOrFolderWithAScenariosNameDoesNotHideIt() throws Exception {
        Path project = made("artifact", "kv");
        Files.writeString(project.resolve("kv"), "\u0000a program");

        CommandResult valid = run(project, "validate", "kv");
        assertThat(valid.out()).contains("scenarios/kv.yaml: ok");
        assertThat(run(project, "list").out()).contains("kv ", "figure-07");
    }

    @Test
    void theFilesOnThePageAreThoseThatAreWritten() throws Exception {
        String page = Files.readString(Project.path("docs/own-paper.md")).replace("\n    ", "\n");
        for (String file : new String[] {"scenarios/queues/figure-1.yaml", "results/published/queues.yaml"}) {
            assertThat(page).contains(Files.readString(Project.path("harness/examples/own-paper/" + file)));
        }
    }
}
