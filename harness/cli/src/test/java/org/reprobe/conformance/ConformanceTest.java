package org.reprobe.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.system.Explorable;
import org.reprobe.system.Plannable;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;
import org.reprobe.system.program.ExternalProgram;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;

/** The shipped systems. */
class ConformanceTest {
    private static final long SEED = Seeds.seed();

    private static Conformance of(SystemUnderTest system) throws Exception {
        // Nessie's transactions need a card that has them; threads share queue pairs if the cost of their lock is
        // known.
        // Payloads are inline only on cards whose transfers are known.
        String first = system.schemes().getFirst().name();
        // Queue pairs of both directions matter to cards that look up their states at both ends.
        return new Conformance(
                system,
                switch (first) {
                    case "farm-reads" -> withStatesAtBothEnds(nic("connectx3-farm-4k"));
                    case "compare-and-swap" -> nic("connectx5").with(new NicProfile.Card(0, 0, 0, 300, 0, 1, 0, 0, 0));
                    default -> nic(first.startsWith("farm") ? "connectx3-farm-4k" : "rhtm-40g");
                });
    }

    private static NicProfile withStatesAtBothEnds(NicProfile nic) {
        NicProfile.Contention room = nic.contention();
        return nic.with(new NicProfile.Contention(
                1,
                room.queuePairMissNs(),
                room.translations(),
                room.pageBytes(),
                room.translationMissNs(),
                room.outstanding(),
                1,
                0,
                0,
                0,
                0));
    }

    private static NicProfile nic(String name) throws Exception {
        return NicProfiles.load(Project.path("scenarios/nics"), name);
    }

    record Case(String scheme, Map<String, ?> values) {}

