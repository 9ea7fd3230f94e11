package org.reprobe.analysis.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.commons.math3.distribution.BinomialDistribution;
import org.apache.commons.math3.distribution.PoissonDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Seeds;

class ProbeLengthsTest {

    @ParameterizedTest
    @CsvSource({"1,0", "2,1", "3,1", "3,2", "5,3", "5,4", "6,2", "6,5", "7,4", "7,6", "8,5"})
    void everyPossibleTableCountedGivesTheSameDistribution(int slots, int records) {
        long[] random = new long[slots + 1];
        long[] existing = new long[slots + 1];
        int[] homes = new int[records];
        long tables = (long) Math.pow(slots, records);
        for (long table = 0; table < tables; table++) {
            long digits = table;
            for (int i = 0; i < records; i++) {
                homes[i] = (int) (digits % slots);
                digits /= slots;
            }
            int[] distances = distances(slots, homes);
            for (int distance : distances) {
                random[distance]++;
            }
            for (int home : homes) {
                existing[distances[home]]++;
            }
        }
        ProbeLengths fromRandom = FiniteProbeLengths.of(slots, records, Homes.RANDOM);
        for (int k = 0; k <= slots; k++) {
            double counted = (double) random[k] / (tables * slots);
            assertThat(fromRandom.pmf(k)).as("P_%d", k).isCloseTo(counted, within(1e-14));
        }
        if (records > 0) {
            ProbeLengths fromExisting = FiniteProbeLengths.of(slots, records, Homes.EXISTING_KEYS);
            for (int k = 0; k <= slots; k++) {
                double counted = (double) existing[k] / (tables * records);
                assertThat(fromExisting.pmf(k)).as("existing P_%d", k).isCloseTo(counted, within(1e-14));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"65536,0.3", "65536,0.8", "65536,0.9", "262144,0.95"})
    void hashedTablesHaveTheDistributionThatTheModelGives(int slots, double load) {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        int records = (int) Math.round(slots * load);
        int tables = 25;
        ProbeLengths fromRandom = FiniteProbeLengths.of(slots, records, Homes.RANDOM);
        ProbeLengths fromExisting = FiniteProbeLengths.of(slots, records, Homes.EXISTING_KEYS);
        // Reads that neither nearly always nor hardly ever suffice: what tables differ in is then nearly normal.
        int[] reads = IntStream.of(1, 2, 5, 12, 23, 32, 96, 480)
                .filter(read -> fromExisting.atMost(read) > 0.01 && fromRandom.atMost(read) < 0.99)
                .toArray();
        assertThat(reads).hasSizeGreaterThan(1);
        double[][] foundFromRandom = new double[reads.length][tables];
        double[][] foundFromExisting = new double[reads.length][tables];
        for (int table = 0; table < tables; table++) {
            int[] homes = random.ints(records, 0, slots).toArray();
            int[] distances = distances(slots, homes);
            for (int i = 0; i < reads.length; i++) {
                int read = reads[i];
                foundFromRandom[i][table] =
                        (double) Arrays.stream(distances).filter(d -> d < read).count() / slots;
                foundFromExisting[i][table] = (double) Arrays.stream(homes)
                                .filter(home -> distances[home] < read)
                                .count()
                        / records;
            }
        }
        for (int i = 0; i < reads.length; i++) {
            assertAgrees(foundFromRandom[i], fromRandom.atMost(reads[i]), seed, reads[i]);
            assertAgrees(foundFromExisting[i], fromExisting.atMost(reads[i]), seed, reads[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99, 0.997})
    void meansInTheLimitAreThoseOfKnuth(double load) {
        // Knuth, The Art of Computer Programming 3, 6.4, Theorem K: slots probed without and with success.
        double unsuccessful = (1 + Math.pow(1 - load, -2)) / 2;
        double successful = (1 + 1 / (1 - load)) / 2;
        double distance = unsuccessful - 1;
        assertThat(ProbeLengths.limit(load, Homes.RANDOM).mean()).isCloseTo(distance, within(1e-9 * distance));

        // A record is successful - 1 slots from its home; from there the distance is as from any filled slot.
        double fromExisting = successful - 1 + distance / load;
        assertThat(ProbeLengths.limit(load, Homes.EXISTING_KEYS).mean())
                .isCloseTo(fromExisting, within(1e-9 * fromExisting));
    }

    @ParameterizedTest
    @EnumSource(Homes.class)
    void theDistributionIsOneForAnyLoadAndSize(Homes homes) {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        for (int trial = 0; trial < 60; trial++) {
            double load = random.nextDouble(0.001, 0.98);
            long slots = 1L << random.nextInt(4, 41);
            long records = Math.clamp(Math.round(load * slots), 1, slots - 1);
            assertIsDistribution(ProbeLengths.limit(load, homes), "seed " + seed + ", load " + load);
            assertIsDistribution(
                    FiniteProbeLengths.of(slots, records, homes),
                    "seed %d, %d records in %d slots".formatted(seed, records, slots));
        }
    }

    @Test
    void tablesWithHardlyAnEmptySlotHaveADistributionToo() {
        for (int empties = 1; empties < 20; empties++) {
            for (Homes homes : Homes.values()) {
                assertIsDistribution(FiniteProbeLengths.of(1000, 1000 - empties, homes), empties + " empty slots");
            }
        }
    }

    @Test
    void fromTheHomeOfAnExistingKeyTheEmptySlotIsNeverNearer() {
        for (double load : new double[] {0.1, 0.5, 0.9}) {
            ProbeLengths random = ProbeLengths.limit(load, Homes.RANDOM);
            ProbeLengths existing = ProbeLengths.limit(load, Homes.EXISTING_KEYS);
            assertThat(existing.atMost(1)).isZero();
            for (int k = 1; k < random.longest(); k++) {
                assertThat(existing.beyond(k)).as("load %s, k %d", load, k).isGreaterThan(random.beyond(k));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Homes.class)
    void largerTablesComeCloserToTheLimit(Homes homes) {
        for (double load : new double[] {0.25, 0.75, 0.9375}) {
            ProbeLengths limit = ProbeLengths.limit(load, homes);
            double last = Double.POSITIVE_INFINITY;
            for (int bits = 12; bits <= 36; bits += 6) {
                long slots = 1L << bits;
                double difference = mostDifferent(FiniteProbeLengths.of(slots, (long) (slots * load), homes), limit);
                // The difference falls as 1/M until rounding is all that is left.
                assertThat(difference).as("load %s, 2^%d slots", load, bits).isLessThan(Math.max(last / 32, 1e-11));
                last = difference;
            }
            assertThat(last).isLessThan(1e-8);
        }
    }

    @ParameterizedTest
    @EnumSource(Homes.class)
    void seventeenGigaSlotsAtLoad99KeepTheirDigits(Homes homes) {
        long slots = 1L << 34;
        long records = Math.round(0.99 * slots);
        ProbeLengths finite = FiniteProbeLengths.of(slots, records, homes);
        ProbeLengths limit = ProbeLengths.limit(0.99, homes);
        assertIsDistribution(finite, "2^34 slots");
        assertThat(mostDifferent(finite, limit)).isLessThan(1e-6);
        assertThat(finite.mean()).isCloseTo(limit.mean(), within(1e-5 * limit.mean()));
        // A table of 8 MiB at most, however large the modelled one.
        assertThat(finite.longest()).isBetween(100_000, 1_000_000);
        assertThat(finite.beyond(finite.longest() - 1)).isLessThan(1e-12);
    }

    @Test
    void aTableOfTwoGigaSlotsAgreesWithTheBinomialsOfEquation7() {
        int slots = Integer.MAX_VALUE;
        int records = (int) (0.8 * slots);
        ProbeLengths lengths = FiniteProbeLengths.of(slots, records, Homes.RANDOM);
        double probability = 0;
        for (int n = lengths.longest(); n > 0; n--) {
            double binomial = new BinomialDistribution(null, records, (double) n / slots).probability(n - 1);
            probability += (double) (slots - records - 1) / n / (slots - n) * binomial;
            if (n < 200) {
                assertThat(lengths.pmf(n - 1)).as("P_%d", n - 1).isCloseTo(probability, within(1e-10 * probability));
            }
        }
    }

    @Test
    void theLimitAgreesWithPoissonTerms() {
        double load = 0.85;
        ProbeLengths lengths = ProbeLengths.limit(load, Homes.RANDOM);
        double probability = 0;
        for (int j = lengths.longest(); j >= 0; j--) {
            double poisson = new PoissonDistribution(null, load * (j + 1), 1e-12, 100).probability(j);
            probability += (1 - load) / (j + 1) * poisson;
            if (j < 500) {
                assertThat(lengths.pmf(j)).as("P_%d", j).isCloseTo(probability, within(1e-10 * probability));
            }
        }
    }

    @Test
    void slotsToReachIsTheFirstReadThatSuffices() {
        ProbeLengths lengths = ProbeLengths.limit(0.8, Homes.RANDOM);
        for (double probability : new double[] {0.1, 0.2, 0.5, 0.99, 0.999999}) {
            int slots = lengths.slotsToReach(probability);
            assertThat(lengths.atMost(slots)).isGreaterThanOrEqualTo(probability);
            assertThat(lengths.atMost(slots - 1)).isLessThan(probability);
        }
        assertThat(lengths.slotsToReach(0)).isZero();
        assertThat(lengths.atMost(lengths.slotsToReach(1))).isEqualTo(1);
    }

    @Test
    void inputBeyondTheModelIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProbeLengths.limit(1, Homes.RANDOM))
                .withMessageContaining("load factor 1.0: it must lie between 0 and 1");
        assertThatIllegalArgumentException().isThrownBy(() -> ProbeLengths.limit(Double.NaN, Homes.RANDOM));
    }

    /** Scenarios are refused above it, so it must be available. */
    @Test
    @Nightly(besides = "the other load factors")
    void theHighestLoadFactorIsTabulated() {
        for (Homes homes : Homes.values()) {
            assertThat(ProbeLengths.limit(ProbeLengths.MAX_LOAD_FACTOR, homes).mean())
                    .isPositive();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ProbeLengths.limit(0.9999, Homes.RANDOM))
                .withMessageContaining("too full for the model");
    }

    private static void assertIsDistribution(ProbeLengths lengths, String which) {
        double total = 0;
        double last = 0;
        double min = 1;
        for (int k = 0; k <= lengths.longest(); k++) {
            double found = lengths.atMost(k);
            double probability = lengths.pmf(k);
            assertThat(found >= last && found <= 1)
                    .as("%s: C_%d = %s after %s", which, k, found, last)
                    .isTrue();
            min = Math.min(min, probability);
            total += probability;
            last = found;
        }
        assertThat(min).as(which).isGreaterThanOrEqualTo(0);
        assertThat(total).as(which).isCloseTo(1, within(1e-12));
        assertThat(lengths.atMost(0)).as(which).isZero();
        assertThat(lengths.atMost(lengths.longest())).as(which).isEqualTo(1);
        // Known without the sum: a random home is empty with probability 1 - a, an existing key's never.
        double emptyHome = lengths.homes == Homes.RANDOM ? 1 - lengths.loadFactor : 0;
        assertThat(lengths.pmf(0)).as(which).isCloseTo(emptyHome, within(1e-11));
    }

    private static double mostDifferent(ProbeLengths one, ProbeLengths other) {
        double max = 0;
        for (int k = 0; k <= Math.max(one.longest(), other.longest()); k++) {
            max = Math.max(max, Math.abs(one.atMost(k) - other.atMost(k)));
        }
        return max;
    }

    /** Six standard errors between tables: one failure in half a million with 25 tables. */
    private static void assertAgrees(double[] found, double expected, long seed, int read) {
        Summary summary = Summary.of(found);
        double standardError = summary.sd() / Math.sqrt(summary.n());
        assertThat(summary.mean()).as("C_%d, seed %d", read, seed).isCloseTo(expected, within(6 * standardError));
    }

    /**
     * Returns the distance to the first empty slot for each slot of the table that linear probing makes of the homes.
     */
    private static int[] distances(int slots, int[] homes) {
        int[] homed = new int[slots];
        for (int home : homes) {
            homed[home]++;
        }
        // Records that do not fit continue in the next slot; one round suffices for those beyond the end.
        boolean[] filled = new boolean[slots];
        int spilt = 0;
        for (int i = 0; i < 2 * slots; i++) {
            int slot = i % slots;
            int waiting = spilt + homed[slot];
            filled[slot] = waiting > 0;
            spilt = Math.max(waiting - 1, 0);
        }
        int[] distances = new int[slots];
        int distance = 0;
        for (int i = 2 * slots - 1; i >= 0; i--) {
            int slot = i % slots;
            distance = filled[slot] ? distance + 1 : 0;
            distances[slot] = distance;
        }
        return distances;
    }
}
