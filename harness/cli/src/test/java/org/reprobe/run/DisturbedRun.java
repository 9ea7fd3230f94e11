package org.reprobe.run;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Program started by a user, with processes that are stopped or killed, and its result and leftovers. */
public final class DisturbedRun implements AutoCloseable {
    /** Factor for timeouts in a virtual machine whose instructions are emulated. */
    private static final int SLOWNESS = System.getenv("REPROBE_VM_ADDRESS") == null ? 1 : 5;

    /** Longer than any timeout after which a run reports a missing process. */
    private static final long PATIENCE_S = 180 * SLOWNESS;

    /** Timeout for the others after the end of one process. */
    private static final long ENDING_MS = 20_000 * SLOWNESS;

    /** Default timeout in ms for a message of another process. */
    static final long USUAL_SILENCE_MS = 60_000;

    private static final long LOOK_MS = 20;
    private static final long LOOK_FOR_MORE_MS = 250;

    private final Process process;
    private final Path out;
    private final Path err;
    private final Set<ProcessHandle> seen = new LinkedHashSet<>();

    private DisturbedRun(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Result of the program.
     *
     * @param complaints standard error without progress, and without the JVM's remarks on options in its environment
     * @param left leftover processes and folders
     */
    public record Ending(int exit, String complaints, List<String> left) {}

    /** Scenario whose clients and server communicate for this time at a stretch. */
    static String scenario(int machines, int threads, int repeats, long realTimeMs) {
        return """
                title: Disturbed
                scheme: nessie
                clients: {machines: %d, threads: %d}
                table: {records: 4096, record-bytes: 16}
                workload: {writes: 0.5}
                nessie: {growth: 1}
                measure: {repeats: %d, real-time-ms: %d}
                """.formatted(machines, threads, repeats, realTimeMs);
    }

    /**
     * Starts the program.
     *
     * @param prefix words before the command, as of a program that starts it elsewhere
     * @param silenceMs timeout after which its processes consider each other hung
     */
    public static DisturbedRun start(Path dir, String name, List<String> prefix, long silenceMs, String... arguments)
            throws IOException {
        return start(dir, name, prefix, List.of(), silenceMs, arguments);
    }

    /** Starts the program with additional options of its JVM. */
    static DisturbedRun start(
            Path dir, String name, List<String> prefix, List<String> options, long silenceMs, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(
                TinyScenario.jvm("-Dreprobe.slowness=" + SLOWNESS, "-Dreprobe.silence-ms=" + silenceMs * SLOWNESS));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.reprobe.cli.Reprobe"));
        command.addAll(List.of(arguments));
        Path out = dir.resolve(name + ".out");
        Path err = dir.resolve(name + ".err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new DisturbedRun(process, out, err);
    }

    public ProcessHandle coordinator() {
        return process.toHandle();
    }

    /** Returns running child processes in the order of their start: a server first. */
    public List<ProcessHandle> workers() {
        List<ProcessHandle> workers = process.descendants()
                .filter(ProcessHandle::isAlive)
                .sorted(Comparator.comparing((ProcessHandle worker) ->
                                worker.info().startInstant().orElse(Instant.MAX))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
        seen.addAll(workers);
        return workers;
    }

    /** Waits until this many clients run in its processes, or it has ended: each client is a thread of that name. */
    public void awaitClients(int count) throws IOException, InterruptedException {
        while (process.isAlive() && clients() < count) {
            Thread.sleep(LOOK_MS);
        }
    }

    private long clients() throws IOException {
        return clients(Stream.concat(workers().stream(), Stream.of(coordinator())));
    }

    /** Returns the number of clients in some processes. */
    static long clients(Stream<ProcessHandle> processes) throws IOException {
        long clients = 0;
        for (ProcessHandle one : processes.toList()) {
            try (Stream<Path> threads = Files.list(Path.of("/proc/" + one.pid() + "/task"))) {
                clients += threads.filter(DisturbedRun::isClient).count();
            } catch (NoSuchFileException e) {
                // It has ended.
            }
        }
        return clients;
    }

    private static boolean isClient(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).strip().matches("client[- ]\\d+");
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    /** Waits for its end; returns false on a timeout. */
    public boolean waitFor(long ms) throws InterruptedException {
        return process.waitFor(ms, TimeUnit.MILLISECONDS);
    }

    /** Sends a signal, unless the process has ended. */
    public static void signal(ProcessHandle to, String name) throws IOException, InterruptedException {
        // The shell's own: not every system has a program for it.
        new ProcessBuilder("bash", "-c", "kill -" + name + " " + to.pid() + " 2>/dev/null")
                .start()
                .waitFor();
    }

    /** Returns false also for an ended process whose parent, which may be stopped, has not reaped it. */
    private static boolean runs(ProcessHandle one) {
        try {
            String stat = Files.readString(Path.of("/proc/" + one.pid() + "/stat"));
            return one.isAlive() && stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return one.isAlive();
        }
    }

    /** Waits until all workers seen so far have ended; returns false on a timeout. */
    public boolean awaitEndOfWorkers(long ms) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (seen.stream().anyMatch(DisturbedRun::runs)) {
            if (System.nanoTime() > deadlineNs) {
                return false;
            }
            Thread.sleep(LOOK_MS);
        }
        return true;
    }

    public String said() throws IOException {
        return Files.readString(err, StandardCharsets.UTF_8);
    }

    public String printed() throws IOException {
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    /** Waits for its end, and for that of all its processes. */
    public Ending end() throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        boolean ended = waitFor(LOOK_FOR_MORE_MS);
        while (!ended && System.nanoTime() < deadlineNs) {
            workers(); // it may start more
            ended = waitFor(LOOK_FOR_MORE_MS);
        }
        awaitEndOfWorkers(ENDING_MS);
        List<String> left = new ArrayList<>();
        if (!ended) {
            left.add("the program itself, after " + PATIENCE_S + " s");
        }
        seen.stream().filter(DisturbedRun::runs).forEach(one -> left.add("process " + one.pid()));
        close();
        for (Path place : List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir", ".")))) {
            if (Files.isDirectory(place)) {
                try (Stream<Path> files = Files.list(place)) {
                    files.filter(this::isOurs).forEach(file -> left.add(file.toString()));
                }
            }
        }
        String complaints = String.join(
                "\n",
                said().lines()
                        .filter(line -> !line.startsWith("#") && !line.startsWith("Picked up JAVA_TOOL_OPTIONS"))
                        .toList());
        return new Ending(process.waitFor(), complaints, left);
    }

    /** Names of folders contain the id of the process that made them. */
    private boolean isOurs(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith("reprobe")
                && Stream.concat(seen.stream(), Stream.of(coordinator()))
                        .anyMatch(one -> name.contains("-" + one.pid() + "-"));
    }

    @Override
    public void close() {
        seen.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
