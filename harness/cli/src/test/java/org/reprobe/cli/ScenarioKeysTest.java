package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.Metrics;

/** Keys of scenarios as a user sets them, and their effect in the files of results. */
@ShippedHome
class ScenarioKeysTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    /** Runs a command, whose words have no spaces, into {@code results}; returns its output. */
    private String run(int code, String command) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(output, true, StandardCharsets.UTF_8);
        int ended = Reprobe.execute(out, out, (command + " --out " + dir.resolve("results")).split(" "));
        String text = output.toString(StandardCharsets.UTF_8);
        assertThat(ended).as(text).isEqualTo(code);
        return text;
    }

    private List<Measurement> read(String file) throws Exception {
        return MeasurementFile.recover(dir.resolve("results").resolve(file)).measurements();
    }

    /** The rate of a trace is in its slices, on the simulated card and between processes. */
    @ParameterizedTest
    @ValueSource(strings = {"sim", "shm"})
    void lookupsFollowATrace(String fabric) throws Exception {
        double ms = fabric.equals("sim") ? 2 : 200;
        double perS = fabric.equals("sim") ? 1e6 : 2e4;
        Files.writeString(
                dir.resolve("trace.csv"),
                "time-ms,rate-per-s\n0,%s\n%s,%s\n%s,0\n".formatted(perS, ms, 3 * perS, 2 * ms));
        Path file = Files.writeString(dir.resolve("traced.yaml"), """
                title: Traced
                clients: {machines: 1, threads: 2}
                table: {records: 4096}
                load: {trace: trace.csv}
                series: {slice-ms: %s}
                measure: {repeats: 1, warm-up-ms: 1, duration-ms: %s, real-time-ms: 0}
                """.formatted(ms, 3 * ms));
        run(0, "run " + file + " --fabric " + fabric);
        double lookups = 4 * perS * ms / 1e3;
        Measurement run = read("measurements.jsonl").getFirst();
        assertThat(run.problem()).isNull();
        assertThat(run.metric(Metrics.LOOKUPS)).isCloseTo(lookups, within(5 * Math.sqrt(lookups)));
        List<Measurement> slices = read("series.jsonl");
        // A stopped thread ends lookups late: some that were due in the warm-up end in the first slice.
        double lateNs = run.metric("latency_ns.max");
        for (Measurement slice : slices) {
            lateNs = Math.max(lateNs, slice.metrics().getOrDefault("latency_ns.max", 0.0));
        }
        double late = lateNs / 1e9 * perS;
        double[] due = {lookups / 4, 3 * lookups / 4, 0};
        double missing = 0;
        for (int i = 0; i < due.length; i++) {
            missing += due[i] - slices.get(i).metric(Metrics.THROUGHPUT) * ms / 1e3;
            assertThat(missing).as("%s", slices).isBetween(-late - 500, 3 * late + 500);
        }
    }

    @Test
    void latencyRisesDuringTheShippedStep() throws Exception {
        String text = run(0, "run load-step --filter scale=1.5 --set measure.repeats=1");
        assertThat(text).contains("worst windows");
        List<Measurement> slices = read("series.jsonl");
        double before = slices.get(10).metric(Metrics.LATENCY + ".p99");
        double during = slices.get(35).metric(Metrics.LATENCY + ".p99");
        assertThat(during).isGreaterThan(10 * before);
        Measurement run = read("measurements.jsonl").getFirst();
        assertThat(run.metric(Metrics.WORST_WINDOW)).isBetween(6.8e6, 7.6e6);
        assertThat(run.metric(Metrics.LATENCY_WORST_WINDOW + ".p99"))
                .isGreaterThan(run.metric(Metrics.LATENCY + ".p99"));
        assertThat(Files.readString(dir.resolve("results/latency.svg"))).contains("99th percentile");
    }

    private static final String PINNED = """
            title: Pinned
            clients: {machines: 1, threads: 2}
            connection: {send-queue: 16}
            table: {records: 4096}
            measure: {repeats: 1, warm-up-ms: 1, duration-ms: 1500}
            """;

    /** The kernel's list of each process's threads, while they run. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void processesRunOnTheirCores() throws Exception {
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
        Path file = Files.writeString(dir.resolve("pinned.yaml"), PINNED);
        Map<String, Set<String>> seen = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        Thread observer = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                ProcessHandle.current().descendants().forEach(child -> observe(child, seen));
            }
        });
        String set = " --set hosts.server-cores=0-0 --set hosts.client-cores=[1-1]";
        String text = run(0, "run " + file + " --fabric shm" + set);
        over.set(true);
        observer.join();
        assertThat(seen).isEqualTo(Map.of("0-0", Set.of("0"), "1-1", Set.of("1")));
        String pinned = "server to cores 0-0, clients to cores 1-1";
        assertThat(text).contains("# pinned: " + pinned);
        assertThat(Files.readString(dir.resolve("results/environment.json"))).contains(pinned);
        assertThat(Files.readString(dir.resolve("results/report.html"))).contains(pinned);
    }

    /** Records the cores of all threads of a worker that has connected, by the argument that names its cores. */
    private static void observe(ProcessHandle worker, Map<String, Set<String>> seen) {
        Path process = Path.of("/proc/" + worker.pid());
        try (Stream<Path> threads = Files.list(process.resolve("task"))) {
            List<String> command =
                    List.of(Files.readString(process.resolve("cmdline")).split("\0"));
            int option = command.indexOf("--cores");
            List<String> cores = new ArrayList<>();
            boolean connected = false;
            for (Path thread : threads.toList()) {
                cores.add(field(thread.resolve("status"), "Cpus_allowed_list:"));
                // A thread of a pool exists once the process has pinned itself and has connected.
                connected |= field(thread.resolve("status"), "Name:").startsWith("pool-");
            }
            if (option >= 0 && connected) {
                seen.computeIfAbsent(command.get(option + 1), _ -> ConcurrentHashMap.newKeySet())
                        .addAll(cores);
            }
        } catch (IOException | UncheckedIOException e) {
            // A process or thread has ended meanwhile.
        }
    }

    private static String field(Path status, String name) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElse("");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void coresThatDoNotExistAreRefused() throws Exception {
        Path file = Files.writeString(dir.resolve("pinned.yaml"), PINNED);
        String text = run(2, "run " + file + " --fabric tcp --set hosts.client-cores=[0-0,8000-8001]");
        assertThat(text).contains("there is no core 8000-8001: this host has 0");
        assertThat(dir.resolve("results")).doesNotExist();
    }
}
