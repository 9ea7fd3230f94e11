package org.reprobe.remote;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.fabric.Server;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/**
 * Clients that do one operation after the other, waiting for each: the latency of a verb. A SEND is answered by the server
 * with a SEND of the same length; all others end with their completion. One object serves all clients of a run.
 */
public final class VerbWorkload implements Workload {
    private static final int QUEUE = 4;
    private static final int ANSWER_ID = 1;
    private static final int SEND_ID = 2;

    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /** An operation that clients time. */
    public enum Verb {
        READ,
        WRITE,
        /** Of 8 bytes, whatever the plan's length is. */
        COMPARE_AND_SWAP,
        SEND
    }

    /**
     * What all clients of a run do.
     *
     * @param memory the server's; of {@code bytes} at least, and 8
     * @param bytes payload of an operation
     */
    public record Parameters(RemoteRegion memory, Verb verb, int bytes, long warmUpNs, long durationNs) {}

    public VerbWorkload(Parameters plan, int clients) {
        this.plan = plan;
        this.counts = new Counts[clients];
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), true, 0);
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    /** Whether {@link #answer} must run at the server. */
    public boolean needsServer() {
        return plan.verb() == Verb.SEND;
    }

    @Override
    public void run(Client client) throws FabricException {
        Requester station = new Requester(client);
        SampledInterval interval = sampling.join(client);
        client.barrier();
        Counts mine = OperationCounts.none();
        interval.start(client.nowNs());
        long operations = 0;
        while (true) {
            long beganNs = client.nowNs();
            interval.begins(beganNs);
            if (interval.ends(beganNs)) {
                mine.add(Counter.REQUESTS, operations);
                mine.add(Counter.PAYLOAD_BYTES, operations * plan.bytes());
                mine.sampled(interval, 0);
                interval.sampleEnded();
            }
            if (interval.runIsOver()) {
                counts[client.index()] = mine;
                station.queuePair.close();
                return;
            }
            station.operate();
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, 1);
            if (interval.counts()) {
                OperationCounts.operation(mine, plan.verb() == Verb.WRITE, endNs - beganNs, 1);
                operations++;
            }
        }
    }

    /** A client's end. Local memory: what goes out, then what comes back. */
    private final class Requester {
        private final QueuePair queuePair;
        private final Completions completions = new Completions(QUEUE);
        private final long back = stride(plan.bytes());

        Requester(Client client) throws FabricException {
            queuePair = client.connect(client.allocate(2 * back), options());
        }

        void operate() throws FabricException {
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
            for (int got = 0; got < expected; ) {
                got += queuePair.await(completions);
                check(completions);
            }
        }
    }

    /** The server's program: answers every message with its bytes. */
    public void answer(Server server) throws FabricException {
        int clients = counts.length;
        long stride = stride(plan.bytes());
        List<QueuePair> ends = new ArrayList<>(clients);
        for (int i = 0; i < clients; i++) {
            QueuePair end = server.accept(server.allocate(stride), options());
            if (end == null) {
                return;
            }
            end.receive(ANSWER_ID, 0, plan.bytes());
            ends.add(end);
        }
        Completions completions = new Completions(QUEUE * clients);
        while (server.await(completions) > 0) {
            check(completions);
            for (int i = 0; i < completions.count(); i++) {
                QueuePair end = ends.get(completions.connection(i));
                if (completions.received(i)) {
                    end.send(SEND_ID, 0, plan.bytes(), true);
                    end.doorbell();
                } else {
                    // The bytes are on their way: the next message may overwrite them.
                    end.receive(ANSWER_ID, 0, plan.bytes());
                }
            }
        }
    }

    /** Local memory of a client that carries so many bytes; of the server's end of a connection half as much. */
    public static long localBytes(int bytes) {
        return 2 * stride(bytes);
    }

    private ConnectionOptions options() {
        return new ConnectionOptions(QUEUE, QUEUE, plan.verb() == Verb.SEND ? QUEUE : 0);
    }

    private static long stride(int bytes) {
        return Math.max(Long.BYTES, (bytes + 63) & ~63);
    }

    private static void check(Completions completions) throws FabricException {
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception("an operation");
            }
        }
    }
}
