package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectPlaces;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.SizeClasses;

/**
 * A transaction over objects that are all in the memory of the machine that runs it (FaRM 2014, section 3.4, "single machine
 * transactions"). It keeps the versions of what it reads, and what it writes until it commits. Then it locks what it
 * writes by compare-and-swap from the version read, in the mode that READs accept, checks that what it has only read has its version
 * still and is locked by nobody, writes and unlocks.
 *
 * <p>What is locked is all locked exclusively before the first of it is written: else whoever READs two objects could find the first
 * new and then the second old. And it is so before the read set is validated. The paper validates first, and has the commit messages to the
 * replicas in between; then somebody may see a later transaction's write of what this one has read, and after it this one's objects as they
 * were before it.
 *
 * <p>Where replicas are told before it writes, it {@link #hold holds} all that it has read until they have answered, in the mode that READs accept: so nobody
 * writes what it has only read, and lookups go on.
 *
 * <p>What it has read before it commits need not have been there at one moment. For one thread; serves one transaction after the other.
 */
public final class LocalTransaction {
    private static final long SEED = 0xFA2;
    private static final long MAX_BACK_OFF_NS = 10_000;

    /** Order of the steps of a commit. */
    public enum CommitOrder {
        /** Locks and validates all before it writes: strictly serializable with READs of several objects. */
        STRICT,
        /** Printed (FaRM 2014, section 3.4): validates while READs still accept what it will write. */
        PRINTED,
        /** Locks all that it has read: strictly serializable also where replicas log before it writes. */
        HELD
    }

    /** Why a transaction aborts. */
    public enum Abort {
        /** Somebody has locked what it reads or writes. */
        LOCKED,
        /** What it writes, or reads by a pointer, has changed since it was read. */
        CHANGED,
        /** What it has only read has changed or is locked when it commits. */
        INVALID
    }

    /** The transaction has to begin anew. */
    public static final class Conflict extends Exception {
        private static final long serialVersionUID = 1;
        private final Abort cause;

        private Conflict(Abort cause) {
            super(cause.name(), null, false, false);
            this.cause = cause;
        }
    }

    /** The region has no room for an object that the transaction allocates: it has changed nothing. */
    public static final class NoRoom extends FabricException {
        private static final long serialVersionUID = 1;

        private NoRoom(int bytes) {
            super("the region has no room for another object of " + bytes + " bytes");
        }
    }

    /** What a transaction does before it commits: it may be run several times. */
    @FunctionalInterface
    public interface Body<T> {
        public T run() throws Conflict, FabricException;
    }

    /** An object as the transaction sees it. */
    public static final class Copy {
        private ObjectWriter writer;
        private MemorySegment payload;
        private long at;
        private long version;
        private long incarnation;
        private boolean written;
        private boolean renewed;
        private boolean allocated;
        private boolean freed;
        private boolean locked;

        private Copy(ObjectWriter writer) {
            this.writer = writer;
            this.payload = writer.layout().newPayload();
        }

        private void begin(ObjectWriter of, long offset) {
            if (of != writer) {
                writer = of;
                payload = of.layout().newPayload();
            }
            at = offset;
            written = false;
            renewed = false;
            allocated = false;
            freed = false;
            locked = false;
        }

        /** Its offset in the region. */
        public long at() {
            return at;
        }

        /** What it has once the transaction has committed. */
        public long incarnation() {
            return incarnation;
        }

        /** To be read, and to be changed by who says so ({@link LocalTransaction#write}). */
        public MemorySegment payload() {
            return payload;
        }

        public boolean isWritten() {
            return written;
        }
    }

    private final Requester cpu;
    private final MemorySegment memory;
    private final ObjectPlaces places;
    private final CommitOrder order;
    private final long updatePs;
    private final List<ObjectWriter> writers = new ArrayList<>();
    private final List<Copy> copies = new ArrayList<>();
    private int count;
    private final BackOff backOff;
    private final Map<Abort, Long> aborts = new EnumMap<>(Abort.class);
    private long commits;

