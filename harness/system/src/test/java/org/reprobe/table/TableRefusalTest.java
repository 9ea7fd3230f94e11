package org.reprobe.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;

class TableRefusalTest {
    private static final KeySpec ALL_KEYS = new KeySpec(Distribution.UNIFORM, 0, KeySets.MAX_KEY_SPACE);

    private static TableSpec spec(TableKind kind, long records, double load, KeySpec keys) {
        return spec(kind, records, 8, load, 4, 3, 8, keys);
    }

    private static TableSpec spec(
            TableKind kind, long records, int bytes, double load, int ways, int hashes, int h, KeySpec keys) {
        return new TableSpec(kind, Storage.INLINE, records, bytes, load, ways, hashes, h, keys, 1);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(TableSpec spec) {
        return assertThatThrownBy(() -> TableBuilder.build(spec, 1).close())
                .isInstanceOf(TableRefusedException.class)
                .hasMessageNotContainingAny("Exception", "java", "null", "_");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -.5, 1, 1.5, Double.NaN, Double.POSITIVE_INFINITY})
    void aLoadFactorOutsideZeroToOneIsRefused(double load) {
        assertRefused(spec(TableKind.LINEAR, 1000, load, ALL_KEYS)).hasMessageContaining("between 0 and 1");
    }

    @Test
    void threeWayCuckooWithOneRecordASlotIsRefusedBeyondItsThresholdWithIt() {
        assertRefused(spec(TableKind.CUCKOO, 1000, 8, .95, 1, 3, 8, ALL_KEYS))
                .hasMessageContaining("0.9179")
                .hasMessageContaining("3 hashes and 1 record a slot");
        assertRefused(spec(TableKind.CUCKOO, 1000, 8, .92, 1, 3, 8, ALL_KEYS)).hasMessageContaining("0.9179");
        assertThatCode(() -> TableBuilder.check(spec(TableKind.CUCKOO, 1000, 8, .91, 1, 3, 8, ALL_KEYS)))
                .doesNotThrowAnyException();
    }

    @Test
    void aTableThatDoesNotFitIsReportedWithNeededAndFreeMemory() {
        TableSpec huge = spec(TableKind.LINEAR, 4_000_000_000L, 1 << 20, .95, 4, 3, 8, ALL_KEYS);
        assertRefused(huge).hasMessageMatching(".*needs \\d+\\.\\d GiB of memory .* but .* are free.*");
    }

    @Test
    void aLimitOnMemoryIsRespected() {
        TableSpec spec = spec(TableKind.LINEAR, 1 << 20, .5, ALL_KEYS);
        assertThat(TableBuilder.neededBytes(spec)).isEqualTo(24 << 20);
        assertThatThrownBy(() -> TableBuilder.build(spec, 1, 20 << 20, org.reprobe.memory.Memory.OFF_HEAP)
                        .close())
                .isInstanceOf(TableRefusedException.class)
                .hasMessageContaining("24 MiB")
                .hasMessageContaining("20 MiB are allowed");
    }

    @Test
    void keysThatMustComeTooOftenAreRefusedBeforeBuilding() {
        KeySpec few = new KeySpec(Distribution.UNIFORM, 0, 1000);
        assertThatThrownBy(() -> TableBuilder.check(spec(TableKind.CUCKOO, 100_000, .5, few)))
                .hasMessageContaining("more than 12 times");
        assertThatThrownBy(() -> TableBuilder.check(spec(TableKind.HOPSCOTCH, 100_000, .3, few)))
                .hasMessageContaining("more than 8 times");
        assertThatThrownBy(() -> TableBuilder.check(
                        spec(TableKind.CUCKOO, 100_000, .5, new KeySpec(Distribution.ZIPF, 1, 1_000_000))))
                .hasMessageContaining("zipf");
        assertThatCode(() -> TableBuilder.build(spec(TableKind.LINEAR, 100_000, .5, few), 2)
                        .close())
                .doesNotThrowAnyException();
        assertThatCode(() -> TableBuilder.build(spec(TableKind.HOPSCOTCH_CHAINED, 10_000, .5, few), 2)
                        .close())
                .doesNotThrowAnyException();
    }

