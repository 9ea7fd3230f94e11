package org.reprobe.farm.messages;

import org.jspecify.annotations.Nullable;

/**
 * Ring of messages in a receiver's memory, into which one sender WRITEs (FaRM 2014, section 3.1). A message is a frame
 * of whole words: its length in bytes, never 0; its bytes, padded with zeros; a trailer, never 0. All other words are
 * zero. The ring's size is a multiple of 16 bytes.
 *
 * <p>A frame is one WRITE, because a card may guarantee the order of bytes within a WRITE, but not between two. A frame
 * that begins near the end of the ring therefore continues after the end, where memory for the longest frame is
 * reserved; the corresponding words at the start stay empty. No padding is needed.
 *
 * <p>The paper prints neither a maximum message length nor the behaviour at the ring's end. The receiver reports free
 * space only after half the ring (section 3.1), so a frame of more than half the ring could wait forever.
 */
public record RingLayout(int bytes) {
    static final int HEADER_BYTES = Long.BYTES;
    static final int TRAILER_BYTES = Long.BYTES;

    static int frameBytes(int messageBytes) {
        return HEADER_BYTES + (messageBytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES + TRAILER_BYTES;
    }

    /** Returns the memory of the ring in bytes, including the space behind its end. */
    public int roomBytes() {
        return bytes + bytes / 2;
    }

    public int maxMessageBytes() {
        return bytes / 2 - HEADER_BYTES - TRAILER_BYTES;
    }

    /** Returns the maximum number of messages in the ring: those of one word. */
    int maxMessages() {
        return bytes / frameBytes(Long.BYTES);
    }

    /** Returns the reason, for users, why a ring can't carry messages of some bytes; null if it can. */
    public static @Nullable String problem(int bytes, int messageBytes) {
        if (bytes % (2 * Long.BYTES) != 0) {
            return "a ring of " + bytes + " bytes: the size must be a multiple of 16";
        }
        int frame = frameBytes(messageBytes);
        return frame > bytes / 2
                ? "a ring of " + bytes + " bytes is too small for messages of " + messageBytes + ", which take " + frame
                        + " in it: it must have at least twice as many, " + 2 * frame
                : null;
    }

    /** Returns the ring offset of a frame; {@code place} counts bytes from the start without wrapping. */
    long offset(long place) {
        return place % bytes;
    }

    /**
     * Returns true if a frame at {@code tail} fits behind the last processed position {@code head} known to the sender.
     * A full ring has no zero words; only the words at the heads of messages delimit them.
     */
    boolean hasRoom(long tail, long head, int frameBytes) {
        return tail + frameBytes - head <= bytes;
    }
}
