package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatusTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private static Status status(Status.State state, int done, int failed) {
        return new Status(state, done, failed, 8, "./run.sh run x", List.of("x"), false);
    }

    private static void writeRunning(Path folder) throws IOException {
        status(Status.State.RUNNING, 3, 0).write(folder);
    }

    @Test
    void theWordsNameMissingAndFailedRuns() {
        assertThat(status(Status.State.COMPLETE, 8, 0).words()).isEqualTo("complete");
        assertThat(status(Status.State.COMPLETE, 8, 2).words()).isEqualTo("complete, 2 runs failed");
        assertThat(status(Status.State.INTERRUPTED, 3, 1).words()).isEqualTo("interrupted, 3 of 8 runs, 1 run failed");
    }

    @Test
    void failedRunsAreReadAgainAndAreNoneInAFolderOfOld() throws Exception {
        Status failed = status(Status.State.COMPLETE, 8, 2);
        failed.write(dir);
        assertThat(Status.read(dir)).isEqualTo(failed);
        Path file = dir.resolve(Status.NAME);
        Files.writeString(file, Files.readString(file).replace("\"failed\":2,", ""));
        assertThat(Status.read(dir)).isEqualTo(status(Status.State.COMPLETE, 8, 0));
    }

    @Test
    void aLongerAndAShorterStatusCanBeWrittenOverOne() throws Exception {
        writeRunning(dir);
        for (Status.State state : List.of(Status.State.INTERRUPTED, Status.State.FAILED)) {
            status(state, 3, 1).overwrite(dir);
            assertThat(Status.read(dir)).isEqualTo(status(state, 3, 1));
        }
    }

    /** Regression: after SIGKILL the status stayed "running" for its readers. */
    @Test
    void aRunningFolderWhoseProcessHasEndedIsAnInterruptedOne() throws Exception {
        Path part = Files.createDirectories(dir.resolve("x"));
        try (FolderLock lock = FolderLock.take(dir)) {
            writeRunning(lock.dir());
            writeRunning(part);
            assertThat(Status.read(dir).state()).isEqualTo(Status.State.RUNNING);
            assertThat(Status.read(part).state()).isEqualTo(Status.State.RUNNING);
        }
        assertThat(Status.read(dir).state()).isEqualTo(Status.State.INTERRUPTED);
        assertThat(Status.read(part).state()).isEqualTo(Status.State.INTERRUPTED);
        FolderLock.take(dir).close(); // reading has left no lock
    }

    @Test
    void aRunOfAnotherProcessIsNotTakenForAnEndedOne() throws Exception {
        writeRunning(dir);
        Process other = new ProcessBuilder(TinyScenario.jvm(
                        "-cp", System.getProperty("java.class.path"), Holder.class.getName(), dir.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('h');
            assertThat(Status.read(dir).state()).isEqualTo(Status.State.RUNNING);
            assertThatThrownBy(() -> FolderLock.take(dir)).hasMessageContaining("process " + other.pid());
            other.destroyForcibly().waitFor();
            assertThat(Status.read(dir).state()).isEqualTo(Status.State.INTERRUPTED);
        } finally {
            other.destroyForcibly();
        }
    }

    /** Process that owns a folder until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (FolderLock lock = FolderLock.take(Path.of(arguments[0]))) {
                System.out.println("has " + lock.dir());
                Thread.sleep(60_000);
            }
        }
    }
}
