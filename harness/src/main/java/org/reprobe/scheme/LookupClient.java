package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/**
 * The client of the linear-probing paper: Algorithm 1. Each round starts lookups until the send queue is full, posts all
 * requests with one doorbell and a signal on the last, waits until all have completed and processes them, which may push
 * requests for the next round.
 *
 * <p>One object serves all clients of a run; what a client has counted is in {@link #counters}.
 */
public final class LookupClient implements ClientProgram {
    private static final long SMALLEST_BUFFER_BYTES = 64 * 1024;
    private static final long LARGEST_BUFFER_BYTES = 16L * 1024 * 1024;

    /** A multiple of 2 and 3, so that lookups of two or of three rounds begin evenly spread. */
    private static final int RAMP_ROUNDS = 6;

    private final Plan plan;
    private final @Nullable LookupCounters[] counters;

    /**
     * What all clients of a run do.
     *
     * @param table the table, as registered with the fabric
     * @param keys which keys exist; each lookup is for the key of a record chosen uniformly
     * @param probing how they are looked up
     * @param sendQueue work requests of a queue pair; 0 for as many as one lookup needs, so that lookups come one by one
     * @param outstandingReads READs in flight on a queue pair
     * @param warmUpNs time before the measured interval
     * @param durationNs least length of the measured interval
     * @param seed of each client's choices
     * @param listener sees every answer; null for none
     * @param lookupsPerSecond of all clients together, at random times; 0 for as many as they can make
     */
    public record Plan(
            RemoteTable table,
            KeySet keys,
            Probing probing,
            int sendQueue,
            int outstandingReads,
            long warmUpNs,
            long durationNs,
            long seed,
            @Nullable MatchListener listener,
            double lookupsPerSecond) {

        /** Clients that never let up. */
        public Plan(
                RemoteTable table,
                KeySet keys,
                Probing probing,
                int sendQueue,
                int outstandingReads,
                long warmUpNs,
                long durationNs,
                long seed,
                @Nullable MatchListener listener) {
            this(table, keys, probing, sendQueue, outstandingReads, warmUpNs, durationNs, seed, listener, 0);
        }
    }

    public LookupClient(Plan plan, int clients) {
        this.plan = plan;
        this.counters = new LookupCounters[clients];
    }

