package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.system.Counts;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/**
 * Ping-pong by WRITE. A thread WRITEs its payload to the last machine, whose thread with the same number waits for the
 * last byte to change and WRITEs the payload back. Each pair of threads has a buffer in the region of either machine.
 * The last byte is a counter from 1 to {@value #MAX_COUNTER}; a negative one ends the ping-pong.
 */
final class WritePingPong implements Workload {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle SHARED_WORD = WORD.varHandle();
    private static final int MAX_COUNTER = 127;
    private static final byte END = -1;
    private static final int QUEUE = 4;

    private final VerbWorkload.Parameters plan;
    private final int machines;
    private final int threads;
    private final boolean consecutive;
    private final List<RemoteRegion> regions;
    private final int firstHere;
    private final List<MemorySegment> memoriesHere;
    private final Pings pings;

    /** @param memoriesHere memory of the machines in this process, from number {@code firstHere} on */
    WritePingPong(
            Settings settings,
            VerbWorkload.Parameters plan,
            List<RemoteRegion> regions,
            int firstHere,
            List<MemorySegment> memoriesHere) {
        this.plan = plan;
        this.machines = settings.clients().machines();
        this.threads = settings.clients().threads();
        this.consecutive = settings.isReal();
        this.regions = regions;
        this.firstHere = firstHere;
        this.memoriesHere = memoriesHere;
        this.pings = new Pings(plan, settings.clients().total());
    }

    private int machine(Client client) {
        return consecutive ? client.index() / threads : client.index() % machines;
    }

    private int thread(Client client) {
        return consecutive ? client.index() % threads : client.index() / machines;
    }

    @Override
    public void run(Client client) throws FabricException {
        if (machine(client) == machines - 1) {
            reply(client);
        } else {
            pings.run(client);
        }
    }

    @Override
    public Counts counts() {
        return pings.counts();
    }

    /** One direction of a pair's messages: from local memory to another machine's region, and back to this one's. */
    private final class Buffers {
        private final MemorySegment incoming;
        private final MemorySegment outgoing;
        private final long outgoingAt;
        private final RemoteRegion to;
        private final QueuePair queuePair;
        private final long inRegion;
        private final long lastByte = plan.verb().bytes() - 1L;
        private long seen;

        Buffers(Client client, int pair, int other, MemorySegment local, long outgoingAt) throws FabricException {
            this.inRegion = pair * plan.verb().bufferBytes();
            this.incoming = memoriesHere
                    .get(machine(client) - firstHere)
                    .asSlice(inRegion, plan.verb().bufferBytes());
            this.outgoing = local;
            this.outgoingAt = outgoingAt;
            this.to = regions.get(other);
            ConnectionOptions options = VerbWorkload.options(plan.verb(), 1, 0);
            this.queuePair = client.connect(other, local, options);
            if (plan.verb().bytes() > Long.BYTES && !queuePair.writesLandInOrder()) {
                throw new FabricException("a ping-pong by WRITE requires a card that writes the bytes of a WRITE in the"
                        + " order of addresses; the connection to machine " + other
                        + " does not guarantee that (./run.sh doctor): use kind: send");
            }
            incoming.set(WORD, word(), 0); // a former run may have left its counter there
        }

        private long word() {
            return lastByte & -Long.BYTES;
        }

        void watch(Client client, int number) {
            client.watch(number, incoming, word(), seen);
        }

        /** Returns the last byte of the message that has arrived. */
        byte take() {
            seen = (long) SHARED_WORD.getAcquire(incoming, word());
            return incoming.get(ValueLayout.JAVA_BYTE, lastByte);
        }

        void write(byte last) throws FabricException {
            outgoing.set(ValueLayout.JAVA_BYTE, outgoingAt + lastByte, last);
            queuePair.write(
                    0,
                    outgoingAt,
                    to.address() + inRegion,
                    to.key(),
                    plan.verb().bytes(),
                    true);
            queuePair.doorbell();
        }
    }

    private static void check(Completions completions) throws FabricException {
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw VerbWorkload.failure(completions.status(i));
            }
        }
    }

    private void reply(Client client) throws FabricException {
        Buffers[] pairs = new Buffers[machines - 1];
        long bufferBytes = plan.verb().bufferBytes();
        MemorySegment local = client.allocate(pairs.length * bufferBytes);
        for (int other = 0; other < pairs.length; other++) {
            int pair = other * threads + thread(client);
            pairs[other] = new Buffers(client, pair, other, local, other * bufferBytes);
            pairs[other].watch(client, other);
        }
        client.barrier();
        Completions completions = new Completions(QUEUE * pairs.length);
        for (int open = pairs.length; open > 0; ) {
            client.next(completions, Long.MAX_VALUE);
            check(completions);
            for (int number = client.changed(); number >= 0; number = client.changed()) {
                byte last = pairs[number].take();
                if (last == END) {
                    open--;
                } else {
                    while (pairs[number].queuePair.free() == 0) {
                        client.await(completions);
                        check(completions);
                    }
                    pairs[number].write(last);
                    pairs[number].watch(client, number);
                }
            }
        }
        for (Buffers each : pairs) {
            each.queuePair.close();
        }
    }

    /** Threads that begin the exchanges. */
    private final class Pings extends SampledThreads {
        Pings(VerbWorkload.Parameters plan, int clients) {
            super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        }

        @Override
        protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
            new Ping(client, interval, clientCounts).run();
        }
    }

    private final class Ping implements LoadLoop.Operations {
        private final Client client;
        private final Counts counts;
        private final LoadLoop loop;
        private final Buffers buffers;
        private final Completions completions = new Completions(QUEUE);
        private byte counter;

        Ping(Client client, SampledInterval interval, Counts counts) throws FabricException {
            this.client = client;
            this.counts = counts;
            this.loop = new LoadLoop(client, interval, counts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            int pair = machine(client) * threads + thread(client);
            MemorySegment local = client.allocate(plan.verb().bufferBytes());
            this.buffers = new Buffers(client, pair, machines - 1, local, 0);
        }

        void run() throws FabricException {
            loop.run();
            buffers.write(END);
            await(false);
            buffers.queuePair.close();
        }

        @Override
        public int begin(int slot) throws FabricException {
            counter = (byte) (counter % MAX_COUNTER + 1);
            buffers.watch(client, 0);
            buffers.write(counter);
            await(true);
            long latencyNs = loop.ended(slot, client.nowNs(), 1);
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                plan.count(counts, latencyNs / 2, 1);
            }
            return 1;
        }

        /** Waits for the completion of the WRITE, and for the reply. */
        private void await(boolean reply) throws FabricException {
            boolean completed = false;
            boolean replied = !reply;
            while (!completed || !replied) {
                client.next(completions, Long.MAX_VALUE);
                check(completions);
                completed |= completions.count() > 0;
                if (client.changed() >= 0) {
                    replied = true;
                    if (buffers.take() != counter) {
                        throw new FabricException(
                                "client " + client.index() + ": the reply to a WRITE has other bytes than the WRITE");
                    }
                }
            }
        }
    }
}
