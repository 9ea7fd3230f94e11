package org.example.robinhood;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.reprobe.memory.Memory;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.workload.Rng;

/**
 * Table of 16-byte slots of key and value; key 0 marks an empty slot. An inserted record displaces a record that is nearer to its
 * own home, which moves on. Records are therefore in the order of their homes, and a lookup may stop at the first record that is
 * nearer to its home than the key would be.
 *
 * @param seed seed of the keys: the record with ordinal i has key {@code Rng.at(seed, i)}, which is also its value
 */
record RobinHoodTable(long records, double loadFactor, long seed) implements Content {
    static final int SLOT_BYTES = 16;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final double RECORDS_PER_S = 4e6;

    long slots() {
        return Math.max(records + 1, Math.round(records / loadFactor));
    }

    long home(long key) {
        return Math.unsignedMultiplyHigh(Rng.at(0x726f62696eL, key), slots());
    }

    /** Returns the distance in slots from the home of a key to a slot. */
    long distance(long key, long slot) {
        long distance = slot - home(key);
        return distance < 0 ? distance + slots() : distance;
    }

    @Override
    public long bytes() {
        return slots() * SLOT_BYTES;
    }

    @Override
    public long neededBytes() {
        return bytes();
    }

    @Override
    public double buildSeconds() {
        return records / RECORDS_PER_S;
    }

    @Override
    public void check() throws RefusedException {
        if (loadFactor >= 1) {
            throw new RefusedException("a full table has no empty slot at which a lookup could stop");
        }
    }

    @Override
    public BuiltContent build(Builder builder) throws RefusedException {
        check();
        Arena arena = Arena.ofShared();
        try {
            Memory memory = builder.memory() == null ? Memory.OFF_HEAP : builder.memory();
            MemorySegment table = memory.allocate(bytes(), arena);
            for (long ordinal = 0; ordinal < records; ordinal++) {
                insert(table, Rng.at(seed, ordinal));
            }
            return new Built(this, table, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new RefusedException("the table needs " + bytes() + " bytes, which the system did not provide", e);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    private void insert(MemorySegment table, long key) {
        long carried = key;
        long slot = home(key);
        for (long distance = 0; ; distance++) {
            long here = table.get(WORD, slot * SLOT_BYTES);
            if (here == 0 || distance(here, slot) < distance) {
                table.set(WORD, slot * SLOT_BYTES, carried);
                table.set(WORD, slot * SLOT_BYTES + Long.BYTES, carried);
                if (here == 0) {
                    return;
                }
                distance = distance(here, slot);
                carried = here;
            }
            slot = slot + 1 == slots() ? 0 : slot + 1;
        }
    }

    private record Built(RobinHoodTable content, MemorySegment table, Arena arena) implements BuiltContent {
        @Override
        public List<MemorySegment> parts() {
            return List.of(table);
        }

        @Override
        public long[] attributes() {
            return new long[0];
        }

        @Override
        public long bytes() {
            return table.byteSize();
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
