package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SendQueue;
import org.reprobe.fabric.SoftwareQueuePair;
import org.reprobe.fabric.WrittenWords;

/**
 * One end of a connection over shared memory. The thread that rings the doorbell executes the operations synchronously,
 * so at most one is in flight and the other side is passive. A SEND without a RECEIVE, and the operations after it, are
 * retried by later polls.
 *
 * <p>Operations are executed in groups. The memory of a whole group is touched first, so that the cache misses of its
 * operations overlap.
 *
 * <p>Data is copied word by word in ascending order. So 8 aligned bytes are never torn, longer values may be, and the
 * words of a WRITE appear in this order.
 */
final class ShmQueuePair extends SoftwareQueuePair {
    /** Connection number of a server's end. */
    static final int SERVER = -1;

    private static final int GROUP = 16;

    private static final int LINE_BYTES = 64;
    /** Maximum number of bytes of an operation that are touched; the hardware prefetcher loads the rest. */
    private static final int TOUCHED_BYTES = 1024;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final VarHandle ATOMIC = ValueLayout.JAVA_LONG.varHandle();

    /** Methods of the process that a queue pair needs. */
    interface Owner {
        ShmRegions regions();

        void check() throws FabricException;

        /** Checks that the other end still runs; called at intervals during a wait. */
        void checkPeer(ShmQueuePair waiting) throws FabricException;

        /** Returns a queue pair's message channel; null until it exists. */
        @Nullable
        MessageChannel channel(ShmQueuePair of);
    }

    private final Owner host;
    private final ShmControl control;
    private final int connection;
    private final MemorySegment local;
    private final long localBytes;
    private ShmRegions regions = ShmRegions.NONE;

    /** Number of executed requests; those from {@code posted} on wait for the doorbell. */
    private long done;

    private long posted;

    /** Prevents the compiler from removing the touches. */
    @SuppressWarnings("UnusedVariable") // only written
    private long touched;

    private boolean broken;
    private boolean closed;

    private long receivesPublished;

    private @Nullable MessageChannel channel;
    private final Idle idle = new Idle();

    /** @param connection number at the client's end; {@link #SERVER} at the other end, which has no regions */
    ShmQueuePair(Owner host, ShmControl control, int connection, MemorySegment local, ConnectionOptions options) {
        super(options);
        this.host = host;
        this.control = control;
        this.connection = connection;
        this.local = local;
        this.localBytes = local.byteSize();
    }

    static void check(ConnectionOptions options) throws FabricException {
        check(options, "shared memory", 1 << 20);
    }

    @Override
    public void receive(long id, long localOffset, int bytes) {
        receives.post(id, localOffset, bytes, localBytes);
        if (broken) {
            fill(0, Status.FLUSHED);
        } else {
            publishReceives();
        }
    }

    @Override
    public boolean writesLandInOrder() {
        return true;
    }

    @Override
    public void doorbell() throws FabricException {
        host.check();
        posted = queue.appended();
        work();
    }

    /** Executes posted operations as far as possible. A server awaits its end before it reuses deregistered memory. */
    private void work() {
        if (connection == SERVER) {
            workThrough();
            return;
        }
        control.beginAccess(connection);
        try {
            workThrough();
        } finally {
            control.endAccess(connection);
        }
    }

    private void workThrough() {
        while (done < posted) {
            if (control.regionsVersion() != regions.version()) {
                regions = host.regions();
            }
            long end = Math.min(posted, done + GROUP);
            if (end - done > 1) {
                touch(end);
            }
            while (done < end) {
                if (!perform(done)) {
                    return;
                }
                done++;
            }
        }
    }

    /** Loads one byte per cache line of the operations before {@code end}; of long operations only the first lines. */
    private void touch(long end) {
        long seen = 0;
        for (long sequence = done; sequence < end; sequence++) {
            long remote = queue.remote(sequence);
            int bytes = queue.bytes(sequence);
            MemorySegment memory = bytes == 0 ? null : regions.memory(remote, bytes, queue.key(sequence));
            if (memory != null) {
                long offset = remote & ShmControl.OFFSET_MASK;
                int last = Math.min(bytes, TOUCHED_BYTES) - 1;
                for (int line = 0; line < last; line += LINE_BYTES) {
                    seen += memory.get(ValueLayout.JAVA_BYTE, offset + line);
                }
                seen += memory.get(ValueLayout.JAVA_BYTE, offset + last);
            }
        }
        touched = seen;
    }

