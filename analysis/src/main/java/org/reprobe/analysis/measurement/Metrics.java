package org.reprobe.analysis.measurement;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Names of the metrics in {@code measurements.jsonl}. New ones may be added, none is renamed. */
public final class Metrics {
    @Meaning("Completed operations per second of all clients.")
    public static final String THROUGHPUT = "throughput_ops_per_s";

    @Meaning("READ requests per lookup, to table and heap.")
    public static final String REQUESTS = "requests_per_lookup";

    @Meaning("READ requests per lookup to the table.")
    public static final String TABLE_REQUESTS = "table_requests_per_lookup";

    @Meaning("READ requests per lookup to the heap; 0 for inline storage.")
    public static final String HEAP_REQUESTS = "heap_requests_per_lookup";

    @Meaning("Slots per READ of the table.")
    public static final String READ_SIZE = "read_size_slots";

    @Meaning("Message payload in bytes per second, without headers.")
    public static final String PAYLOAD = "payload_bytes_per_s";

    @Meaning("Matching records returned per second.")
    public static final String MATCHES = "matches_per_s";

    @Meaning("Operations counted in the measured interval.")
    public static final String LOOKUPS = "lookups";

    @Meaning("Virtual or real length of the measured interval.")
    public static final String DURATION = "duration_ns";

    @Meaning("Read-size model: E[X(R)] T(R) at the read size used (Eq. 1), for linear schemes.")
    public static final String MODEL_COST = "model_cost_ns";

    @Meaning("Read-size model: E[X(R)], the requests per lookup at the read size used, for linear schemes.")
    public static final String MODEL_REQUESTS = "model_requests_per_lookup";

    @Meaning("Records displaced by another (cuckoo) or moved to a free slot (hopscotch) while the table was "
            + "filled, per record; simulated lookups only.")
    public static final String DISPLACEMENTS = "displacements_per_record";

    @Meaning("Latency of one operation: p50, p90, p99, p999, max and mean, as in latency_ns.p50.")
    public static final String LATENCY = "latency_ns";

    @Meaning("Share of the lookups with at least 2, 4 or 16 READs of the table, as in requests_at_least_fraction.4.")
    public static final String REQUESTS_AT_LEAST = "requests_at_least_fraction";

    @Meaning("Time of a probe of a calibration.")
    public static final String PROBE_TIME = "probe_time_ns";

    @Meaning("Measured runs: longest time in which a client process could not run.")
    public static final String STALL = "client_stall_ns";

    @Meaning("Measured runs: share of the time in which a runnable client process was not running.")
    public static final String STALL_SHARE = "client_stall_share";

    @Meaning("Measured runs: time in garbage collections of the client process with the most.")
    public static final String GC = "client_gc_ns";

    /** Returns true for results of the read-size model or of the settings, without a lookup. */
    public static boolean isOfFormula(String metric) {
        return metric.equals(READ_SIZE) || metric.equals(MODEL_COST) || metric.equals(MODEL_REQUESTS);
    }

    /** Returns true for a rate or a latency, which differs between machines that do the same work. */
    public static boolean isOfTime(String metric) {
        boolean ownTime = metric.startsWith(OWN + ".") && metric.endsWith("_ns");
        return metric.endsWith("_per_s") || metric.startsWith("latency_") || ownTime;
    }

    @Meaning("Latency of one read or find; parts as of latency_ns.")
    public static final String LATENCY_READ = "latency_read_ns";

    @Meaning("Latency of one write or insert; parts as of latency_ns.")
    public static final String LATENCY_WRITE = "latency_write_ns";

    @Meaning("Latency of one read of a key and the following write of it, as one operation (YCSB F); parts as "
            + "of latency_ns.")
    public static final String LATENCY_READ_MODIFY_WRITE = "latency_read_modify_write_ns";

    @Meaning("Latency of one operation that had to wait for another machine; parts as of latency_ns.")
    public static final String LATENCY_REMOTE = "latency_remote_ns";

