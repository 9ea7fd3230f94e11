package org.reprobe.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.reprobe.trust.Printable;

/**
 * Answer of another program that is over soon, such as git.
 *
 * @param code its exit code, or {@link #NONE}
 * @param out the beginning of its standard output, as lines that can be shown
 * @param err the same of its standard error, or why there is no exit code
 */
public record ProgramAnswer(int code, String out, String err) {
    /** Code of a program that could not be started, or was ended since it took too long. */
    public static final int NONE = -1;

    private static final int MAX_BYTES = 16 << 20;

    /** Children that a program leaves behind may keep its output open: their words are not waited for longer than this. */
    private static final Duration LATE = Duration.ofSeconds(5);

    /** Runs a program without input. */
    public static ProgramAnswer of(ProcessBuilder program, long limitS) throws InterruptedException {
        Process process;
        try {
            process = program.redirectInput(Path.of("/dev/null").toFile()).start();
        } catch (IOException e) {
            return new ProgramAnswer(NONE, "", "can't be started: " + e.getMessage());
        }
        try {
            Output out = new Output(process.getInputStream());
            Output err = new Output(process.getErrorStream());
            return process.waitFor(limitS, TimeUnit.SECONDS)
                    ? new ProgramAnswer(process.exitValue(), out.text(), err.text())
                    : new ProgramAnswer(NONE, "", "did not end within " + limitS + " s");
        } finally {
            process.destroyForcibly();
        }
    }

    private static final class Output {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Thread reader;

        Output(InputStream from) {
            reader = Thread.ofVirtual().start(() -> {
                byte[] part = new byte[1 << 13];
                try {
                    for (int count = from.read(part); count >= 0; count = from.read(part)) {
                        bytes.write(part, 0, Math.min(count, MAX_BYTES - bytes.size()));
                    }
                } catch (IOException e) {
                    // The program was ended.
                }
            });
        }

        String text() throws InterruptedException {
            reader.join(LATE);
            return Printable.lines(bytes.toString(StandardCharsets.UTF_8));
        }
    }
}
