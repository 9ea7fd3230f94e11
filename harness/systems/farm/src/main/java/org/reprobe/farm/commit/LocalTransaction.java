package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.SizeClasses;

/**
 * Transaction over objects in the memory of the machine that executes it (FaRM 2014, section 3.4, "single machine
 * transactions"). It records the versions of objects read and buffers writes. Commit locks the write set by
 * compare-and-swap from the version read, in the mode that READs accept. It validates that objects that were only read
 * are unchanged and unlocked. Then it writes and unlocks.
 *
 * <p>All locks become exclusive before the first write: otherwise a client that READs two objects could see the first
 * new and then the second old. They become exclusive before validation, too. The paper validates first, and sends the
 * commit messages to replicas in between. Then a client may see a later transaction's write of an object in the read
 * set, and after it old values of this write set.
 *
 * <p>If replicas log before the write, {@link #hold} also locks the read set in the mode that READs accept, until the
 * replicas have replied. No other transaction can then write it, and lookups continue.
 *
 * <p>Before it commits, a transaction may observe an inconsistent snapshot. Confined to one thread; executes
 * transactions one after the other.
 */
public final class LocalTransaction {
    private static final long SEED = 0xFA2;
    private static final long MAX_BACK_OFF_NS = 10_000;

    public enum CommitOrder {
        /** Locks and validates all objects before it writes: strictly serializable with READs of several objects. */
        STRICT,
        /** Printed (FaRM 2014, section 3.4): validates while READs still accept the write set. */
        PRINTED,
        /** Locks the read set, too: strictly serializable even if replicas log before the write. */
        HELD
    }

    public enum Abort {
        /** An object in the read or write set is locked. */
        LOCKED,
        /** An object that is written, or read through a pointer, has changed since it was read. */
        CHANGED,
        /** An object that was only read has changed or is locked at commit time. */
        INVALID
    }

    public static final class Conflict extends Exception {
        private Conflict(Abort cause) {
            super(cause.name(), null, false, false);
        }
    }

    /** Thrown if the region is full. The transaction has changed nothing. */
    public static final class NoRoom extends FabricException {
        private NoRoom(int bytes) {
            super("the region is full: no place for an object of " + bytes + " bytes");
        }
    }

    /** Program of a transaction up to the commit. It may run several times. */
    @FunctionalInterface
    public interface Body<T> {
        public T run() throws Conflict, FabricException;
    }

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

        public long at() {
            return at;
        }

        /** Returns the incarnation that the object has after the commit. */
        public long incarnation() {
            return incarnation;
        }

        /** Returns the payload, which may be changed after {@link LocalTransaction#write}. */
        public MemorySegment payload() {
            return payload;
        }

        public boolean isWritten() {
            return written;
        }
    }

    private final Requester cpu;
    private final MemorySegment memory;
    private final ObjectAllocator places;
    private final CommitOrder order;
    private final long updatePs;
    private final List<ObjectWriter> writers = new ArrayList<>();
    private final List<Copy> copies = new ArrayList<>();
    private int count;
    private final BackOff backOff;

    /**
     * @param seed of the back-off
     * @param updatePs CPU time to write a locked object
     */
    public LocalTransaction(
            Requester cpu, MemorySegment memory, ObjectAllocator places, long seed, CommitOrder order, long updatePs) {
        this.cpu = cpu;
        this.memory = memory;
        this.places = places;
        this.backOff = new BackOff(MAX_BACK_OFF_NS, SEED, seed);
        this.order = order;
        this.updatePs = updatePs;
    }

    /** Executes a transaction until it commits, with a random back-off after each abort. */
    public <T> T run(Body<T> body) throws FabricException {
        while (true) {
            count = 0;
            boolean committed = false;
            try {
                T result = body.run();
                commit();
                committed = true;
                return result;
            } catch (Conflict _) {
                // Restarts below.
            } finally {
                if (!committed) {
                    abort();
                }
            }
            cpu.pause(backOff.nextNs());
        }
    }

    /**
     * Executes a transaction, which neither frees objects nor changes incarnations, until its read and write sets are
     * locked in the readable mode. {@link #commitHeld} must follow, with no other transaction in between: it performs
     * the rest of {@link CommitOrder#HELD}. Returns null if the transaction must restart.
     */
    public <T> @Nullable T hold(Body<T> body) throws FabricException {
        count = 0;
        boolean held = false;
        try {
            T result = body.run();
            lock(true);
            held = true;
            return result;
        } catch (Conflict _) {
            return null;
        } finally {
            if (!held) {
                abort();
            }
        }
    }

    /** Appends the held write set to a message to replicas. */
    public void appendTo(CommitMessage.Builder message, int region) {
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

    /** Writes the held write set and unlocks all held objects. */
    public void commitHeld() {
        lockExclusively();
        writeAll();
        unlockRead();
    }

    /** Reads an object that is never freed. */
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

    /** Reads the object that a fat pointer refers to. */
    public Copy read(ObjectLayout object, long at, long incarnation) throws Conflict {
        Copy copy = read(object, at);
        if (copy.incarnation != incarnation || copy.freed) {
            throw new Conflict(Abort.CHANGED);
        }
        return copy;
    }

    /** Marks a copy's payload to be written at commit. */
    public void write(Copy copy) {
        copy.written = true;
    }

    /** Gives an object another incarnation at the same place, so that readers with a pointer to it restart. */
    public void renew(Copy copy) {
        copy.written = true;
        if (!copy.renewed) {
            copy.renewed = true;
            copy.incarnation++;
        }
    }

    /** Allocates an object with a zeroed payload near the object at offset {@code near}. */
    public Copy allocate(ObjectLayout object, long near) throws NoRoom {
        long at = places.allocateNear(SizeClasses.of(object.bytes()), near);
        if (at < 0) {
            throw new NoRoom(object.bytes());
        }
        ObjectWriter writer = writer(object);
        Copy copy = add(writer, at);
        copy.version = writer.header(memory, at);
        copy.incarnation = Math.max(1, ObjectLayout.incarnation(memory, at)); // 0 marks a null pointer
        copy.payload.fill((byte) 0);
        copy.allocated = true;
        copy.written = true;
        return copy;
    }

    public void free(Copy copy) {
        copy.written = true;
        copy.freed = true;
    }

    /** Returns the copy of an object that this transaction has read or allocated; null otherwise. */
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

    /** Makes the locks of the write set exclusive. */
    public void lockExclusively() {
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

    /** Unlocks all objects and frees those that the transaction allocated. */
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
