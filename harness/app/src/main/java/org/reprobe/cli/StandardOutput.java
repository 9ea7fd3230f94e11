package org.reprobe.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.base.ExitCode;

/**
 * Standard output that remembers its first failure, which a {@link PrintStream} hides. What comes after that is dropped: a run
 * goes on, since its results are in files.
 *
 * <p>A reader that closes its end of a pipe, as {@code head} does, has had enough. As with other programs on Unix, which that
 * ends by a signal, there is no message then, and the exit code is that of the signal.
 */
final class StandardOutput extends OutputStream {
    /** Exit code of a program that SIGPIPE ends. */
    static final int NO_READER = 128 + 13;

    private final OutputStream to;
    private @Nullable IOException failure;

    StandardOutput(OutputStream to) {
        this.to = to;
    }

    /** Returns the exit code of the program, and prints why it is not that of the command. */
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
