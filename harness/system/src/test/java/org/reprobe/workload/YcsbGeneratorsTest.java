package org.reprobe.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.testing.Seeds;
import site.ycsb.generator.CounterGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.SkewedLatestGenerator;
import site.ycsb.generator.ZipfianGenerator;

/**
 * Comparison of requests with those of YCSB's own generators. These approximate Zipf's law as J. Gray and others do
 * ("Quickly generating billion-record synthetic databases", SIGMOD 1994), so each kind is compared with its own law,
 * and the two laws with each other. YCSB's draws can't be seeded: a test fails by chance once in {@value #ALARMS} runs.
 */
class YcsbGeneratorsTest {
    private static final long SEED = Seeds.seed();
    private static final int DRAWS = 400_000;
    private static final double ALARMS = 1e9;
    private static final double THETA = 0.99;

    private interface Law {
        /** Probability of the ranks 1 to {@code rank}. */
        double upTo(long rank);
    }

    /**
     * Sum of r^-theta for r from 1 to n, to eight digits: summed up to where the Euler-Maclaurin integral is as
     * accurate.
     */
    private static double zeta(long n) {
        long summed = Math.min(n, 10_000);
        double sum = 0;
        for (long r = 1; r <= summed; r++) {
            sum += Math.pow((double) r, -THETA);
        }
        double more = (Math.pow((double) n, 1 - THETA) - Math.pow((double) summed, 1 - THETA)) / (1 - THETA);
        return sum + more + (Math.pow((double) n, -THETA) - Math.pow((double) summed, -THETA)) / 2;
    }

    private static Law exact(long n) {
        double all = zeta(n);
        return rank -> zeta(rank) / all;
    }

    private static Law approximated(long n) {
        return approximated(n, n);
    }

    /**
     * Law of YCSB's draws: the first two ranks exactly, then n (eta u - eta + 1)^alpha, rounded down, from 0.
     *
     * @param before earlier number of ranks, which determines part of eta
     */
    private static Law approximated(long n, long before) {
        double all = zeta(n);
        double firstTwo = zeta(2);
        double eta = (1 - Math.pow(2.0 / before, 1 - THETA)) / (1 - firstTwo / all);
        return rank -> switch (Math.toIntExact(Math.min(rank, 3))) {
            case 1 -> 1 / all;
            case 2 -> firstTwo / all;
            default -> (Math.pow((double) rank / n, 1 - THETA) - 1 + eta) / eta;
        };
    }

    /** Last ranks of bins: of one rank each at first, then of twice as many each. */
    private static long[] bins(long n) {
        long[] ends = new long[Long.SIZE];
        int count = 0;
        for (long end = 1; end < n; end += Math.max(1, end / 2)) {
            ends[count++] = end;
        }
        ends[count++] = n;
        return Arrays.copyOf(ends, count);
    }

    /** Checks the chi-square distance of draws from a law. */
    private static void assertFollow(String what, LongSupplier ranks, Law law, long n) {
        long[] ends = bins(n);
        long[] counts = new long[ends.length];
        for (int i = 0; i < DRAWS; i++) {
            long rank = ranks.getAsLong();
            assertThat(rank).as(what).isBetween(1L, n);
            int at = Arrays.binarySearch(ends, rank);
            counts[at < 0 ? -at - 1 : at]++;
        }
        double chiSquare = 0;
        double before = 0;
        for (int bin = 0; bin < ends.length; bin++) {
            double expected = DRAWS * (law.upTo(ends[bin]) - before);
            before = law.upTo(ends[bin]);
            chiSquare += Math.pow(counts[bin] - expected, 2) / expected;
        }
        // B. Laurent and P. Massart, "Adaptive estimation of a quadratic functional by model selection", 2000, lemma 1.
        double x = Math.log(ALARMS);
        double freedom = ends.length - 1;
        assertThat(chiSquare)
                .as(
                        "%s: chi-square of %s in bins up to %s; %s",
                        what, Arrays.toString(counts), Arrays.toString(ends), Seeds.replay())
                .isLessThan(freedom + 2 * Math.sqrt(freedom * x) + 2 * x);
    }

