package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.conformance.Conformance;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.testing.Project;

/**
 * Results of short runs, all metrics of them, against those of an earlier version. A refactoring keeps them; after a
 * change of a protocol or of the card's model {@code -Dreprobe.regenerate=true} writes the new ones.
 */
class EarlierResultsTest {
    private static final String RESULTS = "earlier-results.txt";
    private static final long SEED = 1;

    record Case(String scheme, Map<String, ?> values) {
        @Override
        public String toString() {
            return scheme + " " + new TreeMap<>(values);
        }
    }

    private static Case of(String scheme, Map<String, ?> values, Object... more) {
        Map<String, Object> all = new LinkedHashMap<>(Map.of("clients.machines", 3, "clients.threads", 2));
        all.putAll(values);
        for (int i = 0; i < more.length; i += 2) {
            all.put((String) more[i], more[i + 1]);
        }
        return new Case(scheme, all);
    }

    static Stream<Case> cases() {
        List<Case> all = new ArrayList<>();
        for (String scheme : List.of("farm-reads", "farm-messages", "farm-sends")) {
            all.add(of(scheme, Map.of()));
            all.add(of(scheme, Map.of("farm-reads.in-flight", 4, "farm-reads.read-bytes", 304)));
        }
        Map<String, ?> small = Map.of("table.records", 300, "table.record-bytes", 48, "load-factor", 0.9);
        Map<String, ?> heap = Map.of("table.records", 300, "table.record-bytes", 400, "table.storage", "heap");
        for (String scheme : List.of("farm", "farm-two-sided")) {
            all.add(of(scheme, small));
            all.add(of(scheme, small, "workload.keys", "zipf", "farm.ranks", 100_000));
            all.add(of(scheme, heap));
            all.add(of(scheme, heap, "farm.slots", "tags", "farm.neighbourhood", 8));
            for (double writes : new double[] {0.3, 1}) {
                all.add(of(scheme, small, "workload.writes", writes));
                all.add(of(scheme, heap, "workload.writes", writes));
            }
        }
        all.add(of("farm-two-sided", small, "farm.keys-per-get", 5));
        Map<String, ?> few = Map.of("table.records", 12, "table.record-bytes", 48, "workload.writes", 0.5);
        all.add(of("farm", few));
        all.add(of("farm", few, "farm.combining", false, "farm.retries", 1));
        all.add(of("farm", few, "farm.max-read-us", 2));
        all.add(of("farm", few, "farm.sharing", 2, "farm.in-flight", 8));
        all.add(of("farm", few, "farm.update-us", 3, "farm.local-us", 1.2));
        for (String replication : List.of("commit-only", "prepare-commit")) {
            Map<String, ?> replicated =
                    Map.of("farm.replicas", 2, "farm.replication", replication, "farm.log-bytes", 8192);
            all.add(of("farm", few, replicated));
            all.add(of("farm-transactions", objects(2, 1), replicated));
            all.add(of("farm-transactions", objects(4, 2), replicated));
        }
        all.add(of("farm", few, Map.of("farm.replicas", 1, "farm.ssd-mb-per-s", 200, "farm.ssd-buffer-bytes", 65536)));
        all.add(of("farm-transactions", objects(1, 1)));
        all.add(of("farm-transactions", objects(3, 2), "transactions.locking", "readable"));
        all.add(of("farm-transactions", objects(3, 2), "transactions.validation", "versions"));
        all.add(of("farm-transactions", objects(2, 2), "transactions.part-bytes", 96));
        for (boolean shipped : new boolean[] {false, true}) {
            all.add(of(
                    "farm-transactions",
                    objects(3, 2),
                    Map.of("transactions.spread", "one-machine", "transactions.shipped", shipped)));
        }
        all.add(of(
                "farm-transactions",
                objects(2, 1),
                Map.of("farm.replicas", 1, "farm.replication", "prepare-commit", "farm.lease-ms", 0.1)));
        Map<String, ?> graph = Map.of("table.records", 600, "farm.ring-bytes", 9024);
        all.add(of("farm-tao", graph));
        all.add(of("farm-tao", graph, "tao.range-limit", 100, "tao.block-bytes", 384));
        all.add(of(
                "farm-tao", graph, Map.of("tao.assoc-get", 200, "tao.assoc-time-range", 100, "tao.range-limit", 50)));
        all.add(of("farm-tao", graph, "workload.writes", 0.3));
        all.add(of("farm-tao", graph, Map.of("workload.writes", 0.3, "farm.replicas", 1, "farm.sharing", 2)));
        return all.stream();
    }

    private static Case of(String scheme, Map<String, ?> values, Map<String, ?> more) {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.putAll(more);
        return of(scheme, all);
    }

    private static Map<String, ?> objects(int read, int written) {
        return Map.of(
                "table.records",
                30,
                "table.record-bytes",
                48,
                "workload.writes",
                0.8,
                "transactions.read-objects",
                read,
                "transactions.written-objects",
                written);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void resultsAreThoseOfAnEarlierVersion(Case each) throws Exception {
        List<String> found = results(each);
        if (Boolean.getBoolean("reprobe.regenerate")) {
            Path file = Project.path("harness/systems/farm/src/test/resources/org/reprobe/farm/" + RESULTS);
            Map<String, List<String>> all = earlier(Files.readString(file));
            all.put(each.toString(), found);
            all.keySet().retainAll(cases().map(Case::toString).toList());
            StringBuilder text = new StringBuilder();
            all.forEach((name, lines) -> text.append(name)
                    .append('\n')
                    .append(String.join("\n", lines))
                    .append("\n\n"));
            Files.writeString(file, text.toString());
            return;
        }
        try (InputStream in = Objects.requireNonNull(EarlierResultsTest.class.getResourceAsStream(RESULTS))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(found)
                    .as("-Dreprobe.regenerate=true writes the results anew")
                    .isEqualTo(earlier(text).get(each.toString()));
        }
    }

    private static Map<String, List<String>> earlier(String text) {
        Map<String, List<String>> all = new TreeMap<>();
        for (String block : text.strip().split("\n\n")) {
            List<String> lines = block.lines().toList();
            if (!lines.isEmpty()) {
                all.put(lines.getFirst(), lines.subList(1, lines.size()));
            }
        }
        return all;
    }

    private static List<String> results(Case each) throws Exception {
        NicProfile nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx3-farm-4k");
        // Not from the list of systems: mutation testing loads these classes anew.
        SystemUnderTest system = Stream.of(new FarmSystem(), new FarmReadsSystem())
                .filter(any ->
                        any.schemes().stream().anyMatch(scheme -> scheme.name().equals(each.scheme)))
                .findFirst()
                .orElseThrow();
        RunOutcome run = new Conformance(system, nic).run(each.scheme, each.values, SEED);
        List<String> results = new ArrayList<>();
        results.add("valid " + run.valid() + " " + run.problem() + " " + run.warnings());
        new TreeMap<>(run.metrics()).forEach((metric, value) -> {
            if (value != 0) {
                results.add(metric + " " + value);
            }
        });
        Histogram latencyNs = run.latencyNs();
        if (latencyNs != null) {
            results.add("latencies %d, hash %d".formatted(latencyNs.getTotalCount(), latencyNs.hashCode()));
        }
        return results;
    }
}
