package org.reprobe.nessie;

/**
 * Entry of the index table, in 64 bits: a data item's index (from 1) above the version of its owner's last write
 * (section 3). An item gets a new version for each use, so a filled entry never recurs.
 *
 * <p>0 is a place that was never used. The paper empties a place by writing 0 again. {@link Rules#CORRECTED} keeps the
 * old entry with a mark instead, so that no empty entry recurs either.
 */
public final class IndexEntry {
    /** Place that was never used; with {@link Rules#PRINTED}, any empty place. */
    public static final long EMPTY = 0;

    private static final long REMOVED = 1L << 63;
    private static final long MOVING = 1L << 62;
    private static final long ITEM = MOVING - 1;

    /** Limit of items: 30 bits of index. */
    static final int MAX_ITEMS = (1 << 30) - 1;

    private IndexEntry() {}

    static long of(int index, int version) {
        return ((long) index << 32) | Integer.toUnsignedLong(version);
    }

    /** Returns an item's index alone, as used with transactions. */
    static long withoutVersion(long entry) {
        return entry & (ITEM ^ 0xFFFF_FFFFL);
    }

    public static int index(long entry) {
        return (int) ((entry & ITEM) >>> 32);
    }

    public static int version(long entry) {
        return (int) entry;
    }

    public static boolean filled(long entry) {
        return entry != EMPTY && entry >>> 62 == 0;
    }

    /** Returns true if a client has emptied it for a migration in progress: no place to write to. */
    static boolean moving(long entry) {
        return entry >>> 62 == 1;
    }

    /** Returns the mark of a removed entry. */
    static long removed(long entry) {
        return (entry & ITEM) | REMOVED;
    }

    /** Returns the mark of an entry that is being migrated away. */
    static long leaving(long entry) {
        return (entry & ITEM) | MOVING;
    }
}
