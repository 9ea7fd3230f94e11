package org.reprobe.farm.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class MemoryTest {
    private static final int MIB = BlockAllocator.BLOCK_BYTES;

    private final SplittableRandom random = new SplittableRandom(Seeds.seed());

    @Test
    void eachSizeIsLargerThanTheOneBeforeByTheSamePart() {
        assertThat(SizeClasses.bytes(0)).isEqualTo(SizeClasses.MIN_BYTES);
        assertThat(SizeClasses.bytes(SizeClasses.COUNT - 1)).isEqualTo(SizeClasses.MAX_BYTES);
        double ratio = (double) SizeClasses.bytes(255) / SizeClasses.bytes(254);
        for (int i = 1; i < SizeClasses.COUNT; i++) {
            assertThat(SizeClasses.bytes(i))
                    .isBetween(
                            (int) (SizeClasses.bytes(i - 1) * ratio) - 2, (int) (SizeClasses.bytes(i - 1) * ratio) + 2);
        }
    }

    @Test
    void spaceLostToSizeClassesIsThatOfAllSizes() {
        double sum = 0;
        double most = 0;
        for (int bytes = SizeClasses.MIN_BYTES; bytes <= SizeClasses.MAX_BYTES; bytes++) {
            int classBytes = SizeClasses.bytes(SizeClasses.of(bytes));
            double lost = (double) (classBytes - bytes) / classBytes;
            sum += lost;
            most = Math.max(most, lost);
        }
        int sizes = SizeClasses.MAX_BYTES - SizeClasses.MIN_BYTES + 1;
        assertThat(SizeClasses.meanLoss()).isCloseTo(sum / sizes, within(1e-12));
        assertThat(SizeClasses.maxLoss()).isCloseTo(most, within(1e-12));
    }

    @Test
    void anObjectIsOfTheSmallestClassThatHoldsIt() {
        for (int bytes = 1; bytes <= SizeClasses.MAX_BYTES; bytes += 1 + bytes / 50) {
            int sizeClass = SizeClasses.of(bytes);
            assertThat(SizeClasses.bytes(sizeClass)).isGreaterThanOrEqualTo(bytes);
            if (sizeClass > 0) {
                assertThat(SizeClasses.bytes(sizeClass - 1)).isLessThan(bytes);
            }
        }
        assertThatThrownBy(() -> SizeClasses.of(SizeClasses.MAX_BYTES + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void allocatedBlocksDoNotOverlapAndAreReused() {
        BlockAllocator blocks = new BlockAllocator(64L * MIB + 5);
        TreeMap<Long, Long> runs = new TreeMap<>();
        for (int i = 0; i < 5000; i++) {
            if (random.nextInt(5) < 3) {
                long count = random.nextLong(1, 6);
                long at = blocks.allocate(count, 7);
                if (at >= 0) {
                    assertThat(at + count * MIB).isLessThanOrEqualTo(64L * MIB);
                    Map.Entry<Long, Long> before = runs.floorEntry(at + count * MIB - 1);
                    assertThat(before == null || before.getKey() + before.getValue() * MIB <= at)
                            .as(Seeds.replay())
                            .isTrue();
                    runs.put(at, count);
                    assertThat(blocks.begin(at + count * MIB - 1)).isEqualTo(at);
                    assertThat(blocks.use(at + count * MIB - 1)).isEqualTo(7);
                } else {
                    assertThat(runs.values().stream().mapToLong(Long::longValue).sum())
                            .isPositive();
                }
            } else if (!runs.isEmpty()) {
                long at = runs.floorKey(random.nextLong(runs.firstKey(), 64L * MIB));
                runs.remove(at);
                blocks.free(at);
                assertThat(blocks.use(at)).isZero();
            }
        }
        runs.keySet().forEach(blocks::free);
        assertThat(blocks.allocate(64, 1)).as("all is one run again").isZero();
        assertThat(blocks.allocate(1, 1)).isEqualTo(-1);
        assertThatThrownBy(() -> blocks.free(MIB)).hasMessage("no blocks are allocated at " + MIB);
    }

    @Test
    void objectsOfAThreadDontOverlapAndSlotsKeepTheirSize() {
        SlabAllocator slabs = new SlabAllocator(new BlockAllocator(400L * MIB), 16);
        TreeMap<Long, Integer> live = new TreeMap<>();
        Map<Long, Integer> classOf = new HashMap<>();
        List<Long> order = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            if (order.isEmpty() || random.nextInt(5) < 3) {
                int sizeClass = random.nextInt(4) * 60 + random.nextInt(3);
                long hint = order.isEmpty() || random.nextBoolean() ? -1 : order.get(random.nextInt(order.size()));
                long at = hint < 0 ? slabs.allocate(sizeClass) : slabs.allocateNear(sizeClass, hint);
                assertThat(at).as("there is room").isNotNegative();
                assertThat(at % 16).isZero();
                int bytes = SizeClasses.bytes(sizeClass);
                Map.Entry<Long, Integer> before = live.floorEntry(at + bytes - 1);
                assertThat(before == null || before.getKey() + SizeClasses.bytes(before.getValue()) <= at)
                        .as(Seeds.replay())
                        .isTrue();
                assertThat(classOf.getOrDefault(at, sizeClass))
                        .as("another size was here")
                        .isEqualTo(sizeClass);
                classOf.put(at, sizeClass);
                live.put(at, sizeClass);
                order.add(at);
            } else {
                int which = random.nextInt(order.size());
                long at = order.get(which);
                order.set(which, order.getLast());
                order.removeLast();
                live.remove(at);
                slabs.free(at);
                assertThatThrownBy(() -> slabs.free(at)).hasMessage("no object is allocated at " + at);
            }
        }
    }

    @Test
    void anObjectNearAnotherOfItsSizeStandsInTheSameSlab() {
        BlockAllocator blocks = new BlockAllocator(64L * MIB);
        SlabAllocator slabs = new SlabAllocator(blocks, 16);
        long first = slabs.allocate(0);
        long last = first;
        while (blocks.begin(last) == blocks.begin(first)) {
            last = slabs.allocate(0);
        }
        slabs.free(first);
        long other = slabs.allocateNear(0, last);
        assertThat(blocks.begin(other)).isEqualTo(blocks.begin(last));
        assertThat(slabs.allocateNear(0, first + 64))
                .as("its slab has one free slot")
                .isEqualTo(first);
    }

    @Test
    void aFullBufferIsReported() {
        SlabAllocator slabs = new SlabAllocator(new BlockAllocator(2L * MIB), 16);
        assertThat(slabs.allocate(255)).isZero();
        assertThat(slabs.allocate(255)).isEqualTo(MIB);
        assertThat(slabs.allocate(255)).isEqualTo(-1);
        slabs.free(0);
        assertThat(slabs.allocate(0))
                .as("a block that had another size is not taken")
                .isEqualTo(-1);
        assertThat(slabs.allocate(255)).isZero();
    }

    /** No slab of up to eight blocks wastes a share that is 1 % smaller, and no shorter one wastes less. */
    @Test
    void slabsAreTheSmallestThatLeaveLittleUnused() {
        for (int alignment : new int[] {16, 64}) {
            for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
                int stride = SlabAllocator.strideBytes(sizeClass, alignment);
                assertThat(stride % alignment).isZero();
                assertThat(stride - SizeClasses.bytes(sizeClass)).isBetween(0, alignment - 1);
                long chosen = SlabAllocator.blocksFor(1, sizeClass, alignment);
                for (long blocks = 1; blocks <= 8; blocks++) {
                    assertThat(unused(chosen, stride))
                            .as("%d or %d blocks for %d bytes", chosen, blocks, stride)
                            .isLessThan(unused(blocks, stride) + (blocks < chosen ? 0 : 0.0101));
                }
                long slots = chosen * MIB / stride;
                assertThat(SlabAllocator.blocksFor(slots, sizeClass, alignment)).isEqualTo(chosen);
                assertThat(SlabAllocator.blocksFor(slots + 1, sizeClass, alignment))
                        .isEqualTo(2 * chosen);
            }
        }
    }

    private static double unused(long blocks, int stride) {
        return 1 - (double) (blocks * MIB / stride * stride) / (blocks * MIB);
    }

    @Test
    void aRegionHasSpaceForThePredictedObjects() {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass += 5) {
            for (long objects : new long[] {1, 10, 1000}) {
                long blocks = SlabAllocator.blocksFor(objects, sizeClass, 16);
                SlabAllocator slabs = new SlabAllocator(new BlockAllocator(blocks * MIB), 16);
                for (long i = 0; i < objects; i++) {
                    assertThat(slabs.allocate(sizeClass))
                            .as("%d of class %d", i, sizeClass)
                            .isNotNegative();
                }
            }
        }
    }

    /**
     * Threads that concurrently allocate and free each other's objects get distinct places, and all places are
     * returned.
     */
    @Test
    void threadsGiveEachOthersPlacesBack() throws Exception {
        BlockAllocator blocks = new BlockAllocator(64L * MIB);
        ConcurrentLinkedQueue<Long> shared = new ConcurrentLinkedQueue<>();
        Set<Long> live = ConcurrentHashMap.newKeySet();
        List<SlabAllocator> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 3; thread++) {
                SlabAllocator slabs = new SlabAllocator(blocks, 16);
                all.add(slabs);
                SplittableRandom own = random.split();
                done.add(threads.submit(() -> {
                    for (int i = 0; i < 30_000; i++) {
                        Long freed = own.nextInt(100) < 48 ? shared.poll() : null;
                        if (freed != null) {
                            assertThat(live.remove(freed)).isTrue();
                            slabs.free(freed);
                        } else {
                            long at = slabs.allocate(own.nextInt(3) * 40);
                            assertThat(at).isNotNegative();
                            assertThat(live.add(at)).as("given to two").isTrue();
                            shared.add(at);
                        }
                    }
                }));
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
        shared.forEach(all.getFirst()::free);
        assertThat(SlabAllocator.allocated(all)).isZero();
        // The slab's owner detects a double free when it collects the place.
        assertThatThrownBy(() -> {
                    all.getFirst().free(0);
                    SlabAllocator.allocated(all);
                })
                .isInstanceOf(IllegalStateException.class);
    }
}