    /** All clients' counters together, once they have ended. */
    public LookupCounters counters() {
        LookupCounters all = new LookupCounters();
        for (LookupCounters one : counters) {
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    @Override
    public void run(Client client) throws FabricException {
        counters[client.index()] = new Run(client, plan, counters.length).run();
    }

    /** One client's run. */
    private static final class Run {
        private final Client client;
        private final Plan plan;
        private final int clients;
        private final Rng random;
        private final Lookups lookups;
        private final RequestQueue requests;
        private final LookupCounters counters = new LookupCounters();
        private final MemorySegment local;
        private final Scheme scheme;
        private final int sendQueue;
        private final QueuePair queuePair;
        private final Completions completions = new Completions(64);
        private long postedBytes;
        /** Mean time between two lookups of this client; 0 when it never lets up. */
        private final double gapNs;
        /** When the next lookup is due. */
        private double dueNs;

        Run(Client client, Plan plan, int clients) throws FabricException {
            this.client = client;
            this.plan = plan;
            this.clients = clients;
            this.random = new Rng(plan.seed(), client.index());
            this.gapNs = plan.lookupsPerSecond() > 0 ? 1e9 * clients / plan.lookupsPerSecond() : 0;
            this.sendQueue =
                    plan.sendQueue() > 0 ? plan.sendQueue() : plan.probing().requestsOf(plan.table());
            this.lookups = new Lookups(Math.min(sendQueue, 1 << 16));
            this.requests = new RequestQueue(sendQueue);
            this.local = client.allocate(bufferBytes());
            Answers answers = new Answers(lookups, counters, client, plan.listener());
            this.scheme = Scheme.of(
                    plan.probing(), new LookupParts(client, plan.table(), local, lookups, requests, answers, random));
            this.queuePair = client.connect(local, new ConnectionOptions(sendQueue, plan.outstandingReads()));
        }

        private long bufferBytes() {
            long all = (long) sendQueue * align(plan.probing().usualReadBytes(plan.table()));
            return Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, all));
        }

        private static int align(int bytes) {
            return (bytes + 7) & ~7;
        }

        /** Algorithm 1: HANDLE LOOKUPS. */
        LookupCounters run() throws FabricException {
            client.barrier();
            long warmUntilNs = client.nowNs() + plan.warmUpNs();
            long fromNs = Long.MAX_VALUE;
            LookupCounters measured = null;
            dueNs = client.nowNs() + gapNs * random.nextDouble();
            double phase = (client.index() + random.nextDouble()) / clients;
            int round = 0;
            while (true) {
                if (gapNs > 0) {
                    fetchDueLookups();
                    round++;
                } else {
                    int limit = Math.max(requestsInRound(round++, phase), scheme.requestsToStart());
                    while (requests.size() + scheme.requestsToStart() <= limit) {
                        fetchNewLookup(client.nowNs());
                    }
                }
                int posted = post();
                scheme.whileWaiting();
                awaitLast(posted);
                for (int i = 0; i < posted; i++) {
                    scheme.completed(requests.at(i));
                }
                requests.remove(posted);

                // The measured interval goes from the end of one round to the end of another, so that only whole rounds
                // count; one more round keeps the others' load up while they finish theirs.
                long nowNs = client.nowNs();
                counters.payloadBytes += postedBytes;
                if (measured != null) {
                    return measured;
                } else if (fromNs == Long.MAX_VALUE) {
                    if (nowNs >= warmUntilNs && round > RAMP_ROUNDS) {
                        fromNs = nowNs;
                        counters.reset();
                    }
                } else if (nowNs >= fromNs + plan.durationNs()) {
                    counters.over(nowNs - fromNs);
                    measured = counters.copy();
                }
            }
        }

        /**
         * The first rounds grow. Rounds of equal size that all clients begin together would keep in step, and the card idle
         * while all clients compute; and lookups that all begin in one round would all end in one. In a long run neither
         * lasts, so a short one begins with clients spread over a round and lookups over the first rounds.
         */
        private int requestsInRound(int round, double phase) {
            return round < RAMP_ROUNDS ? (int) ((round + phase) / RAMP_ROUNDS * sendQueue) : sendQueue;
        }

        /** Begins what is due, at least one lookup if no other is under way. Times between are exponential. */
        private void fetchDueLookups() throws FabricException {
            if (requests.size() == 0 && dueNs > client.nowNs()) {
                client.pause((long) Math.ceil(dueNs - client.nowNs()));
            }
            while (dueNs <= client.nowNs() && requests.size() + scheme.requestsToStart() <= sendQueue) {
                fetchNewLookup((long) dueNs);
                dueNs -= gapNs * Math.log1p(-random.nextDouble());
            }
        }

        private void fetchNewLookup(long startNs) {
            long ordinal = random.below(plan.keys().records());
            int lookup = lookups.begin(plan.keys().key(ordinal), ordinal, startNs);
            client.worked(1, 0);
            scheme.begin(lookup);
        }

        /** Posts the requests at the front of the queue, as many as send queue and local memory take; their number. */
        private int post() throws FabricException {
            RemoteTable table = plan.table();
            int most = Math.min(requests.size(), queuePair.free());
            long bufferBytes = local.byteSize();
            long tableAddress = table.table().address();
            int tableKey = table.table().key();
            long heapAddress = table.heap() == null ? 0 : table.heap().address();
            int heapKey = table.heap() == null ? 0 : table.heap().key();
            int at = 0;
            int posted = 0;
            postedBytes = 0;
            while (posted < most) {
                int request = requests.at(posted);
                int bytes = requests.bytes[request];
                if (at + bytes > bufferBytes) {
                    break;
                }
                int next = posted + 1 < most ? requests.bytes[requests.at(posted + 1)] : Integer.MAX_VALUE;
                boolean last = next > bufferBytes - at - align(bytes);
                requests.local[request] = at;
                if (requests.toHeap[request]) {
                    queuePair.read(request, at, heapAddress + requests.offset[request], heapKey, bytes, last);
                } else {
                    queuePair.read(request, at, tableAddress + requests.offset[request], tableKey, bytes, last);
                }
                at += align(bytes);
                postedBytes += bytes;
                posted++;
            }
            queuePair.doorbell();
            return posted;
        }

        /** Waits for the one signaled request, the last: then all before it have completed as well. */
        private void awaitLast(int posted) throws FabricException {
            int last = requests.at(posted - 1);
            while (true) {
                int count = queuePair.await(completions);
                for (int i = 0; i < count; i++) {
                    if (completions.status(i) != Status.SUCCESS) {
                        throw new FabricException("client " + client.index() + ": a READ ended with "
                                + completions.status(i).words());
                    }
                    if (completions.id(i) == last) {
                        return;
                    }
                }
            }
        }
    }
}
