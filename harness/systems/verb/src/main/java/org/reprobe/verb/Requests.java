package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;
import org.reprobe.verb.VerbSettings.Kind;
import org.reprobe.verb.VerbSettings.Refill;
import org.reprobe.workload.Rng;

/**
 * Requests of one client thread. A queue pair has {@code in-flight} slots of the loop. A request begins when it is
 * appended to its batch, and ends with its own completion or a later one of the queue pair. All payloads of a thread
 * leave and reach the same local buffers.
 *
 * <p>Atomics increment words, so that the sum of all words is the number of successes. A COMPARE_AND_SWAP succeeds if
 * the word still has the value that the thread last read.
 */
final class Requests implements LoadLoop.Operations {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int POLLED = 64;

    private final VerbWorkload.Parameters plan;
    private final VerbSettings verb;
    private final Client client;
    private final Counts counts;
    private final LoadLoop loop;
    private final MemorySegment local;
    private final Completions completions;
    private final Connection[] connections;
    private final long places;
    private final long placeBytes;
    /** Offset of incoming payloads. */
    private final long incoming;

    /** Number of queue pairs that the client has created before {@link #connections}. */
    private int firstNumber;

    private int created;
    private Status broken = Status.SUCCESS;
    private long chosen;

    // By slot, for atomics.
    private final long[] place;
    private final long[] expected;
    private final LastValues seen;

    /** Queue pair with its requests in flight, in the order in which they were posted. */
    private final class Connection {
        private final ConnectionOptions options;
        private final int[] slots = new int[verb.inFlight()];
        private QueuePair queuePair;
        private int first;
        private int inFlight;
        /** Number of the last appended request, from 1; requests before it may have ended. */
        private long appended;

        private int unsignaled;
        private int unposted;

        Connection(ConnectionOptions options) throws FabricException {
            this.options = options;
            this.queuePair = connect();
        }

        private QueuePair connect() throws FabricException {
            QueuePair made = client.connect(local, options);
            created++;
            return made;
        }

        void reconnect() throws FabricException {
            queuePair = connect();
            inFlight = 0;
            unsignaled = 0;
            unposted = 0;
        }

        void append(int slot) throws FabricException {
            int at = first + inFlight++;
            slots[at < slots.length ? at : at - slots.length] = slot;
            boolean last = inFlight == slots.length && verb.refill() == Refill.ALL;
            boolean signaled = ++unsignaled == verb.signalEvery() || last;
            put(++appended, slot, signaled);
            unsignaled = signaled ? 0 : unsignaled;
            if (++unposted == verb.batch() || last) {
                post();
            }
        }

        private void put(long id, int slot, boolean signaled) {
            long chosenPlace = places == 1 ? 0 : Math.unsignedMultiplyHigh(Rng.at(plan.runSeed(), chosen++), places);
            long remote = plan.memory().address() + chosenPlace * placeBytes;
            int key = plan.memory().key();
            switch (verb.kind()) {
                case READ -> queuePair.read(id, incoming, remote, key, verb.bytes(), signaled);
                case WRITE -> queuePair.write(id, 0, remote, key, verb.bytes(), signaled);
                case SEND -> queuePair.send(id, 0, verb.bytes(), signaled);
                case COMPARE_AND_SWAP -> {
                    place[slot] = chosenPlace;
                    expected[slot] = seen.get(chosenPlace);
                    long to = incoming + (long) slot * Long.BYTES;
                    queuePair.compareAndSwap(id, to, remote, key, expected[slot], expected[slot] + 1, signaled);
                    counts.add(Counter.CAS_UNANSWERED, 1);
                }
                case FETCH_AND_ADD -> {
                    queuePair.fetchAndAdd(id, incoming + (long) slot * Long.BYTES, remote, key, 1, signaled);
                    counts.add(Counter.CAS_UNANSWERED, 1);
                }
            }
        }

        private void post() throws FabricException {
            unposted = 0;
            queuePair.doorbell();
        }

        /** Ends the request with this number, and all earlier ones. */
        void ended(long id, long nowNs) {
            for (int count = inFlight - (int) (appended - id); count > 0; count--) {
                int slot = slots[first];
                first = first + 1 == slots.length ? 0 : first + 1;
                inFlight--;
                Requests.this.ended(slot, nowNs, count == 1 ? 1 : 0);
            }
        }

