package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Requester;

/**
 * Writer of local objects under concurrent lock-free READs (FaRM 2014, section 3.5): a READ that overlaps a write finds
 * a locked header or different versions. Writers lock an object first, so there is one at a time.
 *
 * <p>Barriers separate the steps. Within a step, stores may become visible in any order.
 */
public final class ObjectWriter {
    /** Line version during a payload write: no unlocked object has it. */
    static final short LOCKED_LINE = (short) ObjectLayout.LOCK_MODE;

    /** Increment of a version, whose two low bits are the lock mode. */
    public static final long ONE_VERSION = ObjectLayout.LOCK_MODE + 1;

    /** Number of updates after which a line version repeats. */
    public static final int VERSIONS = (int) ((1L << Short.SIZE) / ONE_VERSION);

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle HEADER = LONG.varHandle();

    /** Steps of an update: lock value in line versions, payload, line versions, header. */
    private static final int STEPS = 4;

    private final Requester cpu;
    private final ObjectLayout layout;
    private final long versionStep;
    private final long storeBytes;
    private final long stepPs;

    /** Creates a writer on the machine with the objects, whose updates take no CPU time. */
    public ObjectWriter(Requester cpu, ObjectLayout layout) {
        this(cpu, layout, ONE_VERSION, 0);
    }

    /** Creates a writer whose updates take {@code updatePs} of CPU time, in equal parts for their steps. */
    public ObjectWriter(Requester cpu, ObjectLayout layout, long updatePs) {
        this(cpu, layout, ONE_VERSION, updatePs);
    }

    /** Creates a writer with versions that advance by a multiple of {@link #ONE_VERSION}, to wrap around sooner. */
    public ObjectWriter(Requester cpu, ObjectLayout layout, long versionStep, long updatePs) {
        this.cpu = cpu;
        this.layout = layout;
        this.versionStep = versionStep;
        this.storeBytes = Math.clamp(cpu.atomicReadBytes() / 2, Long.BYTES, ObjectLayout.LINE_BYTES / 2);
        this.stepPs = updatePs / STEPS;
    }

    /** Locks an object exclusively if it has the expected version. Returns true if it is now locked. */
    public boolean lock(MemorySegment memory, long at, long version) {
        return lock(memory, at, version, ObjectLayout.EXCLUSIVE);
    }

    /** Locks an object in the given mode if it is unlocked and has the expected version. */
    public boolean lock(MemorySegment memory, long at, long version, long mode) {
        cpu.accesses(Long.BYTES);
        return (version & ObjectLayout.LOCK_MODE) == 0 && HEADER.compareAndSet(memory, at, version, version | mode);
    }

    /** Makes the lock of an object that was locked with {@code version} exclusive. */
    public void lockExclusively(MemorySegment memory, long at, long version) {
        cpu.accesses(Long.BYTES);
        HEADER.setVolatile(memory, at, version | ObjectLayout.EXCLUSIVE);
    }

    /** Unlocks an unchanged object that was locked with {@code version}. */
    public void unlock(MemorySegment memory, long at, long version) {
        cpu.accesses(Long.BYTES);
        HEADER.setRelease(memory, at, version);
    }

    /** Returns the current version with its lock mode. */
    public long header(MemorySegment memory, long at) {
        cpu.accesses(Long.BYTES);
        return (long) HEADER.getVolatile(memory, at);
    }

    /** Copies the payload by CPU loads; returns true if it is consistent: the object still has {@code version}. */
    public boolean read(MemorySegment memory, long at, long version, MemorySegment payload) {
        layout.forEachLine(at, (versionAt, from, payloadOffset, bytes, endVersionAt) -> {
            cpu.accesses(bytes);
            MemorySegment.copy(memory, from, payload, payloadOffset, bytes);
        });
        VarHandle.acquireFence();
        return header(memory, at) == version;
    }

    public ObjectLayout layout() {
        return layout;
    }

    /**
     * Writes the payload of an object that was locked with {@code version}, unlocks it with the next version and
     * returns that. Order as printed: "first writing a special lock value to the cache line versions, then updating the
     * data in each cache line, and finally updating the cache line versions and the header version".
     */
    public long update(MemorySegment memory, long at, long version, MemorySegment payload) {
        long next = version + versionStep;
        cpu.spendCpu(stepPs);
        setLineVersions(memory, at, LOCKED_LINE);
        VarHandle.releaseFence();
        cpu.spendCpu(stepPs);
        setPayload(memory, at, payload);
        VarHandle.releaseFence();
        cpu.spendCpu(stepPs);
        setLineVersions(memory, at, (short) next);
        VarHandle.releaseFence();
        cpu.spendCpu(stepPs);
        cpu.accesses(Long.BYTES);
        memory.set(LONG, at, next);
        VarHandle.releaseFence();
        return next;
    }

    /** Sets the incarnation of a locked place, whose payload {@link #update} then writes. */
    public void setIncarnation(MemorySegment memory, long at, long incarnation) {
        cpu.accesses(Long.BYTES);
        ObjectLayout.setIncarnation(memory, at, incarnation);
        VarHandle.releaseFence();
    }

    /**
     * Frees an object that was locked with {@code version} and changes its incarnation, so that READs through old
     * pointers fail. The place may be reused for an object of the same length: {@link #setIncarnation} allocates it and
     * {@link #update} writes its payload, with the returned version.
     */
    public long free(MemorySegment memory, long at, long version) {
        cpu.accesses(Long.BYTES);
        ObjectLayout.incrementIncarnation(memory, at);
        VarHandle.releaseFence();
        long next = version + versionStep;
        cpu.accesses(Long.BYTES);
        memory.set(LONG, at, next);
        VarHandle.releaseFence();
        return next;
    }

    private void setLineVersions(MemorySegment memory, long at, short version) {
        layout.forEachLine(at, (versionAt, from, payloadOffset, bytes, endVersionAt) -> {
            setLineVersion(memory, versionAt, version);
            setLineVersion(memory, endVersionAt, version);
        });
    }

    private void setLineVersion(MemorySegment memory, long at, short version) {
        if (at != ObjectLayout.Line.NO_VERSION) {
            cpu.accesses(Short.BYTES);
            memory.set(SHORT, at, version);
        }
    }

    /** Writes line by line with stores of at most a word: READs of whole lines may find a line half written. */
    private void setPayload(MemorySegment memory, long at, MemorySegment payload) {
        layout.forEachLine(at, (versionAt, from, payloadOffset, bytes, endVersionAt) -> {
            int part;
            for (int done = 0; done < bytes; done += part) {
                long to = from + done;
                part = (int) Math.min((to | storeBytes - 1) + 1 - to, bytes - done);
                cpu.accesses(part);
                MemorySegment.copy(payload, payloadOffset + done, memory, to, part);
            }
        });
    }
}
