package org.reprobe.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Need;
import org.reprobe.testing.Needs;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NotTested;

/** {@code run --on slurm} with a real Slurm, whose nodes fail, are lost and are removed. */
@Needs(Need.SLURM)
@Nightly(besides = "SlurmOutputTest, with given output of Slurm's commands")
class SlurmTest {
    private static final int NODES = 4;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path dir;

    @SuppressWarnings("NullAway.Init")
    private static LocalSlurm slurm;

    @SuppressWarnings("NullAway.Init")
    private static Path slow;

    /** Results of {@link #slow} on one machine. */
    private static TreeMap<String, String> whole = new TreeMap<>();

    @BeforeAll
    static void start() throws Exception {
        slurm = LocalSlurm.up(dir, NODES);
        slow = Files.writeString(
                dir.resolve("slow.yaml"), TinyScenario.yaml(20).replace("duration-ms: 0.05", "duration-ms: 3"));
        Running one = new Running(
                "one", "run", slow.toString(), "--out", dir.resolve("whole").toString(), "--max-memory", "1g");
        one.end(0);
        whole = TinyScenario.results(dir.resolve("whole"));
    }

    @AfterAll
    static void stop() throws Exception {
        if (slurm != null) {
            slurm.down();
        }
    }

    /** The program as started by a user of this Slurm. */
    private static final class Running {
        private final Path out;
        private final Process process;

        Running(String name, String... arguments) throws IOException {
            this(name, slurm.conf(), System.getenv("PATH"), arguments);
        }

        Running(String name, Path conf, String path, String... arguments) throws IOException {
            out = dir.resolve(name + ".out");
            List<String> command = TinyScenario.jvm(
                    "-Dreprobe.slurm.late-ms=2000",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "org.reprobe.cli.Reprobe");
            command.addAll(List.of(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(dir.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            builder.environment().put("SLURM_CONF", conf.toString());
            builder.environment().put("PATH", path);
            process = builder.start();
        }

        String said() throws IOException {
            return Files.readString(out);
        }

        /** Waits for a condition while the program runs. */
        void until(String what, Condition condition) throws Exception {
            long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
            while (!condition.holds()) {
                assertThat(process.isAlive()).as("%s%n%s", what, said()).isTrue();
                assertThat(System.nanoTime() - deadlineNs)
                        .as("%s%n%s", what, said())
                        .isNegative();
                Thread.sleep(50);
            }
        }

        String end(int code) throws Exception {
            assertThat(process.waitFor(5, TimeUnit.MINUTES))
                    .as("ends: %s", said())
                    .isTrue();
            assertThat(process.exitValue()).as(said()).isEqualTo(code);
            return said();
        }
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws Exception;
    }

    private static Running onSlurm(String name, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "run",
                slow.toString(),
                "--on",
                "slurm",
                "--out",
                dir.resolve(name).toString()));
        arguments.addAll(List.of(more));
        return new Running(name, arguments.toArray(String[]::new));
    }

    private static List<Path> attempts(String name, int shard) throws IOException {
        Path folder = dir.resolve(name).resolve("shards/" + shard);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static long runs(Path attempt) throws IOException {
        Path file = attempt.resolve("measurements.jsonl");
        return Files.exists(file) ? Files.readString(file).lines().count() : 0;
    }

    private static boolean hasBegun(String name, int shard) throws IOException {
        return !attempts(name, shard).isEmpty() && runs(attempts(name, shard).getFirst()) > 0;
    }

    /** Node of the only attempt. */
    private static String node(String name, int shard) throws IOException {
        return Files.readString(attempts(name, shard).getFirst().resolve("environment.json"))
                .lines()
                .filter(line -> line.contains("\"node\""))
                .collect(Collectors.joining())
                .replaceAll(".*: \"|\",?", "");
    }

    /** JVM of a shard's first attempt. */
    private static ProcessHandle task(String name, int shard) {
        String words = dir.resolve(name) + "\0--shard\0" + shard + "/";
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).contains(words)
                        && process.info().command().orElse("").endsWith("java"))
                .findFirst()
                .orElseThrow();
    }

