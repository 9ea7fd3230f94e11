package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.table.Combining.Turn;

/**
 * Updates of a thread in its machine's shards (FaRM 2014, sections 3.4 to 3.6, "single machine transactions"). The
 * object with the value is a bucket, an overflow block, or an object outside of the table. An update locks it by a
 * compare-and-swap from the version read, writes it and unlocks it. The lock excludes other threads and is visible to
 * READs.
 *
 * <p>With replicas the lock is first in the mode that READs accept, and becomes exclusive when all replicas have
 * replied (dual-mode locking), unless {@link Replication#locksExclusively}. Meanwhile the thread continues with other
 * updates. It also does so while an update waits for another thread's transaction on the same key, or backs off because
 * the object is locked.
 *
 * <p>If keys are inserted, {@link ShardInserts} executes the transactions, and this class only combines and replicates
 * them.
 */
public final class ShardUpdates {
    private static final int SEQUENCE_BITS = 32;
    private static final int MAX_WORDS_BESIDES = CommitMessage.HEADER_WORDS + CommitMessage.OBJECT_WORDS;

    private final Client client;
    private final FarmTable table;
    private final List<MemorySegment> memories;
    private final @Nullable Combining combining;
    private final @Nullable Replication replication;
    private final @Nullable ShardInserts inserts;
    private final BackOff backOff;
    /** True if a thread may wait for messages while it holds exclusive locks, so that no thread may block on one. */
    private final boolean exclusive;

    private final TableSearch search;
    private final ObjectWriter buckets;
    private final ObjectWriter blocks;
    private final ObjectWriter values;
    private final int keptBytes;
    private final Update[] updates;
    private final CommitMessage.Builder message;
    private long sequence;

    private final class Update extends TableSearch.Lookup {
        /** Payload that was sent to replicas. */
        private final MemorySegment kept = MemorySegment.ofArray(new byte[keptBytes]);

        private ObjectWriter writer = buckets;
        private Turn turn = Turn.ALONE;
        private long stamp;
        private long lockedVersion;
        private long transaction;
        private int pending;
        private int lockConflicts;
        private boolean withPrepare;
        private boolean over;
        private boolean done;
        private boolean full;
        /** Writer that holds an insert while replicas log it; null otherwise. */
        private @Nullable TableWriter held;

        private TableWriter.Result inserted = TableWriter.Result.ABSENT;
    }

    /**
     * Creates a thread's updates; without combining, replication or inserts, null.
     *
     * @param memories by region; only the machine's own are required
     * @param updatePs CPU time of the exclusive lock
     * @param slots maximum number of concurrent updates
     */
    public ShardUpdates(
            FarmTable table,
            Client client,
            List<MemorySegment> memories,
            @Nullable Combining combining,
            @Nullable Replication replication,
            @Nullable ShardInserts inserts,
            BackOff backOff,
            long updatePs,
            int slots) {
        BucketLayout layout = table.layout();
        this.client = client;
        this.table = table;
        this.memories = memories;
        this.combining = combining;
        this.replication = replication;
        this.inserts = inserts;
        this.backOff = backOff;
        this.exclusive = replication != null && replication.locksExclusively();
        this.search = new TableSearch(table, client, backOff);
        this.buckets = new ObjectWriter(client, layout.bucket(), updatePs);
        this.blocks = new ObjectWriter(client, layout.block(), updatePs);
        this.values = new ObjectWriter(client, layout.value(), updatePs);
        this.keptBytes = replication == null ? 0 : maxPayload(layout).payloadBytes();
        this.updates = new Update[slots];
        this.message = new CommitMessage.Builder(replication == null ? 0 : maxWords(layout, inserts != null));
    }

    private static ObjectLayout maxPayload(BucketLayout layout) {
        ObjectLayout larger =
                layout.bucket().payloadBytes() > layout.block().payloadBytes() ? layout.bucket() : layout.block();
        return layout.inline() || larger.payloadBytes() > layout.value().payloadBytes() ? larger : layout.value();
    }

    static int maxWords(BucketLayout layout, boolean inserts) {
        return inserts
                ? TableWriter.maxWords(layout, ShardInserts.MAX_REPLICATED_PROBE)
                : MAX_WORDS_BESIDES + CommitMessage.payloadWords(maxPayload(layout));
    }

    private Update update(int slot) {
        Update update = updates[slot];
        if (update == null) {
            update = new Update();
            updates[slot] = update;
        }
        return update;
    }

    /** Begins an update; it has ended when {@link #isOver} returns true. */
    public void begin(int slot, long key, long stamp, RemoteRequests.Sender sender) throws FabricException {
        Update update = update(slot);
        update.stamp = stamp;
        update.lockConflicts = 0;
        update.over = false;
        update.done = false;
        update.full = false;
        search.begin(update, key);
        update.turn = combining == null ? Turn.ALONE : combining.begin(slot, key, stamp, inserts != null);
        proceed(slot, update, sender);
    }

    void refuse(int slot) {
        Update update = update(slot);
        update.turn = Turn.ALONE;
        update.over = true;
        update.done = false;
        update.full = false;
    }

    public void resume(int slot, RemoteRequests.Sender sender) throws FabricException {
        Update update = updates[slot];
        if (combining != null && update.turn == Turn.WAIT) {
            update.turn = combining.turn(slot);
        }
        proceed(slot, update, sender);
    }

    private void proceed(int slot, Update update, RemoteRequests.Sender sender) throws FabricException {
        if (combining != null && update.turn == Turn.WAIT) {
            sender.waitFor(backOff.nextNs());
        } else if (combining != null && update.turn == Turn.DONE) {
            replyReceived(update, combining.result(slot));
        } else {
            transact(slot, update, sender);
        }
    }

