package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One direction of a connection's messages in shared memory: one sender, one receiver. The receiver publishes the
 * number and capacities of its posted RECEIVEs, so the sender can match SENDs by itself. Messages are split into
 * fragments and may be longer than the ring.
 *
 * <pre>
 *     0  receiver's line: RECEIVEs posted, bytes taken, broken flag
 *    64  sender's line: bytes put, program-ended flag
 *   128  capacities of posted RECEIVEs, a ring of ints
 *     .  fragments: 8-byte header (length, last, too long), then the bytes, padded to 8
 * </pre>
 */
final class MessageRing {
    enum Sent {
        /** The whole message is in the ring, for a posted RECEIVE. */
        DELIVERED,
        /** No RECEIVE has been posted, or the ring is full. */
        WAITS,
        /** The message exceeds the RECEIVE's capacity; the receiver will detect it. */
        TOO_LONG,
        /** The other end is broken. */
        REFUSED
    }

    /** Result of {@link #take}: no complete message. */
    static final int NOTHING = -1;

    /** Result of {@link #take}: the message exceeded the RECEIVE. */
    static final int TOO_LONG = -2;

    private static final int RING_BYTES = 1 << 16;
    private static final int FRAGMENT_BYTES = 1 << 14;
    private static final int HEADER = 8;
    private static final long LAST = 1;
    private static final long ERROR = 2;
    private static final int LENGTH_SHIFT = 2;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final long POSTED_AT = 0;
    private static final long TAKEN_AT = 8;
    private static final long BROKEN_AT = 16;
    private static final long PUT_AT = 64;
    private static final long ENDED_AT = 72;
    private static final long LENGTHS_AT = 128;

    private final MemorySegment memory;
    private final int lengthsMask;
    private final long ringAt;

    private long posted;

    private long bytesTaken;
    private long bytesPut;
    private long messagesSent;
    private int sentOfMessage;
    private int takenOfMessage;

    /** @param receiveQueue capacity of the receiving end */
    MessageRing(MemorySegment memory, int receiveQueue) {
        this.memory = memory;
        int lengths = places(receiveQueue);
        this.lengthsMask = lengths - 1;
        this.ringAt = ringAt(lengths);
    }

    static long bytes(int receiveQueue) {
        return ringAt(places(receiveQueue)) + RING_BYTES;
    }

    private static int places(int receiveQueue) {
        return Integer.highestOneBit(Math.max(1, 2 * receiveQueue - 1));
    }

    private static long ringAt(int lengths) {
        return (LENGTHS_AT + lengths * 4L + 63) & ~63L;
    }

    // Called by the receiver.

    void post(int maxBytes) {
        memory.set(ValueLayout.JAVA_INT, LENGTHS_AT + (posted & lengthsMask) * 4, maxBytes);
        LONG.setRelease(memory, POSTED_AT, ++posted);
    }

    /** Sets the broken flag: this end receives no further messages. */
    void breakDown() {
        LONG.setRelease(memory, BROKEN_AT, 1L);
    }

    /** Returns true if the sender has ended and all its messages have been taken. */
    boolean dry() {
        return (long) LONG.getAcquire(memory, ENDED_AT) != 0 && (long) LONG.getAcquire(memory, PUT_AT) == bytesTaken;
    }

    /** Copies parts of a message; returns its length once complete, else {@link #NOTHING} or {@link #TOO_LONG}. */
    int take(MemorySegment local, long localOffset) {
        while (true) {
            if ((long) LONG.getAcquire(memory, PUT_AT) == bytesTaken) {
                return NOTHING;
            }
            long header = memory.get(ValueLayout.JAVA_LONG, ringAt + (bytesTaken & (RING_BYTES - 1)));
            int bytes = (int) (header >>> LENGTH_SHIFT);
            long from = bytesTaken + HEADER & (RING_BYTES - 1);
            long whole = Math.min(bytes, RING_BYTES - from);
            MemorySegment.copy(memory, ringAt + from, local, localOffset + takenOfMessage, whole);
            MemorySegment.copy(memory, ringAt, local, localOffset + takenOfMessage + whole, bytes - whole);
            takenOfMessage += bytes;
            bytesTaken += HEADER + padded(bytes);
            LONG.setRelease(memory, TAKEN_AT, bytesTaken);
            if ((header & ERROR) != 0) {
                return TOO_LONG;
            }
            if ((header & LAST) != 0) {
                int length = takenOfMessage;
                takenOfMessage = 0;
                return length;
            }
        }
    }

    // Called by the sender.

    /** Sets the flag that the sender's program has ended: no further message follows. */
    void end() {
        LONG.setRelease(memory, ENDED_AT, 1L);
    }

    /** Puts a message into the ring as far as it fits; to be repeated until the result is not {@link Sent#WAITS}. */
    Sent send(MemorySegment local, long localOffset, int bytes) {
        if ((long) LONG.getAcquire(memory, BROKEN_AT) != 0) {
            return Sent.REFUSED;
        }
        if (sentOfMessage == 0) {
            if ((long) LONG.getAcquire(memory, POSTED_AT) == messagesSent) {
                return Sent.WAITS;
            }
            if (bytes > memory.get(ValueLayout.JAVA_INT, LENGTHS_AT + (messagesSent & lengthsMask) * 4)) {
                if (room() < HEADER) {
                    return Sent.WAITS;
                }
                put(local, localOffset, 0, LAST | ERROR);
                return Sent.TOO_LONG;
            }
        }
        while (true) {
            int fragment = Math.min(bytes - sentOfMessage, FRAGMENT_BYTES);
            if (room() < HEADER + padded(fragment)) {
                return Sent.WAITS;
            }
            boolean last = sentOfMessage + fragment == bytes;
            put(local, localOffset + sentOfMessage, fragment, last ? LAST : 0);
            if (last) {
                sentOfMessage = 0;
                messagesSent++;
                return Sent.DELIVERED;
            }
            sentOfMessage += fragment;
        }
    }

    private long room() {
        return RING_BYTES - (bytesPut - (long) LONG.getAcquire(memory, TAKEN_AT));
    }

    private void put(MemorySegment local, long localOffset, int bytes, long flags) {
        memory.set(
                ValueLayout.JAVA_LONG, ringAt + (bytesPut & (RING_BYTES - 1)), ((long) bytes << LENGTH_SHIFT) | flags);
        long to = bytesPut + HEADER & (RING_BYTES - 1);
        long whole = Math.min(bytes, RING_BYTES - to);
        MemorySegment.copy(local, localOffset, memory, ringAt + to, whole);
        MemorySegment.copy(local, localOffset + whole, memory, ringAt, bytes - whole);
        bytesPut += HEADER + padded(bytes);
        LONG.setRelease(memory, PUT_AT, bytesPut);
    }

    private static long padded(int bytes) {
        return bytes + 7L & ~7L;
    }
}
