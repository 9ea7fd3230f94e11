package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RunOutcome;

class ChangingLoadTest {
    /** Standard deviations of a Poisson count that no slice may exceed. */
    private static final double SIGMAS = 5;

    private static final String SCENARIO = """
            title: Changing load
            clients: {machines: 2, threads: 4}
            connection: {send-queue: 16}
            table: {records: 4096}
            measure: {repeats: 1, warm-up-ms: 0.3, duration-ms: 8}
            series: {slice-ms: 0.5}
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private RunOutcome run(String yaml) throws Exception {
        RunOutcome outcome = outcome(yaml);
        assertThat(outcome.problem()).isNull();
        return outcome;
    }

    private RunOutcome outcome(String yaml) throws Exception {
        RunPlan.Unit unit =
                RunPlan.of(List.of(scenario(yaml)), TinyScenario.NICS).units().getFirst();
        try (BuiltContent content = Objects.requireNonNull(unit.content()).build(Content.Builder.anew(1))) {
            return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), content, unit.runSeed());
        }
    }

    private Scenario scenario(String yaml) throws Exception {
        Path file = Files.writeString(dir.resolve("load.yaml"), yaml);
        return new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK));
    }

    /** A pause at the beginning, a step, a ramp, and again from the beginning. */
    @Test
    void eachSliceHasTheArrivalsOfItsPhase() throws Exception {
        RunOutcome outcome = run(SCENARIO + """
                load:
                  phases:
                    - {for-ms: 1, rate-per-s: 0}
                    - {for-ms: 2, rate-per-s: 4e6}
                    - {for-ms: 2, rate-per-s: 1e6, to-per-s: 3e6}
                """);
        double[] perMs = {0, 0, 4000, 4000, 4000, 4000, 1250, 1750, 2250, 2750, 0, 0, 4000, 4000, 4000, 4000};
        TimeSeries series = outcome.series();
        double expected = 0;
        for (int slice = 0; slice < perMs.length; slice++) {
            double mean = perMs[slice] / 2;
            assertThat((double) series.operations(slice))
                    .as("slice %d", slice)
                    .isCloseTo(mean, within(SIGMAS * Math.sqrt(mean) + (slice % 5 == 0 ? 20 : 0)));
            expected += mean;
        }
        assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isCloseTo(expected, within(SIGMAS * Math.sqrt(expected)));
        assertThat(outcome.metrics().get(Metrics.DURATION)).isEqualTo(8e6);
    }

    /** More lookups arrive for 1 ms than the card serves; they wait, and are all part of the sample. */
    @Test
    void aBacklogIsServedLater() throws Exception {
        String burst = SCENARIO
                + "load: {phases: [{for-ms: 2, rate-per-s: 1e6}, {for-ms: 1, rate-per-s: 5e7}, {for-ms: 5, rate-per-s: 1e6}]}\n";
        RunOutcome outcome = run(burst);
        double expected = 57_000;
        assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isCloseTo(expected, within(SIGMAS * Math.sqrt(expected)));
        TimeSeries series = outcome.series();
        assertThat(series.meanLatencyNs(1)).isLessThan(4_000);
        assertThat(series.meanLatencyNs(6)).isGreaterThan(100_000);
        assertThat(series.meanLatencyNs(15)).isLessThan(4_000);
    }

    @Test
    void aLoadThatIsNeverServedFailsTheRun() throws Exception {
        RunOutcome outcome = outcome(SCENARIO + "load: {phases: [{for-ms: 1, rate-per-s: 5e8}]}\n");
        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem()).contains("use a lower load.scale or shorter phases");
    }

    @Test
    void aTraceIsTheSameAsItsPhases() throws Exception {
        Files.writeString(
                dir.resolve("trace.csv"), "time-s, rate-per-s\n100,1e6\n100.002,4e6\n\n100.005,0\n100.007,2e6\n");
        RunOutcome traced = run(SCENARIO + "load: {trace: trace.csv, scale: 0.5}\n");
        RunOutcome phases = run(SCENARIO + """
                load:
                  phases:
                    - {for-ms: 2, rate-per-s: 5e5}
                    - {for-ms: 3, rate-per-s: 2e6}
                    - {for-ms: 2, rate-per-s: 0}
                    - {for-ms: 1, rate-per-s: 1e6}
                """);
        assertThat(traced.metrics().get(Metrics.LOOKUPS))
                .isCloseTo(phases.metrics().get(Metrics.LOOKUPS), within(2.0));
        String resolved =
                scenario(SCENARIO + "load: {trace: trace.csv}\n").resolved().toString();
        assertThat(resolved).contains("trace: none").contains("rate-per-s: 4000000");
    }

    @Test
    void everyErrorOfATraceHasItsLine() throws Exception {
        Files.writeString(dir.resolve("trace.csv"), "time-ms,rate-per-s\n1,5\n1,6\nx,7\n3,-1\n4\n");
        assertThatThrownBy(() -> scenario(SCENARIO + "load: {trace: trace.csv}\n"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("trace.csv:3:1: the time must be later than that of the row before")
                .hasMessageContaining("trace.csv:4:1: the time must be a number")
                .hasMessageContaining("trace.csv:5:3: the rate must be a number from 0 to 1e12")
                .hasMessageContaining("trace.csv:6:1: a row must have a time and a rate");
        Files.writeString(dir.resolve("other.csv"), "t,rate\n1,5\n");
        assertThatThrownBy(() -> scenario(SCENARIO + "load: {trace: other.csv}\n"))
                .hasMessageContaining("other.csv:1:1: the first line must be time-ms,rate-per-s or time-s,rate-per-s");
        Files.writeString(dir.resolve("empty.csv"), "time-ms,rate-per-s\n");
        assertThatThrownBy(() -> scenario(SCENARIO + "load: {trace: empty.csv}\n"))
                .hasMessageContaining("there is no row");
        assertThatThrownBy(() -> scenario(SCENARIO + "load: {trace: none.csv}\n"))
                .hasMessageMatching("(?s).*\\.yaml:[1-9]\\d*:[1-9]\\d*: [^\n]*none.csv: there is no such file.*");
    }
}
