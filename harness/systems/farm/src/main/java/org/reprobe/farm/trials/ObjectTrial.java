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
 * Object of three cache lines that its machine updates a few times, while another machine READs it once without a lock
 * (FaRM 2014, section 3.5): an accepted READ must return a value that the object had during the READ. If the object is
 * freed and its place reused for another of the same length, the READ must report that. Objects have two lines in
 * configurations with more steps, whose READs take words or whose versions wrap around.
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

    enum Reuse {
        NONE,
        /** The place is reused, and the READ compares incarnations. */
        CHECKED,
        /** The place is reused, and the READ ignores incarnations. */
        UNCHECKED
    }

    /**
     * Parameters of updates and the READ.
     *
     * @param bothEnds true if lines also end with a version
     * @param atomicReadBytes bytes that a READ takes atomically
     * @param versionBits bits of a line version, which repeats after 2 to this power updates
     * @param maxReadNs READs that take longer are repeated; {@link Long#MAX_VALUE} for no limit
     * @param reuse reuse of the object's place at the end
     */
    record Rules(
            boolean bothEnds,
            int atomicReadBytes,
            int updates,
            int versionBits,
            long maxReadNs,
            long minUpdateNs,
            Reuse reuse) {
        private static final int MAX_BITS = 14;
        private static final long MIN_UPDATE_NS = 1000;

        /** Two updates in the printed order, without wrap-around; READs of whole lines. */
        static final Rules PRINTED =
                new Rules(false, ObjectLayout.LINE_BYTES, 2, MAX_BITS, Long.MAX_VALUE, 0, Reuse.NONE);

        Rules byWords(boolean both) {
            return new Rules(both, Long.BYTES, updates, versionBits, maxReadNs, minUpdateNs, reuse);
        }

        Rules reusing(Reuse how) {
            return new Rules(bothEnds, atomicReadBytes, 0, versionBits, maxReadNs, minUpdateNs, how);
        }

        /**
         * Returns rules with enough updates for versions to wrap around, of at least 1 us each. If {@code limited}, a
         * READ that takes as long as all of them is repeated.
         */
        Rules wrapping(int bits, boolean limited) {
            int round = 1 << bits;
            long ageLimitNs = limited ? round * MIN_UPDATE_NS - 1 : Long.MAX_VALUE;
            return new Rules(bothEnds, atomicReadBytes, round, bits, ageLimitNs, MIN_UPDATE_NS, reuse);
        }

        long versionStep() {
            return ObjectWriter.ONE_VERSION << (MAX_BITS - versionBits);
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
            throw new FabricException("another thread has locked the object");
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
            if (rules.reuse == Reuse.CHECKED && ObjectLayout.incarnation(local, 0) != INCARNATION) {
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
                throw new IllegalStateException("an accepted READ has bytes of values %d and %d"
                        .formatted(read.get(BYTE, 0), read.get(BYTE, i)));
            }
        }
    }

    @Override
    public @Nullable String violation(History history) {
        return new LinearizabilityCheck<>(new RegisterMap(Map.of(0L, 0L))).check(history)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        long line = offset / ObjectLayout.LINE_BYTES;
        return "line " + line + (offset % ObjectLayout.LINE_BYTES == 0 ? "" : " +" + offset % ObjectLayout.LINE_BYTES);
    }
}
