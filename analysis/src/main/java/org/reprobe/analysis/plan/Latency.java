package org.reprobe.analysis.plan;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.math3.complex.Complex;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.transform.DftNormalization;
import org.apache.commons.math3.transform.FastFourierTransformer;
import org.apache.commons.math3.transform.TransformType;

/**
 * Latency of a lookup: one at a time, or under an open load of lookups at random times (Poisson), from the intended
 * start. Each round of READs adds four independent waits to the idle time; their distributions are convolved:
 *
 * <ul>
 *   <li>for the client's thread, an M/G/1 queue of its own small jobs;
 *   <li>for the fetch of the work request ({@link FetchQueue}): only a request on an empty queue pair is carried by the
 *       doorbell;
 *   <li>for a place among the outstanding READs, an M/M/c queue with waits halved, as their time hardly varies;
 *   <li>for the server's card, an M/D/1 queue.
 * </ul>
 *
 * <p>Waits of queues are zero or exponential, which is exact for M/M and close for the others at utilizations below 80
 * %.
 */
public final class Latency {
    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);

    /** Grid points of a distribution; a power of two. */
    private static final int GRID = 1024;

    /** Smoothing of nearly constant times, in grid steps, against ringing. */
    private static final double SMOOTHED_STEPS = 0.6;

    private static final Map<TableShape, double[]> ALONE = new ConcurrentHashMap<>();

    private Latency() {}

    /** Returns the latency percentile in ns, such as 0.99, of a client with one lookup at a time. */
    public static double idleNs(CardLoad load, double share) {
        LookupDemand demand = load.demand();
        int first = demand.firstReads();
        CardLoad.Costs costs = load.costs(0);
        double work = load.lookupNs();
        double completion =
                load.nic().client().completionNs() + load.nic().client().doorbellNs();
        double firstNs = load.batchNs(first, costs);
        double laterNs = load.batchNs(1, costs);
        double sigma = load.jitterSigma();
        double mean = Math.exp(sigma * sigma / 2);
        double variance = (Math.exp(sigma * sigma) - 1) * Math.exp(sigma * sigma);
        double[] alone = ALONE.computeIfAbsent(load.shape(), TableShape::roundsAlone);
        LookupDemand.Grouped rounds = LookupDemand.Grouped.of(alone);
        double meanRounds = demand.meanRounds();
        double j = load.jitteredNs(first);
        double later = load.jitteredNs(1);
        double write = load.writeShare();
        double writeNs = load.writeNs(costs) + (mean - 1) * (load.jitteredNs(1) + load.jitteredNs(2));
        double writeVariance =
                variance * (load.jitteredNs(1) * load.jitteredNs(1) + load.jitteredNs(2) * load.jitteredNs(2));
        double low = 0;
        double high = 2 * (firstNs + alone.length * laterNs + writeNs) + work + demand.slots() * 100;
        for (int step = 0; step < 60; step++) {
            double x = (low + high) / 2;
            double below = 0;
            for (int i = 0; i < rounds.mean().length; i++) {
                double p = rounds.chances()[i];
                double further = rounds.mean()[i] - 1;
                // A lookup with more rounds scans more slots and posts more READs.
                double share1 = (further + 1) / meanRounds;
                double fixed = load.nic().client().lookupNs()
                        + (work - load.nic().client().lookupNs()) * share1
                        + firstNs
                        + further * laterNs
                        + (further + 1) * completion;
                double m = fixed + (mean - 1) * (j + further * later);
                double v = variance * (j * j + further * later * later);
                below += p * (1 - write) * belowNs(x, m, v);
                if (write > 0) {
                    below += p * write * belowNs(x, m + writeNs, v + writeVariance);
                }
            }
            if (below < share) {
                low = x;
            } else {
                high = x;
            }
        }
        return high;
    }

    /** Returns P[a normal variable is at most x]. */
    private static double belowNs(double x, double mean, double variance) {
        double deviations = variance == 0 ? Double.POSITIVE_INFINITY : Math.abs(x - mean) / Math.sqrt(variance);
        if (deviations > 8.5) { // beyond, a double is 0 or 1
            return mean <= x ? 1 : 0;
        }
        return NORMAL.cumulativeProbability((x - mean) / Math.sqrt(variance));
    }

    /** Returns percentiles in ns under a steady load of all clients to one server; infinite on overload. */
    public static double[] underLoadNs(CardLoad load, double lookupsPerSecond, double... shares) {
        double[] result = new double[shares.length];
        Arrays.fill(result, Double.POSITIVE_INFINITY);
        LookupDemand demand = load.demand();
        CardLoad.Costs costs = load.costs(0);
        double perNs = lookupsPerSecond / load.clients().all() * 1e-9;
        double stageNs = Math.max(costs.serverNs(), costs.responseWireNs()) / load.requests();
        double server = stageNs * load.requests() * lookupsPerSecond * 1e-9;
        double begin = load.nic().client().lookupNs()
                + demand.firstReads()
                        * (load.nic().client().postNs() + load.nic().client().readNs());
        double doorbell = load.nic().client().doorbellNs();
        double rounds = demand.meanRounds() + 2 * load.writeShare();
        double answer = load.nic().client().completionNs() * load.requests()
                + load.clientNs()
                - begin
                + (rounds - 1) * doorbell;
        begin += doorbell;
        double answers = answer / load.requests();
        double thread = perNs * (begin + answer);
        double places = load.clients().outstandingReads();
        double busyNs = load.batchNs(1, costs) - load.nic().requester().hostNs();
        double inFlight = perNs * load.outstanding() * busyNs;
        if (server >= 1 || thread >= 1 || inFlight >= places) {
            return result;
        }
        Wait threadWait = new Wait(
                thread,
                perNs
                        * (begin * begin + load.requests() * answers * answers)
                        / (2 * (1 - thread))
                        / Math.max(thread, 1e-12));
        // The wait of an M/G/1 queue grows with the variance of its service (Pollaczek and Khinchine).
        Wait serverWait = new Wait(server, stageNs * (1 + load.missVariation(costs)) / (2 * (1 - server)));
        Wait placeWait = places(
                load.clients().outstandingReads(),
                demand.firstReads(),
                inFlight,
                busyNs + serverWait.probability * serverWait.meanNs);
        FetchQueue fetches =
                new FetchQueue(load.nic().requester(), demand.firstReads(), load.requests(), perNs, rounds * busyNs);
        if (!fetches.settled()) {
            return result;
        }
        double rangeNs = 1.5 * idleNs(load, 0.99)
                + 20 * (threadWait.meanNs + serverWait.meanNs + placeWait.meanNs)
                + 2 * fetches.maxNs();
        double max = Arrays.stream(shares).max().orElse(0);
        for (int attempt = 0; attempt < 6; attempt++, rangeNs *= 2) {
            double[] cumulative = cumulative(load, costs, rangeNs, threadWait, serverWait, placeWait, fetches);
            if (cumulative[GRID * 3 / 4] > 1 - (1 - max) / 10) {
                for (int i = 0; i < shares.length; i++) {
                    result[i] = reached(cumulative, shares[i]) * rangeNs / GRID;
                }
                return result;
            }
        }
        return result;
    }

    /** Returns the grid step at which a share is reached. */
    private static double reached(double[] cumulative, double share) {
        int at = 1;
        while (at < GRID - 1 && cumulative[at] < share) {
            at++;
        }
        double step = cumulative[at] - cumulative[at - 1];
        // A grid point stands for values up to half a step to either side of it.
        return at + (step > 0 ? Math.clamp((share - cumulative[at]) / step, -1, 0) : 0) + 0.5;
    }

    /**
     * Returns the wait for a place among the outstanding READs. READs of a lookup that are posted together take their
     * places together, so there are places for a number of lookups, which need not be an integer.
     */
    private static Wait places(int outstandingReads, int together, double inFlight, double busyNs) {
        double rooms = Math.max(1, (double) outstandingReads / together);
        double taken = inFlight / together;
        int whole = (int) rooms;
        double part = rooms - whole;
        double waits = part == 0
                ? erlangC(whole, taken)
                : (1 - part) * (taken < whole ? erlangC(whole, taken) : 1) + part * erlangC(whole + 1, taken);
        return new Wait(waits, busyNs / (rooms - taken) / 2);
    }

    /** Wait that is zero or, with a probability, exponential. */
    private record Wait(double probability, double meanNs) {
        Complex transform(double omega) {
            // (1 - p) + p / (1 + i omega m)
            return Complex.ONE
                    .divide(new Complex(1, omega * meanNs))
                    .multiply(probability)
                    .add(1 - probability);
        }
    }

    private static double[] cumulative(
            CardLoad load,
            CardLoad.Costs costs,
            double rangeNs,
            Wait thread,
            Wait server,
            Wait place,
            FetchQueue fetches) {
        LookupDemand demand = load.demand();
        TableShape shape = load.shape();
        double sigma = load.jitterSigma();
        double mean = Math.exp(sigma * sigma / 2);
        double sd = Math.sqrt((Math.exp(sigma * sigma) - 1) * Math.exp(sigma * sigma));
        int first = demand.firstReads();
        double work = load.lookupNs() + demand.reads() * load.nic().client().completionNs();
        double perRound = (work - load.nic().client().lookupNs()) / demand.meanRounds();
        double firstNs = load.nic().client().lookupNs()
                + load.nic().client().doorbellNs()
                + perRound
                + load.batchNs(first, costs)
                + (mean - 1) * load.jitteredNs(first);
        double laterNs =
                load.nic().client().doorbellNs() + perRound + load.batchNs(1, costs) + (mean - 1) * load.jitteredNs(1);
        double firstSd = sd * load.jitteredNs(first);
        double laterSd = sd * load.jitteredNs(1);
        double[] recordsNs = new double[shape.inline() || first == 1 ? 0 : first];
        for (int i = 0; i < recordsNs.length; i++) {
            // The record's READ follows the one that finds its place at once, while others are in flight.
            double foundNs = firstNs - load.batchNs(first, costs) + load.batchNs(i + 1, costs);
            recordsNs[i] = Math.max(foundNs, firstNs - laterNs);
        }
        double write = load.writeShare();
        double writeNs = load.writeNs(costs) + (mean - 1) * (load.jitteredNs(1) + load.jitteredNs(2));
        double writeSd = sd * Math.hypot(load.jitteredNs(1), load.jitteredNs(2));
        LookupDemand.Grouped rounds = LookupDemand.Grouped.of(demand.rounds());
        Complex[] spectrum = new Complex[GRID];
        for (int k = 0; k <= GRID / 2; k++) {
            double omega = 2 * Math.PI * k / rangeNs;
            double smooth = Math.exp(-Math.pow(omega * SMOOTHED_STEPS * rangeNs / GRID, 2) / 2);
            Complex waits = server.transform(omega).multiply(place.transform(omega));
            Complex ofThread = thread.transform(omega);
            Complex ofFetch = fetches.transform(omega, false);
            Complex begun = (recordsNs.length == 0 ? fixed(omega, firstNs, firstSd) : mean(omega, recordsNs, firstSd))
                    .multiply(smooth)
                    .multiply(fetches.transform(omega, true))
                    .multiply(waits)
                    .multiply(ofThread)
                    .multiply(ofThread);
            Complex again = fixed(omega, laterNs, laterSd)
                    .multiply(ofFetch)
                    .multiply(waits)
                    .multiply(ofThread);
            Complex sum = Complex.ZERO;
            Complex product = begun;
            double at = 1;
            for (int i = 0; i < rounds.mean().length && product.abs() >= 1e-12; i++) {
                double further = rounds.mean()[i] - at;
                product = product.multiply(further == 1 ? again : power(again, further));
                at = rounds.mean()[i];
                sum = sum.add(product.multiply(rounds.chances()[i]));
            }
            if (write > 0) {
                Complex written = fixed(omega, writeNs, writeSd);
                for (int round = 0; round < 2; round++) {
                    written = written.multiply(ofFetch).multiply(waits).multiply(ofThread);
                }
                sum = sum.multiply(written.multiply(write).add(1 - write));
            }
            spectrum[k] = sum;
            if (k > 0 && k < GRID / 2) {
                spectrum[GRID - k] = sum.conjugate();
            }
        }
        Complex[] density =
                new FastFourierTransformer(DftNormalization.STANDARD).transform(spectrum, TransformType.INVERSE);
        double[] cumulative = new double[GRID];
        double sum = 0;
        for (int i = 0; i < GRID; i++) {
            sum += density[i].getReal();
            cumulative[i] = sum;
        }
        return cumulative;
    }

    private static Complex power(Complex base, double exponent) {
        double size = Math.pow(base.abs(), exponent);
        double angle = base.getArgument() * exponent;
        return new Complex(size * Math.cos(angle), size * Math.sin(angle));
    }

    /** Returns the transform of equally likely times. */
    private static Complex mean(double omega, double[] timesNs, double sd) {
        Complex sum = Complex.ZERO;
        for (double timeNs : timesNs) {
            sum = sum.add(fixed(omega, timeNs, sd));
        }
        return sum.divide(timesNs.length);
    }

    /** Returns exp(-i omega mean - (omega sd)^2 / 2). */
    private static Complex fixed(double omega, double mean, double sd) {
        double size = Math.exp(-omega * omega * sd * sd / 2);
        return new Complex(size * Math.cos(omega * mean), -size * Math.sin(omega * mean));
    }

    /** Returns Erlang's C: the probability of waiting for one of c places if {@code taken} are occupied in the mean. */
    private static double erlangC(int c, double taken) {
        double b = 1;
        for (int i = 1; i <= c; i++) {
            b = taken * b / (i + taken * b);
        }
        double use = taken / c;
        return b / (1 - use + use * b);
    }
}
