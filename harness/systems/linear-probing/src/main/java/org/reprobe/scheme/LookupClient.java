package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Reconnection;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.workload.ArrivalRate;
import org.reprobe.workload.KeySet;

/**
 * Client of the linear-probing paper, Algorithm 1. Each round starts lookups until the send queue is full and posts all
 * requests with one doorbell; only the last one is signaled. The client then waits until all have completed and
 * processes them, which may push requests for the next round.
 *
 * <p>A client whose connection is lost by an injected fault gives up all lookups in progress, reconnects and continues.
 *
 * <p>This is not an {@link org.reprobe.remote.LoadLoop}, because a round of Algorithm 1 ends as a whole. Both use
 * {@link SampledInterval}, which decides when the sample begins and ends and how long the load is kept up.
 *
 * <p>One object serves all clients of a run; {@link #counts} returns their counters.
 */
public final class LookupClient implements WatchedLookups {
    /** Rounds over which the load grows: divisible by 2 and 3, so that lookups of 2 or 3 rounds begin evenly spread. */
    private static final int RAMP_ROUNDS = 6;

    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;
    private final @Nullable MatchListener listener;

    /**
     * Workload of all clients of a run.
     *
     * @param sendQueue length of the send queue in work requests; 0 for the requests of one lookup, so that lookups run
     *     one by one
     * @param outstandingReads maximum number of READs in flight per queue pair
     * @param gather number of remote ranges of a READ
     * @param warmUpNs minimum time before the measured interval
     * @param durationNs minimum length of the measured interval
     * @param lookupsPerSecond offered load of all clients together, a Poisson process; 0 for as many lookups as the
     *     send queue takes
     * @param writes lookups that write; null for none
     * @param changing offered load that changes from the end of the warm-up on, with the mean {@code lookupsPerSecond};
     *     null for a constant one
     */
    public record Parameters(
            RemoteTable table,
            KeySet keys,
            Probing probing,
            int sendQueue,
            int outstandingReads,
            int gather,
            long warmUpNs,
            long durationNs,
            double lookupsPerSecond,
            long seed,
            LockedUpdates.@Nullable Writes writes,
            Sampling.Conditions conditions,
            @Nullable ArrivalRate changing) {

        /** Parameters with a constant load and READs of one remote range. */
        public Parameters(
                RemoteTable table,
                KeySet keys,
                Probing probing,
                int sendQueue,
                int outstandingReads,
                long warmUpNs,
                long durationNs,
                double lookupsPerSecond,
                long seed,
                LockedUpdates.@Nullable Writes writes,
                Sampling.Conditions conditions) {
            this(
                    table,
                    keys,
                    probing,
                    sendQueue,
                    outstandingReads,
                    1,
                    warmUpNs,
                    durationNs,
                    lookupsPerSecond,
                    seed,
                    writes,
                    conditions,
                    null);
        }

        /** Returns the length of the send queue in work requests. */
        public int usedSendQueue() {
            return sendQueue > 0 ? sendQueue : probing.requestsOf(table);
        }

        /** Returns the bytes of local memory that each client allocates. */
        public long bufferBytes() {
            return probing instanceof Probing.TwoSided
                    ? TwoSidedLookups.localBytes(this)
                    : LookupResources.bufferBytes(this);
        }
    }

    public LookupClient(Parameters plan, int clients) {
        this(plan, clients, null);
    }

    /** @param listener receives every match; null for none */
    LookupClient(Parameters plan, int clients, @Nullable MatchListener listener) {
        this.plan = plan;
        this.listener = listener;
        this.counts = new Counts[clients];
        this.sampling =
                new Sampling(plan.warmUpNs(), plan.durationNs(), true, plan.lookupsPerSecond(), plan.conditions());
    }

    @Override
    public long records() {
        return plan.keys().records();
    }

    @Override
    public long key(long ordinal) {
        return Integer.toUnsignedLong(plan.keys().key(ordinal));
    }

    /** A record's value is its ordinal. */
    @Override
    public long value(long ordinal) {
        return ordinal;
    }

    @Override
    public LookupClient watchedBy(Listener listener) {
        return new LookupClient(
                plan, counts.length, new WatchedMatches(plan.table().geometry(), listener));
    }

    /** Returns the sum of the counters of all clients; complete when they have ended. */
    public LookupCounters counters() {
        return new LookupCounters(counts());
    }

    @Override
    public Counts counts() {
        Counts all = LookupCounters.none();
        for (Counts one : counts) {
            if (one != null) {
                all.add(one);
            }
        }
        return all;
    }

    @Override
    public void run(Client client) throws FabricException {
        if (plan.probing() instanceof Probing.TwoSided twoSided) {
            runTwoSided(client, twoSided.serverThreads());
            return;
        }
        LookupResources resources = new LookupResources(client, plan, listener);
        SampledInterval interval = sampling.join(client);
        resources.lookups.sample(interval, plan.conditions().sliceNs() > 0);
        boolean ended = false;
        try {
            if (plan.lookupsPerSecond() > 0) {
                new PacedLookups(resources, plan, counts.length, interval).run();
            } else {
                new Run(resources, interval).run();
            }
            ended = true;
        } finally {
            if (!ended) {
                // Ended by a fault: other clients must not wait for this client's sample.
                resources.giveUpAll();
                interval.abandon();
            }
            counts[client.index()] = resources.lookups.over(interval);
        }
    }

