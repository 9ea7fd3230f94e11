package org.reprobe.scheme.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
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
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.sample.Sampling;
import org.reprobe.scheme.FoundRecords;
import org.reprobe.scheme.LockedUpdates;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.LookupCounters;
import org.reprobe.scheme.LookupResources;
import org.reprobe.scheme.MatchListener;
import org.reprobe.scheme.Probing;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.scheme.RequestQueue;
import org.reprobe.system.Counts;
import org.reprobe.table.RecordFormat;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.trial.Script;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySpec;

/**
 * Trial of {@link LockedUpdates}: clients look up and write the records of a tiny table. A write stores a new value, as
 * two equal words, so a record mixed by two writers is detected. A reader whose two words differ reads again, as
 * {@link LockedUpdates} requires of readers.
 *
 * <p>The values read must be those of a linearizable register. In the end every record is whole and every lock is free.
 * If a client died or its connection broke, its lock stays taken, and only the record of that lock may be torn. A
 * client that reconnects does not reuse its lock, because requests of its old connection may still arrive.
 */
final class LockedUpdatesTrial implements Trial {
    private static final int RECORDS = 2;
    private static final int RECORD_BYTES = 3 * Long.BYTES;
    private static final KeySpec KEYS = new KeySpec(Distribution.DISTINCT, 0, 0xFFFF_FFFFL);
    private static final int QUEUE = 8;
    private static final long NOTHING = Long.MIN_VALUE;

    /** Number of failed attempts after which a client gives up in trials where another client may have died. */
    private static final int MAX_ATTEMPTS = 3;

    private final TableSpec spec;
    private final Probing probing;
    private final boolean mayDie;
    private final Script script;
    /** Counters of each client, not used; shared by all schedules, since their histograms are large. */
    private final Counts[] counters;

    private @Nullable Start start;
    private @Nullable RemoteTable table;
    private MemorySegment records = MemorySegment.NULL;
    private MemorySegment locks = MemorySegment.NULL;
    private RemoteRegion lockRegion = new RemoteRegion(0, 0, 0);
    private final int[] keys = new int[RECORDS];
    private final long[] places = new long[RECORDS];

    /**
     * @param mayDie true if a client may die or lose its connection, so that other clients give up after some attempts
     * @param script operations; each client only reads or only writes
     */
    LockedUpdatesTrial(TableKind kind, Storage storage, Probing probing, boolean mayDie, Script script) {
        boolean cuckoo = kind == TableKind.CUCKOO;
        this.spec =
                new TableSpec(kind, storage, RECORDS, RECORD_BYTES, cuckoo ? 0.3 : 0.5, 1, cuckoo ? 2 : 1, 4, KEYS, 5);
        this.probing = probing;
        this.mayDie = mayDie;
        this.script = script;
        this.counters = Stream.generate(LookupCounters::none).limit(clients()).toArray(Counts[]::new);
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        Start from = start;
        if (from == null) {
            from = start();
            start = from;
        }
        MemorySegment slots = copied(from.slots, fabric);
        records = from.heap == null ? slots : copied(from.heap, fabric);
        table = new RemoteTable(
                from.geometry, fabric.register(slots), from.heap == null ? null : fabric.register(records));
        for (int record = 0; record < RECORDS; record++) {
            put(records, places[record], record);
        }
        locks = fabric.allocate(RECORDS * Long.BYTES);
        lockRegion = fabric.register(locks);
    }

    /** Table after construction, the same for each schedule. */
    private record Start(
            TableGeometry geometry,
            MemorySegment slots,
            @Nullable MemorySegment heap) {}

    private Start start() throws FabricException {
        try (TableImage image = TableBuilder.build(spec, 1)) {
            MemorySegment slots = onHeap(image.table());
            MemorySegment built = image.heap();
            MemorySegment heap = built == null ? null : onHeap(built);
            MemorySegment standing = heap == null ? slots : heap;
            for (int record = 0; record < RECORDS; record++) {
                keys[record] = image.keys().key(record);
                long at = 0;
                while (!RecordFormat.matches(standing, at, RECORD_BYTES, keys[record], record)) {
                    at++;
                }
                places[record] = at;
            }
            return new Start(image.geometry(), slots, heap);
        } catch (TableRefusedException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    private static MemorySegment onHeap(MemorySegment built) {
        return MemorySegment.ofArray(built.toArray(ValueLayout.JAVA_BYTE));
    }

    private static MemorySegment copied(MemorySegment built, Fabric fabric) throws FabricException {
        return fabric.allocate(built.byteSize()).copyFrom(built);
    }

    private static void put(MemorySegment memory, long at, long value) {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES, value);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at + 2 * Long.BYTES, value);
    }

