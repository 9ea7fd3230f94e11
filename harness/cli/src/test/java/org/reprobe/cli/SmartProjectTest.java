package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.cli.UnpackedProgram.CommandResult;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;

/**
 * The larger example as a user runs it: its jar is built, a packaged program's run.sh finds it in the folder of
 * --project, and the folder's scenarios and published numbers are available.
 */
class SmartProjectTest {
    private static final Path EXAMPLE = Project.path("harness/examples/smart-asplos24");

    /** Two subtables at first, nearly full: inserts split them. */
    private static final String GROWING = """
            title: RACE grows
            nic: connectx6-200g+host-smart
            scheme: race
            clients: {machines: 1}
            table: {records: 400, record-bytes: 16}
            load-factor: 0.8
            workload: {keys: uniform, writes: 1}
            race: {depth: 1, max-depth: 8, new-keys: true}
            sweep:
              clients.threads: [8, 48]
            measure: {repeats: 1, warm-up-ms: 0.02, duration-ms: 1}
            figures:
              - {name: splits, title: Splits, x: clients.threads, y: splits}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private UnpackedProgram program;

    @SuppressWarnings("NullAway.Init")
    private Path project;

    @BeforeEach
    void unpackTheProgramAndCompileTheProject() throws IOException {
        program = UnpackedProgram.in(dir);
        project = dir.resolve("some one's/smart");
        for (String part : new String[] {"scenarios", "results", "src/main"}) {
            ExampleProject.copy(EXAMPLE.resolve(part), project.resolve(part));
        }
        Path target = Files.createDirectories(project.resolve("target"));
        ExampleProject.compile(project.resolve("src"), target.resolve("classes"), target.resolve("race.jar"));
    }

    @Test
    @Nightly(besides = "ProjectTest, with a smaller system")
    void itsSystemRunsItsPublishedNumbersAreJudgedAndTheReportIsMadeAgain() throws Exception {
        Files.writeString(program.work().resolve("growing.yaml"), GROWING);

        CommandResult run = program.run(
                "run", "race-updates", "growing.yaml", "--filter=threads=8", "--project", project.toString());

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).containsPattern("Claims: \\d of 3 hold, \\d missed");
        Path results = program.work().resolve("results/latest");
        assertThat(Files.readString(results.resolve("growing/measurements.jsonl")))
                .containsPattern("\"splits\": [1-9]")
                .containsPattern("\"latency_split_ns\": [1-9]");
        Path report = results.resolve("report.html");
        assertThat(report).content().contains("Scaling Up Memory Disaggregated Applications", "RACE grows");

        Files.delete(report);
        CommandResult again = program.run("report", "results/latest", "--project", project.toString());
        assertThat(again.exitCode()).as(again.output()).isZero();
        assertThat(report).content().contains("Scaling Up Memory Disaggregated Applications", "RACE grows");
    }

    @Test
    void errorsAreReportedWithTheirPlace() throws Exception {
        Files.writeString(program.work().resolve("wrong.yaml"), """
                title: Wrong
                nic: connectx6-200f
                scheme: race
                table: {record-bytes: 16}
                workload: {keys: uniform, writes: 0.5}
                race: {depth: 17, max-depths: 8, new-keys: true}
                """);
        Files.writeString(program.work().resolve("printed.yaml"), """
                title: Printed
                nic: connectx6-200g
                scheme: race
                table: {record-bytes: 16}
                workload: {keys: uniform, writes: 0.5}
                race: {max-depth: 8, rules: printed, new-keys: true}
                faults: [{kind: crash, at-ms: 2}]
                """);

        CommandResult ended = program.run("validate", "wrong.yaml", "printed.yaml", "--project=" + project);

        assertThat(ended.exitCode()).as(ended.output()).isEqualTo(2);
        assertThat(ended.output())
                .contains(
                        "wrong.yaml:2:6: there is no NIC profile \"connectx6-200f\"",
                        "did you mean \"connectx6-200g\"?",
                        "wrong.yaml:6:15: depth must be a whole number from 0 to 16, but is 17",
                        "wrong.yaml:6:19: unknown key \"max-depths\"; did you mean \"max-depth\"?",
                        "printed.yaml:6:29: by the printed rules an insert is visible before it has read again",
                        "printed.yaml:6:19: interrupted splits are never completed",
                        "5 errors in 2 files");
        assertThat(program.run("validate", "wrong.yaml", "--project", "nowhere"))
                .isEqualTo(new CommandResult(2, "--project nowhere: there is no such folder\n"));
    }
}
