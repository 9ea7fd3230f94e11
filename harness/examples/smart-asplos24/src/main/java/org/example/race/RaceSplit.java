package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OneSidedLink;

/**
 * Split of a subtable by one more bit of its keys' hashes (RACE paper, section 3.4). The steps state deviations from
 * the paper and details that it leaves open.
 *
 * <ol>
 *   <li>Lock the subtable by a compare-and-swap of its first directory entry: one client splits it while others read
 *       and write it.
 *   <li>Allocate a number for the new subtable.
 *   <li>Write the longer suffix to the headers of all its buckets. A client that then reads a bucket for a key to be
 *       moved detects the split. It reads the directory again and retries until the split is over; in the paper it
 *       continues. A client that had read the bucket before may still change an entry found there, but not add a key,
 *       since {@link RaceClient#insert} reads again.
 *   <li>Move entries: each is taken out of its slot by a compare-and-swap, which is retried after a concurrent change.
 *       Slots of unfinished inserts are cleared, so that those inserts restart. The new subtable is written with each
 *       entry in its previous slot: no other client uses it yet, so there is room.
 *   <li>Under the root's lock, double the directory if necessary and write its entries, without the subtable's lock.
 * </ol>
 *
 * <p>If a client dies during a split, its lock stays taken and the keys to be moved are lost. This is not repaired, and
 * the paper does not cover it. Not thread-safe.
 */
final class RaceSplit {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final int atOnce;

    private final Client client;
    private final RaceTable table;
    private final RemoteRegion region;
    private final RaceDirectory directory;
    private final OneSidedLink connection;
    private final MemorySegment local;
    private final long backOffNs;

    // Offsets in local memory: a group of the old subtable and one of the new, blocks, current slots, the directory.
    private final long oldAt;
    private final long newAt;
    private final long blocksAt;
    private final long foundAt;
    private final long directoryAt;

    // Current slots, by offset from the group's start.
    private final long[] slots;
    private final int[] slotAt;
    private final boolean[] asked;
    private long splits;
    private long moved;
    private long splitNs;

    /** Result of an attempt to split. */
    enum End {
        DONE,
        /** Another client is splitting the subtable or has split it. */
        BUSY,
        /** The subtable has the maximum depth. */
        DEEPEST
    }

    /** @param localAt offset of {@link #localBytes} in the connection's local memory */
    RaceSplit(
            Client client,
            RaceTable table,
            RemoteRegion region,
            RaceDirectory directory,
            OneSidedLink connection,
            long localAt,
            int atOnce,
            long backOffNs) {
        this.client = client;
        this.table = table;
        this.region = region;
        this.directory = directory;
        this.connection = connection;
        this.local = connection.local();
        this.atOnce = atOnce;
        this.backOffNs = backOffNs;
        this.oldAt = localAt;
        this.newAt = oldAt + table.groupBytes();
        this.blocksAt = newAt + table.groupBytes();
        this.foundAt = blocksAt + (long) atOnce * table.blockBytes();
        this.directoryAt = foundAt + (long) atOnce * Long.BYTES;
        this.slots = new long[atOnce];
        this.slotAt = new int[atOnce];
        this.asked = new boolean[atOnce];
    }

    /** Returns the bytes of local memory for splits; 0 for a table without splits. */
    static long localBytes(RaceTable table, int atOnce) {
        return table.maxDepth() == table.depth()
                ? 0
                : 2L * table.groupBytes() + (long) atOnce * (table.blockBytes() + Long.BYTES) + table.directoryBytes();
    }

    End split(long key) throws FabricException {
        long begin = client.nowNs();
        long entry = directory.entry(key);
        int depth = RaceTable.depth(entry);
        if (depth == table.maxDepth()) {
            return End.DEEPEST;
        }
        directory.forget();
        int suffix = RaceTable.suffix(key, depth);
        if (RaceTable.isLocked(entry) || !lock(suffix, entry)) {
            return End.BUSY;
        }
        long old = RaceTable.number(entry);
        long added = takeNumber();
        int addedSuffix = suffix | (1 << depth);
        writeHeaders(old, RaceTable.header(depth + 1, suffix));
        for (long group = 0; group < table.groups(); group++) {
            move(old, added, group, RaceTable.header(depth + 1, addedSuffix));
        }
        publish(depth + 1, suffix, old, addedSuffix, added);
        splits++;
        splitNs += client.nowNs() - begin;
        return End.DONE;
    }

    /** Locks the first directory entry of the subtable; other entries of the subtable are never locked. */
    private boolean lock(int suffix, long entry) throws FabricException {
        return swap(RaceTable.directoryOffset(suffix), entry, RaceTable.locked(entry));
    }

    private boolean swap(long offset, long expected, long desired) throws FabricException {
        connection.compareAndSwap(region, offset, foundAt, expected, desired);
        connection.roundTrip();
        return local.get(WORD, foundAt) == expected;
    }

    private long readRoot() throws FabricException {
        connection.read(region, RaceTable.rootOffset(), directoryAt, Long.BYTES);
        connection.roundTrip();
        return local.get(WORD, directoryAt);
    }

    /** Changes the root once it is unlocked; returns its previous value. */
    private long change(long add, boolean lock) throws FabricException {
        while (true) {
            long root = readRoot();
            if (!RaceTable.isLocked(root)
                    && swap(RaceTable.rootOffset(), root, lock ? RaceTable.locked(root) : root + add)) {
                return root;
            }
            client.pause(Math.max(1, backOffNs));
        }
    }

