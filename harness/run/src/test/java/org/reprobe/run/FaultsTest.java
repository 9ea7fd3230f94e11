package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.Fault;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.testing.Nightly;

/** Runs with faults. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FaultsTest {
    private static final String NESSIE = """
            title: Faults
            nic: connectx3-40g
            clients: {machines: 2, threads: 2}
            connection: {timeout: 2, retry-count: 5, timeout-floor: none}
            table: {records: 256, record-bytes: 16}
            workload: {writes: 0.5}
            sweep:
              scheme: [nessie, pilaf]
            measure: {repeats: 2, warm-up-ms: 0.1, duration-ms: 6}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private RunPlan plan(String name, String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve(name + ".yaml"), yaml);
        return RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
    }

    private TreeMap<String, String> run(String name, RunPlan plan) throws Exception {
        ExperimentTest.create(dir.resolve(name), plan, false, 1, ExperimentTest.silent())
                .run();
        return TinyScenario.results(dir.resolve(name));
    }

    private List<Measurement> measurements(String folder, String file) throws Exception {
        return MeasurementFile.recover(dir.resolve(folder).resolve(file)).measurements();
    }

    @Test
    void aRestartedServerIsReconnectedAndTheSeriesShowsIt() throws Exception {
        run("a", plan("faults", NESSIE + """
                faults: [{kind: crash, machine: server, at-ms: 1.5, for-ms: 1}]
                figures: [{name: throughput, x: time-ms, y: operations}]
                """));
        for (Measurement run : measurements("a", MeasurementFile.NAME)) {
            assertThat(run.valid()).as("%s", run.problem()).isTrue();
            assertThat(run.metric(Metrics.FAILURES)).isPositive();
            assertThat(run.metric(Metrics.DETECT)).isBetween(0.1, 0.3);
            // Connecting takes a millisecond, and Pilaf's clients connect twice.
            assertThat(run.metric(Metrics.RECOVER)).isBetween(1.0, 3.5);
        }
        for (Measurement slice : measurements("a", SliceFile.NAME)) {
            double ms = ((Number) java.util.Objects.requireNonNull(slice.cell().get("time-ms"))).doubleValue();
            if (ms > 1.6 && ms < 2.5) {
                assertThat(slice.metric(Metrics.THROUGHPUT)).isZero();
            } else if (ms < 1.5 || ms > 5.2) {
                assertThat(slice.metric(Metrics.THROUGHPUT)).as("at %s ms", ms).isPositive();
            }
        }
        assertThat(dir.resolve("a/throughput.svg")).exists();
    }

    /** Includes the manager of leases: transactions continue at the others. */
    @ParameterizedTest
    @ValueSource(strings = {"server-0", "server-2"})
    void aMachineWithoutItsLeaseIsReplaced(String machine) throws Exception {
        RunPlan plan = plan("recovery", """
                title: Recovery
                nic: connectx3-farm
                scheme: farm-transactions
                clients: {machines: 5, threads: 1}
                connection: {timeout: 2, retry-count: 5, timeout-floor: none}
                table: {records: 100, record-bytes: 48}
                workload: {writes: 0.5}
                farm: {replicas: 2, replication: prepare-commit, lease-ms: 0.6, local-us: 1}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 3}
                faults: [{kind: crash, machine: %s, at-ms: 1}]
                """.formatted(machine));
        RunOutcome outcome = run(plan.units().getFirst());
        assertThat(outcome.valid()).as("%s", outcome.problem()).isTrue();
        double evictedMs = outcome.metrics().get(Metrics.MEMBERSHIP + ".evicted");
        double activeMs = outcome.metrics().get(Metrics.MEMBERSHIP + ".active");
        assertThat(evictedMs).isBetween(0.2, 0.7); // a busy thread renews its lease late
        assertThat(activeMs).isBetween(evictedMs, 1.0);
        TimeSeries series = outcome.series();
        long before = 0;
        long after = 0;
        for (int slice = 0; slice < series.slices(); slice++) {
            double ms = (slice + 0.5) * series.sliceNs() / 1e6;
            before += ms < 1 ? series.operations(slice) : 0;
            after += ms > 2 ? series.operations(slice) : 0;
        }
        assertThat((double) after).isBetween(0.5 * before, 1.0 * before);
    }

    /**
     * All clients' only machine is disconnected: nothing ends, and when the link is back they reconnect, which takes a
     * millisecond.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "scheme: [linear-fixed, linear-variable, cuckoo-sequential, cuckoo-parallel, hopscotch, hopscotch-chained]; "
                        + "table.records: [2000]; connection.send-queue: [8]; load-factor: [0.3]",
                "table.storage: [inline, heap]; workload.writes: [0, 0.5]; load.rate-per-s: [full, 1e6]; "
                        + "table.records: [2000]; connection.send-queue: [8]",
                "scheme: [verb]; verb.kind: [read, write, compare-and-swap, send]",
                "scheme: [verb]; verb.kind: [send]; verb.exchange: [reply, ping-pong]",
                "scheme: [verb]; verb.kind: [read, send, fetch-and-add]; verb.in-flight: [8]; verb.signal-every: [4]",
                "scheme: [compare-and-swap]; connection.send-queue: [8]"
            })
    void aDisconnectedClientContinuesWhenTheLinkReturns(String sweep) throws Exception {
        RunPlan plan = plan("cut", """
                title: Cut
                nic: connectx3-40g
                clients: {machines: 1, threads: 3}
                connection: {timeout: 3, retry-count: 5, timeout-floor: none}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 4}
                faults: [{kind: cut, machine: client-0, to: server, at-ms: 1, for-ms: 1}]
                sweep:
                  %s
                """.formatted(sweep.replace("; ", "\n  ")));
        for (RunPlan.Unit unit : plan.units()) {
            RunOutcome outcome = run(unit);
            assertThat(outcome.valid())
                    .as("%s: %s", unit.planned().cell(), outcome.problem())
                    .isTrue();
            assertThat(outcome.metrics().get(Metrics.FAILURES)).isPositive();
            assertThat(outcome.metrics().get(Metrics.DETECT)).isBetween(0.2, 0.3);
            assertThat(outcome.metrics().get(Metrics.RECOVER)).isBetween(1.9, 2.3);
            // Lookups of a record that stays locked are given up.
            boolean locked = outcome.metrics().getOrDefault(Metrics.LEFT_LOCKED, 0.0) > 0;
            TimeSeries series = outcome.series();
            long operations = 0;
            for (int slice = 0; slice < series.slices(); slice++) {
                double ms = (slice + 0.5) * series.sliceNs() / 1e6;
                if (ms > 1.1 && ms < 2.9) {
                    assertThat(series.operations(slice)).isZero();
                } else if (ms < 1 || ms > 3.1) {
                    assertThat(series.operations(slice)).as("at %s ms", ms).isPositive();
                    assertThat(locked ? 0 : series.failures(slice)).isZero();
                }
                operations += series.operations(slice);
            }
            // Operations that begin in the interval, and those that end in it.
            assertThat((double) operations).isCloseTo(outcome.metrics().get(Metrics.LOOKUPS), withinPercentage(3));
        }
    }

    /** Clients disconnected during a write leave records locked; others must not wait for these for ever. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind: cut, machine: client-0, to: server, at-ms: 0.5, for-ms: 0.5",
                "kind: kill, machine: client-3, at-ms: 0.5",
                "kind: crash, machine: client-0, at-ms: 0.5"
            })
    void recordsThatStayLockedAreCountedAndBlockNoClient(String fault) throws Exception {
        for (String load : List.of("full", "2e6")) {
            RunPlan plan = plan("locked", """
                    title: Locked
                    clients: {machines: 2, threads: 4}
                    connection: {timeout: 2, retry-count: 5, timeout-floor: none, send-queue: 16}
                    table: {records: 64, record-bytes: 16}
                    load: {rate-per-s: %s}
                    workload: {keys: distinct, writes: 1}
                    load-factor: 0.5
                    measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 3}
                    faults: [{%s}]
                    """.formatted(load, fault));
            RunOutcome outcome = run(plan.units().getFirst());
            assertThat(outcome.valid()).as("%s: %s", load, outcome.problem()).isTrue();
            assertThat(outcome.metrics().get(Metrics.LEFT_LOCKED)).isPositive();
            assertThat(outcome.metrics().get(Metrics.DURATION)).isBetween(3e6, 3.3e6);
            // Each 0.1 ms some lookups need one of them.
            TimeSeries series = outcome.series();
            long givenUp = 0;
            long done = 0;
            for (int slice = series.slices() / 2; slice < series.slices(); slice++) {
                givenUp += series.failures(slice);
                done += series.operations(slice);
            }
            assertThat(givenUp).isPositive();
            assertThat(done).isPositive();
        }
    }

    /** Time series without faults, too; they change nothing else in a run. */
    @Test
    void theCourseOfLookupsIsKeptWithoutFaults() throws Exception {
        String lookups = """
                title: Course
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 16}
                table: {records: 4096}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 2}
                sweep: {load.rate-per-s: [full, 2e6]}
                """;
        List<RunPlan.Unit> plain = plan("plain", lookups).units();
        List<RunPlan.Unit> kept =
                plan("kept", lookups + "series: {slice-ms: 0.25}\n").units();
        for (int i = 0; i < plain.size(); i++) {
            RunOutcome outcome = run(kept.get(i));
            assertThat(outcome.metrics()).isEqualTo(run(plain.get(i)).metrics());
            TimeSeries series = outcome.series();
            assertThat(series.slices()).isEqualTo(8);
            double perSlice = outcome.metrics().get(Metrics.THROUGHPUT) * 0.25e-3;
            for (int slice = 0; slice < series.slices(); slice++) {
                assertThat((double) series.operations(slice)).isCloseTo(perSlice, withinPercentage(20));
                assertThat(series.failures(slice)).isZero();
            }
            assertThat(series.meanLatencyNs(4))
                    .isCloseTo(outcome.metrics().get(Metrics.LATENCY + ".mean"), withinPercentage(20));
        }
    }

    /** A card that is slow for a fifth of the interval: nothing else in the run is as slow. */
    @Test
    void theWorstWindowIsThatOfTheFault() throws Exception {
        String scenario = """
                title: Worst window
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 16}
                table: {records: 4096}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 5}
                sweep: {scheme: [linear-variable, cuckoo-parallel, nessie]}
                rules: [{when: {scheme: nessie}, nic: connectx3-40g, table.record-bytes: 16}]
                """;
        String windows = scenario + "series: {worst-window-ms: 0.5}\n";
        String fault = "faults: [{kind: slow-card, machine: server, times: 100, at-ms: 1.23, for-ms: 1}]\n";
        List<RunPlan.Unit> plain = plan("plain", scenario).units();
        List<RunPlan.Unit> kept = plan("kept", windows).units();
        List<RunPlan.Unit> slow = plan("slow", windows + fault).units();
        for (int i = 0; i < plain.size(); i++) {
            Map<String, Double> metrics = run(plain.get(i)).metrics();
            Map<String, Double> usual = run(kept.get(i)).metrics();
            double throughput = metrics.get(Metrics.THROUGHPUT);
            assertThat(usual).containsAllEntriesOf(metrics).hasSize(metrics.size() + 2);
            assertThat(usual.get(Metrics.WORST_WINDOW)).isBetween(0.85 * throughput, throughput);
            double worstUsual = usual.get(Metrics.LATENCY_WORST_WINDOW + ".p99");
            assertThat(worstUsual)
                    .isBetween(
                            0.99 * metrics.get(Metrics.LATENCY + ".p99"), 1.5 * metrics.get(Metrics.LATENCY + ".p99"));
            Map<String, Double> worst = run(slow.get(i)).metrics();
            assertThat(worst.get(Metrics.WORST_WINDOW)).isBetween(0.001 * throughput, 0.5 * throughput);
            assertThat(worst.get(Metrics.LATENCY_WORST_WINDOW + ".p99")).isGreaterThan(2 * worstUsual);
        }
    }

    /** Too early for the end of any operation that began in the interval. */
    @Test
    void earlierOperationsThatEndInTheIntervalAreInItsSeries() throws Exception {
        RunPlan plan = plan("early", """
                title: Early
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 16}
                table: {records: 4096}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 0.5}
                series: {slice-ms: 0.004}
                """);
        TimeSeries series = run(plan.units().getFirst()).series();
        assertThat(series.operations(0) + series.operations(1)).isPositive();
    }

    @Test
    void faultsComeWhenTheySayHoweverLongTheFirstRoundsAre() throws Exception {
        RunPlan plan = plan("rounds", """
                title: Rounds
                clients: {machines: 1, threads: 4}
                connection: {timeout: 3, retry-count: 5, timeout-floor: none, send-queue: 512}
                table: {records: 4096}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 3}
                faults: [{kind: cut, machine: client-0, to: server, at-ms: 1}]
                """);
        assertThat(run(plan.units().getFirst()).metrics().get(Metrics.DETECT)).isBetween(0.2, 0.3);
    }

    /** Without faults that load would exceed the capacity. */
    @Test
    void aBacklogFromAFaultIsNotOverload() throws Exception {
        RunPlan plan = plan("behind", """
                title: Behind
                clients: {machines: 1, threads: 4}
                connection: {send-queue: 16}
                table: {records: 4096}
                load: {rate-per-s: 5e6}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 3}
                faults: [{kind: slow-card, machine: server, times: 30, at-ms: 1}]
                """);
        RunOutcome outcome = run(plan.units().getFirst());
        assertThat(outcome.valid()).as("%s", outcome.problem()).isTrue();
        assertThat(outcome.metrics().get(Metrics.LATENCY + ".p99")).isGreaterThan(1e6);
    }

    /** Reads are refused for the rest of the run, and each time the client reconnects. */
    @Test
    void aServerThatRestartsWithoutItsMemoryServesNoRequest() throws Exception {
        RunPlan plan = plan("forgotten", """
                title: Forgotten
                nic: connectx3-40g
                clients: {machines: 1, threads: 2}
                connection: {timeout: 3, retry-count: 5, timeout-floor: none, send-queue: 8}
                sweep: {scheme: [linear-variable, verb, compare-and-swap]}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 5}
                faults: [{kind: crash, machine: server, at-ms: 1, for-ms: 0.5, memory: lost}]
                """);
        for (RunPlan.Unit unit : plan.units()) {
            RunOutcome outcome = run(unit);
            assertThat(outcome.valid()).as("%s", outcome.problem()).isTrue();
            assertThat(outcome.metrics()).containsKey(Metrics.DETECT).doesNotContainKey(Metrics.RECOVER);
            long failedLate = 0;
            for (int slice = outcome.series().slices() / 2;
                    slice < outcome.series().slices();
                    slice++) {
                assertThat(outcome.series().operations(slice)).isZero();
                failedLate += outcome.series().failures(slice);
            }
            assertThat(failedLate).isPositive();
        }
    }

    /** Data in the buckets of other machines is still found. */
    @Test
    void findOrPutContinuesWithoutTheMachineThatLostItsMemory() throws Exception {
        RunPlan plan = plan("forgotten-buckets", """
                title: Forgotten buckets
                nic: das5-fdr
                scheme: find-or-put
                clients: {machines: 3, threads: 2}
                connection: {timeout: 3, retry-count: 5, timeout-floor: none}
                table: {records: 65536}
                load-factor: 0.4
                workload: {writes: 0.01}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 3}
                faults: [{kind: crash, machine: server-1, at-ms: 1, for-ms: 0.5, memory: lost}]
                """);
        RunOutcome outcome = run(plan.units().getFirst());
        assertThat(outcome.valid()).as("%s", outcome.problem()).isTrue();
        int slices = outcome.series().slices();
        long done = 0;
        long failed = 0;
        for (int slice = slices * 2 / 3; slice < slices; slice++) {
            done += outcome.series().operations(slice);
            failed += outcome.series().failures(slice);
        }
        assertThat(done).isPositive();
        assertThat(failed).isPositive();
    }

    private static RunOutcome run(RunPlan.Unit unit) throws Exception {
        Content shared = unit.content();
        if (shared == null) {
            return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
        }
        try (BuiltContent content = shared.build(Content.Builder.anew(1))) {
            return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), content, unit.runSeed());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    nessie, pilaf                    | table: {records: 256, record-bytes: 16}; workload: {writes: 0.5}
                    linear-variable, cuckoo-parallel | table: {records: 256, record-bytes: 16}; workload: {writes: 0.5}
                    verb                             | verb: {kind: send, exchange: reply}
                    compare-and-swap                 | table: {records: 64}
                    """)
    void drawsDependOnTheSeedAlone(String schemes, String settings) throws Exception {
        String drawn = """
                title: Faults
                nic: connectx3-40g
                clients: {machines: 2, threads: 2}
                connection: {timeout: 2, retry-count: 5, timeout-floor: none}
                sweep: {scheme: [%s]}
                %s
                measure: {repeats: 2, warm-up-ms: 0.1, duration-ms: 6}
                faults:
                  - {kind: crash, machine: client-any}
                  - {kind: kill, machine: client-any}
                  - {kind: cut, machine: client-any, to: server, for-ms: 0.5}
                  - {kind: crash, machine: server, for-ms: 0.3}
                  - {kind: delay, machine: client-any, delay-us: 20, for-ms: 1}
                """.formatted(schemes, settings.replace("; ", "\n"));
        TreeMap<String, String> first = run("b", plan("faults", drawn));
        assertThat(first).containsKey(SliceFile.NAME);
        assertThat(run("c", plan("faults", drawn))).isEqualTo(first);
        Settings cell = plan("faults", drawn).units().getFirst().settings();
        assertThat(FaultPlan.of(cell, false, 1).faults())
                .isEqualTo(FaultPlan.of(cell, false, 1).faults())
                .isNotEqualTo(FaultPlan.of(cell, false, 2).faults());
    }

    @Test
    void anInterruptedRunIsResumedWithItsCourse() throws Exception {
        RunPlan plan = plan("faults", NESSIE + "faults: [{kind: crash, machine: server, at-ms: 1.5, for-ms: 1}]\n");
        TreeMap<String, String> whole = run("e", plan);
        Path folder = dir.resolve("e");
        List<String> lines = Files.readAllLines(folder.resolve(MeasurementFile.NAME));
        Files.write(folder.resolve(MeasurementFile.NAME), lines.subList(0, 2));
        List<String> slices = Files.readAllLines(folder.resolve(SliceFile.NAME));
        Files.write(folder.resolve(SliceFile.NAME), slices.subList(0, slices.size() / 2 + 7));
        Experiment.resume(
                        ResultFolder.take(folder, TinyScenario.NICS, new ArrayList<>()),
                        Published.NOTHING,
                        ExperimentTest.options(),
                        ExperimentTest.silent())
                .run();
        assertThat(TinyScenario.results(folder)).isEqualTo(whole);
    }

    @Test
    void findOrPutContinuesWithoutALostMachine() throws Exception {
        RunPlan plan = plan("lost", """
                title: Lost
                nic: das5-fdr
                scheme: find-or-put
                clients: {machines: 4, threads: 2}
                connection: {timeout: 1, retry-count: 5, timeout-floor: none}
                table: {records: 65536}
                workload: {writes: 0.05}
                measure: {repeats: 1, warm-up-ms: 0.1, duration-ms: 2}
                faults: [{kind: crash, machine: client-3, at-ms: 1}]
                """);
        RunPlan.Unit unit = plan.units().getFirst();
        RunOutcome outcome = SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
        assertThat(outcome.valid()).as("%s", outcome.problem()).isTrue();
        int half = outcome.series().slices() / 2;
        long failed = 0;
        long done = 0;
        for (int slice = 0; slice < outcome.series().slices(); slice++) {
            assertThat(slice < half ? outcome.series().failures(slice) : 0).isZero();
            failed += outcome.series().failures(slice);
            done += slice > half ? outcome.series().operations(slice) : 0;
        }
        assertThat(failed).isPositive();
        assertThat(done).isPositive();
        assertThat(outcome.metrics()).containsKey(Metrics.DETECT).doesNotContainKey(Metrics.RECOVER);
    }

    @Test
    void claimsPresumeNoFaults() throws Exception {
        String faultless = NESSIE.replace("connection: {timeout: 2, retry-count: 5, timeout-floor: none}\n", "");
        List<Scenario> shipped = plan("shipped", faultless).scenarios();
        Scenario.PlannedCell faulty = plan("shipped", NESSIE + "faults: [{kind: crash}]\n")
                .scenarios()
                .getFirst()
                .cells()
                .getFirst();
        PresumedSettings presumed = new PresumedSettings(shipped);
        assertThat(presumed.of(shipped.getFirst().cells().getFirst()).anyTime()).isEmpty();
        assertThat(presumed.of(faulty).anyTime()).containsExactly("faults");
    }

    /** Wrong answers, a hung run or an exception of a restarted server program would make a run invalid. */
    @Test
    @Nightly(besides = "runs with one fault each")
    void runsInWhichMuchGoesWrongAtAnyTimeStillGiveRightAnswers() throws Exception {
        List<Scenario> shipped = new ArrayList<>();
        for (String name : List.of("many-faults", "many-faults-find-or-put", "many-faults-lookups")) {
            shipped.add(new ScenarioReader(TinyScenario.NICS)
                    .read(
                            TinyScenario.HOME.resolve("scenarios/faults/" + name + ".yaml"),
                            new ScenarioReader.Options(
                                    List.of("sweep.seed=[1, 2, 3, 4, 5, 6, 7, 8]"), null, null, Scale.QUICK)));
        }
        RunPlan plan = RunPlan.of(shipped, TinyScenario.NICS);
        for (RunPlan.Unit unit : plan.units()) {
            RunOutcome outcome = run(unit);
            assertThat(outcome.valid())
                    .as("%s: %s", unit.planned().cell(), outcome.problem())
                    .isTrue();
            assertThat(outcome.metrics().get(Metrics.FAILURES)).isPositive();
        }
    }

    @Test
    void aMachinesTwoNamesAreOneWhereClientsServe() throws Exception {
        Settings settings = plan("names", """
                title: Names
                nic: das5-fdr
                scheme: find-or-put
                clients: {machines: 4, threads: 2}
                faults: [{kind: cut, machine: client-3, to: server-1, at-ms: 2, for-ms: 1}]
                """).units().getFirst().settings();
        long warmUpNs = Duration.ofMillis(1).toNanos();
        long fromNs = warmUpNs + 2_000_000;
        Fault.Machine three = new Fault.Machine(true, 3);
        Fault.Machine one = new Fault.Machine(true, 1);
        assertThat(FaultPlan.of(settings, true, 1).faults())
                .containsExactly(
                        new Fault.Cut(three, one, fromNs, fromNs + 1_000_000),
                        new Fault.Cut(one, three, fromNs, fromNs + 1_000_000));
    }
}
