package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.complex.Complex;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Wait of work requests for their fetch over the bus. The doorbell carries a request on an empty queue pair. Others are
 * fetched, in a constant time per fetch. The first two fetches bring one request each, the next ones two, four and so
 * on up to the card's depth, until none is left. Requests arrive in groups at random times.
 *
 * <p>Within such a busy period the number of waiting requests at the start of each fetch is a Markov chain, followed
 * from the first request to the end. A group that arrives in it waits for the rest of the current fetch and for the
 * fetches of the requests before it and of its own.
 */
final class FetchQueue {
    private static final int MAX_WAITING = 96;
    private static final int MAX_FETCHES = 480;
    private static final double LEFT_OUT = 1e-8;

    /** Parts of a fetch at which a group may arrive. */
    private static final int PARTS = 4;

    private final double rideNs;
    private final double fetchNs;
    private final int prefetch;
    private final int group;
    private final double perNs;
    private final double singlesPerNs;
    private final List<Delay> first = new ArrayList<>();
    private final List<Delay> later = new ArrayList<>();
    private double maxNs;
    private boolean settled = true;

    private record Delay(double ns, double probability) {}

    /**
     * Creates a queue for lookups that begin with {@code group} requests, at {@code perNs} operations per client, of
     * which each has requests in flight for {@code busyNs}.
     */
    FetchQueue(NicProfile.Requester requester, int group, double requests, double perNs, double busyNs) {
        this.rideNs = requester.hostNs() / 2;
        this.fetchNs = requester.workRequestFetchNs();
        this.prefetch = requester.workRequestPrefetch();
        this.group = group;
        this.perNs = perNs;
        this.singlesPerNs = perNs * (requests - group);
        if (requester.fetchPerDoorbell() == 1) {
            fetchPerDoorbell(perNs * busyNs);
        } else {
            follow();
        }
    }

    /**
     * Adds the waits of a card that fetches the list of each doorbell by itself: one fetch, if any request of the queue
     * pair is in flight.
     */
    private void fetchPerDoorbell(double inFlight) {
        double idle = Math.exp(-inFlight);
        for (List<Delay> delays : List.of(first, later)) {
            delays.add(new Delay(0, idle));
            delays.add(new Delay(fetchNs, 1 - idle));
        }
        maxNs = fetchNs;
    }

    /** Returns false if requests arrive faster than they can be fetched. */
    boolean settled() {
        return settled;
    }

    double maxNs() {
        return maxNs;
    }

    /** Returns the transform of a first or later READ's wait in addition to that on an empty queue pair. */
    Complex transform(double omega, boolean begins) {
        double real = 0;
        double imaginary = 0;
        for (Delay delay : begins ? first : later) {
            real += delay.probability * Math.cos(omega * delay.ns);
            imaginary -= delay.probability * Math.sin(omega * delay.ns);
        }
        return new Complex(real, imaginary);
    }

    private void follow() {
        double groups = perNs + singlesPerNs;
        // A busy period begins with a lookup's first READs or with one further READ.
        double[] waiting = new double[MAX_WAITING + 1];
        waiting[group - 1] += perNs / groups;
        waiting[0] += singlesPerNs / groups;
        List<double[]> starts = new ArrayList<>();
        double busyNs = 0;
        double[] after = arrivals(rideNs);
        double[] afterFetch = arrivals(fetchNs);
        for (int k = 0; k < MAX_FETCHES; k++) {
            double left = 0;
            for (double p : waiting) {
                left += p;
            }
            if (k > 0) {
                left -= waiting[0];
                waiting[0] = 0;
            }
            if (left < LEFT_OUT) {
                break;
            }
            starts.add(waiting);
            busyNs += left * lengthNs(k);
            double[] next = new double[MAX_WAITING + 1];
            double[] come = k == 0 ? after : afterFetch;
            for (int n = 0; n <= MAX_WAITING; n++) {
                if (waiting[n] < 1e-14) {
                    continue;
                }
                int rest = n - Math.min(batch(k), n);
                for (int a = 0; a < come.length; a++) {
                    next[Math.min(MAX_WAITING, rest + a)] += waiting[n] * come[a];
                }
            }
            waiting = next;
            settled = k < MAX_FETCHES - 1 && next[MAX_WAITING] < 1e-3;
            if (!settled) {
                return;
            }
        }
        double totalNs = busyNs + 1 / groups;
        spread(starts, totalNs, group, first);
        spread(starts, totalNs, 1, later);
    }