    /**
     * Allocates the number of a new subtable. Numbers suffice, because there is memory for all subtables at maximum
     * depth.
     */
    private long takeNumber() throws FabricException {
        return RaceTable.number(change(1, false));
    }

    private void writeHeaders(long subtable, long header) throws FabricException {
        local.set(WORD, foundAt, header);
        long end = table.subtableOffset(subtable + 1);
        int posted = 0;
        for (long bucket = table.subtableOffset(subtable); bucket < end; bucket += table.bucketBytes()) {
            connection.write(region, bucket + table.headerOffset(), foundAt, Long.BYTES);
            if (++posted % atOnce == 0) {
                connection.roundTrip();
            }
        }
        connection.roundTrip();
    }

    private void move(long old, long added, long group, long header) throws FabricException {
        long begin = table.subtableOffset(old) + group * table.groupBytes();
        connection.read(region, begin, oldAt, table.groupBytes());
        connection.roundTrip();
        local.asSlice(newAt, table.groupBytes()).fill((byte) 0);
        int count = 0;
        for (int at = 0; at < table.groupBytes(); at += Long.BYTES) {
            if (at % table.bucketBytes() == table.headerOffset()) {
                local.set(WORD, newAt + at, header);
            } else if (local.get(WORD, oldAt + at) != RaceSlot.EMPTY) {
                slots[count] = local.get(WORD, oldAt + at);
                slotAt[count++] = at;
                if (count == atOnce) {
                    move(begin, count, header);
                    count = 0;
                }
            }
        }
        move(begin, count, header);
        connection.write(region, table.subtableOffset(added) + group * table.groupBytes(), newAt, table.groupBytes());
        connection.roundTrip();
    }

    /** Moves some slots of a group, retrying those changed concurrently. */
    private void move(long begin, int count, long header) throws FabricException {
        int left = count;
        while (left > 0) {
            for (int i = 0; i < left; i++) {
                connection.read(region, table.blockOffset(RaceSlot.block(slots[i])), blockAt(i), table.blockBytes());
            }
            connection.roundTrip();
            for (int i = 0; i < left; i++) {
                boolean whole = table.isWhole(local, blockAt(i), slots[i]);
                boolean stays = whole && !RaceTable.isOf(header, local.get(WORD, blockAt(i)));
                asked[i] = !stays;
                long remote = begin + slotAt[i];
                if (!whole) { // the block is being rewritten, so its slot has changed
                    connection.read(region, remote, foundAt(i), Long.BYTES);
                } else if (!stays) {
                    connection.compareAndSwap(region, remote, foundAt(i), slots[i], RaceSlot.EMPTY);
                }
            }
            if (connection.holding()) {
                connection.roundTrip();
            }
            int again = 0;
            for (int i = 0; i < left; i++) {
                long found = asked[i] ? local.get(WORD, foundAt(i)) : RaceSlot.EMPTY;
                if (asked[i] && found == slots[i] && table.isWhole(local, blockAt(i), slots[i])) {
                    take(slotAt[i], slots[i]);
                } else if (found != RaceSlot.EMPTY) {
                    slots[again] = found;
                    slotAt[again++] = slotAt[i];
                }
            }
            left = again;
        }
    }

    /** Copies a removed entry to the new subtable, unless its insert is unfinished. */
    private void take(int at, long slot) {
        if (!RaceSlot.isTentative(slot)) {
            local.set(WORD, newAt + at, slot);
            moved++;
        }
    }

    private long blockAt(int i) {
        return blocksAt + (long) i * table.blockBytes();
    }

    private long foundAt(int i) {
        return foundAt + (long) i * Long.BYTES;
    }

    /**
     * Publishes both subtables in the directory and unlocks. The second half of a doubled directory copies the first.
     * Entries change only under the root's lock, except for their own locks; a lock that was copied is cleared when its
     * split is published.
     */
    private void publish(int depth, int suffix, long old, int addedSuffix, long added) throws FabricException {
        long root = change(0, true);
        int globalDepth = RaceTable.depth(root);
        connection.read(region, RaceTable.rootOffset(), directoryAt, table.directoryBytes());
        connection.roundTrip();
        if (depth > globalDepth) {
            int entries = 1 << globalDepth;
            connection.write(region, RaceTable.directoryOffset(entries), entryAt(0), entries * Long.BYTES);
            connection.roundTrip();
        }
        int newDepth = Math.max(depth, globalDepth);
        int posted = 0;
        for (int above = 0; above < 1 << newDepth; above += 1 << depth) {
            posted = writeEntry(above | addedSuffix, RaceTable.entry(depth, added), posted);
            posted = writeEntry(above | suffix, RaceTable.entry(depth, old), posted);
        }
        if (connection.holding()) {
            connection.roundTrip();
        }
        local.set(WORD, directoryAt, RaceTable.entry(newDepth, RaceTable.number(root)));
        connection.write(region, RaceTable.rootOffset(), directoryAt, Long.BYTES);
        connection.roundTrip();
    }

    private long entryAt(int index) {
        return directoryAt + RaceTable.directoryOffset(index);
    }

    private int writeEntry(int index, long entry, int posted) throws FabricException {
        local.set(WORD, entryAt(index), entry);
        connection.write(region, RaceTable.directoryOffset(index), entryAt(index), Long.BYTES);
        if ((posted + 1) % atOnce == 0) {
            connection.roundTrip();
        }
        return posted + 1;
    }

    long splits() {
        return splits;
    }

    long moved() {
        return moved;
    }

    /** Returns the total duration of this client's splits in nanoseconds. */
    long splitNs() {
        return splitNs;
    }
}
