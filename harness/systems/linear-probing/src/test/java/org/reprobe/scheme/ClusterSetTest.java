package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class ClusterSetTest {

    private static List<Long> lengths(ClusterSet set) {
        List<Long> lengths = new ArrayList<>();
        for (int i = 0; i < set.size(); i++) {
            lengths.add(set.end(i) - set.start(i));
        }
        return lengths;
    }

    @Test
    void theNextClusterIsTheOneAroundOrBehindASlot() {
        ClusterSet set = new ClusterSet(10);
        set.add(100, 120);
        set.add(10, 15);
        set.add(50, 51);
        assertThat(set.next(0)).isZero();
        assertThat(set.next(14)).isZero();
        assertThat(set.start(set.next(15))).isEqualTo(50);
        assertThat(set.start(set.next(119))).isEqualTo(100);
        assertThat(set.next(120)).isEqualTo(set.size());
    }

    @Test
    void aClusterSeenFromAnEarlierSlotGrows() {
        ClusterSet set = new ClusterSet(10);
        set.add(105, 120);
        set.add(100, 120);
        set.add(110, 120);
        assertThat(set.size()).isEqualTo(1);
        assertThat(set.start(0)).isEqualTo(100);
        assertThat(set.end(0)).isEqualTo(120);
    }

    @Test
    void onlyTheLargestAreKeptAndStayInOrder() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        ClusterSet set = new ClusterSet(50);
        List<Long> all = new ArrayList<>();
        List<long[]> clusters = new ArrayList<>();
        long slot = 0;
        for (int i = 0; i < 2000; i++) {
            slot += 1 + random.nextInt(20);
            long end = slot + 1 + i * 2L;
            clusters.add(new long[] {slot, end});
            all.add(end - slot);
            slot = end;
        }
        while (!clusters.isEmpty()) {
            long[] cluster = clusters.remove(random.nextInt(clusters.size()));
            set.add(cluster[0], cluster[1]);
        }
        all.sort(Comparator.reverseOrder());
        assertThat(lengths(set))
                .as("replay with -Dreprobe.seed=%d", seed)
                .containsExactlyInAnyOrderElementsOf(all.subList(0, 50));
        for (int i = 1; i < set.size(); i++) {
            assertThat(set.start(i)).isGreaterThan(set.end(i - 1));
        }
    }
}
