package org.reprobe.nessie;

import java.util.Arrays;

/** Free data items of an owner, and the current version of each of its items, which only the owner tracks. */
public final class FreeItems {
    private final int first;
    private final int[] versions;
    private final int[] free;
    private final boolean[] used;
    private int count;

    /** Creates the items of an owner; the first {@code loaded} are in the table with version 1, the others are free. */
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

    /** Allocates an item and returns its entry with a new version. At least one item must be free. */
    long take() {
        int item = free[--count];
        used[item] = true;
        return IndexEntry.of(first + item, ++versions[item]);
    }

    public void giveBack(long entry) {
        noticed(IndexEntry.index(entry) - first, IndexEntry.version(entry));
    }

    /** Retires an item that may still be written, or appear in the table, later. It is never used again. */
    void abandon(long entry) {
        int item = IndexEntry.index(entry) - first;
        versions[item]++; // so that a notice of its last use does not free it
        used[item] = true;
    }

    /** Returns true if the item of an entry is in use with the version of the entry. */
    boolean uses(long entry) {
        int item = IndexEntry.index(entry) - first;
        return used[item] && versions[item] == IndexEntry.version(entry);
    }

    /** Returns the entry of an item that its owner considers in use; {@code EMPTY} for a free item. */
    public long inUse(int item) {
        return used[item] ? IndexEntry.of(first + item, versions[item]) : IndexEntry.EMPTY;
    }

    public int size() {
        return versions.length;
    }

    int first() {
        return first;
    }

    /** Processes the notice that a version of an item is no longer in use; ignored unless it is the current one. */
    void noticed(int item, int version) {
        if (used[item] && versions[item] == version) {
            used[item] = false;
            free[count++] = item;
        }
    }
}