    /**
     * A thread's.
     *
     * @param memory the machine's region, which begins with a cache line
     * @param seed of its back-off
     */
    public LocalTransaction(Requester cpu, MemorySegment memory, ObjectPlaces places, long seed) {
        this(cpu, memory, places, seed, CommitOrder.STRICT, 0);
    }

    /**
     * One that commits otherwise.
     *
     * @param updatePs CPU time that it takes to write an object that is locked
     */
    public LocalTransaction(
            Requester cpu, MemorySegment memory, ObjectPlaces places, long seed, CommitOrder order, long updatePs) {
        this.cpu = cpu;
        this.memory = memory;
        this.places = places;
        this.backOff = new BackOff(MAX_BACK_OFF_NS, SEED, seed);
        this.order = order;
        this.updatePs = updatePs;
    }

    /** Transactions that have committed. */
    long commits() {
        return commits;
    }

    /** How often one has aborted for this reason, and begun anew. */
    long aborts(Abort cause) {
        return aborts.getOrDefault(cause, 0L);
    }

    /** Runs a transaction until it has committed, with a random back-off after each abort. */
    public <T> T run(Body<T> body) throws FabricException {
        while (true) {
            count = 0;
            boolean committed = false;
            try {
                T result = body.run();
                commit();
                committed = true;
                commits++;
                return result;
            } catch (Conflict conflict) {
                aborts.merge(conflict.cause, 1L, Long::sum);
            } finally {
                if (!committed) {
                    abort();
                }
            }
            cpu.pause(backOff.nextNs());
        }
    }

    /**
     * Runs a transaction until all that it has read is locked in the readable mode: {@link #commitHeld} does what is left of {@link CommitOrder#HELD}, and nothing else
     * is to be run before.
     *
     * @param body that frees nothing and gives nothing another incarnation
     * @return null if it has to begin anew
     */
    public <T> @Nullable T hold(Body<T> body) throws FabricException {
        count = 0;
        boolean held = false;
        try {
            T result = body.run();
            lock(true);
            held = true;
            return result;
        } catch (Conflict conflict) {
            aborts.merge(conflict.cause, 1L, Long::sum);
            return null;
        } finally {
            if (!held) {
                abort();
            }
        }
    }