    @Meaning("Waits of a client for the network, per operation.")
    public static final String ROUND_TRIPS = "round_trips_per_operation";

    @Meaning("Round trips per read.")
    public static final String ROUND_TRIPS_READ = "round_trips_per_read";

    @Meaning("Round trips per write that found a place.")
    public static final String ROUND_TRIPS_WRITE = "round_trips_per_write";

    @Meaning("Round trips of the median read.")
    public static final String ROUND_TRIPS_READ_MEDIAN = "round_trips_read_median";

    @Meaning("Round trips of the median write, including refused ones.")
    public static final String ROUND_TRIPS_WRITE_MEDIAN = "round_trips_write_median";

    @Meaning("Chunks examined per find-or-put, including those on the client's own machine.")
    public static final String CHUNKS = "chunks_per_operation";

    @Meaning("One-sided requests posted per operation.")
    public static final String OPERATION_REQUESTS = "requests_per_operation";

    @Meaning("Share of the lookups that continued with a write of the record found.")
    public static final String WRITES = "writes_fraction";

    @Meaning("Attempts per operation repeated because of another client.")
    public static final String RETRIES = "retries_per_operation";

    @Meaning("Keys moved to their other place, per write.")
    public static final String MIGRATIONS = "migrations_per_write";

    @Meaning("Parts of the table that clients split in two to make room.")
    public static final String SPLITS = "splits";

    @Meaning("Mean time of a split.")
    public static final String LATENCY_SPLIT = "latency_split_ns";

    @Meaning("Calls to the server program, per write.")
    public static final String SERVER_CALLS = "server_calls_per_write";

    @Meaning("Attempts rejected because a server had revoked access, per operation.")
    public static final String REFUSALS = "refusals_per_operation";

    @Meaning("Places that reads examined in sequence; 0 if not counted.")
    public static final String PROBES = "probes_per_read";

    @Meaning("Share of the lookups sent to the key's machine as a message, since their READs coincided with "
            + "updates repeatedly.")
    public static final String SHIPPED = "shipped_lookups_fraction";

    @Meaning("Share of the writes done by another thread's transaction, together with its own write of the key.")
    public static final String COMBINED = "combined_writes_fraction";

    @Meaning("Bytes cleaned from replicas' logs, per write.")
    public static final String CLEANED = "cleaned_bytes_per_write";

    @Meaning("Flushes per second of replicas' logs in files.")
    public static final String FLUSHES = "log_flushes_per_s";

    @Meaning("Records written to a replica's log per flush.")
    public static final String FLUSHED_RECORDS = "records_per_log_flush";

    @Meaning("Mean time of a flush of a replica's log, including the preceding write.")
    public static final String LATENCY_FLUSH = "latency_log_flush_ns";

    @Meaning("Aborted attempts per transaction: all, and by cause locked, changed, invalid.")
    public static final String ABORTS = "aborts_per_transaction";

    @Meaning("Objects allocated per transaction, with aborted attempts: all, and messages (requested from "
            + "other machines).")
    public static final String ALLOCATIONS = "allocations_per_transaction";

    @Meaning("Share of an object's memory that is lost because its size is rounded up to a size class: mean and max "
            + "over all sizes.")
    public static final String SIZE_CLASS_LOSS = "size_class_loss_fraction";

    @Meaning("Mean time of a transaction by phase of the committing attempt: ship (message to the machine that "
            + "runs it, and its reply), read, allocate, prepare, validate, replicas (they log the commit), "
            + "primaries (they write); aborted: earlier attempts and the waits after them.")
    public static final String LATENCY_PHASE = "latency_phase_ns";
    /** Returns the suffixes of {@link #LATENCY_PHASE}, in the order of a transaction's phases. */
    public static List<String> phases() {
        return List.of("aborted", "ship", "read", "allocate", "prepare", "validate", "replicas", "primaries");
    }

    @Meaning("Share of the graph operations that usually take one READ.")
    public static final String ONE_SIDED = "one_sided_fraction";

