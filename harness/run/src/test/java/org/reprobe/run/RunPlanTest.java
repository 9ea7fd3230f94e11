package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;

class RunPlanTest {
    @TempDir
    private Path dir;

    private RunPlan plan(String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve("estimated.yaml"), yaml);
        return RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
    }

    @Test
    void aRunOfLongRoundsIsEstimatedByTheirLength() throws Exception {
        String yaml = """
            title: Estimated
            clients: {machines: 1, threads: 28}
            sweep: {connection.send-queue: [64, 8192]}
            measure: {repeats: 1, warm-up-ms: 0, duration-ms: %s}
            """;
        List<RunPlan.Unit> brief = plan(yaml.formatted("0.001")).units();
        List<RunPlan.Unit> hundred = plan(yaml.formatted("100")).units();

        assertThat(brief.get(1).runSeconds())
                .isCloseTo(
                        128 * brief.getFirst().runSeconds(),
                        within(0.1 * brief.get(1).runSeconds()))
                .isGreaterThan(0.1 * hundred.get(1).runSeconds());
        assertThat(hundred.getFirst().runSeconds())
                .isGreaterThan(50 * brief.getFirst().runSeconds());
    }

    @Test
    void runDurationsAddUpToTheTotal() throws Exception {
        List<RunPlan.Unit> units = plan("""
            title: Shared
            table: {records: 10000000}
            sweep: {linear-probing.read-bytes: [64, 128, 256], load-factor: [0.5, 0.9]}
            scheme: linear-fixed
            measure: {repeats: 2}
            """).units();

        assertThat(units.stream().mapToDouble(RunPlan.shares(units)).sum())
                .isCloseTo(RunPlan.seconds(units), within(1e-9 * RunPlan.seconds(units)));
        assertThat(RunPlan.seconds(units))
                .isLessThan(units.stream()
                        .mapToDouble(unit -> unit.runSeconds() + unit.buildSeconds())
                        .sum());
    }

    /** Results of earlier versions, whose cells had last parts of most keys, were drawn by these seeds. */
    @Test
    void seedsAreThoseOfCellsByTheirLabels() throws Exception {
        List<RunPlan.Unit> units = plan("""
            title: Seeds
            scheme: nessie
            table: {record-bytes: 16}
            sweep: {workload.writes: [0.5], workload.keys: [zipf], nessie.rules: [printed]}
            measure: {repeats: 1}
            """).units();
        assertThat(units.getFirst().name())
                .endsWith("nessie,writes=0.5,workload.keys=zipf,rules=printed,load-factor=0.5");
        assertThat(units.getFirst().runSeed()).isEqualTo(-1515640666801352715L);
    }
}
