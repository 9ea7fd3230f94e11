package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.reprobe.fabric.Requester;

/** Lock-free reader of objects of any layout by fat pointers (FaRM 2014, section 3.5). Confined to one thread. */
public final class ObjectReader {

    public enum Outcome {
        READ,
        /** Concurrent write or lock: the read must be repeated. */
        LOCKED,
        /** The pointer's target was freed or replaced. */
        GONE
    }

    private final Requester cpu;
    private final Map<ObjectLayout, ObjectWriter> byCpu = new HashMap<>();

    public ObjectReader(Requester cpu) {
        this.cpu = cpu;
    }

    /** Returns the writer of local objects with this layout. */
    public ObjectWriter of(ObjectLayout object) {
        return byCpu.computeIfAbsent(object, each -> new ObjectWriter(cpu, each));
    }

    /** Copies the payload of an object that was READ from {@code offset} to position {@code at} of the buffer. */
    public Outcome take(
            ObjectLayout object, long incarnation, long offset, MemorySegment buffer, long at, MemorySegment payload) {
        if (!object.read(buffer, at, offset, payload)) {
            return Outcome.LOCKED;
        }
        return outcome(buffer, at, incarnation);
    }

    public Outcome readLocal(
            ObjectLayout object, long incarnation, MemorySegment memory, long offset, MemorySegment payload) {
        ObjectWriter reader = of(object);
        long version = reader.header(memory, offset);
        if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE) {
            return Outcome.LOCKED;
        }
        // The incarnation must be read before the version is checked again, which changes after it.
        Outcome found = outcome(memory, offset, incarnation);
        return reader.read(memory, offset, version, payload) ? found : Outcome.LOCKED;
    }

    private static Outcome outcome(MemorySegment from, long at, long incarnation) {
        return ObjectLayout.isAllocated(from, at) && ObjectLayout.incarnation(from, at) == incarnation
                ? Outcome.READ
                : Outcome.GONE;
    }
}