    @Meaning("READs per operation of one_sided_fraction, including those avoided by the memory of the client's "
            + "own machine.")
    public static final String ONE_SIDED_READS = "reads_per_one_sided_operation";

    @Meaning("Refreshes of a client's cached pointer to the newest edges of a list, per search for them.")
    public static final String REFRESHED = "refreshed_pointers_per_range";

    @Meaning("Edges found per search for a list's newest ones.")
    public static final String RANGE_EDGES = "edges_per_range";

    @Meaning("Mean latency of a graph operation by kind: obj-get; on a node's edges count, range, time-range, "
            + "get, add.")
    public static final String LATENCY_KIND = "latency_kind_ns";
    /** Returns the suffixes of {@link #LATENCY_KIND}. */
    public static List<String> kinds() {
        return List.of("obj-get", "count", "range", "time-range", "get", "add");
    }

    @Meaning("Share of the writes that found a place; for the others the table was full.")
    public static final String PLACED = "placed_fraction";

    @Meaning("Bytes of records, including keys, divided by all bytes of the table.")
    public static final String SPACE = "space_utilization";

    @Meaning("Scheme hopscotch, simulated tables of up to 4 Mi slots: load factor at which an insertion of distinct "
            + "keys first fails, where the table would be resized.")
    public static final String RESIZE_LOAD_FACTOR = "resize_load_factor";

    @Meaning("Share of the threads' time spent polling message rings.")
    public static final String POLLING = "polling_fraction";

    @Meaning("Operations with a wrong result: in runs of protocols that are known to be wrong, and in failed runs.")
    public static final String WRONG_ANSWERS = "wrong_answers";

    @Meaning("Operations per second given up because a machine was unreachable.")
    public static final String FAILURES = "failures_per_s";

    @Meaning("Completed operations per second in the window of series.worst-window-ms with the fewest.")
    public static final String WORST_WINDOW = "worst_window_ops_per_s";

    @Meaning(
            "Highest p99 of the latencies in a window of series.worst-window-ms, as latency_worst_window_ns.p99, to 1 %.")
    public static final String LATENCY_WORST_WINDOW = "latency_worst_window_ns";

    @Meaning("Records left locked when all clients have ended, by clients that died or lost their connection.")
    public static final String LEFT_LOCKED = "left_locked_records";

    @Meaning("Time from a run's first fault to the end of the slice with the first failed operation.")
    public static final String DETECT = "detect_ms";

    @Meaning("Time from a run's first fault until every slice has nine tenths of the throughput before it, "
            + "less three standard deviations of a slice's count.")
    public static final String RECOVER = "recover_ms";

    @Meaning("Time from the first fault to the stages of a machine's eviction, by the clocks of the surviving "
            + "machines: evicted (a machine has received a configuration without it), decided (unfinished "
            + "transactions are committed or aborted, and its memory is taken over), active (transactions run "
            + "again on all machines).")
    public static final String MEMBERSHIP = "membership_ms";

    @Meaning("Measurement of an external program: own.NAME, where NAME ends with the unit.")
    public static final String OWN = "own";

    /** Meaning of a metric, for users; the unit is the end of its name. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.FIELD)
    @interface Meaning {
        String value();
    }

    private static final Map<String, String> MEANINGS = meanings(Metrics.class.getFields());

    private Metrics() {}

    /** Returns all names; those with a dotted part without it. */
    public static Set<String> names() {
        return MEANINGS.keySet();
    }

    /** Returns the meaning of each metric by its name, related ones side by side. */
    public static Map<String, String> meanings() {
        return MEANINGS;
    }

    private static Map<String, String> meanings(Field[] constants) {
        Map<String, String> meanings = new LinkedHashMap<>();
        for (Field constant : constants) {
            try {
                String name = (String) constant.get(null);
                meanings.put(
                        name,
                        Objects.requireNonNull(constant.getAnnotation(Meaning.class), name)
                                .value());
            } catch (IllegalAccessException e) {
                throw new AssertionError(e); // all are public
            }
        }
        return Collections.unmodifiableMap(meanings);
    }
}
