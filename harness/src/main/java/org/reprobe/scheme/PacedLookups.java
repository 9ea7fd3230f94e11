package org.reprobe.scheme;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/**
 * One client's lookups at given times: an open load. Times between them are exponential, so that all clients together make
 * a Poisson process. A lookup's latency counts from when it was to begin, not from when the client came to it: a client
 * that is late does not hide it (coordinated omission).
 *
 * <p>Unlike Algorithm 1, which posts rounds, it posts requests as they come up while others are in flight.
 */
final class PacedLookups {
    private final Station station;
    private final Client client;
    private final RequestQueue requests;
    private final Scheme scheme;
    private final QueuePair queuePair;
    private final LookupCounters counters;
    private final long warmUpNs;
    private final long durationNs;
    private final double meanGapNs;
    private final Completions completions = new Completions(64);

    /** Requests removed from the queue so far; the id of a request is how many were before it. */
    private long removed;
    /** Requests at the front of the queue that have been posted. */
    private int inFlight;
    /** Where in local memory the next request can land. */
    private int tail;

    private double nextNs;

    PacedLookups(Station station, LookupClient.Plan plan, int clients) {
        this.station = station;
        this.client = station.client();
        this.requests = station.requests();
        this.scheme = station.scheme();
        this.queuePair = station.queuePair();
        this.counters = station.counters();
        this.warmUpNs = plan.warmUpNs();
        this.durationNs = plan.durationNs();
        this.meanGapNs = clients * 1e9 / plan.lookupsPerSecond();
    }

    LookupCounters run() throws FabricException {
        client.barrier();
        long startNs = client.nowNs();
        long fromNs = startNs + warmUpNs;
        long untilNs = fromNs + durationNs;
        station.answers().countStarted(fromNs, untilNs);
        nextNs = startNs + gapNs();
        LookupCounters traffic = null;
        long begun = 0;
        while (true) {
            long nowNs = client.nowNs();
            if (nowNs >= fromNs && nowNs < untilNs && traffic == null) {
                traffic = counters.copy(); // payload and matches before the interval
            }
            while (nextNs <= nowNs && room()) {
                station.begin((long) nextNs);
                if ((long) nextNs >= fromNs && (long) nextNs < untilNs) {
                    begun++;
                }
                nextNs += gapNs();
            }
            if (nextNs >= untilNs && counters.lookups == begun) {
                return result(traffic, nowNs - fromNs);
            }
            post();
            scheme.whileWaiting();
            take(room() ? (long) Math.ceil(nextNs) : Long.MAX_VALUE);
        }
    }

    private double gapNs() {
        return -Math.log1p(-station.random().nextDouble()) * meanGapNs;
    }

    private boolean room() {
        return queuePair.free() - (requests.size() - inFlight) >= scheme.requestsToStart();
    }

    /** Rates: lookups by the time in which they were to begin, or in which they did where that took longer. */
    private LookupCounters result(@org.jspecify.annotations.Nullable LookupCounters before, long tookNs) {
        if (before != null) {
            counters.payloadBytes -= before.payloadBytes;
            counters.matches -= before.matches;
        }
        counters.over(Math.max(durationNs, tookNs));
        return counters;
    }

    /** Posts what has not been posted, as far as send queue and local memory go. */
    private void post() throws FabricException {
        int most = Math.min(requests.size() - inFlight, queuePair.free());
        for (int i = 0; i < most; i++) {
            int request = requests.at(inFlight);
            int at = place(Station.align(requests.bytes[request]));
            if (at < 0) {
                break;
            }
            // Every one is signaled: each is to be processed as soon as it is there.
            station.post(removed + inFlight, request, at, true);
            counters.payloadBytes += requests.bytes[request];
            tail = at + Station.align(requests.bytes[request]);
            inFlight++;
        }
        queuePair.doorbell();
    }

    /** Local memory is a ring: what is in flight stands between the oldest request's place and {@link #tail}. */
    private int place(int bytes) {
        long end = station.local().byteSize();
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
        int count = untilNs == Long.MAX_VALUE ? queuePair.await(completions) : queuePair.await(completions, untilNs);
        for (int i = 0; i < count; i++) {
            station.check(completions, i);
            while (removed <= completions.id(i)) {
                scheme.completed(requests.at(0));
                requests.remove(1);
                removed++;
                inFlight--;
            }
        }
    }
}