    /** Adds the delays of the last request of a group that arrives at a random time. */
    private void spread(List<double[]> starts, double totalNs, int size, List<Delay> into) {
        double[] byFetches = new double[(MAX_FETCHES + 64) * PARTS];
        double found = 0;
        double alone = rideNs + fetchesNs(size);
        double[][] rideCome = new double[PARTS][];
        double[][] fetchCome = new double[PARTS][];
        for (int part = 0; part < PARTS; part++) {
            rideCome[part] = arrivals(rideNs * (part + 0.5) / PARTS);
            fetchCome[part] = arrivals(fetchNs * (part + 0.5) / PARTS);
        }
        List<Delay> delays = new ArrayList<>();
        for (int k = 0; k < starts.size(); k++) {
            double[] waiting = starts.get(k);
            for (int part = 0; part < PARTS; part++) {
                double[] come = k == 0 ? rideCome[part] : fetchCome[part];
                double rest = lengthNs(k) * (1 - (part + 0.5) / PARTS);
                double[] byMore = new double[64];
                for (int n = 0; n <= MAX_WAITING; n++) {
                    double p = waiting[n] * lengthNs(k) / PARTS / totalNs;
                    if (p < 1e-12) {
                        continue;
                    }
                    int ahead = n - Math.min(batch(k), n);
                    for (int a = 0; a < come.length; a++) {
                        byMore[more(k, ahead + a + size)] += p * come[a];
                    }
                }
                for (int more = 0; more < byMore.length; more++) {
                    if (byMore[more] > 1e-12) {
                        delays.add(new Delay(Math.max(0, rest + more * fetchNs - alone), byMore[more]));
                        found += byMore[more];
                    }
                }
            }
        }
        into.add(new Delay(0, Math.max(0, 1 - found)));
        // Similar delays are merged: the transform is evaluated at thousands of places.
        double bin = fetchNs / PARTS;
        if (bin <= 0) {
            into.addAll(delays);
            return;
        }
        double[] sums = new double[byFetches.length];
        for (Delay delay : delays) {
            int at = (int) Math.min(byFetches.length - 1, Math.floor(delay.ns / bin));
            byFetches[at] += delay.probability;
            sums[at] += delay.probability * delay.ns;
        }
        for (int at = 0; at < byFetches.length; at++) {
            if (byFetches[at] > 1e-9) {
                double ns = sums[at] / byFetches[at];
                into.add(new Delay(ns, byFetches[at]));
                maxNs = Math.max(maxNs, byFetches[at] > 1e-4 ? ns : 0);
            }
        }
    }

    /** Returns the number of fetches after fetch k that bring {@code requests}. */
    private int more(int k, int requests) {
        int fetches = 0;
        for (int brought = 0; brought < requests && fetches < 63; fetches++) {
            brought += batch(k + 1 + fetches);
        }
        return fetches;
    }

    /** Returns the time of the fetches for a group on an empty queue. */
    private double fetchesNs(int size) {
        int fetches = 0;
        for (int brought = 1; brought < size; brought += batch(++fetches)) {
            // Counted.
        }
        return fetches * fetchNs;
    }

    private double lengthNs(int k) {
        return k == 0 ? rideNs : fetchNs;
    }

    /** Returns the requests of fetch k in a busy period; none for the doorbell, whose request is not waiting. */
    private int batch(int k) {
        return k == 0 ? 0 : k <= 2 ? 1 : (int) Math.min(prefetch, 1L << Math.min(20, k - 2));
    }

    /** Returns P[n requests arrive in a time] for each n. */
    private double[] arrivals(double ns) {
        double[] lookups = poisson(perNs * ns);
        double[] singles = poisson(singlesPerNs * ns);
        double[] all = new double[(lookups.length - 1) * group + singles.length];
        for (int i = 0; i < lookups.length; i++) {
            for (int j = 0; j < singles.length; j++) {
                all[i * group + j] += lookups[i] * singles[j];
            }
        }
        return all;
    }

    private static double[] poisson(double mean) {
        int max = (int) Math.ceil(mean + 7 * Math.sqrt(mean) + 4);
        double[] p = new double[max + 1];
        p[0] = Math.exp(-mean);
        for (int i = 1; i <= max; i++) {
            p[i] = p[i - 1] * mean / i;
        }
        return p;
    }
}