    /** Reads the complete command line: {@link ProcessHandle.Info} omits long ones. */
    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    private static void signal(List<ProcessHandle> processes, String name) throws Exception {
        for (ProcessHandle process : processes) {
            if (process.isAlive()) {
                new ProcessBuilder("bash", "-c", "kill -" + name + " " + process.pid())
                        .start()
                        .waitFor();
            }
        }
    }

    /** Stops the JVM of each of two shards at its first result, so that none ends before the other has begun. */
    private static List<ProcessHandle> stoppedWhenBegun(Running running, String name) throws Exception {
        TreeMap<Integer, ProcessHandle> stopped = new TreeMap<>();
        running.until("both have begun", () -> {
            for (int shard = 1; shard <= 2; shard++) {
                if (!stopped.containsKey(shard) && hasBegun(name, shard)) {
                    ProcessHandle task = task(name, shard);
                    signal(List.of(task), "STOP");
                    stopped.put(shard, task);
                }
            }
            return stopped.size() == 2;
        });
        return List.copyOf(stopped.values());
    }

    private static void assertWhole(String name) throws IOException {
        TreeMap<String, String> results = TinyScenario.results(dir.resolve(name));
        results.keySet().removeIf(file -> file.startsWith("shards/"));
        assertThat(results).isEqualTo(whole);
    }

    @Test
    void anArrayHasTheBytesOfOneMachineAndAForgedLineIsFound() throws Exception {
        assertThat(onSlurm("array", "--shards", "4").end(0)).contains("4 shards, 120 runs", "report.html");
        assertWhole("array");
        assertThat(Files.readString(dir.resolve("array/environment.json")))
                .contains("\"shards\" : \"4\"")
                .containsPattern("\"nodes\" : \"n\\d, n\\d");

        Path first = attempts("array", 2).getFirst();
        Path forged = Files.createDirectory(first.resolveSibling("99.0"));
        for (String file : List.of("measurements.jsonl", "histograms.hlog", "environment.json", "status.json")) {
            Files.copy(first.resolve(file), forged.resolve(file));
        }
        Path lines = forged.resolve("measurements.jsonl");
        Files.writeString(lines, Files.readString(lines).replaceFirst("(ops_per_s\": )(\\d)", "$17$2"));
        String output = new Running("forged", "merge", dir.resolve("array").toString()).end(1);
        assertThat(output).contains("has different results on", "99.0", "Nothing was merged.");
    }

    @Test
    void failedAndLostNodesCostOnlyTime() throws Exception {
        Running running = onSlurm("dies", "--shards", "2");
        // Otherwise one may end before its node is dead, the other before there is another attempt.
        ProcessHandle goesOn = stoppedWhenBegun(running, "dies").getLast();
        String dead = node("dies", 1);
        String lost = node("dies", 2);
        slurm.script("kill", dead);
        slurm.script("lose", lost);
        slurm.declareDown(dead);
        slurm.declareDown(lost);
        running.until(
                "a second attempt",
                () -> attempts("dies", 2).size() == 2
                        && runs(attempts("dies", 2).getLast()) > 0);
        signal(List.of(goesOn), "CONT");
        assertThat(running.end(0))
                .containsPattern("shard 1 was requeued: it no longer runs on " + dead + " \\(\\d+ runs? kept\\)")
                .contains("shard 2 was requeued");
        assertWhole("dies");
        goesOn.onExit().get(5, TimeUnit.MINUTES);
        Path first = attempts("dies", 2).getFirst();
        Path second = attempts("dies", 2).getLast();
        assertThat(runs(first) + runs(second)).as("runs of two attempts at 60").isGreaterThan(60);
        new Running("twice", "merge", dir.resolve("dies").toString()).end(0);
        assertWhole("dies");
        assertThat(attempts("dies", 1)).hasSize(2);
        slurm.bringBack(dead);
        slurm.bringBack(lost);
    }

