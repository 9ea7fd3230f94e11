package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * The sending end of a ring of messages, for one thread. It keeps what it has sent in a copy of the ring, at the same places. Bytes there are
 * written anew when the receiver has processed them and the WRITE that brought them has {@link #completed}: until then the card may send them
 * once more.
 */
public final class RingSender {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = WORD.varHandle();

    private final Requester here;
    private final RingLayout layout;
    private final QueuePair queuePair;
    private final long id;
    private final MemorySegment local;
    private final long copyAt;
    private final long headAt;
    private final RemoteRegion ring;
    private final long ringOffset;
    /** Of the messages whose WRITEs have not completed, the first one first: where each ends. A message has a place in the send queue. */
    private final long[] ends;

    private int underWay;
    private int firstUnderWay;
    private long tail;
    private long completedTo;
    private long trailer;

    /**
     * The end of an empty ring.
     *
     * @param here whose thread it is
     * @param sendQueue of the queue pair, which is for this ring alone or known to have so many places for it
     * @param id of its WRITEs
     * @param local memory of the queue pair
     * @param copyAt in it, room for a copy of the ring
     * @param headAt in it, the word into which the receiver WRITEs how much it has processed; zero
     * @param ringOffset where in the remote region the ring begins
     */
    public RingSender(
            Requester here,
            RingLayout layout,
            QueuePair queuePair,
            int sendQueue,
            long id,
            MemorySegment local,
            long copyAt,
            long headAt,
            RemoteRegion ring,
            long ringOffset) {
        this.here = here;
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

    /** Posts a message as {@link #send(MemorySegment, int)} does, all of it. */
    public boolean send(MemorySegment message) throws FabricException {
        return send(message, (int) message.byteSize());
    }

    /**
     * Posts a message of {@code bytes} bytes, without ringing the doorbell. It is one WRITE, signaled.
     *
     * @return whether there was room, in the ring as far as is known and in the send queue
     * @throws FabricException when it is empty or longer than the ring can take
     */
    public boolean send(MemorySegment message, int bytes) throws FabricException {
        if (bytes == 0 || bytes > layout.maxMessageBytes()) {
            throw new FabricException("a message of " + bytes + " bytes: a ring of " + layout.bytes() + " takes 1 to "
                    + layout.maxMessageBytes());
        }
        int frame = RingLayout.frameBytes(bytes);
        here.accesses(frame);
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

    /** Whether there is room for a message now, in the ring as far as is known and in the send queue. */
    boolean hasRoom(int messageBytes) {
        return layout.hasRoom(tail, Math.min(toldHead(), completedTo), RingLayout.frameBytes(messageBytes))
                && queuePair.free() > 0;
    }

    /** Up to where the receiver has processed, as far as it has told. */
    long toldHead() {
        return (long) SHARED_WORD.getAcquire(local, headAt);
    }

    /** A signaled WRITE of its has completed. */
    public void completed() {
        completedTo = ends[firstUnderWay];
        firstUnderWay = (firstUnderWay + 1) % ends.length;
        underWay--;
    }

    /** Messages whose WRITEs have not completed. */
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
