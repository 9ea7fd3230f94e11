package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * An object of one cache line that its own machine frees, and whose memory it then uses for an object of two (FaRM 2014, section 3.5). What
 * is written into the larger one looks like the smaller one where that stood: a header of the same incarnation. Another machine's thread reads
 * the smaller one twice, by a pointer that it has cached or takes from a root object: it gets the object meant or is told that it is freed.
 *
 * <p>The request to end the epoch is a WRITE of its number, and so is the answer.
 */
final class EpochTrial implements Trial {
    private static final int MACHINES = 2;
    private static final int OWNER = 0;
    private static final int READER = 1;
    private static final int OPERATIONS = 2;
    private static final long VERSION = ObjectWriter.ONE_VERSION;
    private static final long INCARNATION = 1;
    private static final byte OTHER_DATA = 9;

    // In the owner's region: a root object, the memory of two objects of one line or one of two, the word of the
    // answer.
    private static final long ROOT_AT = 0;
    private static final long BLOCK_AT = ObjectLayout.LINE_BYTES;
    private static final long OBJECT_AT = 2 * ObjectLayout.LINE_BYTES;
    private static final long ANSWER_AT = 3 * ObjectLayout.LINE_BYTES;
    private static final long OWNER_BYTES = 4 * ObjectLayout.LINE_BYTES;

