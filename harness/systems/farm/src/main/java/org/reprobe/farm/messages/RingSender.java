package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * Sending end of a message ring; confined to one thread. It keeps messages in a copy of the ring, at the same
 * positions. Space in the copy is reused after the receiver has processed the message and its WRITE has
 * {@link #completed}: until then the card may retransmit it.
 */
public final class RingSender {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = WORD.varHandle();

    private final Requester requester;
    private final RingLayout layout;
    private final QueuePair queuePair;
    private final long id;
    private final MemorySegment local;
    private final long copyAt;
    private final long headAt;
    private final RemoteRegion ring;
    private final long ringOffset;
    /** End positions of messages with incomplete WRITEs, in order. Each message occupies a send-queue slot. */
    private final long[] ends;

    private int underWay;
    private int firstUnderWay;
    private long tail;
    private long completedTo;
    private long trailer;

    /**
     * Creates the sending end of an empty ring.
     *
     * @param sendQueue slots of the queue pair that are available to this ring
     * @param id of this end's WRITEs
     * @param copyAt offset in {@code local} of the copy of the ring
     * @param headAt offset in {@code local} of the zeroed word into which the receiver WRITEs its head
     * @param ringOffset offset of the ring in the remote region
     */
    public RingSender(
            Requester requester,
            RingLayout layout,
            QueuePair queuePair,
            int sendQueue,
            long id,
            MemorySegment local,
            long copyAt,
            long headAt,
            RemoteRegion ring,
            long ringOffset) {
        this.requester = requester;
        this.layout = layout;
        this.queuePair = queuePair;
        this.ends = new long[sendQueue];
        this.id = id;
        this.local = local;
        this.copyAt = copyAt;
        this.headAt = headAt;
        this.ring = ring;
        this.ringOffset = ringOffset;
    }

    public boolean send(MemorySegment message) throws FabricException {
        return send(message, (int) message.byteSize());
    }

    /**
     * Posts a message of {@code bytes} bytes as one signaled WRITE, without ringing the doorbell. Returns true if the
     * ring and the send queue had space. Throws an exception if the message is empty or longer than the maximum.
     */
    public boolean send(MemorySegment message, int bytes) throws FabricException {
        if (bytes == 0 || bytes > layout.maxMessageBytes()) {
            throw new FabricException("a message of " + bytes + " bytes: a ring of " + layout.bytes() + " takes 1 to "
                    + layout.maxMessageBytes());
        }
        int frame = RingLayout.frameBytes(bytes);
        requester.accesses(frame);
        if (!hasRoom(bytes)) {
            return false;
        }
        long from = layout.offset(tail);
        long copy = copyAt + from;
        local.set(WORD, copy, bytes);
        for (int done = 0; done < frame - RingLayout.HEADER_BYTES - RingLayout.TRAILER_BYTES; done += Long.BYTES) {
            local.set(WORD, copy + RingLayout.HEADER_BYTES + done, word(message, done, bytes));
        }
        local.set(WORD, copy + frame - RingLayout.TRAILER_BYTES, ++trailer);
        queuePair.write(id, copy, ring.address() + ringOffset + from, ring.key(), frame, true);
        tail += frame;
        ends[(firstUnderWay + underWay++) % ends.length] = tail;
        return true;
    }

    /** Returns true if the ring, as far as is known, and the send queue have space for a message. */
    boolean hasRoom(int messageBytes) {
        return layout.hasRoom(tail, Math.min(receivedHead(), completedTo), RingLayout.frameBytes(messageBytes))
                && queuePair.free() > 0;
    }

    /** Returns the receiver's head as last received. */
    long receivedHead() {
        return (long) SHARED_WORD.getAcquire(local, headAt);
    }

    /** Releases the send-queue slot of the oldest WRITE, which has completed. */
    public void completed() {
        completedTo = ends[firstUnderWay];
        firstUnderWay = (firstUnderWay + 1) % ends.length;
        underWay--;
    }

    public int underWay() {
        return underWay;
    }

    private static long word(MemorySegment message, int at, int bytes) {
        int left = bytes - at;
        if (left >= Long.BYTES) {
            return message.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        long word = 0;
        for (int i = 0; i < left; i++) {
            word |= (message.get(ValueLayout.JAVA_BYTE, at + i) & 0xFFL) << (8 * i);
        }
        return word;
    }
}
