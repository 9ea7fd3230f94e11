package org.reprobe.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.reprobe.trust.Printable;

/** Result of a program: the start of its printable output; without an exit code, {@code err} has the reason. */
public record ProgramResult(int code, String out, String err) {
    /** Code of a program that could not be started, or was ended by the timeout. */
    public static final int NONE = -1;

    private static final int MAX_BYTES = 16 << 20;

    /** Timeout for further output: children of a program may keep its output open. */
    private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(5);

    /** Runs a program without input, for at most {@code limitS} seconds. */
    public static ProgramResult of(ProcessBuilder program, long limitS) throws InterruptedException {
        Process process;
        try {
            process = program.redirectInput(Path.of("/dev/null").toFile()).start();
        } catch (IOException e) {
            return new ProgramResult(NONE, "", "can't be started: " + e.getMessage());
        }
        try {
            Output out = new Output(process.getInputStream());
            Output err = new Output(process.getErrorStream());
            return process.waitFor(limitS, TimeUnit.SECONDS)
                    ? new ProgramResult(process.exitValue(), out.text(), err.text())
                    : new ProgramResult(NONE, "", "did not end within " + limitS + " s");
        } finally {
            process.destroyForcibly();
        }
    }

    private static final class Output {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Thread reader;

        Output(InputStream from) {
            // Not a virtual one: simulated clients may keep the processors of those.
            reader = Thread.ofPlatform().daemon().start(() -> {
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
            reader.join(DRAIN_TIMEOUT);
            return Printable.lines(bytes.toString(StandardCharsets.UTF_8));
        }
    }
}
