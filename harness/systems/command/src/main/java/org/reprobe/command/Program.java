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
import org.reprobe.trust.Printable;

/**
 * Started program with all its child processes. A shell between them leads their process group: it forwards signals to
 * the group, reports the program's end, and then kills the whole group; also on {@link #close}, and if this process
 * ends in any way. Only processes that have left the group, such as daemons, survive.
 */
final class Program implements AutoCloseable {
    /** Program that makes the shell the leader of a group of its own. */
    static final String LEADER = "setsid";

    /**
     * Runs the arguments from the third on, with standard output and error into the first two; the shell is another
     * process and writes nothing there. Signals are sent by standard input, one per line. The shell ends with the
     * program: the reader must outlive the program and ignore the group's signals.
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
     * Starts a program, called {@code name} in messages and names of output files in {@code folder}. The environment is
     * added to this process's.
     *
     * @throws CommandFailedException if it cannot be started
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
            // Reported below: its exit status is unknown.
        }
        if (!ended.isDone()) {
            endedNs = System.nanoTime();
        }
        ended.complete(AFTER_SIGNAL + 9); // the guard was killed, as only the group is
    }

    String name() {
        return name;
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

    /** Returns the time of its end; it must have ended. */
    long endedNs() {
        ended.join();
        return endedNs;
    }

    boolean hasFailed() {
        return ended.isDone() && ended.join() != 0;
    }

    /** Waits for its end; returns false on timeout. */
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

    /** Describes its end with its last lines: {@code client-0 ended with exit code 3; its last lines: ...}. */
    String end() {
        int code = ended.join();
        String signal = code > AFTER_SIGNAL ? ", as after signal " + (code - AFTER_SIGNAL) : "";
        return name + " ended with exit code " + code + signal + lastWords();
    }

    /** Returns its last lines, of standard error if there are any, for the end of a message. */
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
            return List.of(); // it was never started
        }
    }

    /** Sends a signal, named without SIG, to it and its child processes. */
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
            interrupted = true; // the group is being killed without us
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

    /** Truncates its output; it must have ended. */
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
