package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongPredicate;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OneSidedLink;

/**
 * A Nessie table as one client reaches it: the steps that operations are made of, and the local memory that answers come to.
 * A step that is named after a look or a reading waits for its answer; of the others a round trip takes all that are posted
 * (section 4).
 *
 * <p>For one thread.
 */
public final class TableAccess {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(64, 16);

    // Local memory: answers of compare-and-swaps and transactions; notices on their way; items.
    static final long AT_P = 0;
    static final long AT_S = 8;
    private static final long VALID_WORD = 16;
    static final long COMMITTED = 24;
    private static final long NOTICES = 64;
    private static final int NOTICE_COUNT = 32;
    private static final long ITEMS = NOTICES + NOTICE_COUNT * Long.BYTES;

    /** Local offsets: D[i], D[j], the item to be written, the copy to be migrated, notices that were read. */
    final long itemAtP;

    final long itemAtS;
    final long newItem;
    final long movedItem;
    private final long readNotices;

    final OneSidedLink connection;
    final MemorySegment local;
    final FreeItems items;

    /** Entries of items that the write under way has written. */
    final EntryList underWay = new EntryList();

    /** Where the item that the last read has found stands. */
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

    /** Local memory of a client. */
    static long localBytes(Geometry geometry) {
        return ((ITEMS + 64) & ~63) + 4L * roomBytes(geometry) + (long) geometry.itemsPerOwner() * Long.BYTES;
    }

    Nessie table() {
        return table;
    }

    Geometry geometry() {
        return geometry;
    }

    /** Goes on with the table as the server has laid it out. */
    void adopt(TableLayout now) {
        table = table.laidOut(now);
        geometry = table.geometry();
    }

    void roundTrip() throws FabricException {
        connection.roundTrip();
    }

    // ------------------------------------------------------------------------------------------------ places

    /** The answer of the last compare-and-swap, or transactional read, into {@link #AT_P}. */
    long atP() {
        return local.get(WORD, AT_P);
    }

    /** The one into {@link #AT_S}. */
    long atS() {
        return local.get(WORD, AT_S);
    }

    /** Posts a compare-and-swap of a place; what it held comes to local offset {@code at}. */
    void compareAndSwap(long place, long at, long expected, long desired) {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(place), at, expected, desired);
    }

    /** Posts a look at a place: a compare-and-swap that changes nothing. */
    void postLook(long place, long at) {
        compareAndSwap(place, at, 0, 0);
    }

    long look(long place, long at) throws FabricException {
        postLook(place, at);
        roundTrip();
        return local.get(WORD, at);
    }

    /** Looks at both places, at {@code p} first. */
    void lookAtBoth(long p, long s) throws FabricException {
        postLook(p, AT_P);
        postLook(s, AT_S);
        roundTrip();
    }

    // ------------------------------------------------------------------------------------------------- items

    /** Posts the READ of an item. */
    void postRead(long entry, long at) {
        connection.read(table.memory(), itemOffset(entry), at, geometry.itemBytes());
    }

    void readItem(long entry, long at) throws FabricException {
        postRead(entry, at);
        roundTrip();
    }

    /** Posts READs of the items of those of two entries that are filled. */
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

    /** Posts the WRITE of a new item, not valid yet. */
    void postNew(long n, long k, int valueBytes) {
        Item.seal(geometry, table.rules(), local, newItem, n, k, valueBytes);
        connection.write(table.memory(), itemOffset(n), newItem, geometry.itemBytes());
    }

    /** Posts the WRITE of the copy of an item that was read, which comes from a place; not valid yet. */
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

    /** What an item that was read says of a key, and where it stands if it is the key's. */
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

    /** Whether an entry's item, valid or not, is the key's. */
    boolean holds(long k, long entry, long at) {
        return IndexEntry.filled(entry) && Item.found(geometry, table.rules(), local, at, entry, k) == Item.Found.KEY;
    }

    // ------------------------------------------------------------------------------------------- items' owners

    /** Takes a free item for the write under way. */
    long take() {
        long n = items.take();
        keepUnderWay();
        underWay.add(n);
        return n;
    }

    /** Forgets those of the items under way that have come back. */
    void keepUnderWay() {
        underWay.keep(inUse);
    }

    /** Nobody can say what has become of the items under way: they are never used again. */
    void abandonUnderWay() {
        keepUnderWay();
        while (!underWay.isEmpty()) {
            items.abandon(underWay.last());
            underWay.removeLast();
        }
    }

    /** An item that was never put into the index. */
    Operations.Attempt unused(long n, Operations.Attempt end) {
        items.giveBack(n);
        return end;
    }

    /** This client has taken an item out of the index: its owner may use it again. */
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

    /** What goes out at an operation's end; nobody waits for it. */
    void sendNotices() throws FabricException {
        if (connection.holding()) {
            connection.post();
        }
    }

    /** Looks whether others have taken items of this client's out of the index when there is no free one left. */
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