    /** Returns the value of a record; empty for a torn one. */
    private static OptionalLong value(MemorySegment memory, long at) {
        long value = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at + Long.BYTES);
        return value == memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 2 * Long.BYTES)
                ? OptionalLong.of(value)
                : OptionalLong.empty();
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        List<Script.Step> asks = script.clients().get(client.index());
        boolean writes = asks.getFirst().operation() == Operation.WRITE;
        OneByOne lookups = new OneByOne(client, writes);
        for (Script.Step step : asks) {
            int invocation = history.invoked(client.index(), step.operation(), step.key(), step.value());
            try {
                // An operation that is given up stays pending in the history.
                if (lookups.operate(step)) {
                    history.returned(invocation, step.operation() == Operation.READ ? lookups.found : Event.DONE);
                } else {
                    lookups.connectAgain();
                }
            } catch (UnreachableException e) {
                lookups.connectAgain();
            }
        }
    }

    /** Lookups of one client, one by one, posted and processed as by {@link LookupClient}. */
    private final class OneByOne implements MatchListener {
        private final Client client;
        private final LookupResources resources;
        private final RequestQueue requests;
        private final Completions completions = new Completions(QUEUE);
        private long requested;
        private long written;
        private long found = NOTHING;
        private boolean finished;

        OneByOne(Client client, boolean writes) throws FabricException {
            this.client = client;
            LookupClient.Parameters plan = new LookupClient.Parameters(
                    Objects.requireNonNull(table),
                    new Asked(),
                    probing,
                    QUEUE,
                    QUEUE,
                    0,
                    0,
                    0,
                    1,
                    new LockedUpdates.Writes(writes ? 1 : 0, lockRegion, LockedUpdates.FOR_EVER_NS),
                    Sampling.Conditions.NONE);
            FoundRecords records = new FoundRecords(RECORD_BYTES) {
                @Override
                public void copyTo(MemorySegment local, long at, int lookup) {
                    super.copyTo(local, at, lookup);
                    put(local, at, written);
                }
            };
            this.resources = new LookupResources(client, plan, counters[client.index()], records, this);
            this.requests = resources.requests();
        }

        /** Keys whose choice always returns the record of the current operation. */
        private final class Asked implements KeySet {
            @Override
            public long records() {
                return RECORDS;
            }

            @Override
            public int key(long ordinal) {
                return keys[(int) ordinal];
            }

            @Override
            public Choice choice() {
                return _ -> requested;
            }
        }

        /** Executes an operation; returns false if the client gives up. */
        boolean operate(Script.Step step) throws FabricException {
            requested = step.key();
            written = step.value();
            int tries = 0;
            do {
                finished = false;
                found = NOTHING;
                resources.begin(0);
                while (!finished) {
                    long takenBefore = resources.lockRetries();
                    round();
                    if (resources.lockRetries() > takenBefore && !again(++tries)) {
                        return false;
                    }
                }
                if (found != NOTHING || step.operation() == Operation.WRITE) {
                    return true;
                }
            } while (again(++tries));
            return false;
        }

        private boolean again(int tries) throws FabricException {
            if (mayDie && tries > MAX_ATTEMPTS) {
                return false;
            }
            client.pause(1);
            return true;
        }

        /** Gives up the operation in progress and opens a new connection. */
        void connectAgain() throws FabricException {
            resources.giveUpAll();
            Reconnection.untilDone(client, resources::reconnect);
        }

        private void round() throws FabricException {
            QueuePair queuePair = resources.queuePair();
            int posted = requests.size();
            int at = 0;
            for (int i = 0; i < posted; i++) {
                int request = requests.at(i);
                resources.post(i, request, at, i == posted - 1);
                at += LookupResources.align(requests.bytes[request]);
            }
            queuePair.doorbell();
            queuePair.await(completions);
            resources.check(completions, 0);
            for (int i = 0; i < posted; i++) {
                resources.completed(requests.at(i));
            }
            requests.remove(posted);
        }

        @Override
        public void found(int index, int lookup, int key, long ordinal, MemorySegment local, long offset) {
            found = value(local, offset).orElse(NOTHING);
        }

        @Override
        public void finished(int index, int lookup, int key) {
            finished = true;
        }
    }

    @Override
    public @Nullable String violation(History history) {
        Map<Long, Long> before = new HashMap<>();
        List<Event> events = new ArrayList<>(history.events());
        long time = Long.MAX_VALUE - 2;
        for (int record = 0; record < RECORDS; record++) {
            before.put((long) record, (long) record);
            boolean taken = locks.getAtIndex(ValueLayout.JAVA_LONG, record) != 0;
            if (taken && !mayDie) {
                return "all clients have ended, and record " + record + " is still locked";
            }
            if (!taken && value(records, places[record]).isEmpty()) {
                return "record " + record + " is torn, and its lock is free";
            }
            if (RecordFormat.key(records, places[record]) != keys[record]
                    || RecordFormat.ordinal(records, places[record]) != record) {
                return "record " + record + " does not stand where it was";
            }
            OptionalLong left = value(records, places[record]);
            if (left.isPresent()) {
                events.add(new Event(clients(), Operation.READ, record, 0, 0, left.getAsLong(), time, time + 1));
            }
        }
        return new LinearizabilityCheck<>(new RegisterMap(before)).check(new History(events))
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        boolean lock = region == (spec.storage() == Storage.INLINE ? 1 : 2);
        return lock ? "lock " + offset / Long.BYTES : (region == 0 ? "table+" : "heap+") + offset;
    }
}
