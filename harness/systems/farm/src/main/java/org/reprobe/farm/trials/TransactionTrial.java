package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;

/**
 * Two objects that threads of their machine change by transactions (FaRM 2014, section 3.4), while another machine
 * READs them one after the other without a lock. The history must be linearizable: a client that has READ a new object
 * may not READ an older state of the other.
 */
final class TransactionTrial implements Trial {
    private static final int OBJECTS = 2;
    private static final int HOLDER = 0;
    private static final int MACHINES = 2;
    /** Layout of two lines, both of which contain the value. */
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(ObjectLayout.LINE_BYTES, false);

    private static final int OBJECT_BYTES = OBJECT.bytes();
    private static final int LAST = OBJECT.payloadBytes() - Long.BYTES;
    private static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;

    private final LocalTransaction.CommitOrder commit;
    private final List<Script> scripts = new ArrayList<>();
    private final List<Update> updates = new ArrayList<>();
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    sealed interface Script {}

    /** Transaction of a thread on the objects' machine; its result is the value read. */
    record Update(int read, List<Integer> written) implements Script {
        static long after(long value) {
            return value + 1;
        }
    }

    /** READs of another machine, one after the other. */
    record Reads(List<Integer> objects) implements Script {}

    TransactionTrial(LocalTransaction.CommitOrder commit, Script... scripts) {
        this.commit = commit;
        for (Script script : scripts) {
            this.scripts.add(script);
            if (script instanceof Update update) {
                updates.add(update);
            }
        }
    }

    /** Creates a transaction that increments one object's value and writes the result to others. */
    static Script update(int read, Integer... written) {
        return new Update(read, List.of(written));
    }

    static Script reads(Integer... objects) {
        return new Reads(List.of(objects));
    }

    /** Returns two clients per script, one on each machine; one of them does nothing. */
    @Override
    public int clients() {
        return MACHINES * scripts.size();
    }

    @Override
    public int servers() {
        return MACHINES;
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.memory(HOLDER).allocate((long) OBJECTS * OBJECT_BYTES);
        region = fabric.memory(HOLDER).register(memory);
        for (int i = 0; i < OBJECTS; i++) {
            OBJECT.write(memory, (long) i * OBJECT_BYTES, ObjectWriter.ONE_VERSION, 1, OBJECT.newPayload());
        }
    }

    private static long value(MemorySegment payload) {
        if (payload.get(VALUE, 0) != payload.get(VALUE, LAST)) {
            throw new IllegalStateException("an object was torn");
        }
        return payload.get(VALUE, 0);
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        Script script = scripts.get(client.index() / MACHINES);
        if (client.isLocal(HOLDER) && script instanceof Update update) {
            change(client, update, history);
        } else if (!client.isLocal(HOLDER) && script instanceof Reads reads) {
            read(client, reads, history);
        }
    }

    private void change(Client client, Update update, HistoryRecorder history) throws FabricException {
        LocalTransaction transaction =
                new LocalTransaction(client, memory, new FixedAllocator(), client.index(), commit, 0);
        int invocation = history.invoked(client.index(), Operation.WRITE, updates.indexOf(update), 0);
        long read = transaction.run(() -> {
            long value = value(
                    transaction.read(OBJECT, (long) update.read * OBJECT_BYTES).payload());
            for (int object : update.written) {
                LocalTransaction.Copy copy = transaction.read(OBJECT, (long) object * OBJECT_BYTES);
                copy.payload().set(VALUE, 0, Update.after(value));
                copy.payload().set(VALUE, LAST, Update.after(value));
                transaction.write(copy);
            }
            return value;
        });
        history.returned(invocation, read);
    }

    private void read(Client client, Reads reads, HistoryRecorder history) throws FabricException {
        MemorySegment local = client.allocate(OBJECT_BYTES);
        QueuePair connection = client.connect(HOLDER, local, ConnectionOptions.oneSided(1, 1));
        Completions completions = new Completions(1);
        MemorySegment payload = OBJECT.newPayload();
        for (int object : reads.objects) {
            int invocation = history.invoked(client.index(), Operation.READ, object, 0);
            while (true) {
                long at = (long) object * OBJECT_BYTES;
                connection.read(0, 0, region.address() + at, region.key(), OBJECT_BYTES, true);
                connection.doorbell();
                connection.await(completions);
                if (OBJECT.read(local, 0, at, payload)) {
                    break;
                }
                client.pause(1);
            }
            history.returned(invocation, value(payload));
        }
    }

    @Override
    public @Nullable String violation(History history) {
        for (int i = 0; i < OBJECTS; i++) {
            if ((memory.get(ValueLayout.JAVA_LONG, (long) i * OBJECT_BYTES) & ObjectLayout.LOCK_MODE) != 0) {
                return "object " + i + " remains locked";
            }
        }
        return new LinearizabilityCheck<>(new Objects(updates)).check(history)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }

    /**
     * Sequential specification of the objects; a transaction is a write: its key is its number, its result the value
     * read.
     */
    private record Objects(List<Update> updates) implements Model<List<Long>> {
        @Override
        public List<Long> initial() {
            return Collections.nCopies(OBJECTS, 0L);
        }

        @Override
        public @Nullable List<Long> after(List<Long> state, Event event) {
            if (event.operation() == Operation.READ) {
                return event.pending() || event.result() == state.get((int) event.key()) ? state : null;
            }
            Update update = updates.get((int) event.key());
            long value = state.get(update.read);
            if (!event.pending() && event.result() != value) {
                return null;
            }
            List<Long> after = new ArrayList<>(state);
            for (int object : update.written) {
                after.set(object, Update.after(value));
            }
            return after;
        }

        @Override
        public boolean eachKeyForItself() {
            return false;
        }
    }

    @Override
    public String place(int region, long offset) {
        return "object " + offset / OBJECT_BYTES + (offset % OBJECT_BYTES == 0 ? "" : " +" + offset % OBJECT_BYTES);
    }
}
