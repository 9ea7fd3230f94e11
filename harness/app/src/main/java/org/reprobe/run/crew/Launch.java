package org.reprobe.run.crew;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Settings;
import org.reprobe.trust.Printable;
import org.reprobe.trust.Secret;

/** Starts processes of ours: here by the JVM that runs this one, on other hosts through ssh. */
final class Launch {
    private static final int KEPT_LINES = 20;

    /** What ssh itself ends with; a remote command's other codes it passes on. */
    private static final int SSH_FAILED = 255;

    private final Process process;
    private final boolean remote;
    private final Deque<String> lastLines = new ArrayDeque<>();

    private Launch(Process process, boolean remote) {
        this.process = process;
        this.remote = remote;
        Thread.ofPlatform().daemon().name("output").start(this::drain);
    }

    /**
     * Starts a process that connects back.
     *
     * @param host where; {@link ScenarioKeys#HERE} for this host
     * @param at where this process listens, as others on this host reach it
     * @param secret it goes in by standard input, since others can see a command line
     * @param tables where it keeps tables if it is a server; null to build them anew
     */
    static Launch peer(String host, InetSocketAddress at, Secret secret, Path home, @Nullable Path tables)
            throws IOException {
        List<String> command = new ArrayList<>();
        if (host.equals(Settings.HERE)) {
            command.addAll(OwnJvm.command(home));
            command.addAll(List.of("peer", "--connect", at.getHostString() + ":" + at.getPort()));
            if (tables != null) {
                command.addAll(List.of("--tables", tables.toString()));
            }
        } else {
            // The other host sees in SSH_CONNECTION how to reach this one, and has the program and a project where this
            // one has.
            String project = System.getProperty("reprobe.project", "");
            command.addAll(List.of(System.getProperty("reprobe.ssh", "ssh"), "-o", "BatchMode=yes", "--", host));
            command.add("cd " + quoted(home.toString()) + " && exec ./run.sh peer --connect ssh:" + at.getPort()
                    + (tables == null ? "" : " --tables " + quoted(tables.toString()))
                    + (project.isEmpty() ? "" : " --project " + quoted(project)));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Launch launch = new Launch(process, !host.equals(Settings.HERE));
        try (OutputStream in = process.getOutputStream()) {
            in.write((secret.text() + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It has ended already; its last words tell why.
        }
        return launch;
    }

    private static String quoted(String path) {
        return "'" + path.replace("'", "'\\''") + "'";
    }

    private void drain() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                synchronized (lastLines) {
                    if (lastLines.size() == KEPT_LINES) {
                        lastLines.removeFirst();
                    }
                    lastLines.addLast(line);
                }
            }
        } catch (IOException e) {
            // It was killed.
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** How it ended, in a few words; empty while it has not. */
    String end() {
        if (process.isAlive()) {
            return "";
        }
        int code = process.exitValue();
        String how = remote && code == SSH_FAILED
                ? "ssh lost it"
                : code > 128 ? "killed by signal " + (code - 128) : "exit code " + code;
        synchronized (lastLines) {
            String word = lastLines.isEmpty()
                    ? ""
                    : ": " + Printable.line(lastLines.getLast().strip());
            return "(" + how + word + ")";
        }
    }

    void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
