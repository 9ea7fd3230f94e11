package org.reprobe.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Run;
import org.reprobe.trust.Printable;

/**
 * External program with all its child processes. A guarding shell leads their process group. It forwards signals to the
 * group and reports the end of the program. It kills the whole group when the program has ended, on {@link #close}, and
 * if this process ends in any way. Only processes that have left the group, such as daemons, survive.
 */
final class Program implements AutoCloseable {
    /** Program that makes the shell the leader of a new process group. */
    static final String LEADER = "setsid";

    /**
     * Script of the shell. It runs the command given from the third argument on; the first two arguments are the files
     * for standard output and error. It reads signals from standard input, one per line. The background reader ignores
     * these signals, so that it outlives the program and can kill the group. The shell ends with the program.
     */
    private static final String GUARD = """
            out=$1 err=$2
            shift 2
            trap : TERM INT HUP
            exec 3<&0
            {
              trap '' TERM INT HUP
              while read -r signal <&3; do kill -s "$signal" -- "-$$"; done
              kill -s KILL -- "-$$"
            } >/dev/null 2>&1 &
            exec 3<&-
            (exec "$@") </dev/null >"$out" 2>"$err"
            echo "ended $?"
            kill -s KILL -- "-$$"
            """;

    private static final String ENDED = "ended ";
    private static final long KILLED_MS = 5_000;
    private static final int QUOTED_LINES = 4;
    private static final int QUOTED_BYTES = 4_096;
    private static final int AFTER_SIGNAL = 128;

    private final String name;
    private final Path out;
    private final Path err;
    private final Process guard;
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private volatile long endedNs;

    private Program(String name, Path out, Path err, Process guard) {
        this.name = name;
        this.out = out;
        this.err = err;
        this.guard = guard;
        Thread.ofPlatform().daemon().name("end of " + name).start(this::awaitEnd);
    }

    /**
     * Starts a program.
     *
     * @param name name in messages and of the output files
     * @param environment variables in addition to those of this process
     * @param folder folder of the output files
     * @throws CommandFailedException if the program cannot be started
     */
    static Program start(
            String name, List<String> command, Path workingFolder, Map<String, String> environment, Path folder)
            throws CommandFailedException {
        Path out = folder.resolve(name + ".out");
        Path err = folder.resolve(name + ".err");
        List<String> guarded = new ArrayList<>(
                List.of(LEADER, "sh", "-c", GUARD, "sh", out.toAbsolutePath() + "", err.toAbsolutePath() + ""));
        guarded.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(guarded)
                .directory(workingFolder.toAbsolutePath().toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        try {
            return new Program(name, out, err, builder.start());
        } catch (IOException e) {
            throw new CommandFailedException(name + " can't be started: " + e.getMessage());
        }
    }

    private void awaitEnd() {
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(guard.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.startsWith(ENDED)) {
                    endedNs = System.nanoTime();
                    ended.complete(Integer.parseInt(line.substring(ENDED.length())));
                }
            }
        } catch (IOException | NumberFormatException e) {
            // The exit code is unknown: the program counts as killed below.
        }
        if (!ended.isDone()) {
            endedNs = System.nanoTime();
        }
        ended.complete(AFTER_SIGNAL + 9); // the guard itself was killed, which happens only with its group
    }

    String name() {
        return name;
    }

    /** Returns its state for display; the number is that of its process group. Called from any thread. */
    Run.ProcessState state(boolean isReady) {
        return new Run.ProcessState(
                name, Long.toString(guard.pid()), hasEnded() ? "ended" : isReady ? "running" : "starting", "");
    }

    Path out() {
        return out;
    }

    Path err() {
        return err;
    }

    boolean hasEnded() {
        return ended.isDone();
    }

    /** Returns the time at which the program ended ({@link System#nanoTime}); waits for the end. */
    long endedNs() {
        ended.join();
        return endedNs;
    }

    boolean hasFailed() {
        return ended.isDone() && ended.join() != 0;
    }

    /** Waits for the end of the program; returns false after {@code ms} milliseconds. */
    boolean waitFor(long ms) throws InterruptedException {
        try {
            ended.get(ms, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e); // it is never completed exceptionally
        }
    }

    /**
     * Returns a description of the end: {@code client-0 ended with exit code 3; its last lines, in client-0.err: ...}.
     */
    String end() {
        int code = ended.join();
        String signal = code > AFTER_SIGNAL ? ", as after signal " + (code - AFTER_SIGNAL) : "";
        return name + " ended with exit code " + code + signal + lastWords();
    }

    /** Returns the last lines of standard error or, if there are none, of standard output, for the end of a message. */
    String lastWords() {
        for (Path file : List.of(err, out)) {
            List<String> lines = lastLines(file);
            if (!lines.isEmpty()) {
                return "; its last lines, in " + file.getFileName() + ": " + String.join(" | ", lines);
            }
        }
        return "; it has written nothing";
    }

    private static List<String> lastLines(Path file) {
        try (var channel = Files.newByteChannel(file)) {
            channel.position(Math.max(0, channel.size() - QUOTED_BYTES));
            var bytes = java.nio.ByteBuffer.allocate(QUOTED_BYTES);
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // All of it.
            }
            List<String> lines = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .map(Printable::line)
                    .toList();
            return lines.subList(Math.max(0, lines.size() - QUOTED_LINES), lines.size());
        } catch (IOException e) {
            return List.of(); // the program was never started
        }
    }

    /** Sends a signal, named without SIG, to the program and its child processes. */
    void signal(String signal) {
        try {
            guard.getOutputStream().write((signal.toUpperCase(Locale.ROOT) + "\n").getBytes(StandardCharsets.US_ASCII));
            guard.getOutputStream().flush();
        } catch (IOException e) {
            // It has ended.
        }
    }

    @Override
    public void close() {
        List<ProcessHandle> daemons = guard.descendants().toList();
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
        }
        boolean interrupted = Thread.interrupted();
        try {
            if (!guard.waitFor(KILLED_MS, TimeUnit.MILLISECONDS)) {
                guard.destroyForcibly();
            }
        } catch (InterruptedException e) {
            interrupted = true; // the shell kills the group in any case
        }
        daemons.forEach(ProcessHandle::destroyForcibly);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the name of an output file longer than {@code maxBytes}; null for none. */
    @Nullable
    String flooded(long maxBytes) {
        for (Path file : List.of(out, err)) {
            if (file.toFile().length() > maxBytes) {
                return file.getFileName().toString();
            }
        }
        return null;
    }

    /** Truncates the output files to {@code keptBytes} each. The program must have ended. */
    void cut(long keptBytes) {
        for (Path file : List.of(out, err)) {
            try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
                channel.truncate(keptBytes);
            } catch (IOException e) {
                // The file keeps its length.
            }
        }
    }
}
