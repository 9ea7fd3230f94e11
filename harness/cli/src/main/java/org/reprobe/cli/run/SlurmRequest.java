package org.reprobe.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.run.Experiment;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Shards;
import org.reprobe.run.process.ShellWord;
import org.reprobe.run.slurm.ArrayJob;
import org.reprobe.run.slurm.Slurm;
import org.reprobe.system.Settings;

final class SlurmRequest {
    /** Shortest shard in s: below this, starting a task takes longer than its runs. */
    private static final double MIN_SHARD_SECONDS = 60;
    /** Shards per concurrent task: with several, no node is idle for long at the end, though times differ. */
    private static final int SHARDS_PER_PLACE = 4;
    /** Memory of the JVM in bytes; tables are outside its heap. */
    private static final long JAVA_BYTES = 1_536L << 20;

    private final SlurmOptions options;
    private final RunPlan plan;
    private final @Nullable Long maxMemoryBytes;

    /** @param maxMemoryBytes as typed; null for the requirement of the runs */
    SlurmRequest(SlurmOptions options, RunPlan plan, @Nullable Long maxMemoryBytes) {
        this.options = options;
        this.plan = plan;
        this.maxMemoryBytes = maxMemoryBytes;
    }

    record Submission(Shards shards, ArrayJob.Request request) {}

    /** Returns the memory for a task's tables in bytes, for its concurrent runs, whatever this host has. */
    long tableBytes() {
        if (maxMemoryBytes != null) {
            return maxMemoryBytes;
        }
        ToLongFunction<RunPlan.Unit> memory = RunPlan.memoryBytes();
        long most = plan.units().stream()
                .mapToLong(memory)
                .boxed()
                .sorted(Comparator.reverseOrder())
                .limit(options.cpus())
                .mapToLong(Long::longValue)
                .sum();
        return Math.min(Experiment.MAX_MEMORY_BYTES, most);
    }

    /**
     * Chooses the resources within Slurm's limits, unless there are shards {@code given}; null with problems. A request
     * that Slurm would keep pending for ever is refused.
     */
    @Nullable
    Submission submission(@Nullable Shards given, List<Problem> problems) throws IOException, InterruptedException {
        boolean measured = isMeasured(plan);
        if (measured) {
            checkMeasured(problems);
        }
        if (!Slurm.isAvailable()) {
            problems.add(Problem.of(
                    "--on slurm",
                    "sbatch is not on PATH: run this on a login node (on DAS: module load prun), or use --shard"));
            return null;
        }
        Map<String, Slurm.Partition> partitions;
        int maxTasks;
        try {
            partitions = Slurm.partitions();
            maxTasks = Slurm.maxTasks();
        } catch (Slurm.SlurmException e) {
            problems.add(Problem.of("--on slurm", String.valueOf(e.getMessage())));
            return null;
        }
        String named = options.partition();
        Slurm.Partition partition = named != null
                ? partitions.get(named)
                : partitions.values().stream()
                        .filter(Slurm.Partition::isDefault)
                        .findFirst()
                        .orElse(null);
        if (partition == null) {
            problems.add(
                    named == null
                            ? Problem.of("--on slurm", "Slurm has no default partition: name one by --partition")
                            : Problem.of(
                                    "--partition " + named,
                                    "no such partition; partitions: " + String.join(", ", partitions.keySet())));
            return null;
        }
        if (measured) {
            return measured(given, partition, problems);
        }
        int before = problems.size();
        long memoryBytes = tableBytes() + JAVA_BYTES;
        String of = "partition " + partition.name() + " has ";
        checkNodes(partition, problems);
        beyond(
                problems,
                "--cpus",
                options.cpus(),
                partition.cpus(),
                "the largest node of " + of + Quantities.count(partition.cpus(), "core"));
        if (memoryBytes > partition.memoryBytes()) {
            problems.add(Problem.of(
                    "--on slurm",
                    "a task needs " + Quantities.bytes(memoryBytes) + " of memory; the largest node of partition "
                            + partition.name() + " has " + Quantities.bytes(partition.memoryBytes())
                            + ": choose another partition (--partition) or less memory (--max-memory)"));
        }
        checkTime(partition, problems);
        if (options.shards() != null && options.shards() > maxTasks) {
            problems.add(Problem.of("--shards " + options.shards(), "Slurm allows at most " + maxTasks + " tasks"));
        }
        if (problems.size() > before) {
            return null;
        }
        int places = Math.max(1, partition.cpus() / options.cpus());
        int nodes = options.nodes() == null ? partition.nodes() : options.nodes();
        Long time = options.timeSeconds();
        long limit = time == null ? partition.limitSeconds() : time;
        Shards shards = given == null ? shards(Math.multiplyExact(nodes, places), maxTasks, limit) : given;
        long seconds = time == null
                ? (long) Math.min((double) limit, Math.max(300, 2 * shards.seconds() / options.cpus() + 120))
                : time;
        return new Submission(
                shards,
                new ArrayJob.Request(
                        options.partition(),
                        options.account(),
                        0,
                        seconds,
                        options.cpus(),
                        memoryBytes,
                        options.nodes() == null ? null : (Integer) (nodes * places),
                        options.more()));
    }

