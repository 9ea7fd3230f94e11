package org.reprobe.farm.messages;

import org.jspecify.annotations.Nullable;

/**
 * A ring of messages in a receiver's memory, into which one sender WRITEs (FaRM 2014, section 3.1). A message is a frame of whole words: its
 * length in bytes, which is never 0; its bytes, with zeros up to a whole word; a trailer, which is never 0. All that holds no message is
 * zero.
 *
 * <p>A frame is one WRITE, since a card may promise the order of the bytes within one and not between two. So a frame that begins near the
 * ring's end does not go on at its start but behind its end, where there is room for the rest of the longest; the places at the start that
 * belong to it then stay empty. A frame's place and what it counts are the same either way, so nothing is skipped or padded.
 *
 * <p>The paper says neither how long a message may be nor what happens at the ring's end. The receiver tells the sender of room only after
 * half the ring (section 3.1), so a frame of more than half the ring could wait for ever.
 *
 * @param bytes of the ring, a multiple of 16
 */
public record RingLayout(int bytes) {
    static final int HEADER_BYTES = Long.BYTES;
    static final int TRAILER_BYTES = Long.BYTES;

    /** Bytes of the frame of a message. */
    static int frameBytes(int messageBytes) {
        return HEADER_BYTES + (messageBytes + Long.BYTES - 1) / Long.BYTES * Long.BYTES + TRAILER_BYTES;
    }

    /** Bytes of memory that it takes: behind its end a frame goes on that began before it. */
    public int roomBytes() {
        return bytes + bytes / 2;
    }

    /** The longest message. */
    public int maxMessageBytes() {
        return bytes / 2 - HEADER_BYTES - TRAILER_BYTES;
    }

    /** The most messages that it has room for: those of a word. */
    int maxMessages() {
        return bytes / frameBytes(Long.BYTES);
    }

    /** Why there is no such ring for messages of so many bytes, in the user's words; null when there is. */
    public static @Nullable String problem(int bytes, int messageBytes) {
        if (bytes % (2 * Long.BYTES) != 0) {
            return "a ring of " + bytes + " bytes: it must be a multiple of 16";
        }
        int frame = frameBytes(messageBytes);
        return frame > bytes / 2
                ? "a ring of " + bytes + " bytes is too small for messages of " + messageBytes + ", which take " + frame
                        + " in it: it must have at least twice as many, " + 2 * frame
                : null;
    }

    /** Where in the ring a frame at a place, which is counted on without end, begins. */
    long offset(long place) {
        return place % bytes;
    }

    /**
     * Whether there is room for a frame. A full ring has no zeros at all; what is in it is told by the words at its messages' heads alone.
     *
     * @param tail where it would begin
     * @param head before which everything was processed, as far as the sender knows
     */
    boolean hasRoom(long tail, long head, int frameBytes) {
        return tail + frameBytes - head <= bytes;
    }
}
