package org.reprobe.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class CuckooSearchTest {
    private static final int PLACES_OF_A_KEY = 3;

    /** Keys by slot, 0 for none; a key's number determines its slots. */
    private static final class Slots implements CuckooSearch.Table {
        private final long[] keys;

        Slots(long... keys) {
            this.keys = keys;
        }

        static long placeOf(long key, int n, int slots) {
            return new SplittableRandom(key * PLACES_OF_A_KEY + n).nextInt(slots);
        }

        @Override
        public boolean isEmpty(long slot) {
            return keys[(int) slot] == 0;
        }

        @Override
        public long place(long slot, int n) {
            return placeOf(keys[(int) slot], n, keys.length);
        }

        @Override
        public int placesOfAKey() {
            return PLACES_OF_A_KEY;
        }
    }

    private static Slots filled(int slots, int keys, long seed) {
        long[] table = new long[slots];
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < keys; i++) {
            long key = random.nextLong(1, 1L << 40);
            for (int n = 0; n < PLACES_OF_A_KEY; n++) {
                int place = (int) Slots.placeOf(key, n, slots);
                if (table[place] == 0) {
                    table[place] = key;
                    break;
                }
            }
        }
        return new Slots(table);
    }

    private static int length(CuckooSearch search, int end) {
        int moves = 0;
        for (int at = end; search.from(at) >= 0; at = search.from(at)) {
            moves++;
        }
        return moves;
    }

    /** Distances by an independent search: from each start outwards, over all slots. */
    private static int shortest(Slots table, long... starts) {
        Map<Long, Integer> distance = new HashMap<>();
        Queue<Long> next = new ArrayDeque<>();
        for (long start : starts) {
            if (distance.putIfAbsent(start, 0) == null) {
                next.add(start);
            }
        }
        while (!next.isEmpty()) {
            long slot = next.remove();
            if (table.isEmpty(slot)) {
                return distance.get(slot);
            }
            for (int n = 0; n < PLACES_OF_A_KEY; n++) {
                long place = table.place(slot, n);
                if (distance.putIfAbsent(place, distance.get(slot) + 1) == null) {
                    next.add(place);
                }
            }
        }
        return -1;
    }

    @Test
    void aChainIsAShortestOneAndEachOfItsMovesLeadsToAPlaceOfTheKeyThatMoves() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        int moves = 0;
        for (int round = 0; round < 200; round++) {
            Slots table = filled(64, 40 + round % 100, random.nextLong());
            CuckooSearch search = new CuckooSearch(table, 64);
            long[] starts = {random.nextInt(64), random.nextInt(64), random.nextInt(64)};

            int end = search.emptyEnd(starts);

            String why = "seed %d, round %d".formatted(seed, round);
            int expected = shortest(table, starts);
            assertThat(end < 0 ? -1 : length(search, end)).as(why).isEqualTo(expected);
            if (end < 0) {
                continue;
            }
            assertThat(table.isEmpty(search.place(end))).as(why).isTrue();
            int at = end;
            for (; search.from(at) >= 0; at = search.from(at)) {
                long mover = table.keys[(int) search.place(search.from(at))];
                assertThat(List.of(
                                Slots.placeOf(mover, 0, 64), Slots.placeOf(mover, 1, 64), Slots.placeOf(mover, 2, 64)))
                        .as(why)
                        .contains(search.place(at));
                moves++;
            }
            assertThat(starts).as(why).contains(search.place(at));
        }
        assertThat(moves).as("moves looked at").isPositive();
    }

    @Test
    void aFullTableHasNoChain() {
        long[] keys = new long[32];
        Arrays.setAll(keys, slot -> slot + 1);
        assertThat(new CuckooSearch(new Slots(keys), 32).emptyEnd(3, 4)).isEqualTo(-1);
    }

    @Test
    void anEmptyStartIsAChainWithoutMoves() {
        CuckooSearch search = new CuckooSearch(new Slots(5, 0), 2);
        int end = search.emptyEnd(1);
        assertThat(search.place(end)).isEqualTo(1);
        assertThat(search.from(end)).isEqualTo(-1);
    }

    /** The only empty slot is beyond the search limit. */
    @Test
    void aSearchEndsAfterTwoThousandPlaces() {
        CuckooSearch.Table row = new CuckooSearch.Table() {
            @Override
            public boolean isEmpty(long slot) {
                return slot == 2_500;
            }

            @Override
            public long place(long slot, int n) {
                return slot + n;
            }

            @Override
            public int placesOfAKey() {
                return 2;
            }
        };
        CuckooSearch search = new CuckooSearch(row, 10_000);
        assertThat(search.emptyEnd(0)).isEqualTo(-1);
        int end = search.emptyEnd(501);
        assertThat(length(search, end)).isEqualTo(1_999);
    }
}
