package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.cards.CardScore;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;

/** NIC profiles against measurements of real cards. */
@Nightly(besides = "CardPointsTest and ScenarioFilesTest, without runs")
class CardsTest {
    private static final Path SCENARIOS = Project.path("scenarios");
    private static final Path NICS = SCENARIOS.resolve("nics");
    /** Multiple of the recorded median error that is allowed. */
    private static final double ALLOWED = 1.5;
    /** Least share of held-out measurements in their 90 % interval, of one cell in {@code ONE_IN}. */
    private static final double CONTAINED = 0.75;

    private static final int ONE_IN = 8;

    @TempDir
    Path dir;

    @Test
    void errorsAreAtMostOneAndAHalfTimesTheRecordedOnesAndIntervalsContainTheMeasuredValues() throws Exception {
        Map<String, Double> recorded = new LinkedHashMap<>();
        for (String line : Files.readAllLines(Project.path("results/benchmarks/cards-bounds.csv"))) {
            String[] fields = line.split(",", -1);
            if (!fields[0].equals("kind")) {
                recorded.put(fields[0], Double.parseDouble(fields[1]));
            }
        }

        Map<String, Double> found = new LinkedHashMap<>();
        List<CardScore> scores = scores();
        for (CardScore score : scores) {
            if (score.profile().equals(CardScore.ALL) && !score.fitted() && score.scored() > 0) {
                found.put(score.kind(), 100 * score.medianError());
            }
        }

        assertThat(found).containsOnlyKeys(recorded.keySet());
        assertThat(found)
                .allSatisfy((kind, median) -> assertThat(median)
                        .as("median error of %s in percent", kind)
                        .isLessThan(ALLOWED * Objects.requireNonNull(recorded.get(kind))));
        assertThat(scores)
                .filteredOn(score -> score.kind().equals(CardScore.ALL) && !score.fitted())
                .singleElement()
                .satisfies(all -> assertThat(all.inInterval()).isGreaterThan(CONTAINED));
    }

    private List<CardScore> scores() throws Exception {
        ScenarioReader.Options options =
                new ScenarioReader.Options(List.of("measure.drawn-profiles=10"), null, null, Scale.QUICK);
        List<Scenario> scenarios = new ArrayList<>();
        try (Stream<Path> files = Files.list(SCENARIOS.resolve("cards"))) {
            for (Path file : files.sorted().toList()) {
                scenarios.add(new ScenarioReader(NICS).read(file, options));
            }
        }
        List<RunPlan.Unit> units = RunPlan.of(scenarios, NICS).units().stream()
                .filter(unit -> !unit.isDrawn() || unit.scenario().cells().indexOf(unit.planned()) % ONE_IN == 0)
                .toList();
        Published.Shelf shelf =
                new Published.Shelf(List.of(Project.path("results/published")), List.of(SCENARIOS), NICS);
        Experiment.Outcome outcome = Experiment.create(
                        FolderLock.takeEmpty(dir.resolve("cards")),
                        new RunPlan(scenarios, units),
                        true,
                        Project.folder(),
                        Map.of(),
                        "",
                        Published.of(scenarios, shelf),
                        ExperimentTest.options(),
                        ExperimentTest.silent())
                .run();
        return Objects.requireNonNull(outcome.findings()).cards();
    }
}