    /** A request in the reader's region. */
    private static final long REQUEST_AT = 0;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong UNALIGNED_WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Fault fault;
    private final boolean cached;
    private final ObjectLayout small;
    private final ObjectLayout large;
    private MemorySegment memory = MemorySegment.NULL;
    private MemorySegment readersMemory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);
    private RemoteRegion readersRegion = new RemoteRegion(0, 0, 0);

    /** What is left out. */
    enum Fault {
        NONE,
        /** The reader does not compare incarnations. */
        NO_INCARNATION,
        /** The owner does not wait for the answer. */
        REUSED_BEFORE_THE_END,
        /** The reader answers at once. */
        ANSWERED_BEFORE_THE_END,
        /** The reader keeps its pointer when it is asked to end the epoch. */
        POINTER_KEPT,
        /** An operation of the epoch before caches the pointer that it takes from the root. */
        POINTER_CACHED_LATE
    }

    /** @param cached whether the reader has the pointer from the start */
    EpochTrial(Fault fault, boolean cached) {
        this.fault = fault;
        this.cached = cached;
        this.small = ObjectLayout.inLines(ObjectLayout.LINE_BYTES - ObjectLayout.HEADER_BYTES, false);
        this.large = ObjectLayout.inLines(
                2 * ObjectLayout.LINE_BYTES - ObjectLayout.HEADER_BYTES - ObjectLayout.LINE_VERSION_BYTES, false);
    }

    @Override
    public int clients() {
        return MACHINES;
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
        memory = fabric.memory(OWNER).allocate(OWNER_BYTES);
        region = fabric.memory(OWNER).register(memory);
        readersMemory = fabric.memory(READER).allocate(ObjectLayout.LINE_BYTES);
        readersRegion = fabric.memory(READER).register(readersMemory);
        MemorySegment root = small.newPayload();
        BucketLayout.putPointer(root, 0, OBJECT_AT, INCARNATION);
        small.write(memory, ROOT_AT, VERSION, INCARNATION, root);
        small.write(memory, BLOCK_AT, VERSION, INCARNATION, small.newPayload());
        small.write(memory, OBJECT_AT, VERSION, INCARNATION, small.newPayload());
    }

    /** Of the object of two lines: in its second one, behind the line's version, what a small object's header and payload are. */
    private MemorySegment misleadingPayload() {
        MemorySegment payload = large.newPayload().fill(OTHER_DATA);
        int second = ObjectLayout.LINE_BYTES - ObjectLayout.HEADER_BYTES;
        int version = Long.BYTES - ObjectLayout.LINE_VERSION_BYTES;
        payload.asSlice(second, version).fill((byte) 0);
        payload.set(UNALIGNED_WORD, second + version, INCARNATION | ObjectLayout.ALLOCATED);
        return payload;
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        if (client.isLocal(OWNER)) {
            free(client, history);
        } else {
            new Reader(client, history).run();
        }
    }

    private void free(Client client, HistoryRecorder history) throws FabricException {
        ObjectWriter smallWriter = new ObjectWriter(client, small);
        int invocation = history.invoked(client.index(), Operation.DELETE, 0, 0);
        lock(smallWriter, ROOT_AT);
        smallWriter.update(memory, ROOT_AT, VERSION, small.newPayload());
        lock(smallWriter, OBJECT_AT);
        smallWriter.free(memory, OBJECT_AT, VERSION);
        history.returned(invocation, Event.DONE);

        MemoryReuse reuse = new MemoryReuse(MACHINES, place -> reuse(client, place));
        reuse.retire(BLOCK_AT);
        long number = reuse.ask();
        reuse.answered(OWNER, number); // its thread has no operation under way
        MemorySegment local = client.allocate(Long.BYTES);
        QueuePair connection = client.connect(READER, local, ConnectionOptions.oneSided(1, 1));
        local.set(WORD, 0, number);
        connection.write(0, 0, readersRegion.address() + REQUEST_AT, readersRegion.key(), Long.BYTES, true);
        connection.doorbell();
        if (fault == Fault.REUSED_BEFORE_THE_END) {
            reuse(client, BLOCK_AT);
            return;
        }
        Completions completions = new Completions(1);
        client.watch(0, memory, ANSWER_AT, 0);
        while (client.next(completions, Long.MAX_VALUE) != Requester.News.WORDS) {
            require(completions, "the request");
        }
        reuse.answered(READER, memory.get(WORD, ANSWER_AT));
    }

    private void reuse(Client client, long place) {
        ObjectWriter largeWriter = new ObjectWriter(client, large);
        if (!largeWriter.lock(memory, place, VERSION)) {
            throw new IllegalStateException("somebody has locked a place that is free");
        }
        largeWriter.update(memory, place, VERSION, misleadingPayload());
    }

    private void lock(ObjectWriter writer, long at) throws FabricException {
        if (!writer.lock(memory, at, VERSION)) {
            throw new FabricException("somebody else has locked the object");
        }
    }

    private static void require(Completions completions, String what) throws FabricException {
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception(what);
            }
        }
    }

    /** One operation of the reader's. */
    private static final class Lookup {
        private int invocation;
        private long epoch;
        /** Whether the READ under way is one of the root object. */
        private boolean inRoot;
    }

    /** The other machine's thread: an event loop. */
    private final class Reader {
        private static final int NO_POINTER = -1;
        private static final long ANSWER_ID = OPERATIONS;
        private static final long ANSWER_LOCAL = (long) OPERATIONS * ObjectLayout.LINE_BYTES;

        private final Client client;
        private final HistoryRecorder history;
        private final OperationEpochs epochs;
        private final MachineEpochs machine = new MachineEpochs(MACHINES, 1);
        private final MemorySegment local;
        private final QueuePair connection;
        /** On the other one it would not overtake READs, and so hide what epochs are for. */
        private final QueuePair answers;

        private final Lookup[] lookups = new Lookup[OPERATIONS];
        private final MemorySegment read = small.newPayload();
        private long pointer = cached ? OBJECT_AT : NO_POINTER;
        private int begun;
        private int ended;
        private boolean asked;
        private boolean answered;

        Reader(Client client, HistoryRecorder history) throws FabricException {
            this.client = client;
            this.history = history;
            this.epochs = new OperationEpochs(() -> pointer = fault == Fault.POINTER_KEPT ? pointer : NO_POINTER);
            this.local = client.allocate(ANSWER_LOCAL + Long.BYTES);
            this.connection = client.connect(OWNER, local, ConnectionOptions.oneSided(OPERATIONS, OPERATIONS));
            this.answers = client.connect(OWNER, local, ConnectionOptions.oneSided(1, 1));
        }

        void run() throws FabricException {
            Completions completions = new Completions(OPERATIONS + 1);
            client.watch(0, readersMemory, REQUEST_AT, 0);
            begin();
            while (ended < OPERATIONS || !answered) {
                client.next(completions, Long.MAX_VALUE);
                require(completions, "a READ or the answer");
                if (client.changed() == 0) {
                    machine.received(OWNER, readersMemory.get(WORD, REQUEST_AT));
                    epochs.endRequested();
                    asked = true;
                }
                for (int i = 0; i < completions.count(); i++) {
                    if (completions.id(i) == ANSWER_ID) {
                        answered = true;
                    } else {
                        goOn((int) completions.id(i));
                    }
                }
                boolean early = fault == Fault.ANSWERED_BEFORE_THE_END;
                if (early ? asked : epochs.answers()) {
                    asked = false;
                    answer(machine.answer(0, OWNER));
                }
            }
        }

        private void answer(long number) throws FabricException {
            local.set(WORD, ANSWER_LOCAL, number);
            answers.write(ANSWER_ID, ANSWER_LOCAL, region.address() + ANSWER_AT, region.key(), Long.BYTES, true);
            answers.doorbell();
        }

        private void begin() throws FabricException {
            int slot = begun++;
            Lookup lookup = new Lookup();
            lookups[slot] = lookup;
            lookup.epoch = epochs.begin();
            lookup.invocation = history.invoked(client.index(), Operation.READ, 0, 0);
            lookup.inRoot = pointer == NO_POINTER;
            post(slot, lookup.inRoot ? ROOT_AT : pointer);
        }

        private void post(int slot, long at) throws FabricException {
            connection.read(
                    slot,
                    (long) slot * ObjectLayout.LINE_BYTES,
                    region.address() + at,
                    region.key(),
                    ObjectLayout.LINE_BYTES,
                    true);
            connection.doorbell();
        }

        private void goOn(int slot) throws FabricException {
            Lookup lookup = lookups[slot];
            long at = (long) slot * ObjectLayout.LINE_BYTES;
            if (lookup.inRoot) {
                if (!small.read(local, at, at, read)) {
                    readAgain(slot, ROOT_AT);
                    return;
                }
                if (BucketLayout.incarnation(read, 0) == 0) {
                    end(lookup, Event.ABSENT);
                    return;
                }
                long found = BucketLayout.address(read, 0);
                if (epochs.mayCache(lookup.epoch) || fault == Fault.POINTER_CACHED_LATE) {
                    pointer = found;
                }
                lookup.inRoot = false;
                post(slot, found);
                if (begun < OPERATIONS) {
                    begin();
                }
                return;
            }
            if (fault != Fault.NO_INCARNATION && ObjectLayout.incarnation(local, at) != INCARNATION) {
                pointer = NO_POINTER;
                end(lookup, Event.ABSENT);
            } else if (small.read(local, at, at, read)) {
                end(lookup, read.get(BYTE, 0));
            } else {
                readAgain(slot, OBJECT_AT);
            }
        }

        private void readAgain(int slot, long at) throws FabricException {
            client.pause(1);
            post(slot, at);
        }

        private void end(Lookup lookup, long answer) throws FabricException {
            history.returned(lookup.invocation, answer);
            epochs.end(lookup.epoch);
            ended++;
            if (begun < OPERATIONS) {
                begin();
            }
        }
    }

    @Override
    public @Nullable String wrong(History history) {
        return new LinearizabilityCheck<>(new RegisterMap(Map.of(0L, 0L))).check(history)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.words()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        if (region != OWNER) {
            return "the request";
        }
        if (offset >= ANSWER_AT) {
            return "the answer";
        }
        return (offset < BLOCK_AT ? "root" : "line " + offset / ObjectLayout.LINE_BYTES)
                + (offset % ObjectLayout.LINE_BYTES == 0 ? "" : " +" + offset % ObjectLayout.LINE_BYTES);
    }
}
