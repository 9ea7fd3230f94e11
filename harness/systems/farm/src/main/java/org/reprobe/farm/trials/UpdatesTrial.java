package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.table.Combining;
import org.reprobe.farm.table.FarmTable;
import org.reprobe.farm.table.ShardUpdates;
import org.reprobe.farm.table.TableSearch;
import org.reprobe.trial.Script;

/**
 * Table of two or four keys in one bucket. Threads of its machine update them, while a thread of another machine looks
 * them up without a lock (FaRM 2014, sections 3.5 and 3.6).
 */
final class UpdatesTrial implements Trial {
    private static final int MACHINES = 2;
    private static final int HOLDER = 0;
    private static final int RECORDS = 2;
    private static final int MAX_RECORDS = 4;
    private static final long VERSION = ObjectWriter.ONE_VERSION;
    private static final long INCARNATION = 1;

    private final FarmTable table;
    private final int records;
    private final int atomicReadBytes;
    private final Script script;
    private final boolean combining;
    private final @Nullable Replication replication;
    private final Combining.Places places;
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    /**
     * @param byWords true if READs are atomic per word, not per line
     * @param script client {@code i} is on machine {@code i} modulo 2; the first machine has the table
     * @param combining true if updates are combined, with all keys in one cell
     */
    UpdatesTrial(boolean byWords, Script script, boolean combining) {
        this(RECORDS, byWords, script, combining, null);
    }

    /**
     * @param records keys in the bucket, two or four
     * @param locking lock while a replica logs an update, which it does at any later time; null without replicas
     */
    UpdatesTrial(int records, boolean byWords, Script script, boolean combining, @Nullable Locking locking) {
        this.replication = locking == null
                ? null
                : new Replication(
                        RegionCopies.inOrder(MACHINES, 1, 1), ReplicationMode.COMMIT_ONLY, locking, 0, LogStages.NONE);
        this.records = records;
        this.table = new FarmTable(
                new BucketLayout(records > RECORDS ? 2 * MAX_RECORDS : 2 * RECORDS, 8, 16, true, byWords),
                1,
                1,
                1,
                records,
                1);
        this.atomicReadBytes = byWords ? Long.BYTES : ObjectLayout.LINE_BYTES;
        this.script = script;
        this.combining = combining;
        this.places =
                new Combining.Places(table.bucketsBytes(), 1, script.clients().size(), 1);
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    public int servers() {
        return MACHINES;
    }

    @Override
    public int atomicReadBytes() {
        return atomicReadBytes;
    }

    /** Allocates the home bucket of the keys and the next bucket. */
    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.memory(HOLDER).allocate(places.from() + places.bytes());
        region = fabric.memory(HOLDER).register(memory);
        BucketLayout layout = table.layout();
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            MemorySegment payload = layout.bucket().newPayload();
            for (int record = 0; bucket == 0 && record < records; record++) {
                int at = record * layout.slotBytes();
                table.putKey(payload, at, table.key(record));
                table.putValue(payload, at + layout.keyBytes(), table.key(record));
            }
            layout.bucket().write(memory, table.bucketOffset(bucket), VERSION, INCARNATION, payload);
        }
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        List<Script.Step> steps = script.clients().get(client.index());
        if (client.isLocal(HOLDER)) {
            update(client, history, steps);
        } else {
            TrialLookups reader = new TrialLookups(client, table, HOLDER, region, new BackOff(1, 1, client.index()));
            for (Script.Step step : steps) {
                lookUp(client, history, step, reader);
            }
        }
    }

    private void update(Client client, HistoryRecorder history, List<Script.Step> steps) throws FabricException {
        BackOff backOff = new BackOff(1, 1, client.index());
        Combining own = combining ? new Combining(client, memory, places, client.index(), 0) : null;
        ShardUpdates updates = new ShardUpdates(table, client, List.of(memory), own, replication, null, backOff, 0, 1);
        Waits waits = new Waits();
        TrialLookups reader = steps.stream().anyMatch(step -> step.operation() == Operation.READ)
                ? new TrialLookups(client, table, HOLDER, region, new BackOff(1, 1, client.index()))
                : null;
        for (Script.Step step : steps) {
            if (reader != null && step.operation() == Operation.READ) {
                lookUp(client, history, step, reader);
                continue;
            }
            int invocation = history.invoked(client.index(), Operation.WRITE, step.key(), step.value());
            updates.begin(0, table.key(step.key()), step.value(), waits);
            while (!updates.isOver(0)) {
                client.pause(waits.ns);
                if (waits.forReplica) {
                    waits.forReplica = false;
                    updates.replyReceived(0, waits);
                } else {
                    updates.resume(0, waits);
                }
            }
            if (!updates.isDone(0)) {
                throw new IllegalStateException("key " + step.key() + " is absent");
            }
            history.returned(invocation, Event.DONE);
        }
    }

    /** Sender of updates. A request to a replica waits like a back-off, and then the thread takes the reply. */
    private static final class Waits implements RemoteRequests.Sender {
        private long ns;
        private boolean forReplica;

        @Override
        public void sendRequest(int machine, long[] words, int count) {
            ns = 1;
            forReplica = true;
        }

        @Override
        public void read(int part, int machine, RemoteRegion of, long offset, long to, int bytes) {
            throw new IllegalStateException("READs are not supported");
        }

        @Override
        public void waitFor(long untilNs) {
            ns = untilNs;
        }
    }

    private void lookUp(Client client, HistoryRecorder history, Script.Step step, TrialLookups reader)
            throws FabricException {
        int invocation = history.invoked(client.index(), Operation.READ, step.key(), 0);
        TableSearch.Lookup lookup = reader.lookUp(table.key(step.key()));
        history.returned(invocation, lookup.found() ? lookup.stamp() : Event.ABSENT);
    }

    @Override
    public @Nullable String violation(History history) {
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            if ((memory.get(ValueLayout.JAVA_LONG, table.bucketOffset(bucket)) & ObjectLayout.LOCK_MODE) != 0) {
                return "bucket " + bucket + " remains locked";
            }
        }
        Map<Long, Long> loaded = new HashMap<>();
        for (long record = 0; record < records; record++) {
            loaded.put(record, FarmTable.LOADED);
        }
        return new LinearizabilityCheck<>(new RegisterMap(loaded)).check(history)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        int bucketBytes = table.layout().bucket().bytes();
        if (offset >= table.bucketsBytes()) {
            return "combining +" + (offset - table.bucketsBytes());
        }
        return "bucket " + offset / bucketBytes + "+" + offset % bucketBytes;
    }
}