    @Test
    void preemptedTasksContinueAndCancelledJobsCanBeResumed() throws Exception {
        Running running = onSlurm("cancelled", "--shards", "2");
        // Otherwise they may end before others get priority.
        List<ProcessHandle> tasks = stoppedWhenBegun(running, "cancelled");
        slurm.run(
                List.of("sbatch", "--partition=urgent", "--nodes=" + NODES, "--output=/dev/null", "--wrap=sleep 0.1"));
        running.until("queued again", () -> running.said().contains("was requeued"));
        signal(tasks, "CONT");
        running.process.destroy();
        assertThat(running.end(143))
                .containsPattern("Cancelled: \\d+ of 120 runs are kept")
                .contains("run --resume " + dir.resolve("cancelled") + " --on slurm");

        Running resumed = new Running(
                "resumed", "run", "--resume", dir.resolve("cancelled").toString(), "--on", "slurm");
        assertThat(resumed.end(0)).contains("2 shards, ");
        assertWhole("cancelled");
        String again =
                new Running("again", "run", "--resume", dir.resolve("cancelled").toString(), "--on", "slurm").end(0);
        assertThat(again).doesNotContain("Slurm's job");
    }

    private static Path measured() throws IOException {
        return Files.writeString(dir.resolve("measured.yaml"), """
                title: Measured
                fabric: tcp
                scheme: linear-variable
                clients: {machines: 2, threads: 1}
                connection: {send-queue: 8}
                table: {records: 4096}
                sweep:
                  load-factor: [0.25, 0.50]
                measure: {repeats: 1, warm-up-ms: 5, duration-ms: 20}
                figures:
                  - {name: tcp, title: Lookup throughput, x: load-factor, y: throughput}
                """);
    }