    @Test
    void keysThatComeTooOftenInOneTableOfAHundredAreRefusedAlready() {
        // 2000 P(Poisson(2.6) > 12) = 0.007, 2000 P(Poisson(2.8) > 12) = 0.016
        KeySpec few = new KeySpec(Distribution.UNIFORM, 0, 2000);
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 5200, .3, few))).isEmpty();
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 5600, .3, few)))
                .singleElement()
                .satisfies(refusal -> assertThat(refusal.message())
                        .startsWith("about 0.016 of 2000 keys would occur more than 12 times"));
        // Without skew, Zipf's law is the uniform one.
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 5200, .3, new KeySpec(Distribution.ZIPF, 0, 2000))))
                .isEmpty();
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 5600, .3, new KeySpec(Distribution.ZIPF, 0, 2000))))
                .hasSize(1);
        // The most frequent of a thousand keys has 5 records; not even equally frequent keys would have more than 12.
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 200, .3, new KeySpec(Distribution.ZIPF, .5, 1000))))
                .isEmpty();
    }

    @Test
    void anActuallyTooFrequentKeyIsReportedAsTheCause() {
        KeySpec few = new KeySpec(Distribution.UNIFORM, 0, 2000);
        long seed = 1;
        while (mostFrequent(KeySets.of(few, 5200, seed)) <= 12) {
            seed++; // one seed in a hundred and forty
        }
        assertRefused(new TableSpec(TableKind.CUCKOO, Storage.INLINE, 5200, 8, .3, 4, 3, 8, few, seed))
                .hasMessageContaining("failed at load factor 0.")
                .hasMessageContaining("one key occurs at least");
    }

    private static int mostFrequent(KeySet keys) {
        Map<Integer, Integer> times = new HashMap<>();
        for (long ordinal = 0; ordinal < keys.records(); ordinal++) {
            times.merge(keys.key(ordinal), 1, Integer::sum);
        }
        return Collections.max(times.values());
    }

    @Test
    void allReasonsAreReportedAtOnceWithTheirSettings() {
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 4_200_000_000L, 8, .95, 1, 3, 8, ALL_KEYS)))
                .satisfiesExactly(
                        slots -> assertThat(slots.settings())
                                .containsExactly(Refusal.Setting.RECORDS, Refusal.Setting.LOAD_FACTOR),
                        threshold -> assertThat(threshold.settings()).startsWith(Refusal.Setting.LOAD_FACTOR),
                        duplicates -> assertThat(duplicates.settings()).startsWith(Refusal.Setting.KEY_SPACE));
        assertThat(Refusals.of(spec(TableKind.CUCKOO, 0, 7, 1, 0, 1, 8, ALL_KEYS)))
                .hasSize(5);
    }

    @Test
    void stuckHopscotchReportsItsLoad() {
        assertRefused(spec(TableKind.HOPSCOTCH, 500_000, .9, ALL_KEYS))
                .hasMessageContaining("failed at load factor 0.")
                .hasMessageContaining("neighbourhood of 8");
    }

    @Test
    void distinctKeysNeedAKeySpaceOfTheirNumber() {
        assertRefused(spec(TableKind.LINEAR, 1000, .5, new KeySpec(Distribution.DISTINCT, 0, 999)))
                .hasMessageContaining("999");
    }

    @Test
    void sizesOutOfRangeAreRefusedWithWhatIsAllowed() {
        assertRefused(spec(TableKind.LINEAR, 0, .5, ALL_KEYS)).hasMessageContaining("1 to 4294967294");
        assertRefused(spec(TableKind.LINEAR, 1L << 32, .5, ALL_KEYS)).hasMessageContaining("1 to 4294967294");
        assertRefused(spec(TableKind.LINEAR, 3L << 30, .5, ALL_KEYS)).hasMessageContaining("4294967296");
        assertRefused(spec(TableKind.LINEAR, 10, 7, .5, 4, 3, 8, ALL_KEYS)).hasMessageContaining("8 to");
        assertRefused(spec(TableKind.CUCKOO, 10, 8, .5, 0, 3, 8, ALL_KEYS)).hasMessageContaining("1 to 64");
        assertRefused(spec(TableKind.CUCKOO, 10, 8, .5, 4, 1, 8, ALL_KEYS)).hasMessageContaining("2 to 8");
        assertRefused(spec(TableKind.HOPSCOTCH, 10, 8, .5, 4, 3, 1, ALL_KEYS)).hasMessageContaining("2 to 4096");
        assertRefused(spec(TableKind.HOPSCOTCH_CHAINED, 10, 8, .5, 4, 3, 7, ALL_KEYS))
                .hasMessageContaining("even");
    }

    @Test
    void theSmallestTablesCanBeBuilt() throws TableRefusedException {
        for (TableKind kind : TableKind.values()) {
            for (Storage storage : Storage.values()) {
                TableSpec spec = new TableSpec(kind, storage, 1, 8, .9, 4, 3, 8, ALL_KEYS, 1);
                try (TableImage image = TableBuilder.build(spec, 4)) {
                    assertThat(image.geometry().places()).isGreaterThan(1);
                }
            }
        }
    }
}