    private void transact(int slot, Update update, RemoteRequests.Sender sender) throws FabricException {
        if (combining != null && update.turn == Turn.LEAD) {
            combining.take(slot);
            update.stamp = combining.value(slot);
        }
        if (inserts != null) {
            if (replication == null) {
                inserted(slot, update, inserts.insert(update.key(), update.stamp));
            } else {
                insert(slot, update, inserts, replication, sender);
            }
            return;
        }
        search.begin(update, update.key());
        if (search.searchLocal(update, memories, !exclusive) == 0) {
            sender.waitFor(backOff.nextNs(update.lockConflicts++));
            return;
        }
        if (!update.found()) {
            end(slot, update, false);
            return;
        }
        update.writer = switch (update.step()) {
            case BUCKETS -> buckets;
            case BLOCK -> blocks;
            case VALUE -> values;
        };
        MemorySegment memory = memories.get(update.region());
        long version = update.version();
        long mode = replication == null || exclusive ? ObjectLayout.EXCLUSIVE : ObjectLayout.READABLE;
        if (!update.writer.lock(memory, update.objectOffset(), version, mode)) {
            sender.waitFor(replication == null ? backOff.nextNs() : backOff.nextNs(update.lockConflicts++));
            return;
        }
        table.putValue(update.payload(), update.valueAt(), update.key(), update.stamp);
        if (replication == null) {
            update.writer.update(memory, update.objectOffset(), version, update.payload());
            end(slot, update, true);
            return;
        }
        update.lockedVersion = version;
        MemorySegment.copy(
                update.payload(), 0, update.kept, 0, update.writer.layout().payloadBytes());
        sendToReplicas(update, replication, sender);
    }

    private void insert(
            int slot, Update update, ShardInserts into, Replication replicated, RemoteRequests.Sender sender)
            throws FabricException {
        TableWriter writer = into.take(update.key());
        TableWriter.Result result = into.hold(writer, update.key(), update.stamp);
        if (result == null || result == TableWriter.Result.FULL) {
            into.giveBack(writer);
            if (result == null) {
                sender.waitFor(backOff.nextNs(update.lockConflicts++));
            } else {
                inserted(slot, update, result);
            }
            return;
        }
        if (exclusive) {
            writer.lockHeldExclusively();
        }
        update.held = writer;
        update.inserted = result;
        sendToReplicas(update, replicated, sender);
    }

    private void inserted(int slot, Update update, TableWriter.Result result) {
        if (combining != null && update.turn == Turn.LEAD) {
            if (result == TableWriter.Result.FULL) {
                combining.endFull(slot);
            } else {
                combining.end(slot, result == TableWriter.Result.UPDATED);
            }
        }
        replyReceived(update, result);
    }

    private static void replyReceived(Update update, TableWriter.Result result) {
        update.over = true;
        update.done = result == TableWriter.Result.UPDATED || result == TableWriter.Result.INSERTED;
        update.full = result == TableWriter.Result.FULL;
    }

    private void sendToReplicas(Update update, Replication replicated, RemoteRequests.Sender sender)
            throws FabricException {
        update.transaction = (client.index() + 1L) << SEQUENCE_BITS | sequence++;
        update.withPrepare = replicated.mode() == ReplicationMode.PREPARE_COMMIT;
        int kind = update.withPrepare ? CommitMessage.LOG_PREPARE : CommitMessage.LOG_WRITES;
        sendToReplicas(update, replicated.copies(), kind, sender);
    }

    private void sendToReplicas(Update update, RegionCopies copies, int kind, RemoteRequests.Sender sender)
            throws FabricException {
        message.begin(kind, update.transaction);
        TableWriter held = update.held;
        int region = held == null ? update.region() : held.region();
        if (CommitMessage.namesObjects(kind)) {
            if (held == null) {
                long address = Address.of(region, update.objectOffset());
                message.add(address, update.lockedVersion, update.writer.layout(), update.kept);
            } else {
                held.appendTo(message);
            }
        }
        update.pending = copies.replicas();
        for (int i = 0; i < copies.replicas(); i++) {
            sender.sendRequest(copies.replica(region, i), message.words(), message.count());
        }
    }

    /** Receives a replica's reply. */
    public void replyReceived(int slot, RemoteRequests.Sender sender) throws FabricException {
        Update update = updates[slot];
        if (replication == null) {
            throw new IllegalStateException("there are no replicas");
        }
        if (--update.pending > 0) {
            return;
        }
        if (update.withPrepare) {
            update.withPrepare = false;
            sendToReplicas(update, replication.copies(), CommitMessage.LOG_COMMIT, sender);
            return;
        }
        TableWriter held = update.held;
        if (held != null && inserts != null) {
            held.commitHeld();
            inserts.giveBack(held);
            update.held = null;
            inserted(slot, update, update.inserted);
            return;
        }
        MemorySegment memory = memories.get(update.region());
        update.writer.lockExclusively(memory, update.objectOffset(), update.lockedVersion);
        update.writer.update(memory, update.objectOffset(), update.lockedVersion, update.kept);
        end(slot, update, true);
    }

    private void end(int slot, Update update, boolean wasThere) {
        if (combining != null && update.turn == Turn.LEAD) {
            combining.end(slot, wasThere);
        }
        update.over = true;
        update.done = wasThere;
    }

    public boolean isOver(int slot) {
        return updates[slot].over;
    }

    /** Returns true if a slot's update took effect; false if the key was absent and not inserted. */
    public boolean isDone(int slot) {
        return updates[slot].done;
    }

    boolean isFull(int slot) {
        return updates[slot].full;
    }

    /** Returns true if another operation's transaction has executed the update. */
    boolean isCombined(int slot) {
        return updates[slot].turn == Turn.DONE;
    }
}
