package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongPredicate;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OneSidedLink;

/**
 * Access of one client to a Nessie table: the steps of operations, and local memory for replies. Methods {@code look*}
 * and {@code read*} wait for their reply. Methods {@code post*} and {@link #compareAndSwap} only post a request;
 * {@link #roundTrip} sends all posted requests and waits once for all of them (section 4). Not thread-safe.
 */
public final class TableAccess {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(64, 16);

    // Layout of local memory: results of compare-and-swaps and transactions; notices being sent; items.
    static final long AT_P = 0;
    static final long AT_S = 8;
    private static final long VALID_WORD = 16;
    static final long COMMITTED = 24;
    private static final long NOTICES = 64;
    private static final int NOTICE_COUNT = 32;
    private static final long ITEMS = NOTICES + NOTICE_COUNT * Long.BYTES;

    /** Local offsets of D[i], D[j], the item to be written, the copy to be migrated, and notices that were read. */
    final long itemAtP;

    final long itemAtS;
    final long newItem;
    final long movedItem;
    private final long readNotices;

    final OneSidedLink connection;
    final MemorySegment local;
    final FreeItems items;

    /** Entries of the items that the write in progress has allocated. */
    final EntryList underWay = new EntryList();

    /** Local offset of the item found by the last read. */
    long foundAt;

    private final int owner;
    private final LongPredicate inUse;
    private Nessie table;
    private Geometry geometry;
    private int nextNotice;

    TableAccess(Client client, Nessie table, int owner) throws FabricException {
        this.table = table;
        this.geometry = table.geometry();
        this.owner = owner;
        this.items = new FreeItems(geometry, owner, table.loaded()[owner]);
        this.inUse = items::uses;
        int itemBytes = roomBytes(geometry);
        this.itemAtP = (ITEMS + 64) & ~63;
        this.itemAtS = itemAtP + itemBytes;
        this.newItem = itemAtS + itemBytes;
        this.movedItem = newItem + itemBytes;
        this.readNotices = movedItem + itemBytes;
        this.local = client.allocate(localBytes(geometry));
        this.connection = new OneSidedLink(client, 0, local, OPTIONS);
    }

    private static int roomBytes(Geometry geometry) {
        return (geometry.itemBytes() + 63) & ~63;
    }

    static long localBytes(Geometry geometry) {
        return ((ITEMS + 64) & ~63) + 4L * roomBytes(geometry) + (long) geometry.itemsPerOwner() * Long.BYTES;
    }

    Nessie table() {
        return table;
    }

    Geometry geometry() {
        return geometry;
    }

    void adopt(TableLayout now) {
        table = table.laidOut(now);
        geometry = table.geometry();
    }

    void roundTrip() throws FabricException {
        connection.roundTrip();
    }

    // ------------------------------------------------------------------------------------------------ places

    /** Returns the result of the last compare-and-swap, or transactional read, into {@link #AT_P}. */
    long atP() {
        return local.get(WORD, AT_P);
    }

    long atS() {
        return local.get(WORD, AT_S);
    }

