package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.FarmSystem.FarmSettings.Told;

/**
 * Updates of keys of a machine's own shard that its replicas log (FaRM 2014, section 3.4, "single machine transactions"), by one of its threads: the
 * object that has the value is locked in the mode that READs accept, the replicas are told what is written, and when they have answered, it is
 * locked exclusively, written and unlocked. The thread goes on with others meanwhile; who finds an object locked looks again after a random time.
 */
final class ReplicatedUpdates {
    private static final int SEQUENCE_BITS = 32;
    private static final int MAX_WORDS_BESIDES = CommitMessage.HEADER_WORDS + CommitMessage.OBJECT_WORDS;

    private final Client client;
    private final FarmTable table;
    private final List<MemorySegment> memories;
    private final Replication replication;
    private final BackOff backOff;
    private final TableSearch search;
    private final ObjectWriter buckets;
    private final ObjectWriter blocks;
    private final ObjectWriter values;
    private final int payloadBytes;
    private final Update[] updates;
    private final CommitMessage.Builder message;
    private long sequence;

    /** One that is under way. */
    private final class Update extends TableSearch.Lookup {
        private final MemorySegment payload = MemorySegment.ofArray(new byte[payloadBytes]);
        private ObjectWriter writer = buckets;
        private long stamp;
        private long lockedVersion;
        private long transaction;
        private int unanswered;
        private boolean prepares;
        private boolean done;
    }

    /**
     * A thread's.
     *
     * @param slots of updates that are under way at once
     * @param updatePs CPU time for which an object is locked exclusively
     */
    ReplicatedUpdates(
            FarmTable table,
            Client client,
            List<MemorySegment> memories,
            Replication replication,
            BackOff backOff,
            long updatePs,
            int slots) {
        BucketLayout layout = table.layout();
        this.client = client;
        this.table = table;
        this.memories = memories;
        this.replication = replication;
        this.backOff = backOff;
        this.search = new TableSearch(table, client, true);
        this.buckets = new ObjectWriter(client, layout.bucket(), updatePs);
        this.blocks = new ObjectWriter(client, layout.block(), updatePs);
        this.values = new ObjectWriter(client, layout.value(), updatePs);
        this.payloadBytes = maxPayload(layout).payloadBytes();
        this.updates = new Update[slots];
        this.message = new CommitMessage.Builder(maxWords(layout));
    }

    private static ObjectLayout maxPayload(BucketLayout layout) {
        ObjectLayout larger =
                layout.bucket().payloadBytes() > layout.block().payloadBytes() ? layout.bucket() : layout.block();
        return layout.inline() || larger.payloadBytes() > layout.value().payloadBytes() ? larger : layout.value();
    }

    /** Words of the longest message to a replica. */
    static int maxWords(BucketLayout layout) {
        return MAX_WORDS_BESIDES + CommitMessage.payloadWords(maxPayload(layout));
    }

    private Update update(int slot) {
        Update update = updates[slot];
        if (update == null) {
            update = new Update();
            updates[slot] = update;
        }
        return update;
    }

    /** Begins an update; whether the key is there. */
    boolean begin(int slot, long key, long stamp, Questions.Asking asking) throws FabricException {
        Update update = update(slot);
        update.stamp = stamp;
        update.done = false;
        search.begin(update, key);
        return lock(update, asking);
    }

    /** Goes on after a wait. */
    void resume(int slot, Questions.Asking asking) throws FabricException {
        Update update = updates[slot];
        search.begin(update, update.key());
        lock(update, asking);
    }

    private boolean lock(Update update, Questions.Asking asking) throws FabricException {
        search.searchShared(update, memories, backOff);
        if (!update.found()) {
            return false;
        }
        update.writer = switch (update.step()) {
            case BUCKETS -> buckets;
            case BLOCK -> blocks;
            case VALUE -> values;
        };
        MemorySegment memory = memories.get(update.region());
        if (!update.writer.lock(memory, update.objectOffset(), update.version(), ObjectLayout.READABLE)) {
            asking.waitFor(backOff.nextNs());
            return true;
        }
        update.lockedVersion = update.version();
        MemorySegment.copy(
                update.payload(), 0, update.payload, 0, update.writer.layout().payloadBytes());
        table.putValue(update.payload, update.valueAt(), update.key(), update.stamp);
        update.transaction = (client.index() + 1L) << SEQUENCE_BITS | sequence++;
        update.prepares = replication.told() == Told.PREPARE_COMMIT;
        tell(update, update.prepares ? CommitMessage.LOG_PREPARE : CommitMessage.LOG_WRITES, asking);
        return true;
    }

    private void tell(Update update, int kind, Questions.Asking asking) throws FabricException {
        message.begin(kind, update.transaction);
        if (CommitMessage.namesObjects(kind)) {
            long address = FarmTable.address(update.region(), update.objectOffset());
            message.add(address, update.lockedVersion, update.writer.layout(), update.payload);
        }
        RegionCopies copies = replication.copies();
        update.unanswered = copies.replicas();
        for (int i = 0; i < copies.replicas(); i++) {
            asking.ask(copies.replica(update.region(), i), message.words(), message.count());
        }
    }

    /** A replica has logged what it was told. */
    void answered(int slot, Questions.Asking asking) throws FabricException {
        Update update = updates[slot];
        if (--update.unanswered > 0) {
            return;
        }
        if (update.prepares) {
            update.prepares = false;
            tell(update, CommitMessage.LOG_COMMIT, asking);
            return;
        }
        MemorySegment memory = memories.get(update.region());
        update.writer.lockExclusively(memory, update.objectOffset(), update.lockedVersion);
        update.writer.update(memory, update.objectOffset(), update.lockedVersion, update.payload);
        update.done = true;
    }

    /** Whether a slot's update was done; the key was not there otherwise. */
    boolean isDone(int slot) {
        return updates[slot].done;
    }
}
