package org.reprobe.run.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Status;
import org.reprobe.run.process.ShellWord;

/**
 * A run's shards as tasks of one job array. Files have the progress; Slurm reports only which tasks are alive, and is
 * polled with a growing interval. Neither its accounting nor {@code sbatch --wait} is needed: many clusters lack the
 * former, and the latter polls too rarely.
 */
public final class ArrayJob {
    private static final String SCRIPT = "job.sh";
    private static final String NUMBER = "job";
    private static final long MIN_POLL_MS = 1_000;
    private static final long MAX_POLL_MS = 30_000;
    private static final long LOOK_MS = 500;
    private static final double SLOWER = 1.2;
    private static final long REPORT_WAITING_MS = 60_000;
    /** Delay in ms until files of other nodes are visible: NFS caches folders for up to a minute. */
    private static final long LATE_MS = Long.getLong("reprobe.slurm.late-ms", 60_000);
    /** Time in ms for a regular end of tasks: Slurm's limit with a margin. */
    private static final long ENDING_MS = 40_000;

    private final ShardFolder folder;
    private final Slurm.Job job;
    private final Listener listener;
    private final Map<Integer, String> nodes = new HashMap<>(); // last known node of each task
    private final Set<Integer> reported = new HashSet<>();
    private volatile boolean cancelled;

    /**
     * Resources of an array. CPUs and memory, including the JVM's, are per task that shares a node. {@code nodes} is
     * the number of exclusive nodes per task, 0 for tasks that share one; {@code atATime} is null for no limit.
     */
    public record Request(
            @Nullable String partition,
            @Nullable String account,
            int nodes,
            long timeSeconds,
            int cpus,
            long memoryBytes,
            @Nullable Integer atATime,
            List<String> more) {
        /** Returns the time in s before its limit at which a task is signalled, ends in order and is requeued. */
        long warningSeconds() {
            return Math.min(120, timeSeconds / 4);
        }
    }

    public interface Listener {
        void progress(int done, int running);

        void note(String text);
    }

    private ArrayJob(ShardFolder folder, Slurm.Job job, Listener listener) {
        this.folder = folder;
        this.job = job;
        this.listener = listener;
    }

    public String number() {
        return job.number();
    }

    public static List<String> sbatch(Path dir, String name, List<Integer> shards, Request request) {
        Path folder = dir.resolve(ShardFolder.FOLDER);
        List<String> command = new ArrayList<>(List.of(
                "sbatch",
                "--parsable",
                "--array=" + ranges(shards) + (request.atATime == null ? "" : "%" + request.atATime),
                "--job-name=reprobe-" + name.replaceAll("[^A-Za-z0-9._-]", "-"),
                "--requeue",
                "--open-mode=append",
                "--signal=B:USR1@" + request.warningSeconds()));
        command.addAll(
                request.nodes > 0
                        ? List.of("--nodes=" + request.nodes, "--exclusive", "--mem=0")
                        : List.of("--cpus-per-task=" + request.cpus, "--mem=" + mebibytes(request.memoryBytes) + "M"));
        command.addAll(List.of(
                "--time=" + Math.max(1, (request.timeSeconds + 59) / 60),
                "--chdir=" + dir,
                "--output=" + folder + "/%a/slurm.txt"));
        if (request.partition != null) {
            command.add("--partition=" + request.partition);
        }
        if (request.account != null) {
            command.add("--account=" + request.account);
        }
        command.addAll(request.more);
        command.add(folder.resolve(SCRIPT).toString());
        return command;
    }

    private static long mebibytes(long bytes) {
        return (bytes + (1 << 20) - 1) >> 20;
    }