    static Stream<Case> lookups() {
        List<Case> cases = new ArrayList<>();
        for (String scheme : List.of(
                "linear-fixed",
                "linear-variable",
                "linear-variable-unconstrained",
                "linear-two-sided",
                "cuckoo-sequential",
                "cuckoo-parallel",
                "hopscotch",
                "hopscotch-chained",
                "nessie",
                "pilaf")) {
            cases.add(new Case(scheme, Map.of()));
        }
        // The hottest keys have more records than a reply.
        cases.add(new Case("linear-two-sided", Map.of("workload.keys", "zipf", "linear-probing.server-threads", 2)));
        for (int slots : new int[] {1, 5, 64}) {
            cases.add(new Case("linear-variable", Map.of("linear-probing.read-slots", slots)));
        }
        cases.add(new Case("linear-variable", Map.of("clusters.track", true, "clusters.count", 50)));
        for (Map<String, ?> layout : List.<Map<String, ?>>of(
                Map.of("table.storage", "inline"),
                Map.of("table.storage", "heap"),
                Map.of("table.storage", "heap", "table.inline-bytes", 12))) {
            Map<String, Object> sizes = new HashMap<>(layout);
            sizes.put("table.record-bytes", 41);
            sizes.put("table.small-record-bytes", 12);
            cases.add(new Case("linear-fixed", sizes));
            cases.add(new Case("linear-two-sided", sizes));
        }
        for (String scheme : List.of("cuckoo-sequential", "cuckoo-parallel")) {
            cases.add(new Case(scheme, Map.of("cuckoo.associativity", 1)));
            cases.add(new Case(scheme, Map.of("connection.send-queue", "latency")));
        }
        for (String scheme : List.of("linear-fixed", "cuckoo-parallel", "cuckoo-sequential", "hopscotch-chained")) {
            cases.add(new Case(scheme, Map.of("workload.writes", 0.5)));
        }
        cases.add(new Case("hopscotch", Map.of("hopscotch.neighbourhood", 16)));
        for (String storage : List.of("inline", "heap")) {
            cases.add(new Case(
                    "farm", Map.of("table.record-bytes", 48, "table.storage", storage, "clients.machines", 3)));
            for (String scheme : List.of("farm", "farm-two-sided")) {
                cases.add(new Case(
                        scheme,
                        Map.of(
                                "table.record-bytes",
                                48,
                                "table.storage",
                                storage,
                                "clients.machines",
                                3,
                                "workload.writes",
                                0.5)));
            }
            cases.add(new Case(
                    "farm-two-sided",
                    Map.of(
                            "table.record-bytes",
                            48,
                            "table.storage",
                            storage,
                            "clients.machines",
                            3,
                            "farm.keys-per-get",
                            storage.equals("inline") ? 1 : 5)));
        }
        for (String rules : List.of("printed", "rhtm")) {
            cases.add(new Case("nessie", Map.of("nessie.rules", rules)));
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("lookups")
    void everyAnswerIsTheTruth(Case c) throws Exception {
        assertThat(of(Systems.of(c.scheme)).lookups(c.scheme, c.values, SEED))
                .as("replay with -Dreprobe.seed=%d", SEED)
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"linear-variable", "cuckoo-parallel", "hopscotch-chained"})
    void everyAnswerOfGatheredReadsIsTheTruth(String scheme) throws Exception {
        Conformance conformance = new Conformance(Systems.of(scheme), nic("connectx5-edr"));
        assertThat(conformance.lookups(scheme, Map.of("connection.gather", 3), SEED))
                .as("replay with -Dreprobe.seed=%d", SEED)
                .isEmpty();
    }

    /** Situations in which the keys of some systems have an effect. */
    private static List<Map<String, ?>> situations(SystemUnderTest system) {
        Map<String, ?> writes = Map.of("table.record-bytes", 16, "workload.writes", 0.5);
        Map<String, ?> crowded =
                Map.of("table.record-bytes", 1024, "workload.writes", 0.5, "table.records", 4, "clients.threads", 8);
        return switch (system.schemes().getFirst().name()) {
            case "linear-fixed" ->
                List.of(
                        Map.of(),
                        Map.of("clusters.track", true, "load-factor", 0.9),
                        Map.of(
                                "workload.operation",
                                "predict",
                                "clusters.track",
                                true,
                                "model.hint-distance",
                                20,
                                "load-factor",
                                0.9));
            case "find-or-put" -> List.of(Map.of(), Map.of("load-factor", 0.95, "find-or-put.chunk-buckets", 1));
            case "farm-reads" ->
                List.of(
                        Map.of("clients.machines", 3, "farm-reads.represents-mib", 1000),
                        Map.of("clients.machines", 3, "farm-reads.read-bytes", 8)); // rings of 64 bytes take such
            case "farm" ->
                List.of(
                        Map.of("table.record-bytes", 48, "clients.machines", 3),
                        Map.of("table.record-bytes", 400, "table.storage", "heap", "clients.machines", 3),
                        Map.of("table.record-bytes", 48, "workload.keys", "zipf", "clients.machines", 3),
                        Map.of(
                                "table.record-bytes",
                                48,
                                "table.records",
                                6,
                                "clients.machines",
                                3,
                                "workload.writes",
                                0.5),
                        Map.of(
                                "table.record-bytes",
                                48,
                                "table.records",
                                60,
                                "clients.machines",
                                3,
                                "workload.writes",
                                0.5,
                                "farm.replicas",
                                1,
                                "farm.ssd-mb-per-s",
                                100),
                        Map.of(
                                "table.record-bytes",
                                48,
                                "table.records",
                                60,
                                "clients.machines",
                                3,
                                "workload.writes",
                                0.5,
                                "farm.replicas",
                                1,
                                "farm.replication",
                                "prepare-commit",
                                "farm.ring-bytes",
                                65536),
                        Map.of("farm.ring-bytes", 65536, "clients.machines", 3, "workload.writes", 0.3));
            case "nessie" -> List.of(writes, newKeys("nessie", 0.7), crowded);
            case "compare-and-swap" ->
                List.of(
                        Map.of(),
                        Map.of("verb.kind", "send"),
                        Map.of("verb.kind", "write", "verb.bytes", 64),
                        Map.of("verb.in-flight", 16),
                        Map.of("verb.kind", "compare-and-swap", "verb.region-bytes", 8192, "verb.in-flight", 16),
                        Map.of("verb.kind", "compare-and-swap", "verb.addresses", "random", "verb.in-flight", 16));
            case "pilaf" -> List.of(writes, newKeys("pilaf", 0.9), crowded);
            default -> List.of();
        };
    }

    private static Map<String, ?> newKeys(String system, double load) {
        return Map.of("table.record-bytes", 16, "workload.writes", 1, "load-factor", load, system + ".new-keys", true);
    }

    /** FaRM has as many keys, each tried in as many situations, as all others together. */
    static List<SystemUnderTest> systemsWithKeys() {
        List<SystemUnderTest> all = new ArrayList<>(Systems.all());
        all.removeIf(system -> system instanceof ExternalProgram); // they are not simulated
        SystemUnderTest farm = Systems.of("farm");
        all.remove(farm);
        all.add(farm);
        return NightlyCases.of("ConformanceTest.everyKeyIsRead", all.size() - 1, all);
    }

    @ParameterizedTest
    @MethodSource("systemsWithKeys")
    void everyKeyIsRead(SystemUnderTest system) throws Exception {
        assertThat(of(system).settings(situations(system))).isEmpty();
    }

    static List<Plannable> planned() {
        return Systems.with(Plannable.class);
    }

    @ParameterizedTest
    @MethodSource("planned")
    void plansAreWhatRunsShow(SystemUnderTest system) throws Exception {
        assertThat(of(system).plans()).isEmpty();
    }

    static List<Explorable> explored() {
        return Systems.with(Explorable.class);
    }

    /** A few: the tests of the trials explore more. */
    @ParameterizedTest
    @MethodSource("explored")
    void everyScheduleOfItsTrialsIsCorrect(SystemUnderTest system) throws Exception {
        assertThat(of(system).trials(10, 1, SEED))
                .as("replay with -Dreprobe.seed=%d", SEED)
                .isEmpty();
    }
}