    private void runTwoSided(Client client, int serverThreads) throws FabricException {
        TwoSidedLookups messages = new TwoSidedLookups(client, plan, serverThreads, listener);
        SampledInterval interval = sampling.join(client);
        messages.lookups.sample(interval, plan.conditions().sliceNs() > 0);
        try {
            messages.run(interval);
        } finally {
            interval.abandon();
            counts[client.index()] = messages.lookups.over(interval);
        }
    }

    private final class Run {
        private final LookupResources resources;
        private final Client client;
        private final SampledInterval interval;
        private final Lookups lookups;
        private final RequestQueue requests;
        private final LookupAlgorithm scheme;
        private final int sendQueue = plan.usedSendQueue();
        private final Completions completions = new Completions(64);
        private long postedBytes;

        Run(LookupResources resources, SampledInterval interval) {
            this.resources = resources;
            this.client = resources.client;
            this.interval = interval;
            this.lookups = resources.lookups;
            this.requests = resources.requests;
            this.scheme = resources.scheme;
        }

        /** Algorithm 1: HANDLE LOOKUPS. */
        void run() throws FabricException {
            int eventsPerClockReading = client.eventsPerClockReading();
            lookups.readClockEvery(eventsPerClockReading);
            client.barrier();
            // Faults are injected at fixed times, so in runs with faults the interval of each client begins at a fixed
            // time, too.
            int rampRounds = client.inVirtualTime() && !plan.conditions().disturbed() ? RAMP_ROUNDS : 0;
            double phase = (client.index() + resources.random.nextDouble()) / counts.length;
            boolean connected = true;
            for (int round = 0; ; round++) {
                long roundNs = client.nowNs();
                if (round == rampRounds) {
                    interval.start(roundNs, SampledInterval.Observer.NONE);
                }
                if (round >= rampRounds) {
                    interval.step(roundNs);
                    if (interval.isDone(roundNs, lookups.sampledInProgress())
                            && (scheme.mayEnd() || interval.cannotCatchUp(roundNs))) {
                        return;
                    }
                }
                if (!connected) {
                    connected = Reconnection.succeeds(resources::reconnect);
                    // Each failed attempt to reconnect counts as a failed lookup.
                    interval.failed(client.nowNs(), connected ? 0 : 1);
                    continue;
                }
                int limit = interval.keepsLoad(roundNs)
                        ? Math.max(requestsInRound(round, phase), scheme.requestsToStart())
                        : 0;
                long startNs = 0;
                int begun = 0;
                for (; requests.size() + scheme.requestsToStart() <= limit; begun++) {
                    if (begun % eventsPerClockReading == 0) {
                        startNs = client.nowNs();
                    }
                    resources.begin(startNs);
                }
                int posted;
                try {
                    posted = post();
                    scheme.whileWaiting();
                    awaitLast(posted);
                } catch (FabricException failure) {
                    interval.failed(client.nowNs(), resources.giveUpAfter(failure));
                    connected = false;
                    continue;
                }
                for (int i = 0; i < posted; i++) {
                    scheme.completed(requests.at(i));
                }
                requests.remove(posted);
                lookups.timeFinished();
                if (interval.counts()) {
                    lookups.posted(posted, postedBytes);
                }
                if (round >= rampRounds) {
                    interval.began(roundNs, client.nowNs(), begun);
                }
            }
        }

        /**
         * Returns the number of requests of a round, which grows during the first rounds. If all clients began with
         * full rounds, they would stay in step, with the card idle while all of them compute, and all lookups would end
         * in the same rounds. Long runs lose such a pattern; the growth avoids it in short runs.
         */
        private int requestsInRound(int round, double phase) {
            return round < RAMP_ROUNDS ? (int) ((round + phase) / RAMP_ROUNDS * sendQueue) : sendQueue;
        }

        /** Posts as many requests as send queue and local memory allow, and returns their number. */
        private int post() throws FabricException {
            QueuePair queuePair = resources.queuePair();
            int max = Math.min(requests.size(), queuePair.free());
            long bufferBytes = resources.local.byteSize();
            int at = 0;
            int posted = 0;
            postedBytes = 0;
            while (posted < max) {
                int request = requests.at(posted);
                int bytes = requests.bytes[request];
                if (at + bytes > bufferBytes) {
                    break;
                }
                int next = posted + 1 < max ? requests.bytes[requests.at(posted + 1)] : Integer.MAX_VALUE;
                boolean last = next > bufferBytes - at - LookupResources.align(bytes);
                if (posted % plan.gather() == 0) {
                    resources.post(request, request, at, last);
                } else {
                    resources.gather(request, at, last);
                }
                at += LookupResources.align(bytes);
                postedBytes += bytes;
                posted++;
            }
            queuePair.doorbell();
            return posted;
        }

        /** Waits for the signaled request, which is the last; all requests before it have completed, too. */
        private void awaitLast(int posted) throws FabricException {
            QueuePair queuePair = resources.queuePair();
            int last = requests.at(posted - 1);
            while (true) {
                int count = queuePair.await(completions);
                for (int i = 0; i < count; i++) {
                    resources.check(completions, i);
                    if (completions.id(i) == last) {
                        return;
                    }
                }
            }
        }
    }
}
