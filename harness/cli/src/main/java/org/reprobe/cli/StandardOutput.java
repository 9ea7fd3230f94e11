package org.reprobe.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.base.ExitCode;

/**
 * Standard output that keeps its first failure, which a {@link PrintStream} hides. Later output is dropped: a run
 * continues, since its results are in files.
 *
 * <p>If the reader closes its end of a pipe, as {@code head} does, there is no message and the exit code is that of
 * SIGPIPE, as with other Unix programs.
 */
final class StandardOutput extends OutputStream {
    static final int NO_READER = 128 + 13;

    private final OutputStream to;
    private @Nullable IOException failure;

    StandardOutput(OutputStream to) {
        this.to = to;
    }

    /** Returns the exit code of the program; prints the reason where it is not that of the command. */
    synchronized int exitCode(int ofCommand, PrintStream err) {
        if (failure == null) {
            return ofCommand;
        }
        String reason = String.valueOf(failure.getMessage());
        boolean noReader = reason.toLowerCase(Locale.ROOT).contains("broken pipe");
        if (!noReader) {
            err.println("Standard output could not be written (" + reason + "): what was printed is not complete.");
        }
        return ofCommand != ExitCode.FINE ? ofCommand : noReader ? NO_READER : ExitCode.FAILED;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
        if (failure == null) {
            try {
                to.write(bytes, offset, count);
            } catch (IOException e) {
                failure = e;
            }
        }
    }
}