    /** Executes one operation; returns false if it must wait. */
    private boolean perform(long sequence) {
        long remote = queue.remote(sequence);
        int bytes = queue.bytes(sequence);
        int operation = queue.operation(sequence);
        long localOffset = queue.localOffset(sequence);
        Status status;
        if (broken) {
            status = Status.FLUSHED;
        } else if (localOffset + bytes > localBytes) {
            status = Status.LOCAL_PROTECTION_ERROR;
        } else if (operation == SendQueue.SEND) {
            Status sent = sendMessage(localOffset, bytes);
            if (sent == null) {
                return false;
            }
            status = sent;
        } else {
            // Checked for each operation, since a region may have been deregistered meanwhile.
            if (control.regionsVersion() != regions.version()) {
                regions = host.regions();
            }
            MemorySegment memory = regions.memory(remote, bytes, queue.key(sequence));
            status = memory == null
                    ? Status.REMOTE_ACCESS_ERROR
                    : oneSided(operation, sequence, memory, remote & ShmControl.OFFSET_MASK, localOffset, bytes);
        }
        if (status != Status.SUCCESS) {
            breakDown();
        }
        complete(sequence, status);
        return true;
    }

    private Status oneSided(
            int operation, long sequence, MemorySegment memory, long offset, long localOffset, int bytes) {
        try {
            switch (operation) {
                case SendQueue.READ -> {
                    copy(memory, offset, local, localOffset, bytes);
                    VarHandle.acquireFence();
                }
                case SendQueue.WRITE -> {
                    VarHandle.releaseFence();
                    WrittenWords.land(local, localOffset, memory, offset, bytes);
                }
                default -> {
                    if ((memory.address() + offset & 7) != 0) {
                        return Status.REMOTE_ACCESS_ERROR;
                    }
                    long first = queue.firstOperand(sequence);
                    long before = operation == SendQueue.FETCH_AND_ADD
                            ? (long) ATOMIC.getAndAdd(memory, offset, first)
                            : (long) ATOMIC.compareAndExchange(memory, offset, first, queue.secondOperand(sequence));
                    local.set(WORD, localOffset, before);
                }
            }
            return Status.SUCCESS;
        } catch (IllegalStateException _) {
            return Status.REMOTE_ACCESS_ERROR; // the server has just freed the memory
        }
    }

    private static void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int bytes) {
        int words = bytes & ~7;
        int i = 0;
        for (; i < words; i += 8) {
            to.set(WORD, toOffset + i, from.get(WORD, fromOffset + i));
        }
        for (; i < bytes; i++) {
            to.set(ValueLayout.JAVA_BYTE, toOffset + i, from.get(ValueLayout.JAVA_BYTE, fromOffset + i));
        }
    }

    private @Nullable Status sendMessage(long localOffset, int bytes) {
        MessageChannel way = channel();
        if (way == null) {
            return null;
        }
        return switch (way.out().send(local, localOffset, bytes)) {
            case WAITS -> null;
            case DELIVERED -> Status.SUCCESS;
            case TOO_LONG, REFUSED -> Status.REMOTE_INVALID_REQUEST;
        };
    }

    private @Nullable MessageChannel channel() {
        MessageChannel way = channel;
        if (way == null) {
            way = host.channel(this);
            channel = way;
        }
        return way;
    }

    private void publishReceives() {
        MessageChannel way = channel();
        if (way != null) {
            while (receivesPublished < receives.posted()) {
                way.in().post(receives.bytes(receivesPublished++));
            }
        }
    }

    private void takeMessages() {
        if (!receives.isWaiting() || broken) {
            return;
        }
        if (receivesPublished < receives.posted()) {
            publishReceives();
        }
        MessageChannel way = channel;
        if (way == null) {
            return;
        }
        while (receives.filled() < receivesPublished && !broken) {
            int length = way.in().take(local, receives.nextLocal());
            if (length == MessageRing.NOTHING) {
                return;
            }
            if (length == MessageRing.TOO_LONG) {
                fill(0, Status.LOCAL_LENGTH_ERROR);
                breakDown();
            } else {
                fill(length, Status.SUCCESS);
            }
        }
    }

    private void breakDown() {
        if (!broken) {
            broken = true;
            while (receives.isWaiting()) {
                fill(0, Status.FLUSHED);
            }
            MessageChannel way = channel();
            if (way != null) {
                way.in().breakDown();
            }
        }
    }

    @Override
    public int poll(Completions into) throws FabricException {
        host.check();
        into.clear();
        takeMore(into);
        return into.count();
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        takeMore(into);
        if (into.count() == 0) {
            idle.reset();
            do {
                host.check();
                if (isIdle()) {
                    throw new FabricException("a program waits for a completion, but no request is posted");
                }
                if (idle.once()) {
                    checkPeer();
                }
                takeMore(into);
            } while (into.count() == 0);
        }
        return into.count();
    }

    /** Returns true if no posted operation can complete. */
    boolean isIdle() {
        return closed || (done == posted && !receives.isWaiting());
    }

    void checkPeer() throws FabricException {
        host.checkPeer(this);
    }

    /** Returns true if this end waits for a server program that has ended without leaving messages. */
    boolean cannotComplete() {
        MessageChannel way = channel;
        return way == null || way.in().dry();
    }

    /** Resumes waiting operations and appends available completions. */
    void takeMore(Completions into) {
        if (closed) {
            return;
        }
        if (done < posted) {
            work();
        }
        takeMessages();
        takeCompletions(into);
    }

    @Override
    public void close() {
        closed = true; // posted operations are done; the memory is freed at the end of the run
    }
}
