package org.example.race;

/**
 * Slot of 8 bytes (RACE paper, section 3.2, figure 5): 8 bits of fingerprint, 8 bits of length, and 48 bits, which are
 * the block's address in the paper. Here the 48 bits are, from the top, a version, a bit for an unfinished insert, and
 * the block's number. The paper leaves the reuse of blocks open; here each reuse has another version.
 */
final class RaceSlot {
    static final long EMPTY = 0;

    static final int MAX_LENGTH = 0xFF;

    private static final int FINGERPRINT_SHIFT = 56;
    private static final int LENGTH_SHIFT = 48;
    private static final int VERSION_SHIFT = 33;
    private static final int VERSION_MASK = 0x7FFF;
    private static final long TENTATIVE = 1L << 32;

    private RaceSlot() {}

    /** Returns a slot for a block, numbered from 1; {@code length} is in units. */
    static long of(int fingerprint, int length, int version, int block) {
        return ((long) fingerprint << FINGERPRINT_SHIFT)
                | ((long) length << LENGTH_SHIFT)
                | ((long) (version & VERSION_MASK) << VERSION_SHIFT)
                | block;
    }

    static int fingerprint(long slot) {
        return (int) (slot >>> FINGERPRINT_SHIFT);
    }

    static int length(long slot) {
        return (int) (slot >>> LENGTH_SHIFT) & MAX_LENGTH;
    }

    static int version(long slot) {
        return (int) (slot >>> VERSION_SHIFT) & VERSION_MASK;
    }

    static int block(long slot) {
        return (int) slot;
    }

    /** Returns true if the insert of a slot is unfinished; only inserts of the same key consider such a slot. */
    static boolean isTentative(long slot) {
        return (slot & TENTATIVE) != 0;
    }

    static long tentative(long slot) {
        return slot | TENTATIVE;
    }

    static long committed(long slot) {
        return slot & ~TENTATIVE;
    }
}
