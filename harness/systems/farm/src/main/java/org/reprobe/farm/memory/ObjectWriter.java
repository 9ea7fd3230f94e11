package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Requester;

/**
 * Changes objects that others READ without a lock, by the CPU of the machine that has them (FaRM 2014, section 3.5): whoever READs an
 * object meanwhile finds a header that is locked or versions that differ. Who changes it has locked it, so that there is one at a time.
 *
 * <p>The steps are separated by barriers. Within one, stores may be seen in any order.
 */
public final class ObjectWriter {
    /** What a line's versions are while its payload is written: as those of no object that is unlocked. */
    static final short LOCKED_LINE = (short) ObjectLayout.LOCK_MODE;

    /** A version's two low bits are the lock mode. */
    public static final long ONE_VERSION = ObjectLayout.LOCK_MODE + 1;

    /** After so many updates, a line's version is as it was. */
    public static final int VERSIONS = (int) ((1L << Short.SIZE) / ONE_VERSION);

    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle HEADER = LONG.varHandle();

    /** Lock value into line versions, payload, line versions, header. */
    private static final int STEPS = 4;

    private final Requester cpu;
    private final ObjectLayout layout;
    private final long versionStep;
    private final long storeBytes;
    private final long stepPs;

    /**
     * Writer of objects of a layout.
     *
     * @param cpu whose memory the objects are in
     */
    public ObjectWriter(Requester cpu, ObjectLayout layout) {
        this(cpu, layout, ONE_VERSION, 0);
    }

    /**
     * Writer whose updates take time.
     *
     * @param updatePs CPU time that an update takes, which its steps have in equal parts
     */
    public ObjectWriter(Requester cpu, ObjectLayout layout, long updatePs) {
        this(cpu, layout, ONE_VERSION, updatePs);
    }

    /**
     * Writer of objects whose line versions may wrap around sooner.
     *
     * @param versionStep from a version to the next, a multiple of {@link #ONE_VERSION}
     * @param updatePs CPU time that an update takes, which its steps have in equal parts
     */
    public ObjectWriter(Requester cpu, ObjectLayout layout, long versionStep, long updatePs) {
        this.cpu = cpu;
        this.layout = layout;
        this.versionStep = versionStep;
        this.storeBytes = Math.clamp(cpu.atomicReadBytes() / 2, Long.BYTES, ObjectLayout.LINE_BYTES / 2);
        this.stepPs = updatePs / STEPS;
    }

    /**
     * Locks an object for its update, so that no READ accepts it.
     *
     * @param version that it is expected to have
     * @return whether it had it, and is locked now
     */
    public boolean lock(MemorySegment memory, long at, long version) {
        return lock(memory, at, version, ObjectLayout.EXCLUSIVE);
    }

    /** Locks an object in one of the two modes, if it has the version that is expected and nobody has locked it. */
    public boolean lock(MemorySegment memory, long at, long version, long mode) {
        cpu.accesses(Long.BYTES);
        return (version & ObjectLayout.LOCK_MODE) == 0 && HEADER.compareAndSet(memory, at, version, version | mode);
    }

    /** Makes the lock of an object that was locked with {@code version} exclusive. */
    public void lockExclusively(MemorySegment memory, long at, long version) {
        cpu.accesses(Long.BYTES);
        HEADER.setVolatile(memory, at, version | ObjectLayout.EXCLUSIVE);
    }

    /** Unlocks an object that was locked with {@code version} and not changed. */
    public void unlock(MemorySegment memory, long at, long version) {
        cpu.accesses(Long.BYTES);
        HEADER.setRelease(memory, at, version);
    }

    /** The version of an object with its lock mode, as it is now. */
    public long header(MemorySegment memory, long at) {
        cpu.accesses(Long.BYTES);
        return (long) HEADER.getVolatile(memory, at);
    }

    /**
     * Takes the payload of an object by the CPU.
     *
     * @param version that it had before, unlocked
     * @return whether it has it still, so that this was its payload
     */
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
     * Gives an object that was locked with {@code version} another payload, and unlocks it with the version that follows, which it returns. In the
     * printed order: "first writing a special lock value to the cache line versions, then updating the data in each cache line, and finally
     * updating the cache line versions and the header version".
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

    /** What stands at a place that is locked is an object of this incarnation from now on; it is given its payload by {@link #update}. */
    public void setIncarnation(MemorySegment memory, long at, long incarnation) {
        cpu.accesses(Long.BYTES);
        ObjectLayout.setIncarnation(memory, at, incarnation);
        VarHandle.releaseFence();
    }

    /**
     * Frees an object that was locked with {@code version}, so that who READs it by a pointer finds another incarnation. Its place may be
     * another object's of the same length from then on, which {@link #setIncarnation} allocates and gets its payload by {@link #update} with the
     * version that is returned.
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

    /** Line by line, by stores that are no longer than a CPU's: where READs take lines, they may find one that is half written. */
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
