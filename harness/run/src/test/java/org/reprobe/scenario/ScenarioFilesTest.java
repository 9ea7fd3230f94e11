package org.reprobe.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.system.Settings;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;

/** The files in scenarios/ against the code. */
class ScenarioFilesTest {
    private static final Path SCENARIOS = Project.path("scenarios");

    /** {@code -Dreprobe.regenerate=true} writes the generated files instead of comparing them. */
    private static final boolean REGENERATE = Boolean.getBoolean("reprobe.regenerate");

    @TempDir
    Path dir;

    static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.walk(SCENARIOS)) {
            return files.filter(file -> file.toString().endsWith(".yaml")
                            && !file.getParent().endsWith("nics")
                            && !file.getParent().endsWith("plans"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theJsonSchemaIsTheCodes() throws Exception {
        String schema = ScenarioKeys.schemaText().replace("\r\n", "\n") + "\n";
        compare(SCENARIOS.resolve("schema.json"), schema);
    }

    @Test
    void theReferenceIsTheCodes() throws Exception {
        compare(SCENARIOS.resolve("reference.yaml"), ScenarioKeys.referenceYaml());
    }

    @Test
    void theReferenceHoldsTheDefaults() throws Exception {
        Scenario reference = reader().read(SCENARIOS.resolve("reference.yaml"), quick());
        Path bare = Files.writeString(dir.resolve("bare.yaml"), "title: Bare\n");

        assertThat(reference.cells())
                .isEqualTo(reader().read(bare, quick()).cells())
                .hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void aShippedScenarioIsValidAtBothScales(Path file) throws Exception {
        DocumentSchema schema = new DocumentSchema(
                Document.read(SCENARIOS.resolve("schema.json")).root());
        assertThat(schema.violations(Document.read(file))).isEmpty();
        for (Scale scale : Scale.values()) {
            Scenario scenario = reader().read(file, ScenarioReader.Options.of(scale));
            assertThat(scenario.cells()).isNotEmpty().doesNotHaveDuplicates();
            assertThat(scenario.figures()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void aResolvedScenarioReadsAsTheSameCellsAtAnyScale(Path file) throws Exception {
        // The program memcached can't be simulated, and some faults come after seconds.
        boolean fails = reader().read(file, quick()).cells().stream()
                .anyMatch(cell ->
                        cell.settings().isReal() && !cell.settings().faults().isEmpty());
        boolean measured = reader().read(file, quick()).cells().stream()
                .anyMatch(cell -> cell.settings().scheme().equals("memcached"));
        boolean late = reader().read(file, quick()).cells().stream()
                .flatMap(cell -> cell.settings().faults().stream())
                .anyMatch(fault -> fault.atMs() >= 10);
        String fabric = measured || fails ? "tcp" : "sim";
        for (Scale scale : Scale.values()) {
            for (List<String> sets : NightlyCases.<List<String>>of(
                    "ScenarioFilesTest.aResolvedScenarioReadsAsTheSameCellsAtAnyScale",
                    1,
                    List.of(
                            List.of(
                                    "seed=7",
                                    "clients.threads=[3, 5]",
                                    "measure.duration-ms=" + (late ? "1e4" : "1e1")),
                            List.of(),
                            List.of("clients.threads=5", "measure.repeats=2")))) {
                Scenario first = reader().read(file, new ScenarioReader.Options(sets, fabric, null, scale));
                Path resolved = Files.writeString(dir.resolve("scenario.yaml"), first.resolvedYaml());
                for (Scale other : Scale.values()) {
                    Scenario second = reader().read(resolved, ScenarioReader.Options.of(other));
                    assertThat(second).isEqualTo(first);
                }
            }
        }
    }

    /** Except for experiments on cards, measurements of cards, and faults of the simulator. */
    @Test
    void aShippedScenarioMayRunOnARealFabric() throws Exception {
        List<String> ofSimulator = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (Path file : shipped()) {
            if (file.getParent().endsWith("cards")) {
                continue;
            }
            try {
                reader().read(file, new ScenarioReader.Options(List.of(), "tcp", null, Scale.QUICK));
            } catch (InvalidInputException e) {
                for (Problem problem : e.problems()) {
                    boolean known = Stream.of(
                                    "faults need fabric sim",
                                    "a lease of 1.0 ms is too short in real time",
                                    "=... leaves cells of one",
                                    "messages by SENDs are simulated",
                                    "require a card with remote transactions, which no real card has",
                                    "which only fabric sim allows")
                            .anyMatch(problem.message()::contains);
                    (known ? ofSimulator : refused).add(file.getFileName() + ": " + problem.message());
                }
            }
        }
        assertThat(refused).isEmpty();
        assertThat(ofSimulator).isNotEmpty();
    }

    @Test
    void cellsOfOneCardAreLeftOnARealFabricByAFilter() throws Exception {
        Scenario lookups = reader().read(
                        SCENARIOS.resolve("farm/lookups.yaml"),
                        new ScenarioReader.Options(
                                List.of(), "tcp", null, Scale.QUICK, List.of("nic=connectx3-farm,scheme=farm")));
        assertThat(lookups.cells()).hasSize(12);
    }

    @Test
    void everyFigureAndTableOfTheLinearProbingPaperHasAScenario() throws Exception {
        Set<String> reproduced = new TreeSet<>();
        for (Path file : shipped()) {
            reproduced.addAll(reader().read(file, quick()).reproduces());
        }
        for (int figure = 6; figure <= 13; figure++) {
            assertThat(reproduced).contains("linear-probing/figure-" + figure);
        }
        for (int table = 1; table <= 4; table++) {
            assertThat(reproduced).contains("linear-probing/table-" + table);
        }
    }

    @Test
    void fullScaleTablesFitInTwentyGibibytes() throws Exception {
        for (Path file : shipped()) {
            for (Scenario.PlannedCell cell :
                    reader().read(file, ScenarioReader.Options.of(Scale.FULL)).cells()) {
                Settings settings = cell.settings();
                double bytes =
                        settings.table().records() * (double) settings.table().recordBytes();
                // A heap of blocks for a slot's records has holes like the slots.
                assertThat(bytes / settings.loadFactor() * 1.1)
                        .as(file + " " + cell.cell())
                        .isLessThan(20.0 * (1L << 30));
            }
        }
    }

    private static void compare(Path file, String expected) throws IOException {
        if (REGENERATE) {
            Files.writeString(file, expected);
        }
        assertThat(file)
                .as("run the tests with -Dreprobe.regenerate=true to write it anew")
                .content()
                .isEqualTo(expected);
    }

    private static ScenarioReader reader() {
        return new ScenarioReader(SCENARIOS.resolve("nics"));
    }

    private static ScenarioReader.Options quick() {
        return ScenarioReader.Options.of(Scale.QUICK);
    }
}
