package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.analysis.plan.LookupDemand;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.Systems;
import org.reprobe.testing.Project;

class PlannerTest {
    private static final Path NICS = Project.path("scenarios/nics");
    private static final PlanReader READER = new PlanReader(Systems.planned());
    private static final PlannedScheme LINEAR_FIXED = new PlannedLinear(LinearProbingSystem.FIXED);
    private static final PlannedScheme LINEAR_VARIABLE = new PlannedLinear(LinearProbingSystem.VARIABLE);
    private static final PlannedScheme CUCKOO_PARALLEL = new PlannedCuckoo(CuckooSystem.PARALLEL, true);

    /** The experiments of the linear-probing paper: 28 threads, full send queues. */
    private static final CardLoad.Clients PAPER = new CardLoad.Clients(1, 28, 8192, 16);

    /** Linear-probing paper, section 5.1. */
    private static final double PAPER_RECORDS = 120 << 20;

    private static Map<String, String> asked(String... more) {
        Map<String, String> options = new LinkedHashMap<>(Map.of(
                "records", "1e9",
                "value-bytes", "24",
                "lookups-per-second", "40e6",
                "memory-per-server-gib", "64",
                "client-machines", "8"));
        for (int i = 0; i < more.length; i += 2) {
            options.put(more[i], more[i + 1]);
        }
        return options;
    }

    private static Planner.Result plan(String... more) throws InvalidInputException {
        return new Planner(READER.read(null, asked(more), NICS)).plan();
    }

    private static List<String> refused(String... more) {
        return refusedOf(NICS, more);
    }

    private static List<String> refusedOf(Path nics, String... more) {
        InvalidInputException refused =
                catchThrowableOfType(InvalidInputException.class, () -> READER.read(null, asked(more), nics));
        assertThat(refused).isNotNull();
        return refused.problems().stream().map(Problem::toString).toList();
    }

