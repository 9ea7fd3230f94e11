package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.Connection;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.Result;

/**
 * A client of a Nessie table: read (section 3.1), delete (3.2), write (3.3, Algorithm 1) and migrate (3.4, Algorithm 2), in
 * the paper's names: {@code p} and {@code s} are a key's places, {@code i} and {@code j} the entries found there, {@code n}
 * the new entry, {@code D[i]} the item that an entry names. Operations that don't depend on each other are posted in one
 * list (section 4); every {@code roundTrip} is one round trip.
 *
 * <p>Where the {@link Rules} differ, the code says so. For one thread.
 */
public final class NessieClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(64, 16);
    private static final int LONGEST_BACK_OFF_DOUBLINGS = 10;

    /** After so many attempts in vain somebody seems to be stuck: a client that is dead, or hangs. */
    private static final int PATIENCE = 32;

    // Local memory: answers of compare-and-swaps and transactions; notices on their way; what is asked of the server;
    // items.
    static final long AT_P = 0;
    static final long AT_S = 8;
    private static final long VALID_WORD = 16;
    static final long COMMITTED = 24;
    private static final long NOTICES = 64;
    private static final int NOTICE_COUNT = 32;
    private static final long ITEMS = NOTICES + NOTICE_COUNT * Long.BYTES;

    private final Client client;
    private Nessie table;
    private Geometry geometry;
    private final Rules rules;
    private final int owner;
    private final FreeItems items;
    private final Connection connection;
    private final ServerCalls server;
    private final MemorySegment local;
    private final SplittableRandom random;
    private final Steps steps = new Steps();
    private final TransactionalOperations transactional;

    /** Local offsets: D[i], D[j], the item to be written, the copy to be migrated, notices that were read. */
    final long itemAtP;

    final long itemAtS;
    final long newItem;
    private final long movedItem;
    private final long readNotices;
    /** Entries of items that the write under way has written. */
    private final EntryList underWay = new EntryList();

    private final LongPredicate inUse;
    /** Entry under which the value was written that the delete under way removes; {@code EMPTY} for none. */
    private long removing = Entry.EMPTY;

    private int nextNotice;
    private int attempt;

    /** How an attempt ended. */
    enum Attempt {
        DONE,
        RETRY,
        /** Without waiting: the way has just been cleared. */
        AGAIN,
        NO_PLACE
    }

    /**
     * Connects.
     *
     * @param owner number of the items' owner that this client is: 0 to {@link Geometry#server} - 1
     * @param seed of the waits before attempts are repeated
     * @param server whom to ask for room
     */
    public NessieClient(Client client, Nessie table, int owner, long seed, ServerCalls server) throws FabricException {
        this.client = client;
        Layout now = server.layout(); // also tells the server whose connection this is
        this.table = now == null ? table : table.laidOut(now);
        this.geometry = this.table.geometry();
        this.rules = table.rules();
        this.owner = owner;
        this.items = new FreeItems(geometry, owner, table.loaded()[owner]);
        this.inUse = items::uses;
        this.random = new SplittableRandom(seed ^ (owner * 0x9E3779B97F4A7C15L));
        int itemBytes = roomBytes(geometry);
        this.itemAtP = (ITEMS + 64) & ~63;
        this.itemAtS = itemAtP + itemBytes;
        this.newItem = itemAtS + itemBytes;
        this.movedItem = newItem + itemBytes;
        this.readNotices = movedItem + itemBytes;
        this.local = client.allocate(localBytes(geometry));
        this.connection = new Connection(client, 0, local, OPTIONS);
        this.server = server;
        this.transactional = new TransactionalOperations(this, table, connection, items);
        if (rules == Rules.RHTM && !connection.hasTransactions()) {
            throw new FabricException("rules rhtm need a card with remote transactions, which this fabric has not; use"
                    + " fabric sim and a nic that has them, such as rhtm-40g");
        }
    }

    private static int roomBytes(Geometry geometry) {
        return (geometry.itemBytes() + 63) & ~63;
    }

    /** Local memory of a client. */
    public static long localBytes(Geometry geometry) {
        return ((ITEMS + 64) & ~63) + 4L * roomBytes(geometry) + (long) geometry.itemsPerOwner() * Long.BYTES;
    }

    /** What was counted so far. */
    public Steps steps() {
        return steps;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public long retries() {
        return steps.retries();
    }

    @Override
    public long migrations() {
        return steps.migrations();
    }

    @Override
    public long serverCalls() {
        return steps.serverCalls();
    }

    @Override
    public long refusals() {
        return steps.refusals();
    }

    /** Where in {@link #value} the value that {@link #read} has found begins: at 0 to its length. */
    public MemorySegment value() {
        return local.asSlice(
                foundAt + Geometry.HEADER_BYTES, Math.min(Item.length(local, foundAt), geometry.valueBytes()));
    }

    @Override
    public long firstWord() {
        return local.get(WORD, foundAt + Geometry.HEADER_BYTES);
    }

    long foundAt;

    // ---------------------------------------------------------------------------------------------- 3.1 Read

    /** Looks a key up: {@code DONE}, and the {@link #value} until the next operation; or {@code ABSENT}. */
    @Override
    public Result read(long k) throws FabricException {
        for (attempt = 0; attempt < table.attempts(); attempt++) {
            try {
                Found found = switch (rules) {
                    case PRINTED -> readInTurn(k);
                    case CORRECTED -> readTogether(k);
                    case RHTM -> transactional.read(k, geometry.primary(k), geometry.secondary(k));
                };
                if (found != Found.UNSETTLED) {
                    return found == Found.KEY ? Result.DONE : Result.ABSENT;
                }
                backOff();
            } catch (FabricException e) {
                goOnAfter(e);
            }
        }
        return Result.GAVE_UP;
    }

    enum Found {
        KEY,
        ABSENT,
        UNSETTLED
    }

    /** As printed: the primary place, then the secondary one. */
    private Found readInTurn(long k) throws FabricException {
        long i = look(geometry.primary(k), AT_P);
        Found found = readItem(k, i, itemAtP);
        if (found != Found.ABSENT) {
            return found;
        }
        long j = look(geometry.secondary(k), AT_S);
        return readItem(k, j, itemAtS);
    }

    private Found readItem(long k, long entry, long at) throws FabricException {
        if (!Entry.filled(entry)) {
            return Found.ABSENT;
        }
        readItem(entry, at);
        connection.roundTrip();
        return judge(k, entry, at);
    }

    /** Both entries in one round trip, both items in another. */
    private Found readTogether(long k) throws FabricException {
        long p = geometry.primary(k);
        lookAtBoth(p, geometry.secondary(k));
        long i = local.get(WORD, AT_P);
        long j = local.get(WORD, AT_S);
        readItems(i, j);
        Found found = judge(k, i, itemAtP);
        if (found == Found.ABSENT) {
            found = judge(k, j, itemAtS);
        }
        // The key may have moved from s to p after p was looked at and before s was.
        return found == Found.ABSENT && look(p, AT_P) != i ? Found.UNSETTLED : found;
    }

    private Found judge(long k, long entry, long at) {
        if (!Entry.filled(entry)) {
            return Found.ABSENT;
        }
        return switch (Item.found(geometry, rules, local, at, entry, k)) {
            case OTHER -> Found.ABSENT;
            case UNSETTLED -> Found.UNSETTLED;
            case KEY -> {
                foundAt = at;
                yield Item.valid(geometry, rules, local, at) ? Found.KEY : Found.UNSETTLED;
            }
        };
    }

    // -------------------------------------------------------------------------------------------- 3.2 Delete

    @Override
    public Result delete(long k) throws FabricException {
        removing = Entry.EMPTY;
        for (attempt = 0; attempt < table.attempts(); attempt++) {
            try {
                long p = geometry.primary(k);
                long s = geometry.secondary(k);
                Attempt end = switch (rules) {
                    case PRINTED -> tryDelete(k, p, s);
                    case CORRECTED -> tryDeleteOnce(k, p, s);
                    case RHTM -> transactional.tryDelete(k, p, s);
                };
                sendNotices();
                if (end == Attempt.DONE) {
                    return Result.DONE;
                }
                backOff();
            } catch (FabricException e) {
                goOnAfter(e);
            }
        }
        return Result.GAVE_UP;
    }

    /**
     * As printed: the secondary place first, then the primary one, then a check of the secondary one. A failed check
     * repeats a delete that may have taken effect already. (A line of the paper's text is lost; "effectively deletes p and
     * verifies that the operation has completed" and what {@code swap} is for tell it.)
     */
    private Attempt tryDelete(long k, long p, long s) throws FabricException {
        lookAtBoth(s, p, AT_S, AT_P);
        long j = local.get(WORD, AT_S);
        long i = local.get(WORD, AT_P);
        readItems(i, j);
        if (unsettled(k, i, itemAtP) || unsettled(k, j, itemAtS)) {
            return Attempt.RETRY;
        }
        if (holds(k, j, itemAtS)) {
            long removed = rules.removed(j);
            connection.compareAndSwap(table.memory(), geometry.slotOffset(s), AT_S, j, removed);
            connection.compareAndSwap(table.memory(), geometry.slotOffset(p), AT_P, 0, 0);
            connection.roundTrip();
            if (local.get(WORD, AT_S) != j) {
                return Attempt.RETRY;
            }
            endOfUse(j);
            if (local.get(WORD, AT_P) != i) {
                return Attempt.RETRY;
            }
            j = removed;
        }
        return holds(k, i, itemAtP) ? swap(p, i, rules.removed(i), s, j, 0) : finish(s, j, 0);
    }

    /**
     * Corrected: at most one place holds a valid item of the key, so that taking it out is the whole delete. Items that are
     * not valid are left to their writers.
     */
    private Attempt tryDeleteOnce(long k, long p, long s) throws FabricException {
        lookAtBoth(p, s);
        long i = local.get(WORD, AT_P);
        long j = local.get(WORD, AT_S);
        readItems(i, j);
        Found atP = judge(k, i, itemAtP);
        Found atS = atP == Found.ABSENT ? judge(k, j, itemAtS) : Found.ABSENT;
        if (atP == Found.UNSETTLED || atS == Found.UNSETTLED) {
            return Attempt.RETRY;
        }
        if (atP == Found.ABSENT && atS == Found.ABSENT) {
            return look(p, AT_P) == i ? Attempt.DONE : Attempt.RETRY;
        }
        long slot = atP == Found.KEY ? p : s;
        long entry = atP == Found.KEY ? i : j;
        long written = Item.written(local, foundAt);
        if (removing != Entry.EMPTY && removing != written) {
            return Attempt.DONE; // the one that was refused had taken effect, or another's: this value is newer
        }
        removing = written;
        connection.compareAndSwap(table.memory(), geometry.slotOffset(slot), AT_P, entry, rules.removed(entry));
        connection.roundTrip();
        removing = Entry.EMPTY;
        if (local.get(WORD, AT_P) != entry) {
            return Attempt.RETRY;
        }
        endOfUse(entry);
        return Attempt.DONE;
    }

    // --------------------------------------------------------------------------------------------- 3.3 Write

    /**
     * Gives a key a value.
     *
     * @throws IllegalArgumentException for a value longer than {@link Geometry#valueBytes}
     */
    public Result write(long k, MemorySegment v) throws FabricException {
        if (v.byteSize() > geometry.valueBytes()) {
            throw new IllegalArgumentException("a value of " + v.byteSize()
                    + " bytes does not fit: items of this table take " + geometry.valueBytes());
        }
        MemorySegment value =
                local.asSlice(newItem + Geometry.HEADER_BYTES, geometry.validOffset() - Geometry.HEADER_BYTES);
        value.fill((byte) 0);
        MemorySegment.copy(v, 0, value, 0, v.byteSize());
        return write(k, (int) v.byteSize());
    }

    @Override
    public Result write(long k, long v) throws FabricException {
        local.set(WORD, newItem + Geometry.HEADER_BYTES, v);
        return write(k, Long.BYTES);
    }

    private Result write(long k, int valueBytes) throws FabricException {
        underWay.clear();
        for (attempt = 0; attempt < table.attempts(); attempt++) {
            try {
                if (!haveFreeItem()) {
                    if (!collectItems()) {
                        return Result.FULL;
                    }
                    continue;
                }
                long p = geometry.primary(k);
                long s = geometry.secondary(k);
                Attempt end = rules == Rules.RHTM
                        ? transactional.tryWrite(k, p, s, valueBytes)
                        : tryWrite(k, p, s, valueBytes);
                sendNotices();
                switch (end) {
                    case DONE -> {
                        return Result.DONE;
                    }
                    case RETRY -> backOff();
                    case AGAIN -> {}
                    case NO_PLACE -> {
                        steps.serverCalls++;
                        Layout room = server.makeRoom(k);
                        if (room == null) {
                            return Result.FULL;
                        }
                        adopt(room);
                        if (hasTakenEffect(k)) {
                            return Result.DONE;
                        }
                    }
                }
            } catch (FabricException e) {
                goOnAfter(e);
                if (hasTakenEffect(k)) {
                    return Result.DONE;
                }
            }
        }
        return Result.GAVE_UP;
    }

    /** After access was revoked: looks what has become of the items of this write, all of which have an end now. */
    private boolean hasTakenEffect(long k) throws FabricException {
        boolean taken = false;
        underWay.keep(inUse);
        while (!underWay.isEmpty()) {
            long n = underWay.last();
            try {
                readItem(n, itemAtP);
                connection.roundTrip();
            } catch (FabricException e) {
                goOnAfter(e);
                continue;
            }
            boolean valid = Item.entry(local, itemAtP) == n && Item.valid(geometry, rules, local, itemAtP);
            if (!valid) {
                items.giveBack(n);
            }
            taken |= valid && Item.key(local, itemAtP) == k;
            underWay.removeLast();
        }
        return taken;
    }

    /** Algorithm 1; line numbers are its. */
    private Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException {
        long n = take();
        Item.seal(geometry, rules, local, newItem, n, k, valueBytes);
        connection.write(table.memory(), itemOffset(n), newItem, geometry.itemBytes()); // 2: valid flag off
        connection.compareAndSwap(table.memory(), geometry.slotOffset(p), AT_P, Entry.EMPTY, n); // 3
        connection.compareAndSwap(table.memory(), geometry.slotOffset(s), AT_S, 0, 0); // 4
        connection.roundTrip();
        long i = local.get(WORD, AT_P);
        long j = local.get(WORD, AT_S);
        boolean placed = i == Entry.EMPTY;
        if (!placed && emptied(i)) { // corrected: expect the mark that is there
            long mark = i;
            connection.compareAndSwap(table.memory(), geometry.slotOffset(p), AT_P, mark, n);
            connection.compareAndSwap(table.memory(), geometry.slotOffset(s), AT_S, 0, 0);
            connection.roundTrip();
            i = local.get(WORD, AT_P);
            j = local.get(WORD, AT_S);
            placed = i == mark;
        }
        if (placed) { // 5
            if (!Entry.filled(j)) {
                return complete(n); // s was looked at behind p's change: that is finish's check
            }
            readItem(j, itemAtS);
            connection.roundTrip();
            return primaryWrite(k, n, p, s, j); // 6: primary is empty
        }
        if (!Entry.filled(i)) {
            return unused(n, Attempt.RETRY);
        }
        readItems(i, j); // 7, and what 9 needs
        if (unsettled(k, i, itemAtP) || unsettled(k, j, itemAtS)) {
            return unused(n, Attempt.RETRY);
        }
        if (!holds(k, i, itemAtP)) { // 8
            return secondaryWrite(k, n, p, i, s, j); // 9: primary already used
        }
        connection.compareAndSwap(table.memory(), geometry.slotOffset(p), AT_P, i, n); // 10
        connection.roundTrip();
        if (local.get(WORD, AT_P) != i) { // 11
            return unused(n, Attempt.RETRY); // 13
        }
        endOfUse(i);
        return primaryWrite(k, n, p, s, j); // 12: overwrite value
    }

    /** {@code n} is at {@code p}: now {@code s} must not hold the key. */
    private Attempt primaryWrite(long k, long n, long p, long s, long j) throws FabricException {
        if (unsettled(k, j, itemAtS)) {
            return Attempt.RETRY;
        }
        return holds(k, j, itemAtS) ? swap(s, j, rules.removed(j), p, n, n) : finish(s, j, n);
    }

    /** Another key is at {@code p}: {@code s} must be empty or hold the key. */
    private Attempt secondaryWrite(long k, long n, long p, long i, long s, long j) throws FabricException {
        if (Entry.moving(j)) {
            return unused(n, Attempt.RETRY);
        }
        if (!Entry.filled(j) || holds(k, j, itemAtS)) {
            return swap(s, j, n, p, i, n);
        }
        items.giveBack(n);
        return migrateEither(p, i, s, j);
    }

    /**
     * Checks that {@code c} holds {@code i}, then makes item {@code v} valid.
     *
     * @param v 0 for none
     */
    private Attempt finish(long c, long i, long v) throws FabricException {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(c), AT_P, i, i);
        connection.roundTrip();
        if (local.get(WORD, AT_P) != i) {
            return Attempt.RETRY;
        }
        return v == 0 ? Attempt.DONE : complete(v);
    }

    /** Changes {@code s} from {@code j} to {@code n}, then finishes. */
    private Attempt swap(long s, long j, long n, long c, long i, long v) throws FabricException {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(s), AT_S, j, n);
        connection.roundTrip();
        if (local.get(WORD, AT_S) != j) {
            return n == v && v != 0 ? unused(n, Attempt.RETRY) : Attempt.RETRY;
        }
        if (Entry.filled(j)) {
            endOfUse(j);
        }
        return finish(c, i, v);
    }

    private Attempt complete(long v) throws FabricException {
        makeValid(v);
        connection.roundTrip();
        return Attempt.DONE;
    }

    // ------------------------------------------------------------------------------------------- 3.4 Migrate

    /** Tries to empty {@code p}, then {@code s}: both hold other keys' items, which have been read. */
    private Attempt migrateEither(long p, long i, long s, long j) throws FabricException {
        Attempt first = migrate(p, i, itemAtP);
        if (first == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        Attempt second = migrate(s, j, itemAtS);
        if (second == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        return first == Attempt.NO_PLACE && second == Attempt.NO_PLACE ? Attempt.NO_PLACE : Attempt.RETRY;
    }

    /**
     * Algorithm 2. Corrected: lines 2 to 7 are the write's, which has found {@code i} at {@code l} and read the item; what
     * has changed since shows at line 12.
     *
     * @param item where the item stands that the write has read: the key to be migrated is its
     * @return {@code NO_PLACE} when the key's other place is taken, {@code RETRY} for any other abort
     */
    private Attempt migrate(long l, long i, long item) throws FabricException {
        if (rules == Rules.PRINTED) {
            return migrateAsPrinted(l, item);
        }
        if (!Item.valid(geometry, rules, local, item)) {
            steps.failedMigrations++;
            return Attempt.RETRY; // somebody is writing it
        }
        return move(l, i, item);
    }

    private Attempt migrateAsPrinted(long l, long item) throws FabricException {
        long k = Item.key(local, item);
        long i = look(l, AT_P); // 2
        if (i == Entry.EMPTY) {
            return Attempt.DONE; // 3, 4
        }
        readItem(i, item); // 5
        connection.roundTrip();
        if (!holds(k, i, item)) { // 6
            steps.failedMigrations++;
            return Attempt.RETRY; // 7: source key does not match
        }
        return move(l, i, item);
    }

    /** Lines 8 to 16. */
    private Attempt move(long l, long i, long item) throws FabricException {
        if (!haveFreeItem()) {
            return Attempt.RETRY;
        }
        long d = geometry.other(Item.key(local, item), l);
        long n = take();
        Item.sealCopy(geometry, rules, local, item, local, movedItem, n, l);
        connection.write(table.memory(), itemOffset(n), movedItem, geometry.itemBytes()); // 8: valid flag off
        connection.compareAndSwap(table.memory(), geometry.slotOffset(d), AT_S, Entry.EMPTY, n); // 9
        connection.roundTrip();
        long j = local.get(WORD, AT_S);
        boolean placed = j == Entry.EMPTY;
        if (!placed && emptied(j)) {
            connection.compareAndSwap(table.memory(), geometry.slotOffset(d), AT_S, j, n);
            connection.roundTrip();
            placed = local.get(WORD, AT_S) == j;
        }
        if (!placed) { // 10
            steps.failedMigrations++;
            return unused(n, Entry.filled(j) ? Attempt.NO_PLACE : Attempt.RETRY); // 11
        }
        connection.compareAndSwap(table.memory(), geometry.slotOffset(l), AT_P, i, rules.leaving(i)); // 12
        connection.roundTrip();
        if (local.get(WORD, AT_P) != i) { // 13
            steps.failedMigrations++;
            takeBack(d, n);
            return Attempt.RETRY; // 14: source changed
        }
        endOfUse(i);
        makeValid(n); // 15: migration success
        if (rules == Rules.CORRECTED) {
            connection.compareAndSwap(table.memory(), geometry.slotOffset(l), AT_P, Entry.leaving(i), Entry.removed(i));
        }
        connection.roundTrip();
        steps.migrations++;
        return Attempt.DONE; // 16
    }

    /** Corrected: an aborted migration's copy would keep readers waiting for ever. */
    private void takeBack(long d, long n) throws FabricException {
        if (rules == Rules.PRINTED) {
            return;
        }
        connection.compareAndSwap(table.memory(), geometry.slotOffset(d), AT_S, n, Entry.removed(n));
        connection.roundTrip();
        if (local.get(WORD, AT_S) == n) {
            items.giveBack(n);
        }
    }

    // ------------------------------------------------------------------------------------------------- parts

    private long look(long slot, long at) throws FabricException {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(slot), at, 0, 0);
        connection.roundTrip();
        return local.get(WORD, at);
    }

    private void lookAtBoth(long p, long s) throws FabricException {
        lookAtBoth(p, s, AT_P, AT_S);
    }

    private void lookAtBoth(long first, long second, long atFirst, long atSecond) throws FabricException {
        connection.compareAndSwap(table.memory(), geometry.slotOffset(first), atFirst, 0, 0);
        connection.compareAndSwap(table.memory(), geometry.slotOffset(second), atSecond, 0, 0);
        connection.roundTrip();
    }

    private void readItem(long entry, long at) {
        connection.read(table.memory(), itemOffset(entry), at, geometry.itemBytes());
    }

    /** Reads the items of those of two entries that are filled. */
    void readItems(long i, long j) throws FabricException {
        appendReadsOfItems(i, j);
        if (connection.holding()) {
            connection.roundTrip();
        }
    }

    void appendReadsOfItems(long i, long j) {
        if (Entry.filled(i)) {
            readItem(i, itemAtP);
        }
        if (Entry.filled(j)) {
            readItem(j, itemAtS);
        }
    }

    private boolean unsettled(long k, long entry, long at) {
        return Entry.filled(entry) && Item.found(geometry, rules, local, at, entry, k) == Item.Found.UNSETTLED;
    }

    boolean holds(long k, long entry, long at) {
        return Entry.filled(entry) && Item.found(geometry, rules, local, at, entry, k) == Item.Found.KEY;
    }

    private static boolean emptied(long entry) {
        return !Entry.filled(entry) && !Entry.moving(entry);
    }

    long itemOffset(long entry) {
        return geometry.itemOffset(Entry.index(entry));
    }

    private void makeValid(long entry) {
        local.set(WORD, VALID_WORD, rules.valid(entry));
        connection.write(table.memory(), itemOffset(entry) + geometry.validOffset(), VALID_WORD, Long.BYTES);
    }

    /** An item that was never put into the index. */
    Attempt unused(long n, Attempt end) {
        items.giveBack(n);
        return end;
    }

    /** This client has taken an item out of the index: its owner may use it again. */
    void endOfUse(long entry) {
        int index = Entry.index(entry);
        if (geometry.owner(index) == owner) {
            items.giveBack(entry);
            return;
        }
        nextNotice = (nextNotice + 1) % NOTICE_COUNT;
        long at = NOTICES + nextNotice * (long) Long.BYTES;
        local.set(WORD, at, Integer.toUnsignedLong(Entry.version(entry)));
        connection.write(table.memory(), geometry.noticeOffset(index), at, Long.BYTES);
    }

    /** What goes out at an operation's end; nobody waits for it. */
    private void sendNotices() throws FabricException {
        if (connection.holding()) {
            connection.post();
        }
    }

    /** Looks whether others have taken items of this client's out of the index when there is no free one left. */
    private boolean haveFreeItem() throws FabricException {
        if (!items.isEmpty()) {
            return true;
        }
        connection.read(table.memory(), geometry.noticeOffset(items.first()), readNotices, items.size() * Long.BYTES);
        connection.roundTrip();
        for (int item = 0; item < items.size(); item++) {
            items.noticed(item, (int) local.get(WORD, readNotices + item * 8L));
        }
        return !items.isEmpty();
    }

    private long take() {
        long n = items.take();
        underWay.keep(inUse);
        underWay.add(n);
        return n;
    }

    /** All items are in the table as far as this client knows; whether it may try again. */
    private boolean collectItems() throws FabricException {
        underWay.keep(inUse);
        if (!underWay.isEmpty()) {
            server.settle(); // this write itself has left one in the table: it takes effect
        } else if (attempt >= PATIENCE - 1) {
            steps.serverCalls++;
            return server.collect(); // the server knows of notices that were lost
        }
        backOff(); // others may be about to give notice
        return true;
    }

    /** What the server has refused goes on where the table is now; any other failure does not. */
    private void goOnAfter(FabricException failure) throws FabricException {
        Layout now = connection.broken() == Status.REMOTE_ACCESS_ERROR ? server.layout() : null;
        if (now == null) {
            throw failure;
        }
        steps.refusals++;
        connection.reconnect();
        adopt(now);
    }

    private void adopt(Layout now) {
        table = table.laidOut(now);
        geometry = table.geometry();
    }

    /** Exponential: an attempt waits twice as long at most as the one before. */
    private void backOff() throws FabricException {
        steps.retries++;
        if (attempt % PATIENCE == PATIENCE - 1 && server != ServerCalls.NONE) {
            steps.serverCalls++;
            server.settle();
        }
        long most = table.backOffNs() << Math.min(attempt, LONGEST_BACK_OFF_DOUBLINGS);
        client.pause(1 + random.nextLong(Math.max(1, most)));
    }

    @Override
    public void close() {
        connection.close();
    }
}
