package org.reprobe.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Script of a task, with fakes of the program and of Slurm that print their arguments: Slurm's shortest time limit is
 * minutes.
 */
class JobScriptTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @BeforeEach
    void write() throws Exception {
        assumeThat(System.getProperty("os.name")).doesNotStartWith("Windows");
        Files.createDirectories(dir.resolve("shards/3/7.0"));
        Files.createFile(dir.resolve("shards/plan.json"));
        executable("scontrol", "echo \"scontrol $*\"; kill $PPID"); // Slurm ends what is queued again
        executable("sleep", "exec /bin/sleep 0.01");
        // Ends on the signal, as the program does; without "read" a shell would handle it only later. Its input
        // stays open: a shell that gets the signal while it opens "<(:)" anew fails in its own trap.
        executable(
                "program",
                "echo \"$*\"; trap 'exit 143' TERM; mkfifo '" + dir + "/nothing' 2> /dev/null; exec 3<> '" + dir
                        + "/nothing'; touch '" + dir + "/begun'; while :; do read -rt 1 <&3; done");
        script("program");
    }

    private void executable(String name, String text) throws Exception {
        Path file = Files.writeString(dir.resolve(name), "#!/usr/bin/env bash\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private void script(String program) throws Exception {
        try (InputStream in = Objects.requireNonNull(ArrayJob.class.getResourceAsStream("job.sh"))) {
            Files.writeString(
                    dir.resolve("job.sh"),
                    new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .replace("@DIR@", "'" + dir + "'")
                            .replace("@COUNT@", "8")
                            .replace("@CPUS@", "2")
                            .replace("@PROGRAM@", "'" + dir.resolve(program) + "'"));
        }
    }

    private Process start() throws Exception {
        Files.deleteIfExists(dir.resolve("begun"));
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", dir.resolve("job.sh").toString())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("said").toFile());
        builder.environment().put("SLURM_ARRAY_TASK_ID", "3");
        builder.environment().put("SLURM_ARRAY_JOB_ID", "7");
        builder.environment().put("SLURMD_NODENAME", "n2");
        builder.environment().put("PATH", dir + ":" + System.getenv("PATH"));
        return builder.start();
    }

    /** Runs the script, with a signal once its program has begun; returns its output. */
    private String output(String signal, int code) throws Exception {
        Process process = start();
        for (int i = 0; i < 1_000 && !Files.exists(dir.resolve("begun")); i++) {
            Thread.sleep(10);
        }
        new ProcessBuilder("bash", "-c", "kill -" + signal + " " + process.pid())
                .start()
                .waitFor();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        String output = Files.readString(dir.resolve("said"));
        assertThat(process.exitValue()).as(output).isEqualTo(code);
        return output;
    }

    @Test
    void aTaskNearItsTimeLimitRequeuesItselfWhileUseful() throws Exception {
        Path lines = dir.resolve("shards/3/7.0/measurements.jsonl");
        for (int round = 0; round < 4; round++) {
            Files.writeString(lines, "{}\n".repeat(round));
            assertThat(output("USR1", 143)).contains("scontrol requeue 7_3");
        }
        assertThat(output("USR1", 143)).contains("scontrol requeue 7_3");
        assertThat(output("USR1", 143)).contains("scontrol requeue 7_3");
        assertThat(output("USR1", 143))
                .doesNotContain("scontrol")
                .contains("time limit reached three times without a new run: request more with --time");
    }

    @Test
    void aTaskThatIsEndedForwardsTheSignalAndIsNotRequeued() throws Exception {
        assertThat(output("TERM", 143))
                .contains("run --resume " + dir + " --shard 3/8 --jobs 2")
                .doesNotContain("scontrol");
    }

    @Test
    void aTaskThatEndsByItselfEndsAsItsProgram() throws Exception {
        for (int code : List.of(0, 1)) {
            executable("ends", "exit " + code);
            script("ends");
            Process process = start();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isEqualTo(code);
        }
    }

    @Test
    void aTaskThatCannotReadTheFolderReportsIt() throws Exception {
        Files.delete(dir.resolve("shards/plan.json"));
        Process process = start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(9);
        assertThat(Files.readString(dir.resolve("said"))).contains("node n2 finds no " + dir + "/shards/plan.json");
    }
}
