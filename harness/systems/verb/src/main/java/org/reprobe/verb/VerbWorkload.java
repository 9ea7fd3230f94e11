package org.reprobe.verb;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.verb.VerbSettings.Exchange;

/**
 * Client threads that keep requests in flight. A thread whose connection is broken by a fault gives up its requests and
 * reconnects. One object serves all clients of a run.
 */
final class VerbWorkload extends SampledThreads {
    private static final int MIN_QUEUE = 4;

    private final Parameters plan;

    /**
     * Parameters of all clients of a run.
     *
     * @param machines number of client machines, which the clients are assigned to in turn
     * @param sharing number of threads that share their queue pairs
     * @param countsAsWrite true if operations count as writes, false if they count as reads
     * @param memory memory of the server
     * @param outstandingReads maximum number of READs and atomics in flight per queue pair
     */
    record Parameters(
            VerbSettings verb,
            int machines,
            int sharing,
            boolean countsAsWrite,
            RemoteRegion memory,
            int outstandingReads,
            long runSeed,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {

        /** Counts an operation of the sample, which a client has waited for {@code roundTrips} times. */
        void count(Counts counts, long latencyNs, int roundTrips) {
            OperationCounts.operation(counts, countsAsWrite, latencyNs, roundTrips);
            counts.add(Counter.REQUESTS, 1);
            counts.add(Counter.PAYLOAD_BYTES, verb.bytes());
        }
    }

    VerbWorkload(Parameters plan, int clients) {
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        if (plan.verb().effectiveExchange() == Exchange.REQUEST) {
            new Requests(plan, client, interval, clientCounts).run();
        } else {
            new SendPingPong(plan, client, interval, clientCounts).run();
        }
    }

    /** Returns the number of places in a send queue for the READ that ends the last requests without completion. */
    static int reserved(VerbSettings verb) {
        return verb.refill() == VerbSettings.Refill.EACH && verb.signalEvery() > 1 ? 1 : 0;
    }

    static int sendQueue(VerbSettings verb) {
        return Math.max(MIN_QUEUE, verb.inFlight() + reserved(verb));
    }

    static ConnectionOptions options(VerbSettings verb, int outstandingReads, int receiveQueue) {
        return new ConnectionOptions(sendQueue(verb), outstandingReads, receiveQueue)
                .inline(verb.inlineBytes())
                .onDoorbells(verb.doorbells());
    }

    /** Returns the options of either end of a connection with messages; {@code receives} of them are expected. */
    static ConnectionOptions messages(VerbSettings verb, int receives) {
        return options(verb, MIN_QUEUE, Math.max(MIN_QUEUE, receives));
    }

    /** Returns the exception for a failed completion. */
    static FabricException failure(Status status) {
        // A flushed completion shows that the connection has ended, but not the reason.
        return status == Status.FLUSHED
                ? new UnreachableException("the connection was lost before a request ended")
                : status.exception("an operation");
    }
}
