package org.reprobe.analysis.measurement;

import java.lang.reflect.Field;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The names of the metrics, as they stand in {@code measurements.jsonl}. New ones are added, none is renamed. */
public final class Metrics {
    /** Lookups finished, a second, all clients together. */
    public static final String THROUGHPUT = "throughput_ops_per_s";
    /** READ requests a lookup, to table and heap together. */
    public static final String REQUESTS = "requests_per_lookup";
    /** READ requests to the table a lookup. */
    public static final String TABLE_REQUESTS = "table_requests_per_lookup";
    /** READ requests to the heap a lookup; 0 for inline storage. */
    public static final String HEAP_REQUESTS = "heap_requests_per_lookup";
    /** Slots that one READ of the table fetches. */
    public static final String READ_SIZE = "read_size_slots";
    /** Bytes of message payload, a second: headers not counted. */
    public static final String PAYLOAD = "payload_bytes_per_s";
    /** Matching records returned, a second. */
    public static final String MATCHES = "matches_per_s";
    /** Lookups counted in the measured interval. */
    public static final String LOOKUPS = "lookups";
    /** Virtual or real length of the measured interval. */
    public static final String DURATION = "duration_ns";
    /** E[X(R)] T(R) at the read size used (Eq. 1), for linear schemes. */
    public static final String MODEL_COST = "model_cost_ns";
    /** E[X(R)] at the read size used, for linear schemes: the model's requests a lookup. */
    public static final String MODEL_REQUESTS = "model_requests_per_lookup";
    /**
     * Records that gave way to another (cuckoo) or moved to a free slot (hopscotch) while the table was filled, to its
     * records; simulated lookups only.
     */
    public static final String DISPLACEMENTS = "displacements_per_record";
    /** Latency of one lookup: + ".p50", ".p90", ".p99", ".p999", ".max", ".mean". */
    public static final String LATENCY = "latency_ns";
    /** Share of lookups that needed at least n table requests: + ".2", ".4", ".16". */
    public static final String REQUESTS_AT_LEAST = "requests_at_least_fraction";
    /** What a calibration's probe timed: see {@code calibration.Probe}. */
    public static final String PROBE_TIME = "probe_time_ns";

    /** Measured runs: the longest time in which a client process could not run, in ns. */
    public static final String STALL = "client_stall_ns";

    /** Measured runs: share of the time in which a client process could not run when it wanted to. */
    public static final String STALL_SHARE = "client_stall_share";

    /** Measured runs: time in garbage collections of the client process with the most, in ns. */
    public static final String GC = "client_gc_ns";

    /** True for what the read-size model or the settings say without a lookup. */
    public static boolean isOfFormula(String metric) {
        return metric.equals(READ_SIZE) || metric.equals(MODEL_COST) || metric.equals(MODEL_REQUESTS);
    }

    /** True for a rate or a latency: what another machine has different numbers for, doing the same. */
    public static boolean isOfTime(String metric) {
        boolean ownTime = metric.startsWith(OWN + ".") && metric.endsWith("_ns");
        return metric.endsWith("_per_s") || metric.startsWith("latency_") || ownTime;
    }
    /** Latency of one read (Nessie) or find (find-or-put), as {@link #LATENCY}. */
    public static final String LATENCY_READ = "latency_read_ns";
    /** Latency of one write or insert, as {@link #LATENCY}. */
    public static final String LATENCY_WRITE = "latency_write_ns";
    /** Latency of one read of a key and the write of it that follows, counted as one operation, as {@link #LATENCY}. */
    public static final String LATENCY_READ_MODIFY_WRITE = "latency_read_modify_write_ns";
    /** Latency of one operation that had to wait for another machine, as {@link #LATENCY}. */
    public static final String LATENCY_REMOTE = "latency_remote_ns";
    /** Times that a client waits for the network, an operation. */
    public static final String ROUND_TRIPS = "round_trips_per_operation";
    /** The same, of reads alone. */
    public static final String ROUND_TRIPS_READ = "round_trips_per_read";
    /** The same, of writes alone that found a place. */
    public static final String ROUND_TRIPS_WRITE = "round_trips_per_write";
    /** Round trips of the median read. */
    public static final String ROUND_TRIPS_READ_MEDIAN = "round_trips_read_median";
    /** Round trips of the median write, those that were refused included. */
    public static final String ROUND_TRIPS_WRITE_MEDIAN = "round_trips_write_median";
    /** Chunks that one find-or-put looks at, its own machine's included. */
    public static final String CHUNKS = "chunks_per_operation";
    /** One-sided operations handed to the card, an operation. */
    public static final String OPERATION_REQUESTS = "requests_per_operation";
    /** Share of the lookups that went on to write what they found. */
    public static final String WRITES = "writes_fraction";
    /** Attempts that were repeated because of another client, an operation. */
    public static final String RETRIES = "retries_per_operation";
    /** Keys moved to their other place, a write. */
    public static final String MIGRATIONS = "migrations_per_write";
    /** Parts of the table that clients have split in two, to have room. */
    public static final String SPLITS = "splits";
    /** Mean time of such a split. */
    public static final String LATENCY_SPLIT = "latency_split_ns";
    /** Calls for the server's help, a write. */
    public static final String SERVER_CALLS = "server_calls_per_write";
    /** Attempts that a server had revoked access for, by operations. */
    public static final String REFUSALS = "refusals_per_operation";
    /** Places that reads have looked at one after the other; 0 where that is not counted. */
    public static final String PROBES = "probes_per_read";
    /** Share of the lookups that were sent to the key's machine as a message, since their READs met updates time and again. */
    public static final String SHIPPED = "shipped_lookups_fraction";
    /** Share of the writes that were done by another thread's transaction, with its own write of the key. */
    public static final String COMBINED = "combined_writes_fraction";
    /** Bytes of replicas' logs that are cleaned, a write. */
    public static final String CLEANED = "cleaned_bytes_per_write";
    /** Flushes of replicas' logs in files, a second. */
    public static final String FLUSHES = "log_flushes_per_s";
    /** Records that are written to a replica's log and flushed together. */
    public static final String FLUSHED_RECORDS = "records_per_log_flush";
    /** Mean time of such a flush, with the write before it. */
    public static final String LATENCY_FLUSH = "latency_log_flush_ns";
    /** Attempts of a transaction that were aborted, a transaction: + ".all", and by cause ".locked", ".changed", ".invalid". */
    public static final String ABORTS = "aborts_per_transaction";
    /** Objects that a transaction allocates, with those of its aborted attempts: + ".all"; ".messages": asked of other machines. */
    public static final String ALLOCATIONS = "allocations_per_transaction";
    /**
     * Mean time of a transaction in a phase of the attempt that commits: + ".read", ".allocate" (where it does), ".prepare", ".validate", ".replicas" (they log that it commits),
     * ".primaries" (they write); + ".aborted": in attempts before that, and in waiting after each.
     */
    public static final String LATENCY_PHASE = "latency_phase_ns";
    /** What stands behind {@link #LATENCY_PHASE}, in the order of a transaction's life. */
    public static List<String> phases() {
        return List.of("aborted", "ship", "read", "allocate", "prepare", "validate", "replicas", "primaries");
    }

