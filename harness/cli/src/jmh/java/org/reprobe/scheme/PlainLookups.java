package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySpec;

/**
 * Table of 8-byte records and the minimum cost of lookups in it: a loop without a network. Tables are named by kind,
 * load factor and slots per READ: {@code linear-0.65-23}, {@code cuckoo-0.95-4} (3 hashes, 4 records per slot).
 */
final class PlainLookups implements AutoCloseable {
    private static final int RECORD_BYTES = 8;
    private static final int HASHES = 3;
    private static final int ASSOCIATIVITY = 4;

    private final TableImage image;
    private final Probing probing;

    PlainLookups(String table, long records) throws TableRefusedException {
        String[] parts = table.split("-");
        boolean cuckoo = parts[0].equals("cuckoo");
        image = TableBuilder.build(
                new TableSpec(
                        cuckoo ? TableKind.CUCKOO : TableKind.LINEAR,
                        Storage.INLINE,
                        records,
                        RECORD_BYTES,
                        Double.parseDouble(parts[1]),
                        cuckoo ? ASSOCIATIVITY : 1,
                        HASHES,
                        1,
                        new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                        1),
                2);
        probing = cuckoo ? new Probing.Cuckoo(true) : new Probing.Linear(Integer.parseInt(parts[2]), null, 0);
    }

    TableImage image() {
        return image;
    }

    /** Lookup strategy of the papers' client in the table. */
    Probing probing() {
        return probing;
    }

    /** Looks up keys of random records in the table's bytes at {@code memory}; returns the matches. */
    long run(MemorySegment memory, int lookups, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean cuckoo = image.geometry().kind() == TableKind.CUCKOO;
        long records = image.keys().records();
        long matches = 0;
        for (int i = 0; i < lookups; i++) {
            int key = image.keys().key(random.nextLong(records));
            matches += cuckoo ? cuckoo(memory, key) : linear(memory, key);
        }
        return matches;
    }

    private long linear(MemorySegment memory, int key) {
        long slots = image.geometry().slots();
        long slot = Hashing.home(key, slots);
        long matches = 0;
        while (true) {
            int found = memory.get(ValueLayout.JAVA_INT, slot * RECORD_BYTES);
            if (found == 0) {
                return matches;
            }
            if (found == key) {
                matches++;
            }
            if (++slot == slots) {
                slot = 0;
            }
        }
    }

    private long cuckoo(MemorySegment memory, int key) {
        long slots = image.geometry().slots();
        long matches = 0;
        for (int candidate = 0; candidate < HASHES; candidate++) {
            long at = Hashing.candidate(key, candidate, slots) * ASSOCIATIVITY * RECORD_BYTES;
            for (int lane = 0; lane < ASSOCIATIVITY; lane++) {
                if (memory.get(ValueLayout.JAVA_INT, at + lane * RECORD_BYTES) == key) {
                    matches++;
                }
            }
        }
        return matches;
    }

    @Override
    public void close() {
        image.close();
    }
}
