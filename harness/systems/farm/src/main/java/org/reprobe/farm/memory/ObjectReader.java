package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.reprobe.fabric.Requester;

/** Reads objects of any layout by fat pointers, without a lock (FaRM 2014, section 3.5): what READs brought, or the own machine's. For one thread. */
public final class ObjectReader {

    /** What was read. */
    public enum Outcome {
        /** The object. */
        READ,
        /** One that somebody writes or has locked: to be read again. */
        MET,
        /** The pointer leads to another object, or to none. */
        GONE
    }

    private final Requester cpu;
    private final Map<ObjectLayout, ObjectWriter> byCpu = new HashMap<>();

    public ObjectReader(Requester cpu) {
        this.cpu = cpu;
    }

    /** That of the own machine's objects of a layout. */
    public ObjectWriter of(ObjectLayout object) {
        return byCpu.computeIfAbsent(object, each -> new ObjectWriter(cpu, each));
    }

    /**
     * Takes what a READ has brought.
     *
     * @param offset where it was read
     * @param at where in the buffer it was brought to
     * @param payload for what the object holds
     */
    public Outcome take(
            ObjectLayout object, long incarnation, long offset, MemorySegment buffer, long at, MemorySegment payload) {
        if (!object.read(buffer, at, offset, payload)) {
            return Outcome.MET;
        }
        return outcome(buffer, at, incarnation);
    }

    /** Reads an object of the own machine's. */
    public Outcome here(
            ObjectLayout object, long incarnation, MemorySegment memory, long offset, MemorySegment payload) {
        ObjectWriter reader = of(object);
        long version = reader.header(memory, offset);
        if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE) {
            return Outcome.MET;
        }
        // Before the version is looked at again, which changes after the incarnation does.
        Outcome found = outcome(memory, offset, incarnation);
        return reader.read(memory, offset, version, payload) ? found : Outcome.MET;
    }

    private static Outcome outcome(MemorySegment from, long at, long incarnation) {
        return ObjectLayout.isAllocated(from, at) && ObjectLayout.incarnation(from, at) == incarnation
                ? Outcome.READ
                : Outcome.GONE;
    }
}
