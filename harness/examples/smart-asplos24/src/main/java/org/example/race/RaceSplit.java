package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OneSidedLink;

/**
 * Splits a subtable in two by one more bit of its keys' hashes (section 3.4). What the paper leaves open, or what we do otherwise, is said where
 * it is done.
 *
 * <ol>
 *   <li>The subtable is locked, by a compare-and-swap of its first directory entry: one client splits it, and others may still read and
 *       write it.
 *   <li>A number is taken for the new subtable.
 *   <li>The headers of all its buckets get the longer suffix. From then on whoever reads a bucket for a key that is to be moved sees that
 *       it is not there any more. He reads the directory again and tries until the split is over: the paper lets him go on. Whoever had read
 *       the bucket before may still change what he has found there, but not add a key, since {@link RaceClient#insert} reads again.
 *   <li>Entries are moved: each is taken out of its slot by a compare-and-swap, which fails when somebody has changed it meanwhile, and then
 *       it is looked at again. Slots of inserts that have not ended are cleared, so that those inserts begin anew. The new subtable is
 *       written, each entry in the slot that it had: nobody else knows of it yet, so there is room.
 *   <li>Under the root's lock the directory is doubled if it must be, and gets its entries, without the subtable's lock.
 * </ol>
 *
 * <p>A client that dies in between leaves the lock, and nobody finds the keys that were to be moved any more: neither is that repaired here nor
 * does the paper say how. For one thread.
 */
final class RaceSplit {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Work requests of a round trip, as many as the send queue holds. */
    private final int atOnce;

    private final Client client;
    private final RaceTable table;
    private final RemoteRegion region;
    private final RaceDirectory directory;
    private final OneSidedLink connection;
    private final MemorySegment local;
    private final long backOffNs;

    // Offsets in local memory: a group of the old subtable and one of the new, blocks, what slots hold by now, the
    // directory.
    private final long oldAt;
    private final long newAt;
    private final long blocksAt;
    private final long foundAt;
    private final long directoryAt;

    // Slots that are worked on, from the begin of the group.
    private final long[] slots;
    private final int[] slotAt;
    private final boolean[] asked;
    private long splits;
    private long moved;
    private long splitNs;

    /** How an attempt to split has ended. */
    enum End {
        DONE,
        /** Somebody else splits it, or has. */
        BUSY,
        /** It is as deep as it may be. */
        DEEPEST
    }

    /**
     * A client's.
     *
     * @param localAt where it has {@link #localBytes} in the connection's local memory
     * @param atOnce work requests of a round trip
     */
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

    /** Local memory that it takes; none for a table that is never split. */
    static long localBytes(RaceTable table, int atOnce) {
        return table.maxDepth() == table.depth()
                ? 0
                : 2L * table.groupBytes() + (long) atOnce * (table.blockBytes() + Long.BYTES) + table.directoryBytes();
    }

    /** Splits the subtable that the directory has for a key. */
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

    /** The lock is that of the subtable's first entry: there may be copies of it, which nobody locks. */
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

    /** Changes the root as soon as nobody holds its lock; returns what it was. */
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

    /** There are as many subtables as memory has room for only when all are as deep as may be. */
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

    /** Moves the entries of a group that belong to the new subtable. */
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

    /** Moves some slots of a group, those again that somebody else changes. */
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
                if (!whole) { // it is written again: the slot is another by now
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

    /** An entry that is in no slot any more gets one of the new subtable; that of an insert that has not ended gets none. */
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
     * Lets the directory lead to both subtables, and gives the lock back. Doubled, its second half is as the first. Entries change under the
     * root's lock only, but for their own locks; one that is copied with its lock gets rid of it when that split is published.
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

    /** Subtables that it has split. */
    long splits() {
        return splits;
    }

    /** Entries that it has moved. */
    long moved() {
        return moved;
    }

    /** Time from the begin of each split to its end, in all. */
    long splitNs() {
        return splitNs;
    }
}
