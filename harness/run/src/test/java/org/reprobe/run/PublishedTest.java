package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.claims.Comparability;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.testing.Project;

/** Published numbers, and runs that are comparable with them. */
class PublishedTest {
    private static final Path SCENARIOS = Project.path("scenarios");
    private static final Published.Shelf SHELF = new Published.Shelf(
            List.of(Project.path("results/published")), List.of(SCENARIOS), SCENARIOS.resolve("nics"));

    private static Scenario read(String file, String... sets) throws Exception {
        return new ScenarioReader(SCENARIOS.resolve("nics"))
                .read(SCENARIOS.resolve(file), new ScenarioReader.Options(List.of(sets), null, null, Scale.QUICK));
    }

    private static Scenario onFabric(String file, String fabric) throws Exception {
        return new ScenarioReader(SCENARIOS.resolve("nics"))
                .read(SCENARIOS.resolve(file), new ScenarioReader.Options(List.of(), fabric, null, Scale.QUICK));
    }

    private static List<String> differences(Scenario scenario, Map<String, Object> cell, String metric)
            throws Exception {
        Comparability comparability = Published.of(List.of(scenario), SHELF).comparability(List.of(scenario));
        Cell meant = scenario.cells().stream()
                .map(Scenario.PlannedCell::cell)
                .filter(each -> each.matches(cell))
                .findFirst()
                .orElseThrow();
        return comparability.differences(scenario.name(), meant, metric);
    }

    private static final Map<String, Object> AT_HALF = Map.of("scheme", "linear-variable", "load-factor", 0.5);

    @Test
    void theShippedScenarioIsWhatClaimsPresumeAtEitherScale() throws Exception {
        Path file = SCENARIOS.resolve("linear-probing/figure-07.yaml");
        for (Scale scale : Scale.values()) {
            Scenario scenario =
                    new ScenarioReader(SCENARIOS.resolve("nics")).read(file, ScenarioReader.Options.of(scale));
            for (Scenario.PlannedCell cell : scenario.cells()) {
                assertThat(differences(scenario, cell.cell().values(), "throughput_ops_per_s"))
                        .as("%s %s", scale, cell.cell().label())
                        .isEmpty();
            }
        }
    }

    @Test
    void anotherCardSizeOrWorkloadIsNotComparable() throws Exception {
        String file = "linear-probing/figure-07.yaml";
        String requests = "requests_per_lookup";
        assertThat(differences(read(file, "table.record-bytes=32"), AT_HALF, requests))
                .containsExactly("table.record-bytes 32 instead of 8");
        assertThat(differences(read(file, "nic=connectx6-200g"), AT_HALF, requests))
                .containsExactly("nic connectx6-200g instead of connectx5-edr");
        assertThat(differences(read(file, "clients.threads=4", "workload.keys=distinct"), AT_HALF, requests))
                .anyMatch(difference -> difference.startsWith("clients.threads 4 instead of 28"))
                .anyMatch(difference -> difference.startsWith("workload.keys distinct instead of uniform"));
    }

    @Test
    void theNumberOfRecordsMayDifferByScaleOnly() throws Exception {
        String file = "linear-probing/figure-07.yaml";
        assertThat(differences(read(file, "table.records=65536"), AT_HALF, "requests_per_lookup"))
                .containsExactly("table.records 65536 instead of at least 1048576");
        assertThat(differences(read(file, "table.records=2097152"), AT_HALF, "requests_per_lookup"))
                .isEmpty();
        assertThat(differences(read(file, "measure.repeats=9", "seed=5"), AT_HALF, "requests_per_lookup"))
                .isEmpty();
    }

    @Test
    void timesAreComparedOnCardsOnlyAndCountsOnAnyFabric() throws Exception {
        Scenario shared = onFabric("linear-probing/figure-07.yaml", "shm");
        assertThat(differences(shared, AT_HALF, "requests_per_lookup")).isEmpty();
        assertThat(differences(shared, AT_HALF, "latency_ns.p50")).containsExactly("fabric shm instead of sim");
        assertThat(differences(onFabric("linear-probing/figure-07.yaml", "verbs"), AT_HALF, "latency_ns.p50"))
                .isEmpty();
        // Each cell of this scenario names its fabric.
        assertThat(differences(
                        read("nessie/figure-1.yaml"), Map.of("fabric", "tcp", "verb.bytes", 10L), "latency_ns.p50"))
                .isEmpty();
    }

    @Test
    void aCellThatTheShippedScenarioDoesNotHaveIsNotComparable() throws Exception {
        Scenario other = read("linear-probing/figure-07.yaml", "sweep.load-factor=[0.5, 0.7]");
        assertThat(differences(other, AT_HALF, "requests_per_lookup")).isEmpty();
        assertThat(differences(other, Map.of("scheme", "linear-variable", "load-factor", 0.7), "requests_per_lookup"))
                .anyMatch(difference -> difference.startsWith("load-factor 0.7 instead of "));
    }

    @Test
    void everyShippedClaimNamesAScenarioAndEveryShippedScenarioSomethingPublished() throws Exception {
        assertThat(SHELF.papers()).hasSizeGreaterThanOrEqualTo(4);
        for (Path paper : SHELF.papers()) {
            Paper cited = SHELF.read(paper).paper();
            assertThat(paper.getFileName().toString()).isEqualTo(cited.name() + ".yaml");
            assertThat(cited.title() != null || cited.name().equals("nics"))
                    .as(cited.name())
                    .isTrue();
        }
        assertThat(SHELF.all())
                .contains("linear-probing/table-1", "linear-probing/figure-7", "nessie/figure-1", "nics/atomics")
                .allMatch(what -> what.equals(what.toLowerCase(Locale.ROOT)));
        for (String name : SHELF.all()) {
            assertThat(SHELF.contains(name)).as(name).isTrue();
        }
        assertThat(SHELF.contains("linear-probing")).isFalse();
        assertThat(SHELF.contains("linear-probing/table-9")).isFalse();
    }

    @Test
    void aNameNeedsTheFileOfItsPaperAlone(@TempDir Path published) throws Exception {
        Path own = Project.path("results/published").resolve("nessie.yaml");
        Files.copy(own, published.resolve("nessie.yaml"));
        Files.writeString(published.resolve("broken.yaml"), "title: [");
        Published.Shelf shelf = new Published.Shelf(List.of(published), List.of(SCENARIOS), SCENARIOS.resolve("nics"));
        assertThat(shelf.contains("nessie/figure-1")).isTrue();
        assertThatThrownBy(() -> shelf.contains("broken/figure-1")).isInstanceOf(InvalidInputException.class);
        assertThatThrownBy(shelf::all).isInstanceOf(InvalidInputException.class);
    }
}
