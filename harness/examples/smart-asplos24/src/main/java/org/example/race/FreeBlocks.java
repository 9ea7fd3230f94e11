package org.example.race;

import java.util.Arrays;

/**
 * Free blocks of a client: its initial ones and those that it has removed from the table. They are reused in FIFO
 * order, so that slow readers rarely find a rewritten block.
 */
final class FreeBlocks {
    private int[] blocks;
    private int[] versions;
    private int first;
    private int count;

    FreeBlocks(int from, int count) {
        this.blocks = new int[count];
        this.versions = new int[count];
        this.count = count;
        Arrays.setAll(blocks, i -> from + i);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Allocates a block with a new version and returns the slot value that refers to it. At least one block must be
     * free.
     */
    long take(int fingerprint, int length) {
        long slot = RaceSlot.of(fingerprint, length, versions[first] + 1, blocks[first]);
        first = first + 1 == blocks.length ? 0 : first + 1;
        count--;
        return slot;
    }

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
