package org.reprobe.remote;

import org.jspecify.annotations.Nullable;
import org.reprobe.system.Counts;

/** Counters and histograms of operations that begin in a client's measured interval, of reads and writes apart. */
public final class OperationCounts {
    private static final long MAX_NS = 3_600_000_000_000L;
    private static final int MAX_TRIPS = 1_000_000;

    private OperationCounts() {}

    public enum Counter {
        OPERATIONS,
        READ_ROUND_TRIPS,
        /** Round trips of writes, without those that found the table full. */
        WRITE_ROUND_TRIPS,
        CHUNKS,
        /** Matching keys beyond the chunks that a process reads; a nonzero number makes the run invalid. */
        OUT_OF_REACH,
        TABLE_FULL,
        /** COMPARE_AND_SWAPs that incremented a word, warm-up included; must equal the sum of all words. */
        CAS_SUCCESSES,
        /** COMPARE_AND_SWAPs without a reply, warm-up included; each may have incremented a word. */
        CAS_UNANSWERED,
        REQUESTS,
        PAYLOAD_BYTES,
        RETRIES,
        MIGRATIONS,
        /** Table parts split by clients. */
        SPLITS,
        SPLIT_NS,
        RPCS,
        ACCESS_DENIED,
        /** Slots probed by reads. */
        PROBES,
        /** READs of lookups, including those replaced by accesses to the client's own memory. */
        LOOKUP_READS,
        /** Lookups sent to the key's machine as a message because their READs repeatedly conflicted with updates. */
        SHIPPED,
        /** Updates performed by another client's transaction. */
        COMBINED,
        CLEANED_WORDS,
        LOG_FLUSHES,
        LOG_RECORDS_FLUSHED,
        LOG_FLUSH_NS,
        /** Records missing from replicas' log files at the end of the run; a nonzero number makes the run invalid. */
        LOG_RECORDS_LOST,
        /** Attempts of transactions that were aborted because an object was locked. */
        ABORTS_LOCKED,
        /** Attempts that were aborted because an object to be written had changed. */
        ABORTS_CHANGED,
        /** Attempts that were aborted because an object that was only read had changed or was locked. */
        ABORTS_INVALID,
        /** Time of transactions in aborted attempts and subsequent back-off. */
        ABORTED_NS,
        /** Time of shipped transactions before and after their execution. */
        SHIP_NS,
        /** Time of transactions' last attempts by phase. */
        READ_PHASE_NS,
        ALLOCATE_NS,
        PREPARE_NS,
        VALIDATE_NS,
        COMMIT_REPLICAS_NS,
        COMMIT_PRIMARIES_NS,
        /** Objects written by transactions, warm-up included; must equal the sum of all versions. */
        OBJECTS_WRITTEN,
        /** Keys added by inserts, warm-up included; the table must contain them in addition to the loaded ones. */
        KEYS_INSERTED,
        /** Sum, modulo 2^64, of the hashes of the inserted keys with their values. */
        INSERTED_SUM,
        /** Graph operations that take a READ in the common case. */
        ONE_SIDED,
        /** Range operations for the newest edges of a list. */
        RANGES,
        RANGE_EDGES,
        /** Stale list heads that range operations found. */
        POINTERS_REFRESHED,
        // Graph operations by kind, and their times.
        OBJ_GETS,
        OBJ_GET_NS,
        ASSOC_COUNTS,
        ASSOC_COUNT_NS,
        ASSOC_RANGES,
        ASSOC_RANGE_NS,
        ASSOC_TIME_RANGES,
        ASSOC_TIME_RANGE_NS,
        ASSOC_GETS,
        ASSOC_GET_NS,
        ASSOC_ADDS,
        ASSOC_ADD_NS,
        ALLOCATIONS,
        /** Allocations by other machines. */
        ALLOCATION_MESSAGES,
        /** CPU time of polling message rings, in picoseconds. */
        POLL_PS,
        READ_MODIFY_WRITE_ROUND_TRIPS
    }

    public enum Recorded implements Counts.Recorded {
        READ_NS(0, 3), // growing histograms, since hundreds of clients have six each
        WRITE_NS(0, 3),
        READ_MODIFY_WRITE_NS(0, 3),
        REMOTE_NS(0, 3),
        // Times since the run's start, per machine: of the notification of an eviction, and of the steps of recovery.
        EVICTED_NS(0, 3),
        DECIDED_NS(0, 3),
        ACTIVE_NS(0, 3),
        READ_TRIPS(MAX_TRIPS, 2),
        WRITE_TRIPS(MAX_TRIPS, 2);

        private final long max;
        private final int digits;

        Recorded(long max, int digits) {
            this.max = max;
            this.digits = digits;
        }

        @Override
        public long max() {
            return max;
        }

        @Override
        public int digits() {
            return digits;
        }
    }

    public static Counts none() {
        return new Counts(Counter.class, Recorded.class);
    }

    /** Returns the sum of the counts of all clients; null stands for a client without counts. */
    public static Counts sum(@Nullable Counts[] clients) {
        Counts all = none();
        for (Counts one : clients) {
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    /** Counts reads that were done together, each with the latency {@code ns} and {@code roundTrips}. */
    public static void reads(Counts counts, int reads, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, reads);
        counts.add(Counter.READ_ROUND_TRIPS, reads * roundTrips);
        counts.histogram(Recorded.READ_NS).recordValueWithCount(Math.clamp(ns, 1, MAX_NS), reads);
        counts.histogram(Recorded.READ_TRIPS).recordValueWithCount(Math.clamp(roundTrips, 1, MAX_TRIPS), reads);
    }

    /** Counts a read or write. */
    public static void operation(Counts counts, boolean write, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, 1);
        counts.add(write ? Counter.WRITE_ROUND_TRIPS : Counter.READ_ROUND_TRIPS, roundTrips);
        counts.histogram(write ? Recorded.WRITE_NS : Recorded.READ_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
        counts.histogram(write ? Recorded.WRITE_TRIPS : Recorded.READ_TRIPS)
                .recordValue(Math.clamp(roundTrips, 1, MAX_TRIPS));
    }

    /** Counts a read-modify-write. */
    public static void readModifyWrite(Counts counts, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, 1);
        counts.add(Counter.READ_MODIFY_WRITE_ROUND_TRIPS, roundTrips);
        counts.histogram(Recorded.READ_MODIFY_WRITE_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
    }

    /** Returns the number of reads, including those of read-modify-writes. */
    public static long reads(Counts counts) {
        return counts.histogram(Recorded.READ_NS).getTotalCount() + readModifyWrites(counts);
    }

    /** Returns the number of writes, including those of read-modify-writes. */
    public static long writes(Counts counts) {
        return counts.histogram(Recorded.WRITE_NS).getTotalCount() + readModifyWrites(counts);
    }

    private static long readModifyWrites(Counts counts) {
        return counts.histogram(Recorded.READ_MODIFY_WRITE_NS).getTotalCount();
    }

    /** Counts an operation with latency {@code ns} that needed another machine. */
    public static void remote(Counts counts, long ns) {
        counts.histogram(Recorded.REMOTE_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
    }

    /** Counts a write or insert that found the table full, and removes its round trips from the counts. */
    public static void tableFull(Counts counts, long roundTrips) {
        counts.add(Counter.TABLE_FULL, 1);
        counts.add(Counter.WRITE_ROUND_TRIPS, -roundTrips);
    }
}
