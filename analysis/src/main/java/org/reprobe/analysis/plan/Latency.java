package org.reprobe.analysis.plan;

import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.distribution.PoissonDistribution;

/**
 * How long a lookup takes. A client works in rounds (linear-probing paper, Algorithm 1): it posts the READs of all lookups
 * that are due with one doorbell, waits until the last has completed and works on the answers; what came meanwhile begins
 * with the next round. Latency counts from the intended start.
 *
 * <p>So a client is a server with batch service: the number of lookups in its rounds is a Markov chain, whose stationary
 * distribution is found by iteration. A lookup waits for the rest of the round that it comes in, then takes its own
 * rounds. What other clients do adds the mean wait of an M/G/1 queue at the server's card.
 */
public final class Latency {
    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);

    /** Lookups in one round are followed up to so many. */
    private static final int MOST_LOOKUPS = 192;

    private static final int STEPS = 120;

    /** Steps of the grid on which a lookup's first round is spread. */
    private static final int GRID = 800;

    private Latency() {}

    /**
     * The latency below which a share of lookups stays when a client makes one lookup at a time.
     *
     * @param share such as 0.99
     * @return ns
     */
    public static double idleNs(CardLoad load, double share) {
        LookupDemand demand = load.demand();
        int first = demand.firstReads();
        CardLoad.Costs costs = load.costs(0);
        double work = load.clientNs();
        double completion =
                load.nic().client().completionNs() + load.nic().client().doorbellNs();
        double firstNs = load.listNs(first, costs);
        double laterNs = load.listNs(1, costs);
        double sigma = load.jitterSigma();
        double mean = Math.exp(sigma * sigma / 2);
        double variance = (Math.exp(sigma * sigma) - 1) * Math.exp(sigma * sigma);
        // With room for one request only, a stray READ of the heap takes a round of its own.
        double[] rounds = first > 1 ? demand.rounds() : oneByOne(demand);
        double low = 0;
        double high = 2 * (firstNs + (demand.rounds().length + 1) * laterNs) + work + demand.slots() * 100;
        for (int step = 0; step < 60; step++) {
            double x = (low + high) / 2;
            double below = 0;
            for (int i = 0; i < rounds.length; i++) {
                double p = rounds[i];
                if (p <= 0) {
                    continue;
                }
                // A lookup of more rounds has scanned and posted more.
                double share1 = (i + 1) / demand.meanRounds();
                double fixed = load.nic().client().lookupNs()
                        + (work - load.nic().client().lookupNs()) * share1
                        + firstNs
                        + i * laterNs
                        + (i + 1) * completion;
                double j = load.jitteredNs(first);
                double later = load.jitteredNs(1);
                double m = fixed + (mean - 1) * (j + i * later);
                double sd = Math.sqrt(variance * (j * j + i * later * later));
                below += p * (sd == 0 ? (m <= x ? 1 : 0) : NORMAL.cumulativeProbability((x - m) / sd));
            }
            if (below < share) {
                low = x;
            } else {
                high = x;
            }
        }
        return high;
    }

    /** Rounds when each has one READ: those of table and heap one after the other. */
    private static double[] oneByOne(LookupDemand demand) {
        if (demand.heapReads() == 0) {
            return demand.rounds();
        }
        double[] table = demand.tableRounds();
        double[] rounds = new double[table.length + 2];
        for (int i = 0; i < table.length; i++) {
            rounds[i + 1] += table[i] * (1 - demand.strayHeapReads());
            rounds[i + 2] += table[i] * demand.strayHeapReads();
        }
        return rounds;
    }

    /**
     * Percentiles under a steady load.
     *
     * @param lookupsPerSecond of all clients together, to one server
     * @param shares such as 0.5 and 0.99
     * @return ns, one for each share; infinite when the server or the clients can't keep up
     */
    public static double[] underLoadNs(CardLoad load, double lookupsPerSecond, double... shares) {
        double[] result = new double[shares.length];
        Rounds rounds = new Rounds(load, lookupsPerSecond);
        if (!rounds.settle()) {
            java.util.Arrays.fill(result, Double.POSITIVE_INFINITY);
            return result;
        }
        for (int i = 0; i < shares.length; i++) {
            result[i] = rounds.percentileNs(shares[i]);
        }
        return result;
    }

    /** The chain of one client's rounds. */
    private static final class Rounds {
        private final CardLoad load;
        private final double perNs;
        private final double meanRounds;
        private final double again;
        private final double[] roundNs;
        /** Standard deviation of a round, from its jitter and its mix of lookups' first and later requests. */
        private final double[] roundSd;

        private double[] lookups;
        private final int most;
        private final double utilisation;

        Rounds(CardLoad load, double lookupsPerSecond) {
            this.load = load;
            this.perNs = lookupsPerSecond / load.clients().all() * 1e-9;
            LookupDemand demand = load.demand();
            this.meanRounds = demand.meanRounds();
            this.again = 1 - 1 / meanRounds;
            CardLoad.Costs costs = load.costs(0);
            double shared = Math.max(costs.serverNs(), costs.responseWireNs());
            this.utilisation = shared * lookupsPerSecond * 1e-9;
            double readsARound = demand.reads() / meanRounds;
            double waitNs = waitNs(costs, demand, utilisation);
            double perRound = (costs.clientNs() - load.nic().client().lookupNs()) / meanRounds;
            double fresh = 1 / meanRounds;
            double later = meanRounds == 1 ? 0 : Math.max(1, (readsARound - fresh * demand.firstReads()) / (1 - fresh));
            double mixed = Math.sqrt(fresh * (1 - fresh)) * Math.abs(demand.firstReads() - later);
            double sigma = load.jitterSigma();
            double[] durations = new double[MOST_LOOKUPS + 1];
            double[] deviations = new double[MOST_LOOKUPS + 1];
            int enough = MOST_LOOKUPS;
            for (int n = 1; n <= enough; n++) {
                int requests = Math.max(1, (int) Math.round(n * Math.max(readsARound, 1)));
                // Only new lookups are begun; all are posted and scanned.
                double work = n * (perRound + load.nic().client().lookupNs() / meanRounds);
                double jittered = load.jitteredNs(requests);
                durations[n] = work
                        + load.listNs(requests, costs)
                        + (Math.exp(sigma * sigma / 2) - 1) * jittered
                        + waitNs
                        + load.nic().client().completionNs()
                        + load.nic().client().doorbellNs();
                double slope = (durations[n] - durations[n > 1 ? n - 1 : 1]) / Math.max(1, readsARound);
                deviations[n] = Math.hypot(sigma * jittered, Math.sqrt(n) * mixed * (n > 1 ? slope : 0));
                // Twice the lookups that come in a round of n, and some: rounds are hardly ever longer.
                double balance = perNs * durations[n] * meanRounds;
                if (n > 2 * balance + 10 && n > balance + 8 * Math.sqrt(balance)) {
                    enough = n;
                }
            }
            this.most = enough;
            this.roundNs = java.util.Arrays.copyOf(durations, most + 1);
            this.roundSd = java.util.Arrays.copyOf(deviations, most + 1);
            this.lookups = new double[most + 1];
        }

        /** Wait at the server's card for requests of others. */
        private static double waitNs(CardLoad.Costs costs, LookupDemand demand, double utilisation) {
            if (utilisation >= 1) {
                return Double.POSITIVE_INFINITY;
            }
            double stage = Math.max(costs.serverNs(), costs.responseWireNs()) / demand.reads();
            return stage * utilisation / (2 * (1 - utilisation));
        }

        /** Finds the stationary distribution; false when there is none within reach. */
        boolean settle() {
            if (utilisation >= 1) {
                return false;
            }
            lookups[1] = 1;
            double[][] next = new double[most + 1][];
            for (int n = 1; n <= most; n++) {
                next[n] = after(n);
            }
            for (int step = 0; step < STEPS; step++) {
                double[] now = new double[most + 1];
                for (int n = 1; n <= most; n++) {
                    if (lookups[n] < 1e-12) {
                        continue;
                    }
                    double[] row = next[n];
                    for (int m = 1; m <= most; m++) {
                        now[m] += lookups[n] * row[m];
                    }
                }
                double change = 0;
                for (int m = 1; m <= most; m++) {
                    change += Math.abs(now[m] - lookups[m]);
                }
                lookups = now;
                if (change < 1e-7) {
                    break;
                }
            }
            return lookups[most] < 1e-3;
        }

        /** How many lookups the round after one of n has; a round without any is left out, as the client waits then. */
        private double[] after(int n) {
            double[] row = new double[most + 1];
            double mean = perNs * roundNs[n];
            double[] fresh = poisson(mean, most);
            double[] going = binomial(n, again);
            double none = 0;
            for (int i = 0; i < fresh.length; i++) {
                for (int j = 0; j < going.length; j++) {
                    int m = i + j;
                    if (m == 0) {
                        none += fresh[i] * going[j];
                    } else {
                        row[Math.min(m, most)] += fresh[i] * going[j];
                    }
                }
            }
            row[1] += none;
            return row;
        }

        double percentileNs(double share) {
            // What a lookup meets: an idle client, or a round of n under way, as often as it lasts.
            double busy = 0;
            double idle = 0;
            for (int n = 1; n <= most; n++) {
                busy += lookups[n] * roundNs[n];
                double stop = Math.exp(-perNs * roundNs[n]) * Math.pow(1 - again, n);
                idle += lookups[n] * stop / perNs;
            }
            double total = busy + idle;
            double longest = 2.5 * roundNs[most];
            double stepNs = longest / GRID;
            double[] density = new double[GRID + 1];
            add(density, stepNs, 0, roundNs[1], roundSd[1], idle / total);
            for (int n = 1; n <= most; n++) {
                double p = lookups[n] * roundNs[n] / total;
                if (p < 1e-9) {
                    continue;
                }
                // The round that it begins with: itself, those that came in the same round, those that go on.
                double others = perNs * roundNs[n] + n * again;
                double own = interpolated(1 + others);
                double perLookup = interpolated(2 + others) - own;
                double mix = Math.sqrt(perNs * roundNs[n] + n * again * (1 - again)) * perLookup;
                double sd = Math.hypot(mix, roundSd[(int) Math.min(most, 1 + others)]);
                add(density, stepNs, roundNs[n], own, sd, p);
            }
            return later(density, stepNs, share);
        }

        /** Adds the lookup's further rounds, each like those that lookups are in. */
        private double later(double[] density, double stepNs, double share) {
            double mean = 0;
            double square = 0;
            double weight = 0;
            for (int n = 1; n <= most; n++) {
                double p = lookups[n] * n;
                mean += p * roundNs[n];
                square += p * (roundNs[n] * roundNs[n] + roundSd[n] * roundSd[n]);
                weight += p;
            }
            mean /= weight;
            double variance = Math.max(0, square / weight - mean * mean);
            double[] rounds = load.demand().rounds();
            double low = 0;
            double high = density.length * stepNs + 2 * rounds.length * mean;
            for (int step = 0; step < 40; step++) {
                double x = (low + high) / 2;
                double below = 0;
                for (int i = 0; i < rounds.length; i++) {
                    if (rounds[i] < 1e-6) {
                        continue;
                    }
                    double sd = Math.sqrt(variance * together(i)) + 1e-9;
                    double within = 0;
                    for (int at = 0; at < density.length; at++) {
                        double left = x - at * stepNs - i * mean;
                        if (left < -6 * sd) {
                            break;
                        }
                        if (density[at] > 0) {
                            within += density[at] * (left > 6 * sd ? 1 : NORMAL.cumulativeProbability(left / sd));
                        }
                    }
                    below += rounds[i] * within;
                }
                if (below < share) {
                    low = x;
                } else {
                    high = x;
                }
            }
            return high;
        }

        /**
         * The variance of i further rounds over that of one, the first round's own left out: lookups that go on together
         * make rounds alike, the nearer the more.
         */
        private double together(int i) {
            double sum = -1;
            for (int a = 0; a <= i; a++) {
                for (int b = 0; b <= i; b++) {
                    sum += Math.pow(again, Math.abs(a - b));
                }
            }
            return sum;
        }

        private double interpolated(double lookupsInRound) {
            int low = (int) Math.min(most - 1, Math.floor(lookupsInRound));
            return roundNs[low] + (Math.min(lookupsInRound, most) - low) * (roundNs[low + 1] - roundNs[low]);
        }

        /** Adds a value that is uniform over [0, spread] plus a normal one. */
        private static void add(
                double[] density, double stepNs, double spreadNs, double meanNs, double sd, double weight) {
            double before = 0;
            for (int i = 0; i < density.length; i++) {
                double x = (i + 1) * stepNs;
                double now = uniformPlusNormal(x - meanNs, spreadNs, sd);
                density[i] += weight * (now - before);
                before = now;
                if (now > 1 - 1e-12) {
                    break;
                }
            }
        }

        /** P[U + N <= x], U uniform over [0, spread], N normal of mean 0. */
        private static double uniformPlusNormal(double x, double spread, double sd) {
            if (spread <= 0) {
                return sd <= 0 ? (x >= 0 ? 1 : 0) : NORMAL.cumulativeProbability(x / sd);
            }
            if (sd <= 0) {
                return Math.clamp(x / spread, 0, 1);
            }
            double a = x / sd;
            double b = (x - spread) / sd;
            return Math.clamp(sd / spread * (integral(a) - integral(b)), 0, 1);
        }

        /** The integral of the normal distribution function up to z. */
        private static double integral(double z) {
            if (z < -8) {
                return 0;
            }
            if (z > 8) {
                return z;
            }
            return z * NORMAL.cumulativeProbability(z) + NORMAL.density(z);
        }

        private static double[] poisson(double mean, int limit) {
            int most = (int) Math.min(limit, Math.ceil(mean + 8 * Math.sqrt(mean) + 8));
            double[] p = new double[most + 1];
            PoissonDistribution distribution = new PoissonDistribution(null, Math.max(mean, 1e-9), 1e-12, 1000);
            double sum = 0;
            for (int i = 0; i < most; i++) {
                p[i] = distribution.probability(i);
                sum += p[i];
            }
            p[most] = Math.max(0, 1 - sum);
            return p;
        }

        private static double[] binomial(int n, double p) {
            if (p <= 0) {
                return new double[] {1};
            }
            double[] terms = new double[n + 1];
            double log = n * Math.log1p(-p);
            for (int i = 0; i <= n; i++) {
                terms[i] = Math.exp(log);
                log += Math.log((n - i) / (i + 1.0)) + Math.log(p) - Math.log1p(-p);
            }
            return terms;
        }
    }
}
