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

class PlanTest {
    @TempDir
    private Path dir;

    private Plan plan(String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve("estimated.yaml"), yaml);
        return Plan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
    }

    @Test
    void aRunOfLongRoundsIsEstimatedByThemHoweverShortItWasAskedToBe() throws Exception {
        String yaml = """
            title: Estimated
            clients: {machines: 1, threads: 28}
            sweep: {send-queue: [64, 8192]}
            measure: {repeats: 1, warm-up-ms: 0, duration-ms: %s}
            """;
        List<Plan.Unit> brief = plan(yaml.formatted("0.001")).units();
        List<Plan.Unit> hundred = plan(yaml.formatted("100")).units();

        assertThat(brief.get(1).runSeconds())
                .isCloseTo(
                        128 * brief.getFirst().runSeconds(),
                        within(0.1 * brief.get(1).runSeconds()))
                .isGreaterThan(0.1 * hundred.get(1).runSeconds());
        assertThat(hundred.getFirst().runSeconds())
                .isGreaterThan(50 * brief.getFirst().runSeconds());
    }

    @Test
    void whatRunsTakeAddsUpToWhatAllTake() throws Exception {
        List<Plan.Unit> units = plan("""
            title: Shared
            table: {records: 10000000}
            sweep: {read-bytes: [64, 128, 256], load-factor: [0.5, 0.9]}
            scheme: linear-fixed
            measure: {repeats: 2}
            """).units();

        assertThat(units.stream().mapToDouble(Plan.shares(units)).sum())
                .isCloseTo(Plan.seconds(units), within(1e-9 * Plan.seconds(units)));
        assertThat(Plan.seconds(units))
                .isLessThan(units.stream()
                        .mapToDouble(unit -> unit.runSeconds() + unit.buildSeconds())
                        .sum());
    }
}
