package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.RunOutcome;
import org.reprobe.testing.Project;

/** Schemes whose clients write, from a scenario file to metrics. */
class RemoteSystemsTest {
    private static final Path NICS = Project.path("scenarios/nics");

    @TempDir
    Path dir;

    private Scenario scenario(String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve("tiny.yaml"), "title: Tiny\n" + yaml);
        return new ScenarioReader(NICS).read(file, ScenarioReader.Options.of(Scale.QUICK));
    }

    private RunOutcome run(String yaml) throws Exception {
        RunPlan.Unit unit = RunPlan.of(List.of(scenario(yaml)), NICS).units().getFirst();
        assertThat(unit.kind()).isEqualTo(Kind.SIMULATED);
        assertThat(unit.localContent()).isNull();
        return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
    }

    @ParameterizedTest
    @CsvSource({
        "nessie, 'nessie: {rules: printed, new-keys: true}', placed_fraction",
        "pilaf, 'pilaf: {free-items: 8}', probes_per_read",
        "find-or-put, 'find-or-put: {chunk-buckets: 8, active: 1}', chunks_per_operation"
    })
    void everyRepeatHasATableOfItsOwn(String scheme, String more, String metric) throws Exception {
        Scenario scenario = scenario("""
                scheme: %s
                load-factor: 0.75
                clients: {machines: %d, threads: 1}
                table: {records: 20000%s}
                workload: {writes: %s}
                %s
                measure: {warm-up-ms: 0, duration-ms: 20, repeats: 3}
                """.formatted(
                        scheme,
                        scheme.equals("find-or-put") ? 2 : 1,
                        scheme.equals("find-or-put") ? "" : ", record-bytes: 16",
                        scheme.equals("pilaf") ? "0" : "1",
                        more));
        Set<Double> found = new HashSet<>();
        for (RunPlan.Unit unit : RunPlan.of(List.of(scenario), NICS).units()) {
            // The clients' own choices are the same in all of them.
            RunOutcome outcome = SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, 7);
            assertThat(outcome.problem()).isNull();
            found.add(outcome.metrics().get(metric));
        }
        assertThat(found).hasSize(3);
    }

    @Test
    void cellsOfOneRepeatShareTheirKeys() throws Exception {
        Scenario scenario = scenario("""
                scheme: nessie
                table: {records: 500, record-bytes: 16}
                sweep: {nessie.rules: [corrected, printed], clients.threads: [1, 4]}
                measure: {repeats: 2}
                """);
        List<RunPlan.Unit> units = RunPlan.of(List.of(scenario), NICS).units();
        Set<Long> firstKeys = new HashSet<>();
        units.forEach(unit -> firstKeys.add(
                ((RemoteDeployment) unit.deployment()).loadedKeys().applyAsLong(0)));
        assertThat(units).hasSize(8);
        assertThat(firstKeys).hasSize(2);
    }

    @Test
    void manyNessieClientsGetRightAnswers() throws Exception {
        RunOutcome outcome = run("""
                scheme: nessie
                clients: {machines: 2, threads: 4}
                table: {records: 500, record-bytes: 64}
                workload: {writes: 0.5, keys: zipf}
                measure: {warm-up-ms: 0.05, duration-ms: 1}
                """);
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics()).containsEntry(Metrics.PLACED, 1.0);
        assertThat(outcome.metrics().get(Metrics.RETRIES)).isPositive();
        assertThat(outcome.metrics().get(Metrics.ROUND_TRIPS_READ)).isBetween(2.0, 4.0);
        assertThat(outcome.metrics().get(Metrics.ROUND_TRIPS_WRITE)).isBetween(2.0, 10.0);
    }

    /** A search that ends before its datum is not a wrong answer of the protocol. */
    @ParameterizedTest
    @CsvSource({"0, adaptive, 1", "0.5, 4, 8"})
    void aFindOrPutTableTooFullForItsChunksIsReported(String writes, String buckets, int chunks) throws Exception {
        RunOutcome outcome = run("""
                scheme: find-or-put
                load-factor: 0.97
                clients: {machines: 2, threads: 4}
                table: {records: 20000}
                workload: {writes: %s}
                find-or-put: {chunk-buckets: %s, chunks: %d}
                measure: {warm-up-ms: 0.1, duration-ms: 2}
                """.formatted(writes, buckets, chunks));
        assertThat(outcome.problem())
                .contains(
                        "operations searched data that are in the table, but beyond the chunks",
                        "(find-or-put.chunks " + chunks + ", find-or-put.chunk-buckets " + buckets + ")",
                        "use a lower load-factor, more chunks or larger ones");
        assertThat(outcome.metrics()).doesNotContainKey(Metrics.WRONG_ANSWERS);
    }

    /** A process does not search again for data that it could not place. */
    @Test
    void dataThatFindOrPutHasNotPlacedAreNotSearched() throws Exception {
        RunOutcome outcome = run("""
                scheme: find-or-put
                load-factor: 0.02
                clients: {machines: 2, threads: 28}
                table: {records: 2}
                workload: {writes: 0.5}
                find-or-put: {chunk-buckets: 1, chunks: 1}
                measure: {warm-up-ms: 0, duration-ms: 0.2}
                """);
        assertThat(outcome.metrics().get(Metrics.PLACED)).isBetween(0.3, 0.99);
        assertThat(outcome.problem()).isNull();
    }

    private RunOutcome newKeys(boolean alwaysPossible) throws Exception {
        return run("""
                scheme: nessie
                load-factor: 0.8
                clients: {machines: 1, threads: 1}
                table: {records: 8192, record-bytes: 16}
                workload: {writes: 1}
                nessie: {rules: printed, new-keys: true, always-possible: %s}
                measure: {warm-up-ms: 0, duration-ms: 5}
                """.formatted(alwaysPossible));
    }

    @Test
    void noWriteNeedsTheServerWhereEveryWriteIsPossible() throws Exception {
        RunOutcome possible = newKeys(true);
        assertThat(possible.problem()).isNull();
        assertThat(possible.metrics()).containsEntry(Metrics.PLACED, 1.0).containsEntry(Metrics.SERVER_CALLS, 0.0);
        RunOutcome any = newKeys(false);
        assertThat(any.metrics().get(Metrics.PLACED)).isLessThan(0.8);
        // Those that take the longest way are refused there.
        assertThat(any.metrics().get(Metrics.ROUND_TRIPS_WRITE))
                .isLessThan(possible.metrics().get(Metrics.ROUND_TRIPS_WRITE) - 1);
    }

    @Test
    void theServersProgramPlacesWhatClientsCanNot() throws Exception {
        String yaml = """
                scheme: nessie
                nic: connectx3-40g
                load-factor: 0.75
                clients: {machines: 1, threads: 2}
                table: {records: 1024, record-bytes: 16}
                workload: {writes: 1}
                nessie: {new-keys: true, growth: %d}
                measure: {warm-up-ms: 0, duration-ms: 2}
                """;
        RunOutcome alone = run(yaml.formatted(0));
        assertThat(alone.metrics().get(Metrics.PLACED)).isLessThan(0.9);
        RunOutcome served = run(yaml.formatted(4));
        assertThat(served.problem()).isNull();
        assertThat(served.metrics()).containsEntry(Metrics.PLACED, 1.0);
        assertThat(served.metrics().get(Metrics.SERVER_CALLS)).isPositive();
        assertThat(served.metrics().get(Metrics.REFUSALS)).isPositive();
    }

    @Test
    void pilafReadsByItselfAndWritesByMessageAndProbesAsThreeWayCuckooDoes() throws Exception {
        RunOutcome outcome = run("""
                scheme: pilaf
                nic: connectx3-40g
                load-factor: 0.75
                clients: {machines: 1, threads: 2}
                table: {records: 20000, record-bytes: 40}
                workload: {writes: 0.2}
                measure: {warm-up-ms: 0, duration-ms: 10}
                """);
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics()).containsEntry(Metrics.SERVER_CALLS, 1.0);
        double probes = outcome.metrics().get(Metrics.PROBES);
        assertThat(probes).isCloseTo(1.6, within(0.1));
        // An entry and its item at each place, as all places that are looked at hold something.
        assertThat(outcome.metrics().get(Metrics.ROUND_TRIPS_READ)).isCloseTo(2 * probes, within(0.01));
    }

    @Test
    void theSameRunGivesTheSameNumbers() throws Exception {
        String yaml = """
                scheme: nessie
                clients: {machines: 1, threads: 3}
                table: {records: 300, record-bytes: 16}
                workload: {writes: 0.3}
                measure: {warm-up-ms: 0, duration-ms: 0.5}
                """;
        assertThat(run(yaml).metrics()).isEqualTo(run(yaml).metrics());
    }

    @Test
    void findOrPutLooksAtAsManyChunksAsItsClustersAreLong() throws Exception {
        RunOutcome outcome = run("""
                scheme: find-or-put
                nic: das5-fdr
                load-factor: 0.8
                clients: {machines: 2, threads: 1}
                table: {records: 20000}
                workload: {writes: 1}
                find-or-put: {chunk-buckets: 8, active: 1}
                measure: {warm-up-ms: 0, duration-ms: 100}
                """);
        assertThat(outcome.problem()).isNull();
        // Knuth's (1 + 1 / (1 - a)^2) / 2 buckets of an insertion, at a load of 0.79: 11.8, in chunks of 8.
        assertThat(outcome.metrics().get(Metrics.CHUNKS)).isCloseTo(2, within(0.3));
    }

    private double verbNs(String settings) throws Exception {
        RunOutcome outcome = run("""
                scheme: verb
                nic: connectx5-edr
                clients: {machines: 1, threads: 1}
                measure: {warm-up-ms: 0.1, duration-ms: 2}
                verb: {%s}
                """.formatted(settings));
        assertThat(outcome.problem()).isNull();
        return outcome.metrics().get(Metrics.LATENCY + ".mean");
    }

    @Test
    void aVerbTakesARoundTripAndItsBytesAndAnAnsweredMessageTwice() throws Exception {
        double readNs = verbNs("kind: read, bytes: 8");
        assertThat(readNs).isBetween(2500.0, 2800.0);
        assertThat(verbNs("kind: read, bytes: 4096")).isBetween(readNs + 500, readNs + 800);
        assertThat(verbNs("kind: write, bytes: 8")).isBetween(2500.0, 2800.0);
        assertThat(verbNs("kind: compare-and-swap, bytes: 1024")).isBetween(2500.0, 2800.0);
        assertThat(verbNs("kind: send, bytes: 8, exchange: reply")).isBetween(2500.0, 6000.0);
    }

    @Test
    void incompatibleOptionsAreRefused() {
        assertThatThrownBy(() ->
                        scenario("scheme: nessie\nfabric: tcp\nnessie: {new-keys: true, always-possible: true}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("always-possible reads the server's memory while clients write");
        assertThatThrownBy(() -> scenario("scheme: verb\nworkload: {writes: 0.5}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("writes has no effect on scheme verb; schemes that read it: linear-fixed, ");
        assertThatThrownBy(() -> scenario("scheme: find-or-put\nworkload: {operation: predict}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("operation has no effect on scheme find-or-put");
        assertThatThrownBy(() -> scenario("scheme: nessie\nnic: connectx3-40g\nnessie: {rules: rhtm}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(
                        "rules rhtm require a card with remote transactions of 4 words, which connectx3-40g");
        assertThatThrownBy(() -> scenario("scheme: nessie\nfabric: shm\nnessie: {rules: rhtm}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("which no real card has; on fabric shm use corrected or printed");
        assertThatThrownBy(() -> scenario("scheme: nessie\nnessie: {always-possible: true}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("always-possible applies to writes of new keys");
    }

    @Test
    void compareAndSwapsOnOneAddressWaitForEachOtherAndOnManyDoNot() throws Exception {
        String yaml = """
                scheme: compare-and-swap
                nic: connectx5-edr
                clients: {machines: 1, threads: 40}
                connection: {send-queue: 4, outstanding-reads: 4}
                table: {records: %d}
                measure: {warm-up-ms: 0.05, duration-ms: 0.2}
                """;
        RunOutcome one = run(yaml.formatted(1));
        RunOutcome many = run(yaml.formatted(1 << 16));
        assertThat(one.problem()).isNull();
        assertThat(many.problem()).isNull();
        assertThat(one.metrics().get(Metrics.THROUGHPUT)).isCloseTo(1e9 / 341, within(2e5));
        assertThat(many.metrics().get(Metrics.THROUGHPUT)).isGreaterThan(10e6);
        assertThat(one.metrics().get(Metrics.RETRIES)).isGreaterThan(0.5);
        assertThat(many.metrics().get(Metrics.RETRIES)).isLessThan(0.5);
    }

    @Test
    void aCardWithoutAtomicsIsRefused() {
        assertThatThrownBy(() -> scenario("""
                scheme: compare-and-swap
                nic: efa
                table: {records: 2097152}
                """))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("compare-and-swap needs atomics, which efa does not have")
                .hasMessageContaining("at most 1048576 words");
    }
}