    /** Returns true if some runs are on real fabrics: these need exclusive nodes, in one job for all of them. */
    static boolean isMeasured(RunPlan plan) {
        return plan.units().stream().anyMatch(unit -> unit.kind() == Kind.MEASURED);
    }

    /** Returns the overrides that place runs on real fabrics on their job's nodes; none if the scenario names hosts. */
    static List<String> hosts(RunPlan plan) {
        if (!plan.units().stream().allMatch(unit -> unit.settings().hosts().areLocal())) {
            return List.of();
        }
        boolean server = plan.units().stream().anyMatch(unit -> !unit.clientsServe());
        String clients = "hosts.clients=" + Settings.SLURM;
        return server ? List.of("hosts.server=" + Settings.SLURM, clients) : List.of(clients);
    }

    private void checkMeasured(List<Problem> problems) {
        if (plan.units().stream().anyMatch(unit -> unit.kind() != Kind.MEASURED)) {
            problems.add(Problem.of(
                    "--on slurm",
                    "real fabrics need exclusive nodes, simulated runs don't: submit the scenarios separately"));
        }
        if (options.shards() != null && options.shards() > 1) {
            problems.add(Problem.of(
                    "--shards " + options.shards(), "runs on real fabrics are one job and run one after another"));
        }
        if (options.isCpusGiven()) {
            problems.add(Problem.of("--cpus", "runs on real fabrics use all cores of exclusive nodes"));
        }
    }

    private @Nullable Submission measured(@Nullable Shards given, Slurm.Partition partition, List<Problem> problems) {
        int before = problems.size();
        checkNodes(partition, problems);
        checkTime(partition, problems);
        if (problems.size() > before) {
            return null;
        }
        Shards shards = given == null ? Shards.of(plan, 1) : given;
        int machines = plan.units().stream()
                .mapToInt(unit -> unit.settings().clients().machines() + (unit.clientsServe() ? 0 : 1))
                .max()
                .orElse(1);
        Long time = options.timeSeconds();
        return new Submission(
                shards,
                new ArrayJob.Request(
                        options.partition(),
                        options.account(),
                        options.nodes() == null ? Math.min(machines, partition.nodes()) : options.nodes(),
                        time == null
                                ? (long) Math.min(
                                        (double) partition.limitSeconds(), Math.max(300, 2 * shards.seconds() + 120))
                                : time,
                        1,
                        0,
                        null,
                        options.more()));
    }

    private void checkNodes(Slurm.Partition partition, List<Problem> problems) {
        beyond(
                problems,
                "--nodes",
                options.nodes(),
                partition.nodes(),
                "partition " + partition.name() + " has " + Quantities.count(partition.nodes(), "node"));
    }

    private void checkTime(Slurm.Partition partition, List<Problem> problems) {
        Long time = options.timeSeconds();
        if (time != null && time > partition.limitSeconds()) {
            problems.add(Problem.of(
                    "--time",
                    "exceeds the limit of partition " + partition.name() + ", "
                            + Quantities.duration((double) partition.limitSeconds())
                            + ": the job would stay pending for ever"));
        }
    }

    private static void beyond(
            List<Problem> problems, String option, @Nullable Integer wanted, int there, String what) {
        if (wanted != null && wanted > there) {
            problems.add(Problem.of(option + " " + wanted, what + ": the job would stay pending for ever"));
        }
    }

    private Shards shards(int places, int maxTasks, long limitSeconds) {
        if (options.shards() != null) {
            return Shards.of(plan, options.shards());
        }
        double all = RunPlan.seconds(plan.units());
        int most = Math.min(maxTasks, plan.units().size());
        double count = Math.min(SHARDS_PER_PLACE * (double) places, all / MIN_SHARD_SECONDS);
        if (limitSeconds != Long.MAX_VALUE) {
            count = Math.max(count, 2 * all / Math.max(60, limitSeconds - 60));
        }
        return Shards.of(plan, (int) Math.clamp(Math.ceil(count), 1, most));
    }

    static String sbatch(Submission submission, Path dir, String name) {
        List<Integer> all =
                IntStream.rangeClosed(1, submission.shards.count()).boxed().toList();
        return ArrayJob.sbatch(dir, name, all, submission.request).stream()
                .map(ShellWord::typed)
                .collect(Collectors.joining(" "));
    }
}