    /** Share of the operations on a graph that take a READ in the common case. */
    public static final String ONE_SIDED = "one_sided_fraction";
    /** READs of such an operation, with those that the client's own machine's memory has spared it. */
    public static final String ONE_SIDED_READS = "reads_per_one_sided_operation";
    /** Times that the newest edges of a list were looked for where they no longer begin, by how often they were looked for. */
    public static final String REFRESHED = "refreshed_pointers_per_range";
    /** Edges that are found when the newest ones of a list are looked for. */
    public static final String RANGE_EDGES = "edges_per_range";
    /**
     * Mean latency of an operation on a graph by its kind: + ".obj-get"; of those on a node's edges + ".count", ".range", ".time-range", ".get" and
     * ".add".
     */
    public static final String LATENCY_KIND = "latency_kind_ns";
    /** What stands behind {@link #LATENCY_KIND}. */
    public static List<String> kinds() {
        return List.of("obj-get", "count", "range", "time-range", "get", "add");
    }

    /** Share of the writes that found a place; the others found the table full. */
    public static final String PLACED = "placed_fraction";
    /** Bytes of records, keys included, over all bytes that the table takes. */
    public static final String SPACE = "space_utilization";

    /** Share of the threads' time in which they look at rings of messages. */
    public static final String POLLING = "polling_fraction";

    /** Operations that got a wrong answer; only of runs that have some. */
    public static final String WRONG_ANSWERS = "wrong_answers";

    /** Operations that were given up, since what they needed could not be reached, a second. */
    public static final String FAILURES = "failures_per_s";
    /** Records that are locked when all clients have ended, by clients that died or lost their connection. */
    public static final String LEFT_LOCKED = "left_locked_records";
    /** From a run's first fault until the end of the slice in which an operation failed first, in ms. */
    public static final String DETECT = "detect_ms";
    /**
     * From a run's first fault until every slice has nine tenths of the throughput again that there was before it, less three
     * standard deviations of a slice's count; in ms.
     */
    public static final String RECOVER = "recover_ms";
    /**
     * From the first fault to what follows from a machine's failure: + ".evicted" (somebody has heard of a configuration without it), ".decided" (what
     * was unfinished is committed or aborted, and its part of memory taken over), ".active" (transactions run again everywhere); in ms.
     */
    public static final String MEMBERSHIP = "membership_ms";
    /** What somebody's own program measures: + "." and its name, at whose end the unit stands. */
    public static final String OWN = "own";

    private static final Set<String> NAMES = names(Metrics.class.getFields());

    private Metrics() {}

    /** All names, those with a dotted part without it. */
    public static Set<String> names() {
        return NAMES;
    }

    private static Set<String> names(Field[] constants) {
        Set<String> names = new TreeSet<>();
        for (Field constant : constants) {
            try {
                names.add((String) constant.get(null));
            } catch (IllegalAccessException e) {
                throw new AssertionError(e); // all are public
            }
        }
        return Collections.unmodifiableSet(names);
    }
}