    /** Adds what is held and will be written to a message to replicas. */
    public void tell(CommitMessage.Builder message, int region) {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            long address = Address.of(region, copy.at);
            ObjectLayout object = copy.writer.layout();
            if (copy.allocated) {
                message.allocate(address, copy.version, object, copy.payload, copy.incarnation);
            } else if (copy.written) {
                message.add(address, copy.version, object, copy.payload);
            }
        }
    }

    /** Writes what is held, and unlocks it. */
    public void commitHeld() {
        lockExclusively();
        writeAll();
        unlockRead();
        commits++;
    }

    /** Reads an object that nobody frees. */
    public Copy read(ObjectLayout object, long at) throws Conflict {
        Copy known = known(at);
        if (known != null) {
            return known;
        }
        ObjectWriter writer = writer(object);
        long version = writer.header(memory, at);
        if ((version & ObjectLayout.LOCK_MODE) != 0) {
            throw new Conflict(Abort.LOCKED);
        }
        Copy copy = add(writer, at);
        copy.version = version;
        copy.incarnation = ObjectLayout.incarnation(memory, at);
        if (!writer.read(memory, at, version, copy.payload)) {
            throw new Conflict(Abort.CHANGED);
        }
        return copy;
    }

    /** Reads the object that a fat pointer means. */
    public Copy read(ObjectLayout object, long at, long incarnation) throws Conflict {
        Copy copy = read(object, at);
        if (copy.incarnation != incarnation || copy.freed) {
            throw new Conflict(Abort.CHANGED);
        }
        return copy;
    }

    /** Has an object get the payload that its copy has when the transaction commits. */
    public void write(Copy copy) {
        copy.written = true;
    }

    /** Gives an object that stays where it is another incarnation: whoever has a pointer to it starts again. */
    public void renew(Copy copy) {
        copy.written = true;
        if (!copy.renewed) {
            copy.renewed = true;
            copy.incarnation++;
        }
    }

    /**
     * Allocates an object whose payload is zero.
     *
     * @param near offset of another object
     * @throws NoRoom when there is none
     */
    public Copy allocate(ObjectLayout object, long near) throws NoRoom {
        long at = places.allocateNear(SizeClasses.of(object.bytes()), near);
        if (at < 0) {
            throw new NoRoom(object.bytes());
        }
        ObjectWriter writer = writer(object);
        Copy copy = add(writer, at);
        copy.version = writer.header(memory, at);
        copy.incarnation = Math.max(1, ObjectLayout.incarnation(memory, at)); // 0 is that of a pointer to nothing
        copy.payload.fill((byte) 0);
        copy.allocated = true;
        copy.written = true;
        return copy;
    }

    /** Frees an object. */
    public void free(Copy copy) {
        copy.written = true;
        copy.freed = true;
    }

    /** The object at an offset, if it has read or allocated it; else null. */
    @Nullable
    public Copy known(long at) {
        for (int i = 0; i < count; i++) {
            if (copies.get(i).at == at) {
                return copies.get(i);
            }
        }
        return null;
    }

    private Copy add(ObjectWriter writer, long at) {
        if (count == copies.size()) {
            copies.add(new Copy(writer));
        }
        Copy copy = copies.get(count++);
        copy.begin(writer, at);
        return copy;
    }

    private ObjectWriter writer(ObjectLayout object) {
        for (ObjectWriter writer : writers) {
            if (writer.layout().equals(object)) {
                return writer;
            }
        }
        ObjectWriter writer = new ObjectWriter(cpu, object, updatePs);
        writers.add(writer);
        return writer;
    }

    private void commit() throws Conflict {
        switch (order) {
            case STRICT -> {
                lock(false);
                lockExclusively();
                validate();
            }
            case PRINTED -> {
                lock(false);
                validate();
                lockExclusively();
            }
            case HELD -> {
                lock(true);
                lockExclusively();
            }
        }
        writeAll();
        unlockRead();
        for (int i = 0; i < count; i++) {
            if (copies.get(i).freed) {
                places.free(copies.get(i).at);
            }
        }
    }

    private void unlockRead() {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (copy.locked) {
                copy.writer.unlock(memory, copy.at, copy.version);
                copy.locked = false;
            }
        }
    }

    private void lock(boolean all) throws Conflict {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (all || copy.written) {
                copy.locked = copy.writer.lock(memory, copy.at, copy.version, ObjectLayout.READABLE);
                if (!copy.locked) {
                    boolean others = (copy.writer.header(memory, copy.at) & ObjectLayout.LOCK_MODE) != 0;
                    throw new Conflict(others ? Abort.LOCKED : Abort.CHANGED);
                }
            }
        }
    }

    private void lockExclusively() {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (copy.written) {
                copy.writer.lockExclusively(memory, copy.at, copy.version);
            }
        }
    }

    private void validate() throws Conflict {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (!copy.written && copy.writer.header(memory, copy.at) != copy.version) {
                throw new Conflict(Abort.INVALID);
            }
        }
    }

    private void writeAll() {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (copy.written) {
                write(copy, copy.writer);
                copy.locked = false;
            }
        }
    }

    private void write(Copy copy, ObjectWriter writer) {
        if (copy.freed) {
            writer.free(memory, copy.at, copy.version);
            return;
        }
        if (copy.renewed || copy.allocated) {
            writer.setIncarnation(memory, copy.at, copy.incarnation);
        }
        writer.update(memory, copy.at, copy.version, copy.payload);
    }

    /** Unlocks what it has locked, and gives back what it has allocated. */
    private void abort() {
        for (int i = 0; i < count; i++) {
            Copy copy = copies.get(i);
            if (copy.locked) {
                copy.writer.unlock(memory, copy.at, copy.version);
            }
            if (copy.allocated) {
                places.free(copy.at);
            }
        }
    }
}
