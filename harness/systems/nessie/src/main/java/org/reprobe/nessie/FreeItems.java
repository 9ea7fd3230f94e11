package org.reprobe.nessie;

import java.util.Arrays;

/** Unused data items of an owner, with the version of each, which only the owner has. */
public final class FreeItems {
    private final int first;
    private final int[] versions;
    private final int[] free;
    private final boolean[] used;
    private int count;

    /** Creates an owner's items, of which the first {@code loaded} are in the table, with version 1. */
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

    /** Allocates an item, of which one must be free; returns its entry with a new version. */
    long take() {
        int item = free[--count];
        used[item] = true;
        return IndexEntry.of(first + item, ++versions[item]);
    }

    public void giveBack(long entry) {
        noticed(IndexEntry.index(entry) - first, IndexEntry.version(entry));
    }

    /** Retires an item that may still appear in the table, or be written, later: it is never used again. */
    void abandon(long entry) {
        int item = IndexEntry.index(entry) - first;
        versions[item]++; // so that no notice of its use gives it back
        used[item] = true;
    }

    /** Returns true if an entry's item is in use under that entry. */
    boolean uses(long entry) {
        int item = IndexEntry.index(entry) - first;
        return used[item] && versions[item] == IndexEntry.version(entry);
    }

    /** Returns the entry under which an item is in use to its owner's knowledge; {@code EMPTY} for a free one. */
    public long inUse(int item) {
        return used[item] ? IndexEntry.of(first + item, versions[item]) : IndexEntry.EMPTY;
    }

    public int size() {
        return versions.length;
    }

    int first() {
        return first;
    }

    /** Handles another client's notice that an item's use under a version, if its last one, has ended. */
    void noticed(int item, int version) {
        if (used[item] && versions[item] == version) {
            used[item] = false;
            free[count++] = item;
        }
    }
}
