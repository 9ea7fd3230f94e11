package org.reprobe.plots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LabelsTest {
    private static String series(String scheme, String key, Object value) {
        assertThat(SchemeStyles.all()).containsKey(scheme);
        return series(Map.of(), List.of("scheme", key), List.of(scheme, value));
    }

    private static String series(Map<String, String> titles, List<String> keys, List<@Nullable Object> values) {
        return Labels.series(
                new FigureSpec(
                        "f",
                        "",
                        "load-factor",
                        FigureQuantity.THROUGHPUT,
                        keys,
                        "",
                        FigureSpec.Shape.LINE,
                        false,
                        false,
                        Map.of(),
                        titles),
                values);
    }

    @Test
    void aFiguresWordsReplaceValues() {
        Map<String, String> titles = Map.of("connectx3-farm-4k", "4 KB pages", "uniform", "");
        assertThat(series(titles, List.of("nic", "keys"), List.of("connectx3-farm-4k", "uniform")))
                .isEqualTo("4 KB pages");
        assertThat(series(titles, List.of("nic", "keys"), List.of("connectx3-farm", "zipf")))
                .isEqualTo("connectx3-farm, Zipf keys");
    }

    @Test
    void aLineIsNamedByTheKeysOfItsOwnSchemeAndOfNoOther() {
        assertThat(series("linear-fixed", "linear-fixed.growth", 0)).endsWith(", no server program");
        assertThat(series("linear-fixed", "load-factor", 0.5)).endsWith(", load 0.5");
        assertThat(series("linear-fixed", "hopscotch.growth", 0)).doesNotContain(",");
    }

    /** Otherwise two lines of figure 13 of the FaRM paper, by messages with one key and with many, have one name. */
    @Test
    void aLineIsNamedByTheKeysOfTheSchemeThatItsOwnIsNamedAfter() {
        assertThat(series("hopscotch-chained", "hopscotch.keys-per-get", 24)).endsWith(", multi-gets of 24");
        assertThat(series("hopscotch", "hopscotch.get-keys", 24)).endsWith(", multi-gets of 24");
        assertThat(series("hopscotch-chained", "hopscotch.keys-per-get", 1)).endsWith(", single keys");
        assertThat(series("hopscotch", "hopscotch-chained.keys-per-get", 24)).doesNotContain(",");
    }

    /** A key with that last part in a user's own section is a different key. */
    @Test
    void workloadsHaveTheirPublicNames() {
        assertThat(Labels.entry("workload.name", "ycsb-a")).isEqualTo("YCSB A");
        assertThat(Labels.entry("workload.name", "own")).isEqualTo("own mix");
        assertThat(Labels.entry("mine.name", "ycsb-a")).isEqualTo("name ycsb-a");
        assertThat(Labels.axis("workload.name")).isEqualTo("Workload");
        assertThat(Labels.axis("mine.name")).isEqualTo("Name");
    }

    @Test
    void sharingIsReported() {
        assertThat(Labels.entry("farm-reads.sharing", 1)).isEqualTo("1 thread per queue pair");
        assertThat(Labels.entry("farm.sharing", 16)).isEqualTo("16 threads per queue pair");
    }

    @Test
    void missingReplicasAndLogsAreReported() {
        assertThat(series(
                        Map.of(),
                        List.of("farm.replicas", "farm.replication", "farm.ssd-mb-per-s"),
                        List.of(2, "commit-only", "memory")))
                .isEqualTo("2 replicas, commit-only, logs in memory");
        assertThat(series(Map.of(), List.of("farm.replicas", "farm.ssd-mb-per-s"), List.of(1, 430)))
                .isEqualTo("1 replica, SSDs of 430 MB/s");
        assertThat(Labels.entry("transactions.replicas", 0)).isEqualTo("no replicas");
    }
}