    /** Returns numbers in Slurm's notation: {@code 1-4,7}. */
    static String ranges(List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < numbers.size(); ) {
            int end = i;
            while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) {
                end++;
            }
            text.append(text.isEmpty() ? "" : ",").append(numbers.get(i));
            if (end > i) {
                text.append('-').append(numbers.get(end));
            }
            i = end + 1;
        }
        return text.toString();
    }

    /** Submits some shards; {@code program} is the command line of this program, up to its arguments. */
    public static ArrayJob submit(
            ShardFolder folder,
            String name,
            List<Integer> shards,
            List<String> program,
            Request request,
            Listener listener)
            throws IOException, InterruptedException {
        Path dir = folder.dir();
        Path own = dir.resolve(ShardFolder.FOLDER);
        WholeFile.write(own.resolve(SCRIPT), script(dir, folder.shards().count(), program, request.cpus));
        Slurm.Job job = Slurm.submit(sbatch(dir, name, shards, request));
        WholeFile.write(own.resolve(NUMBER), job.text() + "\n");
        return new ArrayJob(folder, job, listener);
    }

    /** Returns the folder's last job if Slurm runs it, else null; fails if unknown: two jobs would repeat runs. */
    public static @Nullable ArrayJob live(ShardFolder folder, Listener listener)
            throws IOException, InterruptedException {
        Path file = folder.dir().resolve(ShardFolder.FOLDER).resolve(NUMBER);
        Optional<Slurm.Job> job =
                Files.exists(file) ? Slurm.Job.parse(Files.readString(file).strip()) : Optional.empty();
        Optional<List<Slurm.Task>> tasks = job.isPresent() ? Slurm.tasks(job.get()) : Optional.empty();
        if (job.isEmpty() || tasks.isEmpty()) {
            return null;
        }
        if (tasks.get().isEmpty()) {
            throw new Slurm.SlurmException(
                    "squeue printed nothing about job " + job.get().number()
                            + ", not even an error, so the job may still run. Try again later; if squeue --me does not show the"
                            + " job, delete " + file + " first");
        }
        return tasks.get().stream().allMatch(Slurm.Task::isOver) ? null : new ArrayJob(folder, job.get(), listener);
    }

    private static String script(Path dir, int count, List<String> program, int cpus) throws IOException {
        String quoted = program.stream().map(ShellWord::quoted).collect(Collectors.joining(" "));
        try (var in = ArrayJob.class.getResourceAsStream(SCRIPT)) {
            if (in == null) {
                throw new IllegalStateException("no " + SCRIPT);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("@DIR@", ShellWord.quoted(dir.toString()))
                    .replace("@COUNT@", String.valueOf(count))
                    .replace("@CPUS@", String.valueOf(cpus))
                    .replace("@PROGRAM@", quoted);
        }
    }

    private record State(int done, boolean ended, int attempts) {}

    private State state(int shard) throws IOException {
        int done = 0;
        boolean ended = false;
        int attempts = 0;
        for (Path attempt : folder.attemptDirs(shard)) {
            attempts++;
            try {
                Status status = Status.read(attempt);
                done += status.done();
                // An earlier job's attempt has also ended if a run failed that is repeated now.
                ended |= attempt.getFileName().toString().startsWith(job.number() + ".")
                        && (status.state() == Status.State.COMPLETE || status.state() == Status.State.FAILED);
            } catch (InvalidInputException e) {
                // It has just begun.
            }
        }
        return new State(Math.min(done, folder.shards().units(shard).size()), ended, attempts);
    }

    /** Ends all tasks; {@link #watch} then waits until they have stored their runs. Thread-safe. */
    public void cancel() {
        cancelled = true;
    }

    /** Waits until each of some shards has ended, or no task can end it; returns false if {@link #cancel cancelled}. */
    public boolean watch(List<Integer> shards) throws IOException, InterruptedException {
        long pollMs = MIN_POLL_MS;
        long nextPollMs = now();
        long nextWaitingMs = now() + REPORT_WAITING_MS / 6;
        long aloneSinceMs = -1;
        long cancelledMs = -1;
        boolean ending = false;
        boolean silent = false;
        int lastDone = -1;
        List<Slurm.Task> tasks = List.of();
        while (true) {
            int done = 0;
            boolean ended = true;
            for (int shard : shards) {
                State state = state(shard);
                done += state.done;
                ended &= state.ended;
            }
            if (ended) {
                return true;
            }
            if (cancelled && cancelledMs < 0) {
                cancelledMs = now();
                pollMs = MIN_POLL_MS;
                nextPollMs = now();
            }
            if (cancelled && !ending && now() >= nextPollMs) {
                try {
                    Slurm.cancel(job);
                    ending = true;
                } catch (Slurm.SlurmException e) {
                    listener.note(e.getMessage() + "; to end the tasks: scancel " + job.number());
                }
            }
            if (now() >= nextPollMs) {
                try {
                    Optional<List<Slurm.Task>> known = Slurm.tasks(job);
                    tasks = known.orElse(List.of());
                    silent = false;
                    report(tasks);
                    boolean alone = tasks.stream().allMatch(Slurm.Task::isOver);
                    if (alone && aloneSinceMs < 0) {
                        aloneSinceMs = now();
                    } else if (!alone) {
                        aloneSinceMs = -1;
                    }
                } catch (Slurm.SlurmException e) {
                    if (!silent) {
                        listener.note(e.getMessage() + "; the tasks continue without it.");
                        silent = true;
                    }
                }
                pollMs = done == lastDone ? Math.min(MAX_POLL_MS, (long) (pollMs * SLOWER)) : MIN_POLL_MS;
                lastDone = done;
                nextPollMs = now() + pollMs;
            }
            listener.progress(done, (int) tasks.stream()
                    .filter(task -> task.state().equals("RUNNING"))
                    .count());
            if (now() >= nextWaitingMs) {
                reportPending(tasks);
                nextWaitingMs = now() + REPORT_WAITING_MS;
            }
            boolean over = aloneSinceMs >= 0;
            if (cancelledMs >= 0 && (over || now() - cancelledMs > ENDING_MS)) {
                return false;
            }
            // Files of a failed task have its failure; only files of tasks that never began may be late.
            if (over && (now() - aloneSinceMs > LATE_MS || allReported(shards))) {
                return true;
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private boolean allReported(List<Integer> shards) throws IOException {
        for (int shard : shards) {
            if (!reported.contains(shard) && !state(shard).ended) {
                return false;
            }
        }
        return true;
    }

    private void report(List<Slurm.Task> tasks) throws IOException {
        for (Slurm.Task task : tasks) {
            String before = nodes.get(task.index());
            boolean waits = task.state().equals("PENDING") || task.state().equals("REQUEUED");
            if (before != null && !task.isOver() && (waits || !task.node().equals(before))) {
                State state = state(task.index());
                listener.note("shard " + task.index() + " was requeued: it no longer runs on " + before + " ("
                        + Quantities.count(state.done, "run") + " kept)");
                nodes.remove(task.index());
                reported.remove(task.index());
            }
            if (task.state().equals("RUNNING")) {
                nodes.put(task.index(), task.node());
            }
            if (task.isOver() && !cancelled && !state(task.index()).ended && reported.add(task.index())) {
                reportEnd(task);
            }
        }
    }

    private void reportEnd(Slurm.Task task) throws IOException {
        String shard = "shard " + task.index();
        switch (task.state()) {
            case "COMPLETED" -> reported.remove(task.index()); // its files may be late
            case "OUT_OF_MEMORY" ->
                listener.note(shard + " was killed by Slurm for exceeding its memory on " + task.node()
                        + ": request more with --slurm --mem=SIZE");
            case "TIMEOUT", "DEADLINE" ->
                listener.note(shard + " reached its time limit on " + task.node() + ": request more with --time");
            case "NODE_FAIL" ->
                listener.note(shard + " ended with " + task.node() + ", which failed, and is not requeued");
            case "CANCELLED", "PREEMPTED" ->
                listener.note(shard + " was " + task.state().toLowerCase(Locale.ROOT) + " outside of this program");
            default -> {
                Path log = folder.shardDir(task.index()).resolve("slurm.txt");
                String reported = Files.exists(log)
                        ? Files.readString(log)
                                .lines()
                                .filter(line -> !line.isBlank())
                                .reduce((_, line) -> line)
                                .orElse("")
                        : "";
                listener.note(
                        reported.isEmpty() && state(task.index()).attempts == 0
                                ? shard + ": node " + task.node() + " can't access " + folder.dir()
                                        + ": it must be on a file system that all nodes share"
                                : shard + " failed on " + task.node() + " ("
                                        + task.state().toLowerCase(Locale.ROOT)
                                        + (reported.isEmpty() ? "" : ": " + reported)
                                        + "); its log is " + log);
            }
        }
    }

    private void reportPending(List<Slurm.Task> tasks) {
        Set<String> reasons = new LinkedHashSet<>();
        int waiting = 0;
        for (Slurm.Task task : tasks) {
            if (task.state().equals("PENDING")) {
                waiting++;
                String words = Slurm.words(task.reason());
                if (words != null) {
                    reasons.add(words);
                }
            }
        }
        if (waiting > 0 && !reasons.isEmpty()) {
            listener.note(Quantities.count(waiting, "shard") + " " + Quantities.verb(waiting, "wait") + " "
                    + String.join("; ", reasons));
        }
    }
}
