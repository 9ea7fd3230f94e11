package org.reprobe.remote;

import org.jspecify.annotations.Nullable;
import org.reprobe.system.Counts;

/** What clients that do one operation after the other count of those that begin in their intervals, reads and writes apart. */
public final class OperationCounts {
    private static final long MAX_NS = 3_600_000_000_000L;
    private static final int MAX_TRIPS = 1_000_000;

    private OperationCounts() {}

    /** Counters. */
    public enum Counter {
        OPERATIONS,
        READ_ROUND_TRIPS,
        /** Of writes that did not find the table full. */
        WRITE_ROUND_TRIPS,
        /** Chunks that find-or-put has looked at. */
        CHUNKS,
        /** Finds of data beyond the chunks that a process looks at: always 0, or the run is not valid. */
        OUT_OF_REACH,
        /** Writes and inserts that found the table full. */
        TABLE_FULL,
        /** COMPARE_AND_SWAPs that have raised a word by one, warm-up included: what all words must add up to. */
        CAS_SUCCESSES,
        /** COMPARE_AND_SWAPs without an answer, warm-up included: each may have raised a word. */
        CAS_UNANSWERED,
        /** Requests posted. */
        REQUESTS,
        PAYLOAD_BYTES,
        RETRIES,
        MIGRATIONS,
        /** Parts of the table that clients have split in two. */
        SPLITS,
        /** Time that this has taken. */
        SPLIT_NS,
        /** Requests to the server's program. */
        RPCS,
        /** Attempts whose access was denied. */
        ACCESS_DENIED,
        /** Places that reads have looked at. */
        PROBES,
        /** READs of lookups, with those that the client's own machine's memory has spared it. */
        LOOKUP_READS,
        /** Lookups that were sent to the key's machine as a message, since their READs met updates time and again. */
        SHIPPED,
        /** Updates that another's transaction did. */
        COMBINED,
        /** Words of replicas' logs that were cleaned. */
        CLEANED_WORDS,
        /** Flushes of replicas' logs in files. */
        LOG_FLUSHES,
        /** Records that these flushed. */
        LOG_RECORDS_FLUSHED,
        /** Time that they took, with the writes before them. */
        LOG_FLUSH_NS,
        /** Records of replicas' logs that are not in their files in the end, of all of a run: always 0, or the run is wrong. */
        LOG_RECORDS_LOST,
        /** Attempts of transactions that were given up, since somebody had locked an object. */
        ABORTS_LOCKED,
        /** The same, since what they would write had changed. */
        ABORTS_CHANGED,
        /** The same, since what they had only read had changed or was locked. */
        ABORTS_INVALID,
        /** Time of transactions that passed in attempts which were aborted, and in waiting after them. */
        ABORTED_NS,
        /** Time of transactions that another machine ran that passed before and after it did. */
        SHIP_NS,
        /** Time of their last attempts by phase. */
        READ_PHASE_NS,
        ALLOCATE_NS,
        PREPARE_NS,
        VALIDATE_NS,
        COMMIT_REPLICAS_NS,
        COMMIT_PRIMARIES_NS,
        /** Objects that transactions have written, warm-up included: what all versions must add up to. */
        OBJECTS_WRITTEN,
        /** Keys that inserts have added to a table, warm-up included: what it must have besides those that were loaded. */
        KEYS_INSERTED,
        /** Sum, modulo 2^64, of numbers that stand for these keys with their values. */
        INSERTED_SUM,
        /** Operations on a graph that take a READ in the common case. */
        ONE_SIDED,
        /** Those of them that are for the newest edges of a list. */
        RANGES,
        /** Edges that these have got. */
        RANGE_EDGES,
        /** Times that these found that a list has another head than they knew of. */
        POINTERS_REFRESHED,
        // Operations on a graph by what they are, and their time.
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
        /** Objects that transactions have allocated, also in attempts that were aborted. */
        ALLOCATIONS,
        /** Those of them that other machines were asked for. */
        ALLOCATION_MESSAGES,
        /** CPU time that looking at rings of messages took, in picoseconds. */
        POLL_PS,
        /** Of operations that read a key and then write it. */
        READ_MODIFY_WRITE_ROUND_TRIPS
    }

    /** Histograms. */
    public enum Recorded implements Counts.Recorded {
        READ_NS(0, 3), // grow as they need to: hundreds of clients have six each
        WRITE_NS(0, 3),
        /** Of operations that read a key and then write it. */
        READ_MODIFY_WRITE_NS(0, 3),
        /** Of operations that needed another machine. */
        REMOTE_NS(0, 3),
        // By machines, since the run began: when they heard that another is no member any more, and had gone through
        // recovery.
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

    /** Nothing counted. */
    public static Counts none() {
        return new Counts(Counter.class, Recorded.class);
    }

    /** The sum of those of clients that came to have one. */
    public static Counts sum(@Nullable Counts[] clients) {
        Counts all = none();
        for (Counts one : clients) {
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    /** Counts so many reads that are over together. */
    public static void reads(Counts counts, int reads, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, reads);
        counts.add(Counter.READ_ROUND_TRIPS, reads * roundTrips);
        counts.histogram(Recorded.READ_NS).recordValueWithCount(Math.clamp(ns, 1, MAX_NS), reads);
        counts.histogram(Recorded.READ_TRIPS).recordValueWithCount(Math.clamp(roundTrips, 1, MAX_TRIPS), reads);
    }

    /** Counts an operation that is over. */
    public static void operation(Counts counts, boolean write, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, 1);
        counts.add(write ? Counter.WRITE_ROUND_TRIPS : Counter.READ_ROUND_TRIPS, roundTrips);
        counts.histogram(write ? Recorded.WRITE_NS : Recorded.READ_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
        counts.histogram(write ? Recorded.WRITE_TRIPS : Recorded.READ_TRIPS)
                .recordValue(Math.clamp(roundTrips, 1, MAX_TRIPS));
    }

    /** Counts an operation that is over, which has read a key and then written it. */
    public static void readModifyWrite(Counts counts, long ns, long roundTrips) {
        counts.add(Counter.OPERATIONS, 1);
        counts.add(Counter.READ_MODIFY_WRITE_ROUND_TRIPS, roundTrips);
        counts.histogram(Recorded.READ_MODIFY_WRITE_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
    }

    /** Reads that were counted, with those that a write of the key followed. */
    public static long reads(Counts counts) {
        return counts.histogram(Recorded.READ_NS).getTotalCount() + readModifyWrites(counts);
    }

    /** Writes that were counted, with those that followed a read of the key. */
    public static long writes(Counts counts) {
        return counts.histogram(Recorded.WRITE_NS).getTotalCount() + readModifyWrites(counts);
    }

    private static long readModifyWrites(Counts counts) {
        return counts.histogram(Recorded.READ_MODIFY_WRITE_NS).getTotalCount();
    }

    /** Counts that the operation needed another machine. */
    public static void remote(Counts counts, long ns) {
        counts.histogram(Recorded.REMOTE_NS).recordValue(Math.clamp(ns, 1, MAX_NS));
    }

    /** Counts that the operation, a write or insert, found the table full: its round trips count nowhere. */
    public static void tableFull(Counts counts, long roundTrips) {
        counts.add(Counter.TABLE_FULL, 1);
        counts.add(Counter.WRITE_ROUND_TRIPS, -roundTrips);
    }
}
