package org.reprobe.run.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.reprobe.trust.Printable;

/** Process started by this one, with the last lines of its output. */
public final class ChildProcess {
    private static final int KEPT_LINES = 20;
    private static final long OUTPUT_MS = 1_000;

    private final Process process;
    private final Thread output;
    private final Deque<String> lastLines = new ArrayDeque<>();

    private ChildProcess(Process process) {
        this.process = process;
        this.output = Thread.ofPlatform().daemon().name("output").start(this::drain);
    }

    /** Starts a process with all of its standard input. */
    public static ChildProcess start(List<String> command, String input) throws IOException {
        return start(command, input, Map.of());
    }

    /** Starts a process with all of its standard input, and variables in addition to this process's. */
    public static ChildProcess start(List<String> command, String input, Map<String, String> environment)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        ChildProcess child = new ChildProcess(process);
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended already; its last lines give the reason.
        }
        return child;
    }

    private void drain() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (lastLines) {
                    if (lastLines.size() == KEPT_LINES) {
                        lastLines.removeFirst();
                    }
                    lastLines.addLast(line);
                }
            }
        } catch (IOException e) {
            // The process was killed, which closes its output.
        }
    }

    long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end; returns false on a timeout of {@code ms}. */
    public boolean waitFor(long ms) throws InterruptedException {
        return process.waitFor(ms, TimeUnit.MILLISECONDS);
    }

    public int waitFor() throws InterruptedException {
        int code = process.waitFor();
        output.join(OUTPUT_MS); // a surviving child may keep the output open
        return code;
    }

    int exitCode() {
        return process.exitValue();
    }

    /** Returns the last lines of standard output and standard error, printable. */
    public List<String> lastLines() {
        synchronized (lastLines) {
            return lastLines.stream().map(Printable::line).toList();
        }
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** Stops it until {@link #resume} (SIGSTOP). */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Continues it (SIGCONT). */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        if (process.isAlive()) {
            new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + process.pid())
                    .start()
                    .waitFor();
        }
    }

    /** Kills it and its descendants (SIGKILL). */
    public void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
