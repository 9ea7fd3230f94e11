package org.reprobe.explore;

/** Hashes of states, each with the lowest number of switches that reached it. Equal hashes count as equal states. */
final class StateSet {
    private long[] hashes = new long[1 << 12];
    private byte[] switches = new byte[1 << 12];
    private int size;

    int size() {
        return size;
    }

    /** Returns true for a new state, and for a known one reached with fewer switches. */
    boolean add(long state, int used) {
        long hash = state == 0 ? 1 : state;
        byte cost = (byte) Math.min(used, Byte.MAX_VALUE);
        int mask = hashes.length - 1;
        int at = (int) (hash >>> 20) & mask;
        while (hashes[at] != 0) {
            if (hashes[at] == hash) {
                if (switches[at] <= cost) {
                    return false;
                }
                switches[at] = cost;
                return true;
            }
            at = at + 1 & mask;
        }
        hashes[at] = hash;
        switches[at] = cost;
        if (++size * 2 > hashes.length) {
            grow();
        }
        return true;
    }

    private void grow() {
        long[] oldHashes = hashes;
        byte[] oldSwitches = switches;
        hashes = new long[2 * oldHashes.length];
        switches = new byte[hashes.length];
        int mask = hashes.length - 1;
        for (int i = 0; i < oldHashes.length; i++) {
            if (oldHashes[i] != 0) {
                int at = (int) (oldHashes[i] >>> 20) & mask;
                while (hashes[at] != 0) {
                    at = at + 1 & mask;
                }
                hashes[at] = oldHashes[i];
                switches[at] = oldSwitches[i];
            }
        }
    }
}
