package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.conformance.Conformance;
import org.reprobe.system.RefusedException;
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

    private static final String REFUSED = """
            farm | farm.neighbourhood=5 | a neighbourhood of 5: it must be even, because a bucket has half as many slots
            farm | farm.key-bytes=12 | keys of 12 bytes: the size must be a multiple of 8; records of 48 bytes with keys of 12 leave 36 for a value, which must be whole words of 8 bytes
            farm | table.record-bytes=16 | records of 16 bytes with keys of 16 leave 0 for a value, which must be whole words of 8 bytes
            farm | table.record-bytes=20 | records of 20 bytes with keys of 16 leave 4 for a value, which must be whole words of 8 bytes
            farm | table.records=2 | 2 records cannot be distributed over 3 machines
            farm | table.record-bytes=600000 | records of 600000 bytes are too long: an overflow block with two of them, or a value outside of slots, must fit into an object of 1 MiB
            farm | nic=connectx5-edr, farm.sharing=2 | sharing is 2, but the lock time of shared queue pairs is unknown for connectx5-edr (card.lock-ns)
            farm | fabric=tcp, nic=connectx5-edr, farm.sharing=2, farm.neighbourhood=5 | a neighbourhood of 5: it must be even, because a bucket has half as many slots
            farm | nic=connectx5-edr, workload.writes=0.5 | connectx5-edr has no CPU time of a message (client.message-ns)
            farm | workload.writes=0.5, farm.ring-bytes=128 | a ring of 128 bytes is too small for messages of 56, which take 72 in it: it must have at least twice as many, 144
            farm | workload.writes=0.5, farm.ring-bytes=4088 | a ring of 4088 bytes: the size must be a multiple of 16
            farm | workload.writes=0.5, farm.replicas=3 | 3 replicas besides the primary on 3 machines: each copy must be on a different machine
            farm | workload.writes=0.5, farm.replicas=1, table.storage=heap | replicas log buckets and blocks, so values must be inline
            farm | workload.writes=0.5, farm.replicas=1, farm.log-bytes=8196 | a log of 8196 bytes: it must be a multiple of 8
            farm | fabric=tcp, workload.writes=0.5, farm.replicas=1, farm.logs=files, farm.log-bytes=536870920 | a log of 536870920 bytes: with logs in files, at most 536870912 are supported
            farm | workload.writes=0.5, farm.max-read-us=8192, farm.update-us=0.5 | a READ of 8192.0 us (max-read-us) may last until versions wrap around: 16384 updates of 0.5 us take 8192.0 us
            farm-two-sided | farm.slots=tags | slots with tags point to records outside of slots, but table.storage is inline: set table.storage: heap
            farm-two-sided | farm.slots=tags, table.storage=heap, workload.writes=0.5 | slots with tags do not support updates (writes is 0.5), which search keys in the slots
            farm-two-sided | farm.keys-per-get=2, workload.writes=0.5 | multi-gets of 2 keys and updates (writes is 0.5) are not supported together: with updates an operation has one key
            farm-transactions | table.record-bytes=8 | objects of 8 bytes: the size must be a multiple of 8, at least 16
            farm-transactions | table.record-bytes=20 | objects of 20 bytes: the size must be a multiple of 8, at least 16
            farm-transactions | transactions.part-bytes=8 | parts of 8 bytes: the size must be a multiple of 8 from 16 to 1015792 bytes, or 0 for no parts
            farm-transactions | transactions.part-bytes=20 | parts of 20 bytes: the size must be a multiple of 8 from 16 to 1015792 bytes, or 0 for no parts
            farm-transactions | fabric=tcp, transactions.part-bytes=983032 | parts of 983032 bytes: the size must be a multiple of 8 from 16 to 983026 bytes, or 0 for no parts
            farm-transactions | table.record-bytes=24, transactions.part-bytes=16 | objects of 24 bytes, of which the last 16 point to a part: they must have at least 32 bytes
            farm-transactions | transactions.written-objects=3 | a transaction writes 3 of the 2 objects that it reads
            farm-transactions | table.records=3, transactions.read-objects=4 | a transaction reads 4 different objects, but there are only 3
            farm-transactions | table.records=2, transactions.read-objects=2 | 2 objects cannot be distributed over 3 machines
            farm-transactions | table.records=11, transactions.read-objects=4, transactions.spread=one-machine | a transaction reads 4 different objects of one machine, but each of 3 machines has only 3
            farm-transactions | transactions.part-bytes=16, transactions.shipped=true | shipped transactions do not support parts of objects
            farm-transactions | farm.lease-ms=1 | leases require replicas, which take over from a failed machine
            farm-transactions | farm.lease-ms=1, farm.replicas=1, farm.replication=commit-only | with leases each replica must log a transaction's writes before it commits: set farm.replication: prepare-commit
            farm-transactions | LEASES, transactions.part-bytes=16 | leases do not support parts: a machine that takes over has no record of allocations
            farm-transactions | LEASES, transactions.shipped=true | leases do not support shipped transactions, whose outcome would be unknown after a failure of their machine
            farm-transactions | LEASES, clients.machines=33, table.records=400, farm.ring-bytes=32768 | a configuration has at most 32 machines, not 33
            farm-transactions | LEASES, fabric=tcp, farm.lease-ms=99 | a lease of 99.0 ms is too short in real time: a machine whose threads wait that long for a CPU is evicted; use at least 100 ms
            farm-transactions | farm.ring-bytes=128 | a ring of 128 bytes is too small for messages of 96, which take 112 in it: it must have at least twice as many, 224
            farm-tao | tao.obj-get=0, tao.assoc-count=0, tao.assoc-range=0, tao.assoc-time-range=0, tao.assoc-get=0 | all weights of read operations are 0, although workload.writes is below 1
            farm-tao | table.records=2 | 2 nodes cannot be distributed over 3 machines
            farm-tao | farm.ranks=599 | 599 ranks for 600 nodes: there must be at least as many ranks as nodes
            farm-tao | table.records=12884904 | 12884904 nodes exceed the 2147483648 bytes of a region on each machine: use at most 4294967 per machine
            farm-reads | farm-reads.read-bytes=12 | read-bytes is 12, but must be a multiple of 8
            farm-reads | farm-reads.memory-bytes=56 | READs of 64 bytes are longer than the memory of 56 bytes that they read
            farm-reads | clients.machines=1 | threads read the memory of other machines, but there is only one machine; use clients.machines of 2 or more
            farm-reads | farm-reads.represents-mib=1, farm-reads.memory-bytes=2097152 | memory of 2097152 bytes cannot represent 1 MiB, which is less
            farm-reads | farm-reads.two-way=true, farm-reads.sharing=2 | threads that share queue pairs cannot use them in both directions: two-way requires a sharing of 1
            farm-reads | nic=connectx5-edr, farm-reads.sharing=2 | sharing is 2, but the lock time of shared queue pairs is unknown for connectx5-edr (card.lock-ns)
            farm-reads | nic=connectx3-farm-4k, connection.outstanding-reads=17 | outstanding-reads is 17, but connectx3-farm-4k allows at most 16
            farm-messages | farm-reads.ring-bytes=56 | a ring of 56 bytes: the size must be a multiple of 16
            farm-messages | nic=connectx5-edr | connectx5-edr has no CPU time of a message (client.message-ns)
            farm-sends | fabric=tcp | over tcp threads can't SEND to each other, only to the programs of servers: messages by SENDs are simulated; use scheme: farm-messages
            """;

    /** Settings of each scheme that all checks accept, without those that a case replaces. */
    private static Map<String, ?> accepted(String scheme) {
        return switch (scheme) {
            case "farm", "farm-two-sided" -> Map.of("table.records", 300, "table.record-bytes", 48);
            case "farm-transactions" -> objects(2, 1);
            case "farm-tao" -> Map.of("table.records", 600, "farm.ring-bytes", 9024);
            default -> Map.of();
        };
    }

    static Stream<Arguments> refused() {
        String leases = "farm.lease-ms=1, farm.replicas=1, farm.replication=prepare-commit";
        return REFUSED.replace("LEASES", leases).lines().map(line -> {
            String[] parts = line.split(" \\| ");
            Map<String, Object> values = new LinkedHashMap<>(accepted(parts[0]));
            for (String value : parts[1].split(", ")) {
                String[] keyAndValue = value.split("=");
                values.put(keyAndValue[0], value(keyAndValue[1]));
            }
            return Arguments.of(of(parts[0], values), parts[2]);
        });
    }

    private static Object value(String text) {
        return text.matches("[0-9.]+")
                ? text.contains(".") ? (Object) Double.valueOf(text) : Long.valueOf(text)
                : text.equals("true") ? true : text;
    }

    /** All problems of bad settings are reported, and no others. */
    @ParameterizedTest
    @MethodSource("refused")
    void badSettingsAreRefused(Case bad, String problems) {
        assertThatThrownBy(() -> results(bad))
                .isInstanceOf(RefusedException.class)
                .hasMessage(problems);
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
        Object profile = each.values.get("nic");
        String name = profile == null ? "connectx3-farm-4k" : profile.toString();
        NicProfile nic = NicProfiles.load(Project.path("scenarios/nics"), name);
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
