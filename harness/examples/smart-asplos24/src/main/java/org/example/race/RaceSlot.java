package org.example.race;

/**
 * The 8 bytes of a slot (section 3.2, Figure 5): 8 bits of fingerprint, 8 bits of length, and 48 bits that lead to the block. The paper
 * calls those an address. Here they are, from above: a version, one bit for an insert that has not ended, and the block's number. Blocks
 * are used again, which the paper leaves open: a slot that leads to a block for the second time has another version.
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

    /**
     * A slot that leads to a block.
     *
     * @param length of the block, in units
     * @param block from 1
     */
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

    /** Whether its insert has not ended: nobody but those who insert the same key looks at it. */
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
