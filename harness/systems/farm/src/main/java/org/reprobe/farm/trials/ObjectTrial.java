package org.reprobe.farm.trials;

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
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;

/**
 * An object of three cache lines that its own machine changes a few times, while another machine READs it once without a lock (FaRM 2014,
 * section 3.5): what the READ accepts is what the object held at a moment of it. It may be freed as well, and another object of the same
 * length put in its place: then the READ says that it is gone. It has two lines where there are more steps: where READs take words, or
 * versions come round.
 */
final class ObjectTrial implements Trial {
    private static final int MACHINES = 2;
    private static final int HOLDER = 0;
    private static final long INCARNATION = 1;
    private static final int OTHER_OBJECT = 9;
    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

    private final Rules rules;
    private final ObjectLayout layout;
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    /** Whether the object's place is used again. */
    enum Reuse {
        NONE,
        /** Who READs it compares incarnations. */
        TOLD,
        /** Who READs it does not. */
        UNTOLD
    }

    /**
     * How the object is changed and read.
     *
     * @param bothEnds whether lines end with a version as well
     * @param atomicReadBytes what a READ takes at one moment
     * @param updates how often it is changed
     * @param versionBits after so many updates as have as many bits, line versions are as they were
     * @param maxReadNs a READ that takes longer is made again; {@link Long#MAX_VALUE} for none
     * @param minUpdateNs that an update takes at least
     * @param reuse whether the object is freed in the end
     */
    record Rules(
            boolean bothEnds,
            int atomicReadBytes,
            int updates,
            int versionBits,
            long maxReadNs,
            long minUpdateNs,
            Reuse reuse) {
        private static final int MOST_BITS = 14;
        private static final long MIN_UPDATE_NS = 1000;

        /** Two updates in the printed order, of versions that don't wrap around; READs of whole lines. */
        static final Rules PRINTED =
                new Rules(false, ObjectLayout.LINE_BYTES, 2, MOST_BITS, Long.MAX_VALUE, 0, Reuse.NONE);

        /** READs of single words. */
        Rules byWords(boolean both) {
            return new Rules(both, Long.BYTES, updates, versionBits, maxReadNs, minUpdateNs, reuse);
        }

        /** The object is freed, and another stands in its place. */
        Rules reusing(Reuse how) {
            return new Rules(bothEnds, atomicReadBytes, 0, versionBits, maxReadNs, minUpdateNs, how);
        }

        /**
         * As many updates as bring the line versions round, each a microsecond at least.
         *
         * @param limited whether a READ that takes as long as all of them is made again
         */
        Rules wrapping(int bits, boolean limited) {
            int round = 1 << bits;
            long ageLimitNs = limited ? round * MIN_UPDATE_NS - 1 : Long.MAX_VALUE;
            return new Rules(bothEnds, atomicReadBytes, round, bits, ageLimitNs, MIN_UPDATE_NS, reuse);
        }

        long versionStep() {
            return ObjectWriter.ONE_VERSION << (MOST_BITS - versionBits);
        }
    }

    ObjectTrial(Rules rules) {
        this.rules = rules;
        int lines = rules.atomicReadBytes < ObjectLayout.LINE_BYTES || rules.minUpdateNs > 0 ? 2 : 3;
        int versions = lines - 1 + (rules.bothEnds ? lines : 0);
        int payloadBytes = lines * ObjectLayout.LINE_BYTES
                - ObjectLayout.HEADER_BYTES
                - versions * ObjectLayout.LINE_VERSION_BYTES;
        this.layout = ObjectLayout.inLines(payloadBytes, rules.bothEnds);
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
        return rules.atomicReadBytes;
    }

    @Override
    public boolean oneClock() {
        return true;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.memory(HOLDER).allocate(layout.bytes());
        region = fabric.memory(HOLDER).register(memory);
        layout.write(memory, 0, rules.versionStep(), INCARNATION, payload(0));
    }

    /** All its bytes are the value. */
    private MemorySegment payload(int value) {
        return layout.newPayload().fill((byte) value);
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        if (client.isLocal(HOLDER)) {
            change(client, history);
        } else {
            read(client, history);
        }
    }

    private void change(Client client, HistoryRecorder history) throws FabricException {
        ObjectWriter writer = new ObjectWriter(client, layout, rules.versionStep(), 0);
        Completions none = new Completions(1);
        long version = rules.versionStep();
        for (int value = 1; value <= rules.updates; value++) {
            int invocation = history.invoked(client.index(), Operation.WRITE, 0, value);
            long beganNs = client.nowNs();
            lock(writer, version);
            if (rules.minUpdateNs > 0) {
                client.next(none, beganNs + rules.minUpdateNs);
            }
            version = writer.update(memory, 0, version, payload(value));
            history.returned(invocation, Event.DONE);
        }
        if (rules.reuse != Reuse.NONE) {
            int invocation = history.invoked(client.index(), Operation.DELETE, 0, 0);
            lock(writer, version);
            version = writer.free(memory, 0, version);
            history.returned(invocation, Event.DONE);
            lock(writer, version);
            writer.setIncarnation(memory, 0, INCARNATION + 1);
            writer.update(memory, 0, version, payload(OTHER_OBJECT));
        }
    }

    private void lock(ObjectWriter writer, long version) throws FabricException {
        if (!writer.lock(memory, 0, version)) {
            throw new FabricException("somebody else has locked the object");
        }
    }

    private void read(Client client, HistoryRecorder history) throws FabricException {
        MemorySegment local = client.allocate(layout.bytes());
        QueuePair connection = client.connect(HOLDER, local, ConnectionOptions.oneSided(1, 1));
        Completions completions = new Completions(1);
        MemorySegment read = layout.newPayload();
        int invocation = history.invoked(client.index(), Operation.READ, 0, 0);
        while (true) {
            long postedNs = client.nowNs();
            connection.read(0, 0, region.address(), region.key(), layout.bytes(), true);
            connection.doorbell();
            connection.await(completions);
            if (rules.reuse == Reuse.TOLD && ObjectLayout.incarnation(local, 0) != INCARNATION) {
                history.returned(invocation, Event.ABSENT);
                return;
            }
            boolean inTime = client.nowNs() - postedNs <= rules.maxReadNs;
            if (inTime && layout.read(local, 0, 0, read)) {
                break;
            }
            client.pause(1);
        }
        history.returned(invocation, read.get(BYTE, 0));
        for (int i = 1; i < layout.payloadBytes(); i++) {
            if (read.get(BYTE, i) != read.get(BYTE, 0)) {
                throw new IllegalStateException("a READ was accepted that has bytes of values %d and %d"
                        .formatted(read.get(BYTE, 0), read.get(BYTE, i)));
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
        long line = offset / ObjectLayout.LINE_BYTES;
        return "line " + line + (offset % ObjectLayout.LINE_BYTES == 0 ? "" : " +" + offset % ObjectLayout.LINE_BYTES);
    }
}