    /** Worker processes of a run on a real fabric. */
    private static List<ProcessHandle> workers() {
        return ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).contains("worker\0--connect\0srun:")
                        && process.info().command().orElse("").endsWith("java"))
                .toList();
    }

    @Test
    void aRunOnARealFabricHasItsOwnNodesAndContinuesWithoutALostMachine() throws Exception {
        List<String> command = List.of(
                "run",
                measured().toString(),
                "--on",
                "slurm",
                "--out",
                dir.resolve("measured").toString());
        Running running = new Running("measured", command.toArray(String[]::new));
        running.until("a server and two machines of clients", () -> workers().size() == 3);
        assertThat(workers().stream()
                        .map(process -> environment(process, "SLURMD_NODENAME"))
                        .distinct())
                .as("nodes")
                .hasSize(3);
        ProcessHandle client = workers().stream()
                .filter(process -> environment(process, "SLURMD_NODENAME").equals("n2"))
                .findFirst()
                .orElseThrow();
        signal(List.of(client), "KILL");
        assertThat(running.end(1)).containsPattern("client process 0 on n2 .*killed by signal 9");

        assertThat(new Running(
                                "goes-on",
                                "run",
                                "--resume",
                                dir.resolve("measured").toString(),
                                "--on",
                                "slurm")
                        .end(0))
                .contains("1 shard, ", "report.html");
        assertThat(Files.readString(dir.resolve("measured/environment.json"))).contains("\"slurm-nodes\" : \"n[1-3]\"");
        assertThat(workers()).isEmpty();
    }

    private static String environment(ProcessHandle process, String name) {
        try {
            return Stream.of(Files.readString(Path.of("/proc/" + process.pid() + "/environ"))
                            .split("\0"))
                    .filter(variable -> variable.startsWith(name + "="))
                    .map(variable -> variable.substring(name.length() + 1))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return ""; // it has ended
        }
    }

    @Test
    void aRunOnARealFabricIsOneJob() throws Exception {
        assertThat(new Running("one-job", "run", measured().toString(), "--on", "slurm", "--shards", "2", "--cpus", "1")
                        .end(2)
                        .lines())
                .containsExactly(
                        "--shards 2: runs on real fabrics are one job and run one after another",
                        "--cpus: runs on real fabrics use all cores of exclusive nodes");
        assertThat(new Running("shown", "run", measured().toString(), "--on", "slurm", "--dry-run").end(0))
                .contains("--nodes=3 --exclusive --mem=0");
        assertThat(new Running("no-job", "run", measured().toString(), "--set", "hosts.clients=slurm").end(2))
                .contains("hosts: slurm needs a Slurm job");
    }

    @Test
    void unschedulableJobsAreRefusedBeforeAnyFileIsWritten() throws Exception {
        assertThat(onSlurm("refused", "--nodes", "9", "--cpus", "2", "--time", "2:00:00", "--max-memory", "9Gi")
                        .end(2)
                        .lines())
                .containsExactly(
                        "--nodes 9: partition main has 4 nodes: the job would stay pending for ever",
                        "--cpus 2: the largest node of partition main has 1 core: the job would stay pending for ever",
                        "--on slurm: a task needs 10.5 GiB of memory; the largest node of partition main has 8.0 GiB:"
                                + " choose another partition (--partition) or less memory (--max-memory)",
                        "--time: exceeds the limit of partition main, 1 h 00 min: the job would stay pending for ever");
        assertThat(onSlurm("refused", "--partition", "mian").end(2))
                .isEqualTo("--partition mian: no such partition; partitions: main, urgent\n");
        assertThat(dir.resolve("refused")).doesNotExist();
    }

    @Test
    void missingSlurmOrControllerIsReported() throws Exception {
        String[] run = {"run", slow.toString(), "--on", "slurm", "--out", "none"};
        assertThat(new Running("none", slurm.conf(), "/nowhere", run).end(2))
                .contains("sbatch is not on PATH: run this on a login node");
        Path conf = Files.writeString(
                dir.resolve("away.conf"),
                Files.readString(slurm.conf()).replaceFirst("SlurmctldPort=\\d+", "SlurmctldPort=9"));
        assertThat(new Running("none", conf, System.getenv("PATH"), run).end(2))
                .contains("Slurm's controller does not respond");
        assertThat(dir.resolve("none")).doesNotExist();
    }

    @Test
    void aNodeThatDoesNotSeeTheFolderIsNamed() throws Exception {
        Path shared = Files.createDirectory(dir.resolve("unshared"));
        String hide = "mount -t tmpfs none " + shared;
        boolean mayHide = new ProcessBuilder("unshare", "-m", "bash", "-c", hide)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
        if (!NotTested.unless(
                mayHide, "slurm-unshared", "a Slurm node that does not see a folder, which only root can make")) {
            return;
        }
        slurm.script("kill", "n4");
        slurm.declareDown("n4");
        slurm.run(List.of("unshare", "-m", "bash", "-c", hide + " && PATH=$PATH:/usr/sbin slurmd -N n4"));
        slurm.awaitBack("n4");
        String output =
                onSlurm("unshared", "--shards", "1", "--slurm", "--nodelist=n4").end(1);
        assertThat(output)
                .contains("node n4 can't access " + shared + ": it must be on a file system that all nodes share")
                .contains("Incomplete: 0 of 120 runs");
        slurm.script("kill", "n4");
        slurm.declareDown("n4");
        slurm.bringBack("n4");
    }

    @Test
    void aShardKilledForItsMemoryIsReported() throws Exception {
        if (!NotTested.unless(
                Files.isWritable(Path.of("/sys/fs/cgroup/memory")),
                "slurm-memory",
                "a Slurm that limits memory, which wants root and control groups of version 1")) {
            return;
        }
        LocalSlurm limited = LocalSlurm.withLimits(Files.createDirectory(dir.resolve("limited")), 1);
        try {
            String output = new Running(
                            "memory",
                            limited.conf(),
                            System.getenv("PATH"),
                            "run",
                            slow.toString(),
                            "--on",
                            "slurm",
                            "--slurm",
                            "--mem=40",
                            "--out",
                            dir.resolve("memory").toString())
                    .end(1);
            assertThat(output)
                    .contains(
                            "shard 1 was killed by Slurm for exceeding its memory on n1: request more with --slurm --mem=SIZE")
                    .contains("Incomplete: 0 of 120 runs");
        } finally {
            limited.down();
        }
    }
}
