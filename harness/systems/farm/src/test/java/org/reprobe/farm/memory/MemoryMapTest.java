package org.reprobe.farm.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class MemoryMapTest {
    private static final int MAPS = 2000;
    private static final int MAX_AREAS = 12;
    private static final int MAX_BYTES = 300;

    private record Area(long from, long bytes, int alignment) {}

    @Test
    void areasFollowEachOtherWithoutOverlapAtMultiplesOfTheirAlignment() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int i = 0; i < MAPS; i++) {
            MemoryMap map = new MemoryMap(random.nextInt(1, 6));
            List<Area> areas = areas(map, random);
            long end = 0;
            for (Area area : areas) {
                assertThat(area.from)
                        .as("%s of %s, %s", area, areas, Seeds.replay())
                        .isBetween(end, end + area.alignment - 1)
                        .matches(from -> from % area.alignment == 0);
                end = area.from + area.bytes;
            }
            assertThat(map.bytes()).as("%s, %s", areas, Seeds.replay()).isEqualTo(end);
        }
    }

    /** Adds random areas, those of threads one by one. */
    private static List<Area> areas(MemoryMap map, SplittableRandom random) {
        List<Area> areas = new ArrayList<>();
        for (int n = random.nextInt(MAX_AREAS); n > 0; n--) {
            long bytes = random.nextInt(MAX_BYTES);
            switch (random.nextInt(3)) {
                case 0 -> areas.add(new Area(map.lines(bytes), bytes, ObjectLayout.LINE_BYTES));
                case 1 -> areas.add(new Area(map.words(bytes), bytes, Long.BYTES));
                default -> {
                    MemoryMap.PerThread each = map.perThread(bytes);
                    assertThat(each.threadBytes()).isBetween(bytes, bytes + Long.BYTES - 1);
                    for (int thread = 0; thread < map.threads(); thread++) {
                        areas.add(new Area(each.at(thread), each.threadBytes(), Long.BYTES));
                    }
                }
            }
        }
        return areas;
    }

    @Test
    void aMapWithoutAreasNeedsNoBytes() {
        MemoryMap map = new MemoryMap(3);
        assertThat(map.bytes()).isZero();
        assertThat(map.lines(0)).isZero();
        assertThat(map.perThread(0).at(2)).isZero();
        assertThat(map.bytes()).isZero();
    }
}
