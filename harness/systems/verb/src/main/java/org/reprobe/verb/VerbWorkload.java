package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;

/**
 * Clients with one operation in flight. The server replies to a SEND with a SEND of the same length; all other
 * operations end with their completion. A client whose connection is broken by a fault gives up the operation and
 * reconnects. One object serves all clients of a run.
 */
public final class VerbWorkload extends SampledThreads {
    private static final int QUEUE = 4;
    private static final int ANSWER_ID = 1;
    private static final int SEND_ID = 2;

    private final Parameters plan;

    public enum Verb {
        READ,
        WRITE,
        /** Always operates on 8 bytes. */
        COMPARE_AND_SWAP,
        SEND
    }

    /**
     * Parameters of all clients of a run.
     *
     * @param memory memory of the server, at least {@code bytes} and at least 8 bytes long
     * @param bytes payload of an operation
     */
    public record Parameters(
            RemoteRegion memory,
            Verb verb,
            int bytes,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public VerbWorkload(Parameters plan, int clients) {
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    /** Returns true if {@link #answer} must run at the server. */
    public boolean needsServer() {
        return plan.verb() == Verb.SEND;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        new Requesting(client, interval, clientCounts).run();
    }

    /** One client. Its local memory holds outgoing data, then incoming data. */
    private final class Requesting implements LoadLoop.Operations {
        private final Client client;
        private final Counts clientCounts;
        private final LoadLoop loop;
        private final MemorySegment local;
        private final Completions completions = new Completions(QUEUE);
        private final long back = stride(plan.bytes());
        private QueuePair queuePair;
        private Status broken = Status.SUCCESS;

        Requesting(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
            this.client = client;
            this.clientCounts = clientCounts;
            this.loop = new LoadLoop(client, interval, clientCounts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            this.local = client.allocate(localBytes(plan.bytes()));
            this.queuePair = client.connect(local, options());
        }

        void run() throws FabricException {
            loop.run();
            queuePair.close();
        }

        @Override
        public int begin(int slot) throws FabricException {
            operate();
            long latencyNs = loop.ended(slot, client.nowNs(), 1);
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                OperationCounts.operation(clientCounts, plan.verb() == Verb.WRITE, latencyNs, 1);
                clientCounts.add(Counter.REQUESTS, 1);
                clientCounts.add(Counter.PAYLOAD_BYTES, plan.bytes());
            }
            return 1;
        }

        @Override
        public int giveUp(FabricException failure) throws FabricException {
            plan.conditions().check(failure, broken);
            return 1;
        }

        @Override
        public void reconnect() throws FabricException {
            queuePair.close();
            queuePair = client.connect(local, options());
        }

        private void operate() throws FabricException {
            long remote = plan.memory().address();
            int key = plan.memory().key();
            switch (plan.verb()) {
                case READ -> queuePair.read(ANSWER_ID, back, remote, key, plan.bytes(), true);
                case WRITE -> queuePair.write(ANSWER_ID, 0, remote, key, plan.bytes(), true);
                case COMPARE_AND_SWAP -> queuePair.compareAndSwap(ANSWER_ID, back, remote, key, 0, 0, true);
                case SEND -> {
                    queuePair.receive(ANSWER_ID, back, plan.bytes());
                    queuePair.send(SEND_ID, 0, plan.bytes(), true);
                }
            }
            queuePair.doorbell();
            int expected = plan.verb() == Verb.SEND ? 2 : 1;
            boolean flushed = false;
            for (int got = 0; got < expected; ) {
                got += queuePair.await(completions);
                for (int i = 0; i < completions.count(); i++) {
                    broken = completions.status(i);
                    // A flushed completion shows that the connection has ended, but not the reason.
                    if (broken != Status.SUCCESS && broken != Status.FLUSHED) {
                        throw broken.exception("an operation");
                    }
                    flushed |= broken == Status.FLUSHED;
                }
            }
            if (flushed) {
                throw new UnreachableException("the connection was lost before the server program replied");
            }
        }
    }

    /** Runs the server program, which replies to every message with the same bytes, until the run ends. */
    public void answer(Server server) throws FabricException {
        List<QueuePair> ends = new ArrayList<>(threads());
        Completions completions = new Completions(QUEUE * threads());
        while (true) {
            switch (server.next(completions)) {
                case CONNECTION -> {
                    QueuePair end = server.accept(server.allocate(stride(plan.bytes())), options());
                    if (end != null) {
                        end.receive(ANSWER_ID, 0, plan.bytes());
                        ends.add(end);
                    }
                }
                case COMPLETIONS -> {
                    for (int i = 0; i < completions.count(); i++) {
                        // Failed completions belong to a client that has ended.
                        if (completions.status(i) == Status.SUCCESS) {
                            proceed(ends.get(completions.connection(i)), completions.received(i));
                        }
                    }
                }
                case GONE -> {
                    while (server.gone() >= 0) {
                        // Clients leave no state to clean up.
                    }
                }
                case WORDS, DEADLINE -> throw new IllegalStateException("an event that was not requested");
                case END -> {
                    return;
                }
            }
        }
    }

    private void proceed(QueuePair end, boolean received) throws FabricException {
        if (received) {
            end.send(SEND_ID, 0, plan.bytes(), true);
            end.doorbell();
        } else {
            // The reply has been sent, so the next message may overwrite it.
            end.receive(ANSWER_ID, 0, plan.bytes());
        }
    }

    /** Returns the size of a client's local memory in bytes; the server needs half as much per connection. */
    public static long localBytes(int bytes) {
        return 2 * stride(bytes);
    }

    private ConnectionOptions options() {
        return new ConnectionOptions(QUEUE, QUEUE, plan.verb() == Verb.SEND ? QUEUE : 0);
    }

    private static long stride(int bytes) {
        return Math.max(Long.BYTES, (bytes + 63) & ~63);
    }
}
