package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RunOutcome;
import org.reprobe.testing.Project;

/** Named workloads of YCSB, from a scenario file to operations. */
class NamedWorkloadsTest {
    private static final Path NICS = Project.path("scenarios/nics");

    @TempDir
    Path dir;

    private Scenario scenario(String yaml, String... sets) throws Exception {
        Path file = Files.writeString(dir.resolve("tiny.yaml"), "title: Tiny\n" + yaml);
        return new ScenarioReader(NICS)
                .read(file, new ScenarioReader.Options(List.of(sets), null, null, Scale.QUICK, List.of()));
    }

    private RunOutcome run(String yaml) throws Exception {
        RunPlan.Unit unit = RunPlan.of(List.of(scenario(yaml)), NICS).units().getFirst();
        Content content = unit.content();
        if (content == null) {
            return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), null, unit.runSeed());
        }
        try (BuiltContent built = content.build(Content.Builder.anew(1))) {
            return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), built, unit.runSeed());
        }
    }

    private static String yaml(String scheme, String name) {
        boolean farm = scheme.startsWith("farm");
        return """
                scheme: %s
                nic: %s
                clients: {machines: 2, threads: 4}
                table: {records: 2000, record-bytes: %d}
                workload: {name: %s}
                measure: {warm-up-ms: 0.05, duration-ms: %s}
                %s
                """.formatted(
                        scheme,
                        farm ? "connectx3-farm" : "connectx3-40g",
                        farm ? 48 : 16,
                        name,
                        farm ? "0.5" : "2",
                        scheme.equals("nessie") ? "nessie: {spare-items: 500}" : "");
    }

    /**
     * Shares of writes and of read-modify-writes; their latencies, and those of reads, exist if there are such
     * operations.
     */
    @ParameterizedTest
    @CsvSource({
        "farm, ycsb-a, 0.5, 0",
        "farm, ycsb-b, 0.05, 0",
        "farm, ycsb-c, 0, 0",
        "farm, ycsb-d, 0.05, 0",
        "farm, ycsb-f, 0, 0.5",
        "farm-two-sided, ycsb-c, 0, 0",
        "farm-two-sided, ycsb-d, 0.05, 0",
        "farm-two-sided, ycsb-f, 0, 0.5",
        "nessie, ycsb-a, 0.5, 0",
        "nessie, ycsb-d, 0.05, 0",
        "nessie, ycsb-f, 0, 0.5",
        "pilaf, ycsb-b, 0.05, 0",
        "pilaf, ycsb-d, 0.05, 0",
        "pilaf, ycsb-f, 0, 0.5"
    })
    void operationsAreThoseOfTheWorkload(String scheme, String name, double writes, double both) throws Exception {
        RunOutcome outcome = run(yaml(scheme, name));
        assertThat(outcome.problem()).isNull();
        Map<String, Double> metrics = outcome.metrics();
        assertThat(metrics.containsKey(Metrics.LATENCY_WRITE + ".mean")).isEqualTo(writes > 0);
        assertThat(metrics.containsKey(Metrics.LATENCY_READ_MODIFY_WRITE + ".mean"))
                .isEqualTo(both > 0);
        double read = metrics.get(Metrics.LATENCY_READ + ".mean");
        double all = metrics.get(Metrics.LATENCY + ".mean");
        double other = metrics.getOrDefault(
                Metrics.LATENCY_WRITE + ".mean",
                metrics.getOrDefault(Metrics.LATENCY_READ_MODIFY_WRITE + ".mean", read + 1));
        // The mean of all is that of the parts by their shares.
        assertThat((all - read) / (other - read)).isCloseTo(writes + both, within(0.06));
        if (both > 0) {
            assertThat(other).isGreaterThan(1.3 * read);
        }
        if (name.equals("ycsb-d")) {
            // Nessie's clients find no place for some without the server's help.
            assertThat(metrics.get(Metrics.PLACED)).isGreaterThan(scheme.equals("nessie") ? 0.8 : 0.9999);
        }
    }

    /** Concurrent inserts by many threads are the same for one seed, and differ for another. */
    @Test
    void aRunThatInsertsIsDeterminedByItsSeed() throws Exception {
        String yaml = yaml("farm", "ycsb-d");
        RunOutcome first = run(yaml);
        assertThat(first.problem()).isNull();
        assertThat(run(yaml).metrics()).isEqualTo(first.metrics());
        assertThat(run(yaml + "seed: 2\n").metrics()).isNotEqualTo(first.metrics());
    }

    /** Lookup tables have each key once, and requests are skewed all the same. */
    @ParameterizedTest
    @CsvSource({"linear-fixed, ycsb-c, 0", "hopscotch, ycsb-b, 0.05", "cuckoo-parallel, ycsb-a, 0.5"})
    void lookupsOfDistinctKeysAreSkewed(String scheme, String name, double writes) throws Exception {
        RunOutcome outcome = run(yaml(scheme, name) + "connection: {send-queue: 16}\n");
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics().get(Metrics.MATCHES) / outcome.metrics().get(Metrics.THROUGHPUT))
                .as("records a lookup")
                .isCloseTo(1, within(1e-6));
        assertThat(outcome.metrics().getOrDefault(Metrics.WRITES, 0.0)).isCloseTo(writes, within(0.05));
    }

    /** More clients wait for the hottest records' locks than are served. */
    @Test
    void lookupsThatAllWaitForALockAreReported() throws Exception {
        String yaml = yaml("hopscotch", "ycsb-a").replace("duration-ms: 2", "duration-ms: 0.1");
        assertThat(run(yaml + "connection: {send-queue: 256}\n").problem())
                .contains(" lookups had not ended long after the interval, many of which wait for a lock: ")
                .endsWith("use a shorter connection.send-queue or fewer writes");
    }

    @Test
    void aWorkloadsNameIsSwept() throws Exception {
        Scenario scenario = scenario("""
                scheme: pilaf
                table: {records: 2000, record-bytes: 16}
                workload: {keys: uniform, writes: 0.2}
                sweep: {workload.name: [own, ycsb-a, ycsb-c]}
                """);
        assertThat(scenario.cells())
                .extracting(cell -> cell.settings().workload().writes())
                .containsExactly(0.2, 0.5, 0.0);
        assertThat(scenario.cells())
                .extracting(cell -> cell.values().get("workload.keys"))
                .containsExactly("uniform", "zipf", "zipf");
        assertThat(scenario.cells().get(1).cell().label()).isEqualTo("pilaf,name=ycsb-a,load-factor=0.5");
    }

    /** A result folder's scenario omits the settings that the name overrides, and can be run again. */
    @Test
    void aNamedWorkloadsValuesAreNotRepeatedInFiles() throws Exception {
        Scenario named = scenario(yaml("pilaf", "ycsb-b"));
        assertThat(named.resolvedYaml()).contains("name: ycsb-b").doesNotContain("theta:", "writes:", " keys:");
        Path again = Files.writeString(dir.resolve("again.yaml"), named.resolvedYaml());
        Scenario read = new ScenarioReader(NICS).read(again, ScenarioReader.Options.of(Scale.QUICK));
        assertThat(read.cells().getFirst().settings().workload())
                .isEqualTo(named.cells().getFirst().settings().workload());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "scheme: pilaf\\nworkload: {name: ycsb-e} | | 3:18: ycsb-e scans ranges of keys, and the keys of hash tables have no order: use another of ycsb-a to ycsb-f",
                "scheme: linear-fixed\\nworkload: {name: ycsb-f} | | 3:18: ycsb-f reads records and then updates them, and linear-fixed reads a record for every update: that is ycsb-a, so use that",
                "scheme: hopscotch\\nworkload: {name: ycsb-d} | | 3:18: ycsb-d inserts records, and hopscotch builds its table before the run and inserts nothing: use ycsb-a, ycsb-b or ycsb-c",
                "scheme: farm\\nnic: connectx3-farm\\nclients: {machines: 2}\\nfarm: {ranks: 5000}\\nworkload: {name: ycsb-a} | table.record-bytes=48 | 5:15: ranks has no effect: YCSB's workloads have 10^10 ranks on any table",
                "scheme: find-or-put\\nclients: {machines: 2}\\nworkload: {name: ycsb-a} | | 4:18: name has no effect on scheme find-or-put; schemes that read it: ",
                "scheme: pilaf\\nworkload: {name: ycsb-a, writes: 0.2} | table.record-bytes=16 | 3:34: writes has no effect: workload.name is ycsb-a, which sets it to 0.5; remove one of the two",
                "scheme: pilaf\\nworkload: {name: ycsb-a, theta: 0.5} | table.record-bytes=16 | 3:33: theta has no effect: workload.name is ycsb-a, which sets it to 0.99; remove one of the two",
                "scheme: pilaf\\nworkload: {writes: 0.2} | workload.name=ycsb-b | 3:20: writes has no effect: workload.name is ycsb-b, which sets it to 0.05; remove one of the two",
                "scheme: pilaf\\nworkload: {name: ycsb-b} | workload.writes=0 | writes has no effect: workload.name is ycsb-b, which sets it to 0.05; remove one of the two",
                "scheme: pilaf\\nworkload: {name: ycsb-b}\\nsweep: {workload.keys: [uniform, zipf]} | | 4:25: keys has no effect: workload.name is ycsb-b, which sets it to zipf; remove one of the two",
                "scheme: pilaf\\nworkload: {name: ycsb-b}\\npilaf: {new-keys: true} | | 4:19: new-keys has no effect: ycsb-b determines itself whether writes use new keys",
                "scheme: pilaf\\nworkload: {name: ycsb-g} | | 3:18: "
            })
    void impossibleInputIsRefused(String yaml, String sets, String problem) {
        String more = sets == null ? "table.record-bytes=16" : sets;
        boolean smallest = yaml.contains("linear") || yaml.contains("hopscotch") || yaml.contains("find-or-put");
        String[] all = smallest
                ? new String[0]
                : more.startsWith("table") ? new String[] {more} : new String[] {more, "table.record-bytes=16"};
        assertThatThrownBy(() -> scenario(yaml.replace("\\n", "\n"), all))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining(problem);
    }

    /** Settings that agree with the name may be present. */
    @Test
    void aNamedWorkloadsValuesMayBeRepeated() throws Exception {
        Scenario scenario = scenario("""
                scheme: pilaf
                table: {records: 2000, record-bytes: 16}
                workload: {name: ycsb-b, keys: zipf, writes: 0.05}
                """);
        assertThat(scenario.cells()).hasSize(1);
    }
}
