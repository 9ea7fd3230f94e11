package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.RunPlan;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.testing.Background;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;
import org.reprobe.trust.PrivateFolder;
import org.reprobe.trust.Secret;

/** Real processes on real fabrics, with few threads. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class CoordinatorTest {
    private static final Path HOME = Project.folder();
    private static final Path NICS = HOME.resolve("scenarios/nics");

    /** Interval of short runs: a thread of a machine that also runs virtual machines may stop for 0.1 s. */
    private static final int BRIEF_MS = 500;

    /** CPU time after which existing processes have connected and send requests. */
    private static final long WORK_UNDER_WAY_NS = 1_000_000_000;

    @TempDir
    Path dir;

    private final List<String> notices = new CopyOnWriteArrayList<>();
    private @Nullable Coordinator coordinator;

    @AfterEach
    void everyProcessHasEnded() throws Exception {
        if (coordinator != null) {
            coordinator.close();
        }
        for (int i = 0; i < 100 && !workers().isEmpty(); i++) {
            Thread.sleep(50);
        }
        assertThat(workers()).isEmpty();
    }

    private Coordinator coordinator(@Nullable InetSocketAddress listen) {
        Coordinator made =
                new Coordinator(new Coordinator.Options(HOME, NICS, null, 0, listen, "", List.of(), notices::add));
        coordinator = made;
        return made;
    }

    /**
     * Uses settings of schemes that only some plans have. Find-or-put's table is so full that parts overflow into the
     * next machine's.
     */
    private RunPlan plan(String fabric, int durationMs, double writes, String schemes) throws Exception {
        Path file = dir.resolve("tiny-" + durationMs + ".yaml");
        Files.writeString(file, """
                title: tiny
                fabric: %s
                table: {records: 20000, record-bytes: 16}
                clients: {machines: 2, threads: 2}
                connection: {send-queue: 16}
                load-factor: 0.5
                workload: {writes: %s}
                nessie: {growth: 1}
                find-or-put: {chunk-buckets: 1024}
                verb: {kind: send, exchange: reply}
                series: {slice-ms: 5, worst-window-ms: 10}
                measure: {repeats: 1, warm-up-ms: 20, duration-ms: %d, real-time-ms: 0}
                rules:
                  - {when: {scheme: linear-variable}, workload.writes: 0}
                  - {when: {scheme: cuckoo-parallel}, workload.writes: 0}
                  - {when: {scheme: find-or-put}, load-factor: 0.97}
                sweep: {scheme: [%s]}
                """.formatted(fabric, writes, durationMs, schemes));
        return RunPlan.of(List.of(new ScenarioReader(NICS).readStored(file, Scale.QUICK)), NICS);
    }

    private static CompletableFuture<RunOutcome> start(Coordinator coordinator, RunPlan.Unit unit) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return coordinator.run(unit, 1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void assertMeasured(RunOutcome outcome, String name) {
        assertThat(outcome.problem()).as(name).isNull();
        assertThat(outcome.valid()).isTrue();
        assertThat(outcome.kind()).isEqualTo(Kind.MEASURED);
        assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isPositive();
        assertThat(outcome.metrics().get(Metrics.THROUGHPUT)).isPositive();
        assertThat(outcome.metrics()).containsKeys(Metrics.STALL, Metrics.STALL_SHARE, Metrics.GC);
        if (name.matches(".*(nessie|pilaf|find-or-put).*")) {
            TimeSeries series = outcome.series();
            assertThat(outcome.metrics())
                    .as(name)
                    .containsKeys(Metrics.WORST_WINDOW, Metrics.LATENCY_WORST_WINDOW + ".p99");
            assertThat(IntStream.range(0, series.slices())
                            .mapToLong(series::operations)
                            .sum())
                    .as("what %s did in all slices", name)
                    .isPositive();
        }
    }

    /** Returns child processes, server first: it was started first, but process ids wrap around. */
    private static List<ProcessHandle> workers() {
        return ProcessHandle.current()
                .children()
                .filter(ProcessHandle::isAlive)
                .sorted(Comparator.comparing((ProcessHandle process) ->
                                process.info().startInstant().orElse(Instant.MAX))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static long cpuNs() {
        return workers().stream()
                .mapToLong(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
                .sum();
    }

    static List<String> fabricsOfOtherProcesses() {
        return NightlyCases.of("CoordinatorTest.clientsRequestOtherProcessesMemory", 1, List.of("tcp", "shm"));
    }

    @ParameterizedTest
    @MethodSource("fabricsOfOtherProcesses")
    void clientsRequestOtherProcessesMemory(String fabric) throws Exception {
        Coordinator here = coordinator(null);
        Map<String, RunOutcome> outcomes = new HashMap<>();
        String schemes = "find-or-put, linear-variable, cuckoo-parallel, nessie, pilaf, compare-and-swap, verb";
        for (RunPlan.Unit unit : plan(fabric, BRIEF_MS, 0.5, schemes).units()) {
            RunOutcome outcome = here.run(unit, 1);
            assertMeasured(outcome, unit.name());
            outcomes.put(unit.settings().scheme(), outcome);
            // Find-or-put's are servers and clients at once.
            assertThat(workers()).hasSize(outcomes.size() == 1 ? 2 : 3);
            assertThat(here.processes())
                    .allSatisfy(process -> assertThat(process.state()).isEqualTo("ready"))
                    .extracting(Run.ProcessState::pid)
                    .containsExactlyInAnyOrderElementsOf(workers().stream()
                            .map(process -> Long.toString(process.pid()))
                            .toList());
        }
        // Half of the table is on each machine; a process' own half needs no round trip.
        assertThat(metric(outcomes, "find-or-put", Metrics.ROUND_TRIPS)).isBetween(0.3, 0.8);
        assertThat(metric(outcomes, "nessie", Metrics.ROUND_TRIPS_READ)).isBetween(2.0, 4.0);
        assertThat(metric(outcomes, "nessie", Metrics.PLACED)).isOne();
        assertThat(metric(outcomes, "pilaf", Metrics.SERVER_CALLS)).isOne();
    }

    static List<String> fabricsOfLocks() {
        return NightlyCases.of("CoordinatorTest.lookupsThatWriteFindEveryLockFree", 1, List.of("shm", "tcp"));
    }

    /** They share a table. Locks are taken in the table itself, and may be left by an earlier run. */
    @ParameterizedTest
    @MethodSource("fabricsOfLocks")
    void lookupsThatWriteFindEveryLockFree(String fabric) throws Exception {
        Path file = Files.writeString(dir.resolve("writes.yaml"), """
                title: writes
                fabric: %s
                scheme: linear-variable
                table: {records: 20000, record-bytes: 16}
                clients: {machines: 2, threads: 2}
                connection: {send-queue: 16}
                measure: {repeats: 2, warm-up-ms: 20, duration-ms: 200, real-time-ms: 0}
                sweep: {workload.writes: [0, 0.5, 1]}
                """.formatted(fabric));
        Coordinator here = coordinator(null);
        RunPlan plan = RunPlan.of(List.of(new ScenarioReader(NICS).readStored(file, Scale.QUICK)), NICS);
        for (RunPlan.Unit unit : plan.units()) {
            RunOutcome outcome = here.run(unit, 1);
            assertMeasured(outcome, unit.name());
            assertThat(outcome.metrics().getOrDefault(Metrics.WRITES, 0.0))
                    .as(unit.name())
                    .isCloseTo(unit.settings().workload().writes(), within(0.2));
        }
    }

    private static double metric(Map<String, RunOutcome> outcomes, String scheme, String metric) {
        return Objects.requireNonNull(outcomes.get(scheme)).metrics().getOrDefault(metric, Double.NaN);
    }

    /** The first process to detect it reports it: this one, or a client that lost its server. */
    private static void assertThatItFails(CompletableFuture<RunOutcome> run) throws Exception {
        RunOutcome outcome = run.get(10, TimeUnit.MINUTES);
        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem())
                .doesNotContain("Exception")
                .doesNotContain("\n")
                .containsAnyOf("killed by signal 9", "server", "client process");
    }

    static List<Arguments> victimsOfMessages() {
        return List.of(Arguments.of("tcp", 0), Arguments.of("shm", 2));
    }

    /** Machines that poll rings in each other's memory: waiting for a dead one's messages must end. */
    @Nightly(besides = "a killed process ends its run")
    @ParameterizedTest
    @MethodSource("victimsOfMessages")
    void aKilledMachineEndsARunOfMessages(String fabric, int victim) throws Exception {
        Coordinator here = coordinator(null);
        RunPlan.Unit brief = messages(fabric, BRIEF_MS);
        assertMessages(here.run(brief, 1));
        CompletableFuture<RunOutcome> run = start(here, messages(fabric, 60_000));
        long beforeNs = cpuNs();
        while (cpuNs() - beforeNs < WORK_UNDER_WAY_NS && !run.isDone()) {
            Thread.sleep(20);
        }
        assertThat(workers()).hasSize(3);
        workers().get(victim).destroyForcibly();
        assertThatItFails(run);
        assertMessages(here.run(brief, 1));
    }

    private static void assertMessages(RunOutcome outcome) {
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.valid()).isTrue();
    }

    private RunPlan.Unit messages(String fabric, int durationMs) throws Exception {
        Path file =
                Files.writeString(dir.resolve("messages-" + durationMs + ".yaml"), """
                title: messages
                fabric: %s
                scheme: farm-messages
                clients: {machines: 3, threads: 1}
                farm-reads: {in-flight: 2, memory-bytes: 65536}
                measure: {repeats: 1, warm-up-ms: 20, duration-ms: %d, real-time-ms: 0}
                """.formatted(fabric, durationMs));
        return RunPlan.of(List.of(new ScenarioReader(NICS).readStored(file, Scale.QUICK)), NICS)
                .units()
                .getFirst();
    }

    static List<Arguments> victims() {
        return NightlyCases.of(
                "CoordinatorTest.aKilledProcessEndsItsRunAloneAndLeavesNothing",
                1,
                List.of(Arguments.of("shm", "nessie", 0), Arguments.of("tcp", "find-or-put", 1)));
    }

    @ParameterizedTest
    @MethodSource("victims")
    void aKilledProcessEndsItsRunAloneAndLeavesNothing(String fabric, String scheme, int victim) throws Exception {
        Coordinator here = coordinator(null);
        here.profileInto(unit -> dir.resolve("profiles").resolve(unit.scenario().name()));
        RunPlan.Unit brief = plan(fabric, BRIEF_MS, 0, scheme).units().getFirst();
        RunOutcome first = here.run(brief, 1);
        assertMeasured(first, brief.name());
        assertThat(first.warnings()).anyMatch(warning -> warning.startsWith("profiled by"));
        assertRecorded(scheme);
        CompletableFuture<RunOutcome> run =
                start(here, plan(fabric, 30_000, 0, scheme).units().getFirst());
        long beforeNs = cpuNs();
        while (cpuNs() - beforeNs < WORK_UNDER_WAY_NS && !run.isDone()) {
            Thread.sleep(20);
        }
        workers().get(victim).destroyForcibly();
        assertThatItFails(run);
        if (victim > 0) {
            assertMeasured(here.run(brief, 1), brief.name());
        }
        assertRecorded(scheme); // no run that failed
        assertThat(notices).isEmpty();
        here.close();
        assertThat(temporary("reprobe-profiles")).isEmpty();
    }

    /** A run has a complete recording of each of its processes. */
    private void assertRecorded(String scheme) throws IOException {
        List<HotMethods> roles = HotMethods.of(HotMethods.recordings(dir.resolve("profiles")));
        assertThat(roles)
                .extracting(role -> role.role() + " " + role.recordings())
                .containsExactlyElementsOf(
                        scheme.equals("find-or-put") ? List.of("machine 2") : List.of("client 2", "server 1"));
        assertThat(roles.getFirst().samples()).isPositive();
    }

    /** Returns this process's private folders of a kind. */
    private static List<Path> temporary(String prefix) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> PrivateFolder.isNamedSo(file, prefix)
                            && file.toString()
                                    .contains("-" + ProcessHandle.current().pid() + "-"))
                    .toList();
        }
    }

    /** Regression: 28 cells failed one after another, each with processes of its own. */
    @Test
    @Nightly(besides = "a killed process ends its run")
    void anUnreachableAddressIsTriedTwiceOnly() throws Exception {
        Path starts = dir.resolve("starts");
        Path ends = Files.writeString(dir.resolve("ends-at-once"), "#!/bin/sh\necho >> '" + starts + "'\nexit 1\n");
        assertThat(ends.toFile().setExecutable(true)).isTrue();
        System.setProperty("reprobe.ssh", ends.toString());
        try {
            Path file = Files.writeString(dir.resolve("far.yaml"), """
                    title: far
                    fabric: tcp
                    hosts: {server: nowhere}
                    clients: {machines: 1, threads: 1}
                    connection: {send-queue: 16}
                    table: {records: 100000000}
                    measure: {repeats: 4, real-time-ms: 1}
                    """);
            RunPlan far = RunPlan.of(List.of(new ScenarioReader(NICS).readStored(file, Scale.QUICK)), NICS);
            Coordinator here = coordinator(null);
            List<String> problems = new ArrayList<>();
            for (RunPlan.Unit unit : far.units()) {
                RunOutcome outcome = here.run(unit, 1);
                assertThat(outcome.valid()).isFalse();
                problems.add(String.valueOf(outcome.problem()));
            }
            assertThat(problems.get(0)).contains("the server process on nowhere");
            assertThat(problems.get(2)).isEqualTo(problems.get(1));
            assertThat(problems).hasSize(4);
            assertThat(Files.readAllLines(starts))
                    .as("nothing is started again")
                    .hasSize(2);
        } finally {
            System.clearProperty("reprobe.ssh");
        }
    }

    @Test
    void clientsStartedByHandNeedTheTokenAndOtherConnectionsDoNoHarm() throws Exception {
        Coordinator here = coordinator(new InetSocketAddress("127.0.0.2", 0));
        List<RunPlan.Unit> units =
                plan("tcp", BRIEF_MS, 0.5, "find-or-put, nessie").units();
        CompletableFuture<RunOutcome> run = start(here, units.getFirst());
        for (int i = 0; i < 600 && notices.size() < 2; i++) {
            Thread.sleep(50);
        }
        URI uri = URI.create(notices.getFirst().replaceFirst(".*--server ", "tcp://"));
        String token = notices.get(1).replaceFirst(".*: ", "");
        assertThat(uri.getFragment()).isNull();
        try (Socket stranger = new Socket(uri.getHost(), uri.getPort())) {
            stranger.getOutputStream().write("GET / HTTP/1.0\n".getBytes(StandardCharsets.UTF_8));
            Background wrong = Background.start(() -> assertRefused(uri));
            List<Background> drivers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                drivers.add(Background.start(() -> {
                    try (Worker worker = Worker.connect(
                            uri.getHost(),
                            uri.getPort(),
                            Secret.of(token),
                            List.of("tiny-" + BRIEF_MS),
                            Worker.Folders.NONE)) {
                        assertThat(worker.work()).as("told to end").isTrue();
                    }
                }));
            }
            assertThat(run.get(10, TimeUnit.MINUTES).problem()).isNull();
            for (RunPlan.Unit unit : units) {
                assertMeasured(here.run(unit, 1), unit.name());
            }
            wrong.join();
            here.close();
            for (Background driver : drivers) {
                driver.join();
            }
        }
    }

    private static void assertRefused(URI uri) {
        assertThatThrownBy(() -> Worker.connect(
                        uri.getHost(), uri.getPort(), Secret.of("guess"), List.of(), Worker.Folders.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("wrong token");
    }
}
