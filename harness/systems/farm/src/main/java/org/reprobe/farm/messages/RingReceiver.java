package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * The receiving end of a ring of messages, for one thread. A message is there when its first word is not zero and then its trailer is not:
 * the bytes of a WRITE land in the order of addresses (FaRM 2014, section 3.1), and a message is one WRITE. Messages behind it may land before.
 */
public final class RingReceiver {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = WORD.varHandle();

    private final Requester here;
    private final RingLayout layout;
    private final MemorySegment memory;
    private final long ringAt;
    private final QueuePair queuePair;
    private final long id;
    private final MemorySegment local;
    private final long headAt;
    private final RemoteRegion sender;
    private final long senderHeadOffset;
    private long head;
    private long told;
    private boolean telling;

    /**
     * The end of an empty ring.
     *
     * @param here whose thread it is
     * @param memory that the sender WRITEs
     * @param ringAt in it, the ring; all zero
     * @param queuePair to the sender
     * @param id of its WRITEs
     * @param local memory of the queue pair
     * @param headAt in it, a word for what it tells the sender
     * @param senderHeadOffset where in the sender's region its copy of that is
     */
    public RingReceiver(
            Requester here,
            RingLayout layout,
            MemorySegment memory,
            long ringAt,
            QueuePair queuePair,
            long id,
            MemorySegment local,
            long headAt,
            RemoteRegion sender,
            long senderHeadOffset) {
        this.here = here;
        this.layout = layout;
        this.memory = memory;
        this.ringAt = ringAt;
        this.queuePair = queuePair;
        this.id = id;
        this.local = local;
        this.headAt = headAt;
        this.sender = sender;
        this.senderHeadOffset = senderHeadOffset;
    }

    /** Where in memory the next message's frame begins. */
    private long nextAt() {
        return ringAt + layout.offset(head);
    }

    /** Bytes of the next message; 0 when there is none, or not all of it. */
    public int nextBytes() {
        int bytes = begunBytes();
        if (bytes == 0) {
            return 0;
        }
        return (long) SHARED_WORD.getAcquire(memory, trailerAt(bytes)) == 0 ? 0 : bytes;
    }

    /** Bytes of the next message, of which the rest may still be to come; 0 when its first word has not come. */
    private int begunBytes() {
        return (int) (long) SHARED_WORD.getAcquire(memory, nextAt());
    }

    /** Where in its memory the word is that is still zero and must change before there is a next message. */
    public long awaitedAt() {
        int bytes = begunBytes();
        return bytes == 0 ? nextAt() : trailerAt(bytes);
    }

    private long trailerAt(int bytes) {
        return nextAt() + RingLayout.frameBytes(bytes) - RingLayout.TRAILER_BYTES;
    }

    /** Copies the next message, which is there, to the start of {@code into}; that is done in whole words. */
    public void copy(MemorySegment into) {
        long at = nextAt();
        int bytes = (int) memory.get(WORD, at);
        here.accesses(bytes);
        for (int done = 0; done < bytes; done += Long.BYTES) {
            into.set(ValueLayout.JAVA_LONG_UNALIGNED, done, memory.get(WORD, at + RingLayout.HEADER_BYTES + done));
        }
    }

    /** The next message was processed: its place becomes zero. */
    public void processed() {
        long at = nextAt();
        int frame = RingLayout.frameBytes((int) memory.get(WORD, at));
        here.accesses(frame);
        for (int done = 0; done < frame; done += Long.BYTES) {
            memory.set(WORD, at + done, 0);
        }
        head += frame;
    }

    /**
     * Tells the sender how far it has processed, without ringing the doorbell, if that makes half the ring since the sender was told last. To
     * be called again after {@link #completed}, since the word that a WRITE brings must stay until then.
     *
     * @return whether a WRITE was posted; there must be room for it
     */
    public boolean tell() {
        if (telling || head - told < layout.bytes() / 2) {
            return false;
        }
        // Zeroing comes first: who is told of room writes there at once.
        VarHandle.releaseFence();
        told = head;
        telling = true;
        local.set(WORD, headAt, head);
        queuePair.write(id, headAt, sender.address() + senderHeadOffset, sender.key(), Long.BYTES, true);
        return true;
    }

    /** Its WRITE has completed. */
    public void completed() {
        telling = false;
    }
}
