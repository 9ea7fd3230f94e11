package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.sample.SampledInterval;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/**
 * Lookups of one client by messages to a {@link LookupServer}. The client keeps half as many in flight as its send
 * queue has entries. A lookup with more matches than fit into a reply sends further requests.
 */
final class TwoSidedLookups {
    final Lookups lookups;

    private final Client client;
    private final LookupClient.Parameters plan;
    private final KeySet.Choice choice;
    private final Rng random;
    private final int inFlight;
    private final int replyBytes;
    private final int bufferBytes;
    private final long operationPs;
    private final long comparisonPs;
    private final MemorySegment local;
    private final QueuePair queuePair;
    private final Completions completions = new Completions(64);
    /** Matches received, by lookup number. */
    private final int[] received;

    private int underWay;
    private long sent;
    private int postedInTurn;

    TwoSidedLookups(Client client, LookupClient.Parameters plan, int serverThreads, @Nullable MatchListener listener)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.choice = plan.keys().choice();
        this.random = new Rng(plan.seed(), client.index());
        this.inFlight = LookupServer.inFlight(plan.usedSendQueue());
        this.replyBytes = LookupServer.replyBytes(plan.table().geometry());
        this.bufferBytes = LookupServer.bufferBytes(plan.table().geometry());
        this.operationPs = client.cpuCosts().operationPs();
        this.comparisonPs = client.cpuCosts().comparisonPs();
        this.lookups = new Lookups(client, inFlight, LookupCounters.none(), null, listener);
        this.received = new int[lookups.capacity()];
        this.local = client.allocate(plan.bufferBytes());
        this.queuePair =
                client.connect(client.index() % serverThreads, local, new ConnectionOptions(2 * inFlight, 1, inFlight));
        for (int buffer = 0; buffer < inFlight; buffer++) {
            receive(buffer);
        }
    }

    /** Returns the local memory of a client: a buffer for the request and the reply of each lookup in flight. */
    static long localBytes(LookupClient.Parameters plan) {
        return (long) LookupServer.inFlight(plan.usedSendQueue())
                * LookupServer.bufferBytes(plan.table().geometry());
    }

    private void receive(long buffer) {
        queuePair.receive(buffer, replyAt(buffer), replyBytes);
    }

    /** Replies are at the beginning of a buffer, requests at its end. */
    private long replyAt(long buffer) {
        return buffer * bufferBytes;
    }

    private long requestAt(int lookup) {
        return (lookup + 1L) * bufferBytes - LookupServer.REQUEST_BYTES;
    }

    void run(SampledInterval interval) throws FabricException {
        lookups.readClockEvery(client.eventsPerClockReading());
        client.barrier();
        interval.start(client.nowNs(), SampledInterval.Observer.NONE);
        while (true) {
            long nowNs = client.nowNs();
            interval.step(nowNs);
            if (interval.isDone(nowNs, lookups.sampledInProgress())) {
                return;
            }
            int begun = 0;
            boolean keepsLoad = interval.keepsLoad(nowNs);
            for (; keepsLoad && underWay < inFlight && queuePair.free() > 0; begun++) {
                begin(nowNs);
            }
            queuePair.doorbell();
            int posted = postedInTurn;
            postedInTurn = 0;
            long bytes = takeReplies();
            lookups.timeFinished();
            if (interval.counts()) {
                lookups.posted(posted, bytes);
            }
            interval.began(nowNs, client.nowNs(), begun);
        }
    }

    private void begin(long startNs) {
        long ordinal = choice.next(random);
        int lookup = lookups.begin(plan.keys().key(ordinal), ordinal, startNs);
        client.spendCpu(operationPs);
        received[lookup] = 0;
        lookups.pending[lookup] = 1;
        underWay++;
        request(lookup);
    }

    private void request(int lookup) {
        long at = requestAt(lookup);
        local.set(LookupAlgorithm.INT, at, lookups.key[lookup]);
        local.set(LookupAlgorithm.INT, at + LookupServer.SKIPPED_AT, received[lookup]);
        local.set(LookupAlgorithm.INT, at + LookupServer.LOOKUP_AT, lookup);
        // The send queue has twice as many entries as lookups are in flight, so this completion frees entries in time.
        boolean signaled = sent++ % Math.max(1, inFlight / 2) == 0;
        queuePair.send(lookup, at, LookupServer.REQUEST_BYTES, signaled);
        lookups.tableRequests[lookup]++;
        postedInTurn++;
    }

    /** Waits for replies, processes all that have arrived and returns their bytes. */
    private long takeReplies() throws FabricException {
        int count = queuePair.await(completions);
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception("client " + client.index() + ": a message");
            }
            if (completions.received(i)) {
                bytes += completions.receivedBytes(i);
                replied(replyAt(completions.id(i)), completions.receivedBytes(i));
                receive(completions.id(i));
            }
        }
        return bytes;
    }

    private void replied(long at, int bytes) {
        int lookup = local.get(LookupAlgorithm.INT, at);
        for (long record = at + LookupServer.RECORDS_AT; record < at + bytes; ) {
            lookups.found(lookup, local, record);
            record += plan.table().geometry().recordBytes(LookupServer.ordinal(local, record));
            received[lookup]++;
            client.spendCpu(comparisonPs);
        }
        if (received[lookup] < local.get(LookupAlgorithm.INT, at + LookupServer.MATCHES_AT)) {
            request(lookup);
            return;
        }
        lookups.pending[lookup] = 0;
        lookups.tableDone[lookup] = true;
        underWay--;
        lookups.finishIfDone(lookup);
    }
}