    /** Posts a compare-and-swap of a place, whose old value is stored at local offset {@code at}. */
    void compareAndSwap(long place, long at, long expected, long desired) {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(place), at, expected, desired);
    }

    /** Posts a read of a place: a compare-and-swap that changes nothing. */
    void postLook(long place, long at) {
        compareAndSwap(place, at, 0, 0);
    }

    long look(long place, long at) throws FabricException {
        postLook(place, at);
        roundTrip();
        return local.get(WORD, at);
    }

    /** Reads both places, {@code p} first. */
    void lookAtBoth(long p, long s) throws FabricException {
        postLook(p, AT_P);
        postLook(s, AT_S);
        roundTrip();
    }

    // ------------------------------------------------------------------------------------------------- items

    void postRead(long entry, long at) {
        if (table.rules() == Rules.RHTM_NAIVE) {
            connection.transactionalRead(table.memory(), itemOffset(entry), at, geometry.itemBytes());
        } else {
            connection.read(table.memory(), itemOffset(entry), at, geometry.itemBytes());
        }
    }

    void readItem(long entry, long at) throws FabricException {
        postRead(entry, at);
        roundTrip();
    }

    /** Posts a READ of the item of each entry that is filled. */
    void postReads(long i, long j) {
        if (IndexEntry.filled(i)) {
            postRead(i, itemAtP);
        }
        if (IndexEntry.filled(j)) {
            postRead(j, itemAtS);
        }
    }

    void readItems(long i, long j) throws FabricException {
        postReads(i, j);
        if (connection.holding()) {
            roundTrip();
        }
    }

    /** Posts the WRITE of a new item that is not valid yet. */
    void postNew(long n, long k, int valueBytes) {
        Item.seal(geometry, table.rules(), local, newItem, n, k, valueBytes);
        if (table.rules() == Rules.RHTM_NAIVE) {
            connection.transactionalWrite(table.memory(), itemOffset(n), newItem, geometry.itemBytes());
        } else {
            connection.write(table.memory(), itemOffset(n), newItem, geometry.itemBytes());
        }
    }

    /** Posts the WRITE of a copy of an item that was read from a place; the copy is not valid yet. */
    void postCopy(long n, long item, long place) {
        Item.sealCopy(geometry, table.rules(), local, item, local, movedItem, n, place);
        connection.write(table.memory(), itemOffset(n), movedItem, geometry.itemBytes());
    }

    void postValid(long entry) {
        local.set(WORD, VALID_WORD, table.rules().valid(entry));
        connection.write(table.memory(), itemOffset(entry) + geometry.validOffset(), VALID_WORD, Long.BYTES);
    }

    private long itemOffset(long entry) {
        return geometry.itemOffset(IndexEntry.index(entry));
    }

    /** Compares an item that was read with the key, and sets {@link #foundAt} if the item has the key. */
    Operations.Found judge(long k, long entry, long at) {
        if (!IndexEntry.filled(entry)) {
            return Operations.Found.ABSENT;
        }
        return switch (Item.found(geometry, table.rules(), local, at, entry, k)) {
            case OTHER -> Operations.Found.ABSENT;
            case UNSETTLED -> Operations.Found.UNSETTLED;
            case KEY -> {
                foundAt = at;
                yield valid(at) ? Operations.Found.KEY : Operations.Found.UNSETTLED;
            }
        };
    }

    boolean valid(long at) {
        return Item.valid(geometry, table.rules(), local, at);
    }

    boolean unsettled(long k, long entry, long at) {
        return IndexEntry.filled(entry)
                && Item.found(geometry, table.rules(), local, at, entry, k) == Item.Found.UNSETTLED;
    }

    /** Returns true if the item of an entry, valid or not, has the key. */
    boolean holds(long k, long entry, long at) {
        return IndexEntry.filled(entry) && Item.found(geometry, table.rules(), local, at, entry, k) == Item.Found.KEY;
    }

    // ------------------------------------------------------------------------------------------- items' owners

    long take() {
        long n = items.take();
        keepUnderWay();
        underWay.add(n);
        return n;
    }

    /** Drops the items that were returned or freed from {@link #underWay}. */
    void keepUnderWay() {
        underWay.keep(inUse);
    }

    /** Retires the items in progress: their state is unknown, so they are never used again. */
    void abandonUnderWay() {
        keepUnderWay();
        while (!underWay.isEmpty()) {
            items.abandon(underWay.last());
            underWay.removeLast();
        }
    }

    /** Frees an item that was never in the index; returns {@code end}. */
    Operations.Attempt unused(long n, Operations.Attempt end) {
        items.giveBack(n);
        return end;
    }

    /** Ends the use of an item removed from the index: frees an item of this client, or posts a notice to its owner. */
    void endOfUse(long entry) {
        int index = IndexEntry.index(entry);
        if (geometry.owner(index) == owner) {
            items.giveBack(entry);
            return;
        }
        nextNotice = (nextNotice + 1) % NOTICE_COUNT;
        long at = NOTICES + nextNotice * (long) Long.BYTES;
        local.set(WORD, at, Integer.toUnsignedLong(IndexEntry.version(entry)));
        connection.write(table.memory(), geometry.noticeOffset(index), at, Long.BYTES);
    }

    /** Sends posted notices at the end of an operation, without waiting for their completion. */
    void sendNotices() throws FabricException {
        if (connection.holding()) {
            connection.post();
        }
    }

    /** Returns true if an item is free. If none is, reads the notices of other clients first. */
    boolean haveFreeItem() throws FabricException {
        if (!items.isEmpty()) {
            return true;
        }
        connection.read(table.memory(), geometry.noticeOffset(items.first()), readNotices, items.size() * Long.BYTES);
        roundTrip();
        for (int item = 0; item < items.size(); item++) {
            items.noticed(item, (int) local.get(WORD, readNotices + item * 8L));
        }
        return !items.isEmpty();
    }
}
