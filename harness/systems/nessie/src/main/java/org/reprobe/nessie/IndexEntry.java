package org.reprobe.nessie;

/**
 * Entry of the index table in 64 bits (Nessie paper, section 3): 2 bits of marks, 30 bits for the index of a data item
 * (from 1), and 32 bits for its version. The owner gives an item a new version for each use, so a filled entry never
 * recurs.
 *
 * <p>Entry 0 is a place that was never used. The paper empties a place by writing 0 again. {@link Rules#CORRECTED}
 * keeps the old entry with a mark instead, so that no empty entry recurs.
 */
public final class IndexEntry {
    /** Place that was never used; with {@link Rules#PRINTED}, any empty place. */
    public static final long EMPTY = 0;

    private static final long REMOVED = 1L << 63;
    private static final long MOVING = 1L << 62;
    private static final long ITEM = MOVING - 1;

    /** Maximum number of items: 30 bits of index. */
    static final int MAX_ITEMS = (1 << 30) - 1;

    private IndexEntry() {}

    static long of(int index, int version) {
        return ((long) index << 32) | Integer.toUnsignedLong(version);
    }

    /** Returns the entry without its version, as used with {@link Rules#RHTM}. */
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

    /** Returns true if a migration in progress has emptied the place, which must not be written yet. */
    static boolean moving(long entry) {
        return entry >>> 62 == 1;
    }

    /** Returns the content of a place from which {@code entry} was removed. */
    static long removed(long entry) {
        return (entry & ITEM) | REMOVED;
    }

    /** Returns the content of a place from which {@code entry} is being migrated. */
    static long leaving(long entry) {
        return (entry & ITEM) | MOVING;
    }
}