    private static double perSecond(PlannedScheme scheme, double load, boolean inline, int recordBytes)
            throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        TableShape shape = scheme.shape(nic, load, inline, recordBytes, scheme.readSizes() / 2);
        assertThat(shape).isNotNull();
        return new CardLoad(nic, shape, shape.demand(), PAPER, PAPER_RECORDS * shape.bytesPerRecord(), 0)
                .saturatedPerSecond();
    }

    /** Linear-probing paper, section 5.6 and figure 11. */
    @ParameterizedTest
    @CsvSource({"8, true", "16, true", "32, true", "64, false", "128, false"})
    void recordsBelongInlineUpTo32BytesAndInTheHeapAbove(int recordBytes, boolean inline) throws Exception {
        double there = perSecond(LINEAR_VARIABLE, 0.5, true, recordBytes);
        double heap = perSecond(LINEAR_VARIABLE, 0.5, false, recordBytes);

        assertThat(there > heap).isEqualTo(inline);
    }

    /** Linear-probing paper, section 5.3 and figure 7. */
    @ParameterizedTest
    @CsvSource({"0.25, false", "0.65, false", "0.80, false", "0.85, false", "0.92, true", "0.95, true"})
    void cuckooBeatsLinearProbingOnlyInVeryFullTables(double load, boolean cuckoo) throws Exception {
        double linear = Math.max(perSecond(LINEAR_VARIABLE, load, true, 8), perSecond(LINEAR_FIXED, load, true, 8));

        assertThat(perSecond(CUCKOO_PARALLEL, load, true, 8) > linear).isEqualTo(cuckoo);
    }

    @Test
    void theBestConfigurationKeepsEveryLimit() throws Exception {
        Planner.Result result =
                plan("peak-lookups-per-second", "90e6", "servers-that-may-fail", "1", "latency-limit-us", "12");

        assertThat(result.options()).isNotEmpty();
        for (PlanOption option : result.options()) {
            assertThat(option.downNs()[1]).isLessThanOrEqualTo(12_000);
            assertThat(option.tableBytes()).isLessThanOrEqualTo(64 * 0x1p30);
            assertThat(option.headroom()).isGreaterThanOrEqualTo(1);
            assertThat(option.resources())
                    .allSatisfy(resource -> assertThat(resource.down())
                            .isLessThanOrEqualTo(1)
                            .isGreaterThanOrEqualTo(resource.peak() * 0.999));
        }
    }

    @Test
    void writesTakeTheCardLongerAndSoDoTheirCopies() throws Exception {
        PlanOption reads = plan("schemes", "linear-variable").options().getFirst();
        PlanOption mix =
                plan("schemes", "linear-variable", "reads", "0.5").options().getFirst();
        PlanOption copied = plan("schemes", "linear-variable", "reads", "0.5", "copies", "2")
                .options()
                .getFirst();

        assertThat(mix.servers()).isGreaterThan(reads.servers());
        assertThat(copied.servers()).isGreaterThan(mix.servers());
        assertThat(mix.load().requests())
                .isEqualTo(mix.load().demand().reads() + 1.5, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void aRecordThatIsWrittenFasterThanItsLockComesFreeIsRefused() throws Exception {
        assertThat(plan("reads", "0.5", "skew", "1.1", "lookups-per-second", "20e6")
                        .nearest()
                        .get(Planner.Shortfall.HOT_LOCK))
                .isNotNull()
                .extracting(Planner.Nearest::words)
                .asString()
                .contains("each write holds its lock for");
        assertThat(plan("reads", "0.5", "lookups-per-second", "20e6").options()).isNotEmpty();
    }

    @Test
    void moreIsNeverDoneWithFewerServers() throws Exception {
        int before = 0;
        for (String peak : List.of("40e6", "80e6", "160e6", "320e6")) {
            int servers = plan("peak-lookups-per-second", peak, "client-machines", "64")
                    .options()
                    .getFirst()
                    .servers();
            assertThat(servers).isGreaterThanOrEqualTo(before);
            before = servers;
        }
        assertThat(before).isGreaterThan(1);
    }

    @Test
    void growthUsesTheHeadroomUp() throws Exception {
        PlanOption option = plan("growth-percent-per-year", "100").options().getFirst();

        assertThat(Math.pow(2, option.yearsLeft()))
                .isCloseTo(option.headroom(), org.assertj.core.data.Offset.offset(1e-6));
    }

    @Test
    void aCardWithoutAtomicsIsRefusedForWritesOnly() throws Exception {
        assertThat(plan("nics", "efa", "reads", "0.95").nearest().get(Planner.Shortfall.ATOMICS))
                .isNotNull()
                .extracting(Planner.Nearest::words)
                .asString()
                .startsWith("AWS EFA has no atomics");
        assertThat(plan("nics", "efa", "reads", "0.95").options()).isEmpty();
        assertThat(plan("nics", "efa", "lookups-per-second", "4e6").options()).isNotEmpty();
    }

    @Test
    void withoutASolutionTheNearestIsNamed() throws Exception {
        assertThat(plan("latency-limit-us", "2").nearest().get(Planner.Shortfall.LATENCY))
                .isNotNull()
                .satisfies(nearest -> assertThat(nearest.value()).isBetween(2_000.0, 5_000.0));
        assertThat(plan("client-machines", "1", "client-threads", "2").nearest())
                .containsKey(Planner.Shortfall.CLIENTS);
        assertThat(plan("memory-per-server-gib", "0.01", "max-servers", "8").nearest())
                .containsKey(Planner.Shortfall.SERVERS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"connectx7", "bluefield3"})
    void aVendorsCeilingIsMarked(String nic) throws Exception {
        PlanInput input = READER.read(null, asked("nics", nic), NICS);
        Advice advice = Advice.of(input, new Planner(input).plan());

        assertThat(advice.warnings()).anyMatch(warning -> warning.contains("vendor's maxima"));
    }

    @Test
    void aCardWithOneEngineForAllPacketsIsRefused(@TempDir Path nics) throws Exception {
        String constant = "{value: 30, basis: assumed, source: a test}";
        Files.writeString(
                nics.resolve("one-engine.yaml"),
                Files.readString(NICS.resolve("connectx5-edr.yaml")) + """
                card:
                  packet-ns: %1$s
                  write-header-bytes: %1$s
                  acknowledgement-bytes: %1$s
                  lock-ns: %1$s
                """.formatted(constant));
        assertThat(refusedOf(nics, "nics", "one-engine"))
                .singleElement()
                .asString()
                .contains("--nics: ", "has one engine for all packets (card.packet-ns), which plans can't predict");
    }

    @Test
    void allErrorsAreReportedAtOnce() {
        assertThat(refused("records", "-5", "nics", "conectx5-edr", "latencylimit", "3", "reads", "1.5"))
                .anyMatch(text -> text.startsWith("--records: records must be a whole number"))
                .anyMatch(text -> text.startsWith("--reads: reads must be a number"))
                .anyMatch(text -> text.contains("unknown key \"latencylimit\"; did you mean \"latency-limit-us\"?"));
        assertThat(refused("most-servers", "5", "most-utilisation", "0.5"))
                .anyMatch(text -> text.contains("unknown key \"most-servers\"; did you mean \"max-servers\"?"))
                .anyMatch(text -> text.contains("unknown key \"most-utilisation\"; did you mean \"max-utilisation\"?"));
        assertThat(refused("nics", "conectx5-edr")).anyMatch(text -> text.contains("did you mean \"connectx5-edr\"?"));
        assertThat(refused("peak-lookups-per-second", "1e6"))
                .anyMatch(text -> text.contains("less than lookups-per-second"));
        assertThat(refused("value-bytes", "[{bytes: 8, share: 0.5}]"))
                .anyMatch(text -> text.contains("must add up to 1"));
    }

    @Test
    void roundsAreADistributionWhoseMeanIsThatOfTheReads() throws Exception {
        NicProfile nic = NicProfiles.load(NICS, "connectx5-edr");
        for (PlannedScheme scheme : Systems.planned()) {
            for (boolean inline : new boolean[] {true, false}) {
                TableShape shape = scheme.shape(nic, 0.5, inline, 32, 0);
                assertThat(shape).isNotNull();
                LookupDemand demand = shape.demand();
                double sum = 0;
                for (double p : demand.rounds()) {
                    sum += p;
                }
                assertThat(sum).as(shape.label()).isCloseTo(1, org.assertj.core.data.Offset.offset(1e-9));
                if (inline && !scheme.equals(CUCKOO_PARALLEL)) {
                    assertThat(demand.meanRounds())
                            .isCloseTo(demand.tableReads(), org.assertj.core.data.Percentage.withPercentage(0.1));
                }
            }
        }
    }
}
