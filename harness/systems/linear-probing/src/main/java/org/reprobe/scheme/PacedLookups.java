package org.reprobe.scheme;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Reconnection;
import org.reprobe.sample.SampledInterval;
import org.reprobe.workload.Arrivals;

/**
 * Lookups of one client under an open load. The starts of all clients together form a Poisson process
 * ({@link Arrivals}). Latency counts from the intended start, so the delay of a late client is part of it (coordinated
 * omission).
 *
 * <p>Algorithm 1 posts rounds; this class posts each request as soon as it arises, while others are in flight.
 */
final class PacedLookups {
    /** Interval in ns at which a client that has ended its sample checks whether all clients have ended theirs. */
    private static final long LOOKS_UP_NS = 1_000_000;

    private final LookupResources resources;
    private final Client client;
    private final RequestQueue requests;
    private final LookupAlgorithm scheme;
    private final Lookups lookups;
    private final SampledInterval interval;
    private final Arrivals arrivals;
    private final long warmUpNs;
    private final Completions completions = new Completions(64);

    /** Number of requests removed from the queue so far. The id of a request is the number of requests before it. */
    private long removed;
    /** Number of requests at the front of the queue that are posted. */
    private int inFlight;
    /** Offset in local memory for the reply to the next request. */
    private int tail;

    PacedLookups(LookupResources resources, LookupClient.Parameters plan, int clients, SampledInterval interval) {
        this.resources = resources;
        this.client = resources.client;
        this.requests = resources.requests;
        this.scheme = resources.scheme;
        this.lookups = resources.lookups;
        this.interval = interval;
        this.arrivals = new Arrivals(resources.random, clients, plan.lookupsPerSecond(), plan.changing());
        this.warmUpNs = plan.warmUpNs();
    }

    void run() throws FabricException {
        client.barrier();
        long startNs = client.nowNs();
        interval.start(startNs, SampledInterval.Observer.NONE);
        arrivals.begin(startNs, warmUpNs);
        boolean connected = true;
        while (true) {
            long nowNs = client.nowNs();
            interval.step(nowNs);
            while (connected && arrivals.nextNs() <= nowNs && room() && interval.keepsLoad(nowNs)) {
                resources.begin((long) arrivals.nextNs());
                arrivals.advance();
            }
            double overdue = arrivals.overdue(nowNs);
            interval.observed(nowNs, requests.size() + overdue, overdue);
            if (interval.isDone(nowNs, lookups.sampledInProgress(), arrivals.nextNs())
                    && (scheme.mayEnd() || interval.cannotCatchUp(nowNs))) {
                return;
            }
            if (!connected) {
                connected = Reconnection.succeeds(resources::reconnect);
                if (!connected) {
                    giveUpDue();
                }
                continue;
            }
            try {
                long bytes = post();
                lookups.posted(0, interval.counts() ? bytes : 0);
                scheme.whileWaiting();
                take(room() && interval.keepsLoad(nowNs) ? waitNs(nowNs) : Long.MAX_VALUE);
            } catch (FabricException failure) {
                removed += requests.size();
                inFlight = 0;
                interval.failed(client.nowNs(), resources.giveUpAfter(failure));
                connected = false;
            }
        }
    }

    /** Counts the lookups that were due by now as failed: the next one, and the mean number since its start. */
    private void giveUpDue() {
        long nowNs = client.nowNs();
        if (arrivals.nextNs() <= nowNs) {
            interval.failed(nowNs, (int) (1 + arrivals.overdue(nowNs)));
            arrivals.skipTo(nowNs);
        }
    }

    /**
     * Returns the time until the next start of a lookup or the end of the interval; before, only completions matter.
     */
    private long waitNs(long nowNs) {
        long latestNs = interval.untilNs() <= nowNs
                ? nowNs + LOOKS_UP_NS
                : Math.min(SampledInterval.FAR_AWAY_NS, interval.untilNs());
        return arrivals.nextNs() >= latestNs ? latestNs : (long) Math.ceil(arrivals.nextNs());
    }

    private boolean room() {
        return resources.queuePair().free() - (requests.size() - inFlight) >= scheme.requestsToStart();
    }

    /** Posts as many queued requests as send queue and local memory allow, and returns their payload bytes. */
    private long post() throws FabricException {
        QueuePair queuePair = resources.queuePair();
        long bytes = 0;
        int max = Math.min(requests.size() - inFlight, queuePair.free());
        for (int i = 0; i < max; i++) {
            int request = requests.at(inFlight);
            int at = place(LookupResources.align(requests.bytes[request]));
            if (at < 0) {
                break;
            }
            // All requests are signaled, so that each is processed as soon as it completes.
            resources.post(removed + inFlight, request, at, true);
            bytes += requests.bytes[request];
            tail = at + LookupResources.align(requests.bytes[request]);
            inFlight++;
        }
        queuePair.doorbell();
        return bytes;
    }

    /** Returns the local offset for the next reply, in a ring that ends at {@link #tail}; negative if it is full. */
    private int place(int bytes) {
        long end = resources.local.byteSize();
        if (inFlight == 0) {
            return bytes <= end ? 0 : -1;
        }
        int oldest = requests.local[requests.at(0)];
        if (tail > oldest) {
            if (tail + bytes <= end) {
                return tail;
            }
            return bytes < oldest ? 0 : -1;
        }
        return tail + bytes < oldest ? tail : -1;
    }

    private void take(long untilNs) throws FabricException {
        if (inFlight == 0) {
            long waitNs = untilNs - client.nowNs();
            if (waitNs > 0) {
                client.pause(waitNs);
            }
            return;
        }
        QueuePair queuePair = resources.queuePair();
        int count = untilNs == Long.MAX_VALUE ? queuePair.await(completions) : queuePair.await(completions, untilNs);
        for (int i = 0; i < count; i++) {
            resources.check(completions, i);
            while (removed <= completions.id(i)) {
                scheme.completed(requests.at(0));
                requests.remove(1);
                removed++;
                inFlight--;
            }
        }
    }
}