        /** Posts incomplete batches, and a READ that ends requests without completion. */
        void complete() throws FabricException {
            if (inFlight > 0 && unsignaled > 0) {
                queuePair.read(
                        appended,
                        incoming,
                        plan.memory().address(),
                        plan.memory().key(),
                        Long.BYTES,
                        true);
                unsignaled = 0;
                unposted++;
            }
            if (unposted > 0) {
                post();
            }
        }
    }

    Requests(VerbWorkload.Parameters plan, Client client, SampledInterval interval, Counts counts)
            throws FabricException {
        this.plan = plan;
        this.verb = plan.verb();
        this.client = client;
        this.counts = counts;
        int slots = verb.requests();
        this.loop = new LoadLoop(client, interval, counts, slots, LoadLoop.Reporting.AT_END_OF_TURN, this);
        this.places = verb.places();
        this.placeBytes = verb.addressBytes();
        this.incoming = verb.bufferBytes();
        this.local = client.allocate(verb.localBytes());
        this.completions = new Completions(Math.min(POLLED, VerbWorkload.sendQueue(verb)));
        this.place = new long[slots];
        this.expected = new long[slots];
        this.seen = new LastValues(verb.kind() == Kind.COMPARE_AND_SWAP ? places : 0);
        this.chosen = (long) (client.index() + 1) << 38;
        this.connections = new Connection[verb.queuePairs()];
        for (int i = 0; i < connections.length; i++) {
            connections[i] = new Connection(options(i));
        }
    }

    private ConnectionOptions options(int queuePair) {
        if (verb.kind() == Kind.SEND) {
            return VerbWorkload.messages(verb, 0);
        }
        ConnectionOptions own = VerbWorkload.options(verb, plan.outstandingReads(), 0);
        int group = client.index() / plan.machines() / plan.sharing();
        return plan.sharing() == 1 ? own : own.sharedAs(group * verb.queuePairs() + queuePair);
    }

    void run() throws FabricException {
        loop.run();
        close();
    }

    private void close() {
        for (Connection each : connections) {
            each.queuePair.close();
        }
    }

    @Override
    public int begin(int slot) throws FabricException {
        connections[slot / verb.inFlight()].append(slot);
        return 1;
    }

    @Override
    public void advance(long nowNs) throws FabricException {
        if (!loop.keepsLoad()) {
            for (Connection each : connections) {
                each.complete();
            }
        }
        boolean all = verb.refill() == Refill.ALL;
        while (loop.underWay() > 0) {
            boolean one = connections.length == 1;
            int count = one ? connections[0].queuePair.await(completions) : client.await(completions);
            long endNs = client.nowNs();
            for (int i = 0; i < count; i++) {
                if (completions.status(i) != Status.SUCCESS) {
                    broken = completions.status(i);
                    throw VerbWorkload.failure(broken);
                }
                int number = one ? 0 : completions.connection(i) - firstNumber;
                connections[number].ended(completions.id(i), endNs);
            }
            if (!all) {
                return;
            }
        }
    }

    private void ended(int slot, long nowNs, int roundTrips) {
        boolean done = !verb.kind().isAtomic() || hasIncremented(slot);
        long latencyNs = loop.ended(slot, nowNs, 1);
        if (latencyNs != LoadLoop.NOT_SAMPLED) {
            plan.count(counts, latencyNs, roundTrips);
            counts.add(Counter.RETRIES, done ? 0 : 1);
        }
    }

    /** Returns true if the slot's atomic, which has ended, incremented its word. */
    private boolean hasIncremented(int slot) {
        boolean done = true;
        if (verb.kind() == Kind.COMPARE_AND_SWAP) {
            long found = local.get(WORD, incoming + (long) slot * Long.BYTES);
            done = found == expected[slot];
            seen.set(place[slot], done ? found + 1 : found);
        }
        counts.add(Counter.CAS_UNANSWERED, -1);
        counts.add(Counter.CAS_SUCCESSES, done ? 1 : 0);
        return done;
    }

    @Override
    public int giveUp(FabricException failure) throws FabricException {
        plan.conditions().check(failure, broken);
        return loop.underWay();
    }

    @Override
    public void reconnect() throws FabricException {
        close();
        firstNumber = created;
        for (Connection each : connections) {
            each.reconnect();
        }
        broken = Status.SUCCESS;
    }
}
