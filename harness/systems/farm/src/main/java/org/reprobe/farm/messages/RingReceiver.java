package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * Receiving end of a message ring; confined to one thread. A message is complete when its first word and then its
 * trailer are nonzero, because a message is one WRITE, whose bytes land in address order (FaRM 2014, section 3.1).
 * Later messages may land first.
 */
public final class RingReceiver {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = WORD.varHandle();

    private final Requester requester;
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
    private long publishedHead;
    private boolean publishing;

    /**
     * Creates the receiving end of an empty ring.
     *
     * @param ringAt offset of the zeroed ring in {@code memory}
     * @param id of this end's WRITEs
     * @param headAt offset in {@code local} of the word from which the head is sent
     * @param senderHeadOffset offset of the head in the sender's region
     */
    public RingReceiver(
            Requester requester,
            RingLayout layout,
            MemorySegment memory,
            long ringAt,
            QueuePair queuePair,
            long id,
            MemorySegment local,
            long headAt,
            RemoteRegion sender,
            long senderHeadOffset) {
        this.requester = requester;
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

    private long nextAt() {
        return ringAt + layout.offset(head);
    }

    /** Returns the length of the next message; 0 if it is absent or incomplete. */
    public int nextBytes() {
        int bytes = begunBytes();
        if (bytes == 0) {
            return 0;
        }
        return (long) SHARED_WORD.getAcquire(memory, trailerAt(bytes)) == 0 ? 0 : bytes;
    }

    /** Returns the length of the next message, which may be incomplete; 0 if its first word is absent. */
    private int begunBytes() {
        return (int) (long) SHARED_WORD.getAcquire(memory, nextAt());
    }

    /** Returns the offset of the zero word that must change before the next message is complete. */
    public long awaitedAt() {
        int bytes = begunBytes();
        return bytes == 0 ? nextAt() : trailerAt(bytes);
    }

    private long trailerAt(int bytes) {
        return nextAt() + RingLayout.frameBytes(bytes) - RingLayout.TRAILER_BYTES;
    }

    /** Copies the next message, which must be complete, to the start of {@code into}, in whole words. */
    public void copy(MemorySegment into) {
        long at = nextAt();
        int bytes = (int) memory.get(WORD, at);
        requester.accesses(bytes);
        for (int done = 0; done < bytes; done += Long.BYTES) {
            into.set(ValueLayout.JAVA_LONG_UNALIGNED, done, memory.get(WORD, at + RingLayout.HEADER_BYTES + done));
        }
    }

    public void processed() {
        long at = nextAt();
        int frame = RingLayout.frameBytes((int) memory.get(WORD, at));
        requester.accesses(frame);
        for (int done = 0; done < frame; done += Long.BYTES) {
            memory.set(WORD, at + done, 0);
        }
        head += frame;
    }

    /**
     * WRITEs the head to the sender, without ringing the doorbell, if half the ring was processed since the last time.
     * The WRITE's source word must stay unchanged, so a head that is due earlier waits for {@link #completed}. Returns
     * true if a WRITE was posted, for which the send queue must have a free slot.
     */
    public boolean publishHead() {
        if (publishing || head - publishedHead < layout.bytes() / 2) {
            return false;
        }
        // Zeroing must be visible first: the sender reuses the space at once.
        VarHandle.releaseFence();
        publishedHead = head;
        publishing = true;
        local.set(WORD, headAt, head);
        queuePair.write(id, headAt, sender.address() + senderHeadOffset, sender.key(), Long.BYTES, true);
        return true;
    }

    public void completed() {
        publishing = false;
    }
}