    private static double totalVariation(Law one, Law other, long n) {
        double sum = 0;
        double before = 0;
        for (long end : bins(n)) {
            double now = one.upTo(end) - other.upTo(end);
            sum += Math.abs(now - before);
            before = now;
        }
        return sum / 2;
    }

    /** The ranks of scrambled Zipf: 10^10, whatever the number of records. */
    @Test
    void ranksAreThoseOfYcsb() {
        long n = ScrambledZipf.RANKS;
        NumberedSequence numbers = new NumberedSequence();
        numbers.startAt(SEED);
        assertFollow("ours", new ZipfRanks(numbers, n, ScrambledZipf.THETA)::rank, exact(n), n);
        ZipfianGenerator theirs = new ZipfianGenerator(
                0, n, ScrambledZipfianGenerator.USED_ZIPFIAN_CONSTANT, ScrambledZipfianGenerator.ZETAN);
        assertFollow("YCSB's", () -> theirs.nextValue() + 1, approximated(n + 1), n + 1);
        assertThat(ScrambledZipfianGenerator.ITEM_COUNT).isEqualTo(n);
        assertThat(ScrambledZipfianGenerator.ZETAN).isCloseTo(zeta(n), within(1e-3));
        assertThat(totalVariation(exact(n), approximated(n), n)).isLessThan(0.0075);
        assertThat(exact(n).upTo(1)).isBetween(0.03775, 0.03785);
    }

    /** Total fractions of the most requested records; the hashes differ, and so do the records. */
    @ParameterizedTest
    @ValueSource(ints = {100, 10_000})
    void recordsAreRequestedAsOftenAsInYcsb(int records) {
        ScrambledZipf ours = new ScrambledZipf(records, SEED);
        ScrambledZipfianGenerator theirs = new ScrambledZipfianGenerator(records);
        long[] number = {0};
        double[] own = sharesOfMostRequested(records, () -> ours.applyAsLong(number[0]++));
        double[] other = sharesOfMostRequested(records, theirs::nextValue);
        for (int first : new int[] {1, 2, 5, 10, 50, 100}) {
            double mine = Arrays.stream(own).limit(first).sum();
            double its = Arrays.stream(other).limit(first).sum();
            // Collisions of the next ranks' hashes with the hottest's are random, as are draws.
            assertThat(mine)
                    .as("share of the %d most requested of %d", first, records)
                    .isBetween(its - 0.02, its + 0.02);
        }
        assertThat(own[0]).isBetween(0.037, 0.037 + 0.012 + 2.0 / records);
    }

    private static double[] sharesOfMostRequested(int records, LongSupplier requests) {
        long[] counts = new long[records];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) requests.getAsLong()]++;
        }
        return Arrays.stream(counts)
                .map(count -> -count)
                .sorted()
                .mapToDouble(count -> (double) -count / DRAWS)
                .toArray();
    }

    /** Age of the requested record in records, also after inserts. */
    @Test
    void theLatestAreRequestedAsInYcsb() {
        int loaded = 5000;
        int inserted = 1000;
        LatestRecords ours = new LatestRecords(loaded, SEED);
        CounterGenerator last = new CounterGenerator(loaded + 1L);
        SkewedLatestGenerator theirs = new SkewedLatestGenerator(last);
        for (int i = 0; i < inserted; i++) {
            ours.add();
            last.nextValue();
            theirs.nextValue();
        }
        int n = loaded + inserted;
        long[] number = {0};
        assertFollow("ours", () -> n - ours.record(number[0]++), exact(n), n);
        assertFollow("YCSB's", () -> last.lastValue() - theirs.nextValue() + 1, approximated(n, loaded), n);
        assertThat(totalVariation(exact(n), approximated(n, loaded), n)).isLessThan(0.02);
    }
}
