package org.reprobe.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeySetsTest {

    private static KeySet keys(Distribution distribution, double theta, long keySpace, long records, long seed) {
        return KeySets.of(new KeySpec(distribution, theta, keySpace), records, seed);
    }

    /** Converts chi-square to a standard normal deviate (Wilson and Hilferty). */
    private static double deviate(double chiSquare, double degrees) {
        double mean = 1 - 2 / (9 * degrees);
        return (Math.cbrt(chiSquare / degrees) - mean) / Math.sqrt(2 / (9 * degrees));
    }

    private static long distinct(KeySet keys) {
        int[] sorted =
                LongStream.range(0, keys.records()).mapToInt(keys::key).sorted().toArray();
        return IntStream.range(0, sorted.length)
                .filter(i -> i == 0 || sorted[i] != sorted[i - 1])
                .count();
    }

    /** Some of 64 keys have 9 times as many records as others. */
    @Test
    void aUniformKeyIsChosenAsOftenAsAnyOtherHoweverManyRecordsItHas() {
        KeySet keys = keys(Distribution.UNIFORM, 0, 64, 640, 5);
        Map<Integer, Integer> chosen = new HashMap<>();
        KeySet.Choice choice = keys.choice();
        Rng random = new Rng(9);
        for (int i = 0; i < 640_000; i++) {
            chosen.merge(keys.key(choice.next(random)), 1, Integer::sum);
        }

        double chiSquare = chosen.values().stream()
                .mapToDouble(n -> (n - 1e4) * (n - 1e4) / 1e4)
                .sum();
        assertThat(chosen).hasSize(64);
        assertThat(deviate(chiSquare, 63)).isBetween(-4.5, 4.5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 100, 5000, 1 << 20})
    void theFirstRecordOfEachKeyIsFoundInRangesOfAnySize(int keysPerRange) {
        KeySet keys = keys(Distribution.UNIFORM, 0, 3000, 5000, 11);
        FirstRecords found = new FirstRecords(keys, keysPerRange);
        Map<Integer, Long> first = new HashMap<>();
        for (long ordinal = 0; ordinal < keys.records(); ordinal++) {
            first.putIfAbsent(keys.key(ordinal), ordinal);
        }

        assertThat(LongStream.range(0, keys.records()).filter(found::isFirst).boxed())
                .containsExactlyInAnyOrderElementsOf(first.values());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 1000, 3_000_000, 34_000_000})
    void theHeapForChoosingKeysIsPredicted(long records) {
        KeySet keys = keys(Distribution.UNIFORM, 0, KeySets.MAX_KEY_SPACE, records, 5);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        KeySet warm = keys(Distribution.UNIFORM, 0, 64, 640, 5);
        assertThat(warm.choice()).isNotNull(); // classes are loaded
        long before = threads.getCurrentThreadAllocatedBytes();
        KeySet.Choice choice = keys.choice();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(choice).isNotNull();
        assertThat(allocated).isBetween(keys.choiceBytes(), keys.choiceBytes() + 4096);
    }

    @Test
    void aSkewedKeyIsChosenByItsFrequency() {
        KeySet keys = keys(Distribution.ZIPF, 1, 100, 1000, 3);
        Map<Integer, Integer> records = new HashMap<>();
        for (long ordinal = 0; ordinal < keys.records(); ordinal++) {
            records.merge(keys.key(ordinal), 1, Integer::sum);
        }
        Map<Integer, Integer> chosen = new HashMap<>();
        KeySet.Choice choice = keys.choice();
        Rng random = new Rng(9);
        for (int i = 0; i < 100_000; i++) {
            chosen.merge(keys.key(choice.next(random)), 1, Integer::sum);
        }

        double chiSquare = records.entrySet().stream()
                .mapToDouble(each -> {
                    double expected = 100.0 * each.getValue();
                    double off = chosen.getOrDefault(each.getKey(), 0) - expected;
                    return off * off / expected;
                })
                .sum();
        assertThat(deviate(chiSquare, records.size() - 1.0)).isBetween(-4.5, 4.5);
    }

    private static double chiSquareOfHighBits(KeySet keys, int multiplier) {
        long[] counts = new long[1 << 12];
        for (long i = 0; i < keys.records(); i++) {
            counts[(keys.key(i) * multiplier) >>> 20]++;
        }
        double expected = (double) keys.records() / counts.length;
        return Arrays.stream(counts)
                .mapToDouble(c -> (c - expected) * (c - expected) / expected)
                .sum();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, -7, 1_000_003})
    void uniformKeysSpreadEvenlyOverAllBitsAndOverHomeSlots(long seed) {
        KeySet keys = keys(Distribution.UNIFORM, 0, KeySets.MAX_KEY_SPACE, 1 << 20, seed);
        assertThat(deviate(chiSquareOfHighBits(keys, 1), 4095))
                .as("seed %d", seed)
                .isBetween(-4.5, 4.5);
        assertThat(deviate(chiSquareOfHighBits(keys, 0x9E3779B1), 4095))
                .as("seed %d", seed)
                .isBetween(-4.5, 4.5);
        assertThat(deviate(chiSquareOfHighBits(keys, 1 << 20), 4095))
                .as("seed %d", seed)
                .isBetween(-4.5, 4.5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, -7, 1_000_003})
    void distinctKeysScatterLikeRandomOnes(long seed) {
        KeySet keys = keys(Distribution.DISTINCT, 0, KeySets.MAX_KEY_SPACE, 1 << 20, seed);
        assertThat(deviate(chiSquareOfHighBits(keys, 1), 4095))
                .as("seed %d", seed)
                .isBetween(-4.5, 4.5);
        assertThat(deviate(chiSquareOfHighBits(keys, 0x9E3779B1), 4095))
                .as("seed %d", seed)
                .isBetween(-4.5, 4.5);
    }

    @Test
    void eachKeyOfASmallKeySpaceIsEquallyLikely() {
        KeySet keys = keys(Distribution.UNIFORM, 0, 1000, 1_000_000, 5);
        Map<Integer, Integer> counts = new HashMap<>();
        for (long i = 0; i < keys.records(); i++) {
            counts.merge(keys.key(i), 1, Integer::sum);
        }
        assertThat(counts).hasSize(1000);
        double chiSquare = counts.values().stream()
                .mapToDouble(c -> (c - 1000.0) * (c - 1000.0) / 1000)
                .sum();
        assertThat(deviate(chiSquare, 999)).isBetween(-4.5, 4.5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 300})
    void aUniformKeyRepeatsAsTheBirthdayProblemPredicts(long seed) {
        long records = 1 << 21;
        KeySet keys = keys(Distribution.UNIFORM, 0, 1L << 28, records, seed);
        long distinct = distinct(keys);
        double space = 1L << 28;
        double expected = space * -Math.expm1(records * Math.log1p(-1 / space));
        double deviation = Math.sqrt(records - expected); // collisions are nearly Poisson
        assertThat((double) distinct).as("seed %d", seed).isCloseTo(expected, within(4.5 * deviation));
    }

    @Test
    void distinctKeysNeverComeTwiceEvenWhenTheyUseTheWholeKeySpace() {
        long records = 1 << 22;
        KeySet keys = keys(Distribution.DISTINCT, 0, records, records, 9);
        assertThat(distinct(keys)).isEqualTo(records);
    }

    @Test
    void everyRankHasAKeyAndNoKeyIsZero() {
        long[] seen = new long[1 << 10];
        KeyPermutation permutation = new KeyPermutation(77);
        for (long rank : new long[] {0, 1, KeyPermutation.KEYS - 1, KeyPermutation.KEYS / 2}) {
            assertThat(permutation.key(rank)).isNotZero();
        }
        // The rank whose key would be zero, had the rotation one number more, has an unknown position: a stretch of
        // 2^26 is
        // tried.
        for (long rank = 0; rank < 1L << 26; rank++) {
            int key = permutation.key(rank);
            if (key == 0) {
                throw new AssertionError("rank " + rank);
            }
            seen[key >>> 22]++;
        }
        assertThat(Arrays.stream(seen).min().orElseThrow()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 0.99, 1, 1.5, 2})
    void zipfKeysHaveZipfsFrequencies(double theta) {
        int keySpace = 200;
        long records = 400_000;
        long seed = 3;
        KeySet keys = keys(Distribution.ZIPF, theta, keySpace, records, seed);
        KeyPermutation permutation = new KeyPermutation(seed);
        Map<Integer, Integer> ranks = new HashMap<>();
        IntStream.range(0, keySpace).forEach(r -> ranks.put(permutation.key(r), r));
        long[] counts = new long[keySpace];
        for (long i = 0; i < records; i++) {
            counts[ranks.get(keys.key(i))]++;
        }
        double norm = IntStream.rangeClosed(1, keySpace)
                .mapToDouble(r -> Math.pow(r, -theta))
                .sum();
        double chiSquare = 0;
        for (int r = 0; r < keySpace; r++) {
            double expected = records * Math.pow(r + 1, -theta) / norm;
            chiSquare += (counts[r] - expected) * (counts[r] - expected) / expected;
        }
        assertThat(deviate(chiSquare, keySpace - 1)).isBetween(-4.5, 4.5);
    }

    @ParameterizedTest
    @EnumSource(Distribution.class)
    void aKeyDependsOnSeedAndOrdinalAlone(Distribution distribution) {
        KeySet keys = keys(distribution, 0.99, 1 << 20, 10_000, 4);
        int[] forwards = LongStream.range(0, 10_000).mapToInt(keys::key).toArray();
        KeySet again = keys(distribution, 0.99, 1 << 20, 10_000, 4);
        int[] parallel =
                LongStream.range(0, 10_000).parallel().mapToInt(again::key).toArray();
        assertThat(parallel).isEqualTo(forwards);
        for (int i = 9_999; i >= 0; i -= 7) {
            assertThat(keys.key(i)).isEqualTo(forwards[i]);
        }
        KeySet other = keys(distribution, 0.99, 1 << 20, 10_000, 5);
        assertThat(LongStream.range(0, 10_000).mapToInt(other::key).toArray()).isNotEqualTo(forwards);
    }

    @Test
    void keySetsThatCannotBeAreRefusedWithWhatIsAllowed() {
        assertThatThrownBy(() -> keys(Distribution.UNIFORM, 0, 1L << 32, 10, 1)).hasMessageContaining("4294967295");
        assertThatThrownBy(() -> keys(Distribution.UNIFORM, 0, 0, 10, 1)).hasMessageContaining("key space of 0");
        assertThatThrownBy(() -> keys(Distribution.DISTINCT, 0, 9, 10, 1)).hasMessageContaining("distinct keys");
        assertThatThrownBy(() -> keys(Distribution.ZIPF, 2.1, 9, 10, 1)).hasMessageContaining("between 0");
        assertThatThrownBy(() -> keys(Distribution.ZIPF, Double.NaN, 9, 10, 1)).hasMessageContaining("theta");
        assertThatThrownBy(() -> keys(Distribution.ZIPF, 1, 1L << 31, 10, 1)).hasMessageContaining("2147483647");
    }
}
