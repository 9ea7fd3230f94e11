package org.example.race;

import java.util.Arrays;

/**
 * The blocks that a client may write: at first its own, then those that it has taken out of the table. Which are used again in the order
 * in which they came, so that a reader that is slow seldom meets one that is written again.
 */
final class FreeBlocks {
    private int[] blocks;
    private int[] versions;
    private int first;
    private int count;

    /**
     * The first blocks of a client.
     *
     * @param from number of the first
     */
    FreeBlocks(int from, int count) {
        this.blocks = new int[count];
        this.versions = new int[count];
        this.count = count;
        Arrays.setAll(blocks, i -> from + i);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes a block into use, under a version that it did not have before: the slot that is to lead to it. There must be one. */
    long take(int fingerprint, int length) {
        long slot = RaceSlot.of(fingerprint, length, versions[first] + 1, blocks[first]);
        first = first + 1 == blocks.length ? 0 : first + 1;
        count--;
        return slot;
    }

    /** Ends the use of the block that a slot led to. */
    void giveBack(long slot) {
        if (count == blocks.length) {
            blocks = Arrays.copyOf(inOrder(blocks), 2 * count);
            versions = Arrays.copyOf(inOrder(versions), 2 * count);
            first = 0;
        }
        int at = (first + count) % blocks.length;
        blocks[at] = RaceSlot.block(slot);
        versions[at] = RaceSlot.version(slot);
        count++;
    }

    private int[] inOrder(int[] ring) {
        int[] ordered = new int[ring.length];
        System.arraycopy(ring, first, ordered, 0, ring.length - first);
        System.arraycopy(ring, 0, ordered, ring.length - first, first);
        return ordered;
    }
}
