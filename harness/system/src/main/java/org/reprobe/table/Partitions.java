package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.reprobe.memory.OffHeap;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;

/**
 * Entries partitioned by ranges of their slots, so that each range fits in a processor's cache: one pass of a radix
 * sort (Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014). The sort is stable
 * for any number of threads.
 *
 * @param entries entries of 8 bytes
 * @param starts index of each range's first entry, followed by the number of entries
 * @param rangeSlots number of slots per range; the last range may have fewer
 */
@SuppressWarnings("ArrayRecordComponent") // never compared or changed
record Partitions(MemorySegment entries, long[] starts, long rangeSlots) {
    private static final int RANGE_PLACES = 1 << 15;
    private static final int MAX_RANGES = 1 << 13;
    private static final long CHUNK = 1 << 18;
    private static final int MAX_CHUNKS = 1 << 8;
    private static final int BLOCK = 1 << 11;

    sealed interface Source {
        long count();

        /** Copies {@code count} entries from {@code from} on to the buffer's start. */
        void read(long from, int count, long[] buffer);
    }

    record AllRecords(KeySet keys) implements Source {
        @Override
        public long count() {
            return keys.records();
        }

        @Override
        public void read(long from, int count, long[] buffer) {
            for (int i = 0; i < count; i++) {
                buffer[i] = KeyAndOrdinal.of(keys.key(from + i), from + i);
            }
        }
    }

    record Stored(MemorySegment entries, long count) implements Source {
        @Override
        public void read(long from, int count, long[] buffer) {
            MemorySegment.copy(entries, KeyAndOrdinal.LONG, from * Long.BYTES, buffer, 0, count);
        }
    }

    /** Partitions by the slot of cuckoo's hash function {@code hash}, from 0. Function 0 gives the home slot. */
    static Partitions of(Source source, int hash, TableGeometry geometry, int threads, Arena arena) {
        long slots = geometry.slots();
        int shift = shift(geometry);
        int ranges = Math.toIntExact(((slots - 1) >>> shift) + 1);
        long count = source.count();
        long chunk = Math.max(CHUNK, Math.ceilDiv(count, MAX_CHUNKS));
        int chunks = Math.toIntExact(Math.ceilDiv(count, chunk));
        int[][] counts = new int[chunks][];
        Parallel.run(threads, chunks, c -> {
            counts[c] = count(source, c * chunk, Math.min(count, (c + 1) * chunk), hash, slots, shift, ranges);
        });
        long[] starts = new long[ranges + 1];
        long[][] cursors = new long[chunks][ranges];
        long at = 0;
        for (int r = 0; r < ranges; r++) {
            starts[r] = at;
            for (int c = 0; c < chunks; c++) {
                cursors[c][r] = at;
                at += counts[c][r];
            }
        }
        starts[ranges] = at;
        MemorySegment entries = OffHeap.allocate(Math.max(count, 1) * Long.BYTES, arena);
        Parallel.run(threads, chunks, c -> {
            scatter(source, c * chunk, Math.min(count, (c + 1) * chunk), hash, slots, shift, cursors[c], entries);
        });
        return new Partitions(entries, starts, 1L << shift);
    }

    int ranges() {
        return starts.length - 1;
    }

    /** Depends on the table's size only, since it determines the builders' order of insertion. */
    private static int shift(TableGeometry geometry) {
        int shift = 0;
        while (((2L << shift) * geometry.associativity()) <= RANGE_PLACES) {
            shift++;
        }
        while (((geometry.slots() - 1) >>> shift) >= MAX_RANGES) {
            shift++;
        }
        return shift;
    }

    private static int[] count(Source source, long from, long to, int hash, long slots, int shift, int ranges) {
        int[] counts = new int[ranges];
        long[] buffer = new long[BLOCK];
        for (long block = from; block < to; block += BLOCK) {
            int n = (int) Math.min(BLOCK, to - block);
            source.read(block, n, buffer);
            for (int i = 0; i < n; i++) {
                counts[(int) (Hashing.candidate(KeyAndOrdinal.key(buffer[i]), hash, slots) >>> shift)]++;
            }
        }
        return counts;
    }

    private static void scatter(
            Source source, long from, long to, int hash, long slots, int shift, long[] cursors, MemorySegment entries) {
        long[] buffer = new long[BLOCK];
        for (long block = from; block < to; block += BLOCK) {
            int n = (int) Math.min(BLOCK, to - block);
            source.read(block, n, buffer);
            for (int i = 0; i < n; i++) {
                long entry = buffer[i];
                int range = (int) (Hashing.candidate(KeyAndOrdinal.key(entry), hash, slots) >>> shift);
                entries.set(KeyAndOrdinal.LONG, cursors[range]++ * Long.BYTES, entry);
            }
        }
    }
}
