package org.reprobe.nessie;

import java.util.Arrays;

/** An owner's data items that are in no use, and the version of each: known to the owner alone. */
public final class FreeItems {
    private final int first;
    private final int[] versions;
    private final int[] free;
    private final boolean[] used;
    private int count;

    /** @param loaded how many of the owner's items, the first ones, are in the table from the start, with version 1 */
    FreeItems(Geometry geometry, int owner, int loaded) {
        first = geometry.firstItem(owner);
        versions = new int[geometry.itemsPerOwner()];
        free = new int[versions.length];
        used = new boolean[versions.length];
        Arrays.fill(versions, 0, loaded, 1);
        Arrays.fill(used, 0, loaded, true);
        for (int i = versions.length - 1; i >= loaded; i--) {
            free[count++] = i;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Takes an item into use: its entry, with a new version. There must be one. */
    long take() {
        int item = free[--count];
        used[item] = true;
        return IndexEntry.of(first + item, ++versions[item]);
    }

    /** Ends the use of an item. */
    public void giveBack(long entry) {
        noticed(IndexEntry.index(entry) - first, IndexEntry.version(entry));
    }

    /** An item that may still come into the table, or be written, at any later time: it is never used again. */
    void abandon(long entry) {
        int item = IndexEntry.index(entry) - first;
        versions[item]++; // so that no notice of its use gives it back
        used[item] = true;
    }

    /** Whether the last use of an entry's item is under that entry, and goes on. */
    boolean uses(long entry) {
        int item = IndexEntry.index(entry) - first;
        return used[item] && versions[item] == IndexEntry.version(entry);
    }

    /** The entry under which an item is in use, as far as its owner knows; {@code EMPTY} for a free one. */
    public long inUse(int item) {
        return used[item] ? IndexEntry.of(first + item, versions[item]) : IndexEntry.EMPTY;
    }

    /** How many items there are. */
    public int size() {
        return versions.length;
    }

    /** Index of the first. */
    int first() {
        return first;
    }

    /** Another client says that an item's use under a version has ended; says nothing new unless that is the last one. */
    void noticed(int item, int version) {
        if (used[item] && versions[item] == version) {
            used[item] = false;
            free[count++] = item;
        }
    }
}
