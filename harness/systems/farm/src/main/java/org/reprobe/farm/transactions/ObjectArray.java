package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.workload.Rng;

/**
 * Objects of one layout, numbered from 0, machines taking turns: of each machine an array at the start of its region. A payload tells
 * which object's it is and who has written it: its first word is a stamp, and all others follow from that and the object's number.
 *
 * @param layout of each
 * @param machines that have some
 * @param objects of all machines
 */
public record ObjectArray(ObjectLayout layout, int machines, long objects) {
    /** The stamp of what nobody has written yet. */
    public static final long LOADED = 0;

    /** A payload that is none of its object's. */
    public static final long TORN = -1;

    /** The version that objects are loaded with. */
    public static final long VERSION = ObjectWriter.ONE_VERSION;

    private static final long INCARNATION = 1;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    /** The machine that has an object: the number of its region. */
    public int region(long number) {
        return (int) (number % machines);
    }

    /** Where in that region. */
    public long offset(long number) {
        return number / machines * layout.bytes();
    }

    /** Objects of a machine. */
    long of(int machine) {
        return (objects + machines - 1 - machine) / machines;
    }

    /** Bytes of a machine's. */
    public long bytes() {
        return of(0) * layout.bytes();
    }

    /** Makes a payload one of an object's. */
    public static void put(MemorySegment payload, long number, long stamp) {
        payload.set(WORD, 0, stamp);
        long mark = Rng.at(number, stamp);
        for (long at = Long.BYTES; at < payload.byteSize(); at += Long.BYTES) {
            payload.set(WORD, at, mark + at);
        }
    }

    /** The stamp of an object's payload, or {@link #TORN}. */
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

    /** Writes all of a machine's where nobody reads yet. */
    public void load(int machine, MemorySegment region) {
        MemorySegment payload = layout.newPayload();
        for (long number = machine; number < objects; number += machines) {
            put(payload, number, LOADED);
            layout.write(region, offset(number), VERSION, INCARNATION, payload);
        }
    }

    /** How often those of a machine were written since, together. */
    public long written(int machine, MemorySegment region) {
        long versions = 0;
        for (long number = machine; number < objects; number += machines) {
            versions += ObjectLayout.version(region, offset(number)) - VERSION;
        }
        return versions / ObjectWriter.ONE_VERSION;
    }

    /** Of a machine's objects, the first that is locked or torn, or -1; when nobody writes. */
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
