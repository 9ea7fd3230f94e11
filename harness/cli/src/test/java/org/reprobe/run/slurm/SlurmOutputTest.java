package org.reprobe.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Nightly;

/** Slurm's commands as sites wrap them: with lines of their own before and after, and with other output of Slurm. */
class SlurmOutputTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Slurm's programs, each between the lines of a wrapper. */
    @BeforeEach
    void wrappers() throws IOException {
        Files.createDirectories(dir.resolve("bin"));
        wrapper("sbatch", "env >" + dir + "/environment; echo x >>" + dir + "/sbatches; echo '777;east'");
        wrapper(
                "squeue",
                "case \"$*\" in *--clusters=east*-j\\ 777*) for i in 1 2; do echo \"$i|PENDING||Priority\"; done;;"
                        + " *) echo 'squeue: error: Invalid job id specified' >&2; exit 1;; esac");
        wrapper("scontrol", "echo 'MaxArraySize            = 100'");
        wrapper("sinfo", "echo 'def*|1:00:00|2|4000'");
        wrapper("scancel", "true");
    }

    private void wrapper(String name, String program) throws IOException {
        Path file = Files.writeString(
                dir.resolve("bin").resolve(name),
                "#!/bin/sh\necho 'Welcome to cluster X | no support | at night | 2026'; echo ======; echo 'site' >&2\n"
                        + program + "\necho\necho 'Your quota: 12 of 100 GB (12 %)'\necho 'have a nice day' >&2\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private record CommandResult(int code, String output) {}

    private CommandResult program(String... arguments) throws Exception {
        List<String> command =
                TinyScenario.jvm("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe");
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true);
        builder.environment().put("PATH", dir.resolve("bin") + ":" + System.getenv("PATH"));
        // Variables of the job in which this would run.
        builder.environment().put("SLURM_MEM_PER_CPU", "100");
        builder.environment().put("SQUEUE_FORMAT2", "JobID");
        builder.environment().put("SLURM_CONF", "/etc/slurm/slurm.conf");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        return new CommandResult(process.exitValue(), output);
    }

    private CommandResult submit(String out) throws Exception {
        String file = TinyScenario.write(dir, "tiny", 2).toString();
        return program("run", file, "--on", "slurm", "--out", out, "--shards", "2", "--max-memory", "1g", "--detach");
    }

    @Test
    void aJobIsSubmittedOnceAndFoundAgain() throws Exception {
        String out = dir.resolve("out").toString();
        CommandResult submitted = submit(out);
        assertThat(submitted.code).as(submitted.output).isZero();
        assertThat(submitted.output).contains("job 777").doesNotContain("Welcome");
        assertThat(Path.of(out, "shards", "job")).hasContent("777;east");
        assertThat(Files.readString(dir.resolve("environment")))
                .doesNotContain("SLURM_MEM_PER_CPU")
                .doesNotContain("SQUEUE_FORMAT2")
                .contains("SLURM_CONF=/etc/slurm/slurm.conf");
        CommandResult again = program("run", "--resume", out, "--on", "slurm", "--detach");
        assertThat(again.output).contains("job 777, already running");
        assertThat(Files.readAllLines(dir.resolve("sbatches"))).hasSize(1);
    }

    /** A job may run although squeue prints nothing: it is not submitted a second time. */
    @Test
    @Nightly(besides = "a job is submitted once and found again")
    void aJobOfWhichNothingIsPrintedIsNotSubmittedAgain() throws Exception {
        String out = dir.resolve("out").toString();
        assertThat(submit(out).code).isZero();
        wrapper("squeue", "true");
        CommandResult silent = program("run", "--resume", out, "--on", "slurm", "--detach");
        assertThat(silent.code).as(silent.output).isEqualTo(1);
        assertThat(silent.output)
                .contains("squeue printed nothing about job 777")
                .contains(out + "/shards/job");
        assertThat(Files.readAllLines(dir.resolve("sbatches"))).hasSize(1);
        wrapper("squeue", "echo 'squeue: error: Invalid job id specified' >&2; exit 1");
        CommandResult gone = program("run", "--resume", out, "--on", "slurm", "--detach");
        assertThat(gone.code).as(gone.output).isZero();
        assertThat(Files.readAllLines(dir.resolve("sbatches"))).hasSize(2);
    }

    @Test
    void withoutANumberTheSentenceShowsWhatWasPrinted() throws Exception {
        wrapper("sbatch", "echo 'not today'");
        CommandResult ended = submit(dir.resolve("out").toString());
        assertThat(ended.code).as(ended.output).isEqualTo(1);
        assertThat(ended.output)
                .contains("sbatch printed no job number")
                .contains("not today")
                .doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({
        "777, 777, ''",
        "777;east, 777, east",
        "Submitted batch job 777, 777, ''",
        "Submitted batch job 777 on cluster east, 777, east",
    })
    void everyFormOfANumberIsRead(String line, String number, String cluster) throws Exception {
        Slurm.Job job = new Slurm.Job(number, cluster);
        for (String out : List.of(line, "hello\n" + line + "\n", line + " \r\nbye 12\n\n", "5 jobs run\n" + line)) {
            assertThat(Slurm.submitted(out)).isEqualTo(job);
        }
        assertThat(Slurm.Job.parse(job.text())).contains(job);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hello", "job 777 is it", "-5", "1.5", "777;", "7777777777777"})
    void invalidNumbersAreRefused(String out) {
        assertThatThrownBy(() -> Slurm.submitted(out))
                .isInstanceOf(Slurm.SlurmException.class)
                .hasMessageContaining("no job number");
    }

    @Test
    void reasonsAreSlurmsOwn() {
        assertThat(Slurm.reason("hello\nsbatch: error: Batch job submission failed: no\nbye"))
                .isEqualTo("Batch job submission failed: no");
        assertThat(Slurm.reason("squeue: fatal: gone\n\n")).isEqualTo("gone");
        assertThat(Slurm.reason("alone")).isEqualTo("alone");
        assertThat(Slurm.reason("\n")).isEqualTo("no reason was given");
    }
}
