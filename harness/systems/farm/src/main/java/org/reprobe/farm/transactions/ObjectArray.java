package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.workload.Rng;

/**
 * Objects of one layout, numbered from 0 on all machines and distributed round-robin; an array at the start of each
 * region. A payload identifies its object and writer: its first word is a stamp, and the other words are a function of
 * stamp and object number.
 */
public record ObjectArray(ObjectLayout layout, int machines, long objects) {
    /** Stamp of an object that was loaded and never written. */
    public static final long LOADED = 0;

    /** Result of {@link #stamp} for a payload that is not a valid one of its object. */
    public static final long TORN = -1;

    public static final long VERSION = ObjectWriter.ONE_VERSION;

    private static final long INCARNATION = 1;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Returns the region of an object, which is the number of its machine. */
    public int region(long number) {
        return (int) (number % machines);
    }

    public long offset(long number) {
        return number / machines * layout.bytes();
    }

    /** Returns the number of objects of a region. */
    public long of(int machine) {
        return (objects + machines - 1 - machine) / machines;
    }

    public long bytes() {
        return of(0) * layout.bytes();
    }

    /** Fills a payload for an object and a stamp. */
    public static void put(MemorySegment payload, long number, long stamp) {
        payload.set(WORD, 0, stamp);
        long mark = Rng.at(number, stamp);
        for (long at = Long.BYTES; at < payload.byteSize(); at += Long.BYTES) {
            payload.set(WORD, at, mark + at);
        }
    }

    /** Returns the stamp of an object's payload, or {@link #TORN}. */
    public static long stamp(MemorySegment payload, long number) {
        long stamp = payload.get(WORD, 0);
        long mark = Rng.at(number, stamp);
        for (long at = Long.BYTES; at < payload.byteSize(); at += Long.BYTES) {
            if (payload.get(WORD, at) != mark + at) {
                return TORN;
            }
        }
        return stamp;
    }

    /** Writes all objects of a machine, without concurrent readers. */
    public void load(int machine, MemorySegment region) {
        MemorySegment payload = layout.newPayload();
        for (long number = machine; number < objects; number += machines) {
            put(payload, number, LOADED);
            layout.write(region, offset(number), VERSION, INCARNATION, payload);
        }
    }

    /** Returns the number of writes to a machine's objects since they were loaded. */
    public long written(int machine, MemorySegment region) {
        long versions = 0;
        for (long number = machine; number < objects; number += machines) {
            versions += ObjectLayout.version(region, offset(number)) - VERSION;
        }
        return versions / ObjectWriter.ONE_VERSION;
    }

    /** Returns the first object of a machine that is locked or torn, or -1; for a machine at rest. */
    public long broken(int machine, MemorySegment region) {
        MemorySegment payload = layout.newPayload();
        for (long number = machine; number < objects; number += machines) {
            long at = offset(number);
            boolean locked = (ObjectLayout.version(region, at) & ObjectLayout.LOCK_MODE) != 0;
            if (locked || !layout.read(region, at, at, payload) || stamp(payload, number) == TORN) {
                return number;
            }
        }
        return -1;
    }
}
