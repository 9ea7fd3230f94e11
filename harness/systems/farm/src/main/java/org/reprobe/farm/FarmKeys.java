package org.reprobe.farm;

import java.util.List;
import java.util.stream.Stream;

/** Scenario keys that several of FaRM's schemes read. */
final class FarmKeys {
    static final String ONE_SIDED = "farm";
    static final String TWO_SIDED = "farm-two-sided";
    static final String TRANSACTIONS = "farm-transactions";
    static final String TAO = "farm-tao";
    static final String RING_BYTES = "farm.ring-bytes";
    static final String SLOTS = "farm.slots";
    static final String ASSUME_IN_ORDER = "farm.assume-in-order";
    static final String KEYS_PER_GET = "farm.keys-per-get";
    static final String MAX_READ_US = "farm.max-read-us";
    static final String UPDATE_US = "farm.update-us";
    static final String WRITES = "workload.writes";
    static final String REPLICAS = "farm.replicas";
    static final String LEASE_MS = "farm.lease-ms";
    static final String LOGS = "farm.logs";
    static final String LOCKING = "farm.locking";

    static final List<String> OF_MESSAGES = List.of(RING_BYTES, ASSUME_IN_ORDER);

    static final List<String> OF_UPDATES = List.of("farm.back-off-us", UPDATE_US, "farm.combining", REPLICAS);

    static final List<String> OF_REPLICAS =
            List.of("farm.replication", "farm.log-bytes", LOGS, "farm.ssd-mb-per-s", "farm.ssd-buffer-bytes");

    /** Keys of distributed transactions. */
    static final List<String> OF_COMMITS = Stream.concat(
                    Stream.of(
                            WRITES,
                            "connection.outstanding-reads",
                            "farm.in-flight",
                            "farm.sharing",
                            "farm.ranks",
                            "farm.local-us",
                            UPDATE_US,
                            "farm.back-off-us",
                            MAX_READ_US,
                            REPLICAS,
                            RING_BYTES,
                            ASSUME_IN_ORDER),
                    OF_REPLICAS.stream())
            .toList();

    /** Keys of READs with concurrent updates. */
    static final List<String> OF_READS = List.of(MAX_READ_US, "farm.retries");

    private FarmKeys() {}
}
