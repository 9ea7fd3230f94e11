package org.reprobe.analysis.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.complex.Complex;
import org.reprobe.analysis.nic.NicProfile;

/**
 * The wait of work requests for their fetch over the bus. A request that finds its queue pair empty rides with the
 * doorbell; others are fetched, a constant time for each fetch, which brings one request twice, then two, four and so on
 * up to the card's depth, until none is left. Requests come in groups at random times.
 *
 * <p>Within such a busy period the number that waits at the start of each fetch is a Markov chain, followed from the
 * request that began it to its end. A group that comes during it waits for the rest of a fetch and for as many more as
 * bring those before it and itself.
 */
final class FetchQueue {
    private static final int MAX_WAITING = 96;
    private static final int MAX_FETCHES = 480;
    private static final double LEFT_OUT = 1e-8;

    /** Parts of a fetch at which a group may come. */
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
     * @param group requests that a lookup begins with
     * @param requests of an operation in all
     * @param perNs operations of one client
     */
    FetchQueue(NicProfile.Requester requester, int group, double requests, double perNs) {
        this.rideNs = requester.hostNs() / 2;
        this.fetchNs = requester.workRequestFetchNs();
        this.prefetch = requester.workRequestPrefetch();
        this.group = group;
        this.perNs = perNs;
        this.singlesPerNs = perNs * (requests - group);
        follow();
    }

    /** False when requests come faster than they can be fetched. */
    boolean settled() {
        return settled;
    }

    double maxNs() {
        return maxNs;
    }

    /** The transform of what a lookup's first READs, or a later one, wait longer than on an empty queue pair. */
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

    /** Where a group of the given size that comes at a random time finds the queue, and how long its last one waits then. */
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
        // Delays that are alike go together: the transform is taken at thousands of places.
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

    /** Fetches, from the one after k on, until so many have been brought. */
    private int more(int k, int requests) {
        int fetches = 0;
        for (int brought = 0; brought < requests && fetches < 63; fetches++) {
            brought += batch(k + 1 + fetches);
        }
        return fetches;
    }

    /** What the fetches of a group that finds the queue empty take. */
    private double fetchesNs(int size) {
        int fetches = 0;
        for (int brought = 1; brought < size; brought += batch(++fetches)) {
            // counted
        }
        return fetches * fetchNs;
    }

    private double lengthNs(int k) {
        return k == 0 ? rideNs : fetchNs;
    }

    /** How many requests fetch k of a busy period brings; none in the ride, whose first is not among those waiting. */
    private int batch(int k) {
        return k == 0 ? 0 : k <= 2 ? 1 : (int) Math.min(prefetch, 1L << Math.min(20, k - 2));
    }

    /** P[so many requests come in a time]. */
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
