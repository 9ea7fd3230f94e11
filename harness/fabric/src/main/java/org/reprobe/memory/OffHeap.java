package org.reprobe.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Zeroed off-heap memory of any length. On Linux large blocks are anonymous mappings that request huge pages: lookups
 * are random, and with 4 KiB pages each would miss the TLB. Some freed mappings are kept for later blocks: clearing
 * their pages is several times as fast as touching fresh ones in a virtual machine whose host takes free pages away.
 * Linux may take the kept pages at any time, so they count as available. Elsewhere the arena allocates.
 */
public final class OffHeap {
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
    private static final int MADV_FREE = 8;
    private static final int MADV_HUGEPAGE = 14;
    /** Two tables and their scratch memory. */
    private static final int MAX_KEPT = 4;

    private static final LongAdder ALLOCATED = new LongAdder();
    private static final Kept KEPT = new Kept();
    private static final @Nullable Mapping MAPPING = Mapping.ofThisSystem();

    private OffHeap() {}

    /** Allocates a zeroed block for the arena's lifetime, or throws {@link OutOfMemoryError}. */
    public static MemorySegment allocate(long bytes, Arena arena) {
        ALLOCATED.add(bytes);
        Mapping mapping = MAPPING;
        if (mapping == null || bytes < HUGE_PAGE_BYTES) {
            return arena.allocate(bytes, 64);
        }
        return mapping.allocate(bytes, arena);
    }

    /** Returns the total number of bytes ever allocated, including freed blocks. */
    public static long allocatedBytes() {
        return ALLOCATED.sum();
    }

    @SuppressWarnings("restricted") // native calls are what this is for
    private record Mapping(MethodHandle mmap, MethodHandle munmap, MethodHandle madvise) {

        static @Nullable Mapping ofThisSystem() {
            if (!System.getProperty("os.name", "").equals("Linux")) {
                return null;
            }
            Linker linker = Linker.nativeLinker();
            SymbolLookup lookup = linker.defaultLookup();
            Optional<MemorySegment> mmap = lookup.find("mmap");
            Optional<MemorySegment> munmap = lookup.find("munmap");
            Optional<MemorySegment> madvise = lookup.find("madvise");
            if (mmap.isEmpty() || munmap.isEmpty() || madvise.isEmpty()) {
                return null;
            }
            var address = ValueLayout.ADDRESS;
            var number = ValueLayout.JAVA_INT;
            var length = ValueLayout.JAVA_LONG;
            return new Mapping(
                    linker.downcallHandle(
                            mmap.get(),
                            FunctionDescriptor.of(address, address, length, number, number, number, length)),
                    linker.downcallHandle(munmap.get(), FunctionDescriptor.of(number, address, length)),
                    linker.downcallHandle(madvise.get(), FunctionDescriptor.of(number, address, length, number)));
        }

        MemorySegment allocate(long bytes, Arena arena) {
            Block kept = KEPT.take(bytes);
            Block block = kept == null ? map(bytes) : kept;
            MemorySegment segment = block.start().reinterpret(bytes, arena, _ -> free(block));
            return kept == null ? segment : segment.fill((byte) 0);
        }

        private Block map(long bytes) {
            long mappedBytes = bytes + HUGE_PAGE_BYTES; // leaves room to start at a huge-page boundary
            try {
                MemorySegment mapped = (MemorySegment) mmap.invokeExact(
                        MemorySegment.NULL, mappedBytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
                if (mapped.address() == -1) {
                    throw new OutOfMemoryError("no block of " + bytes + " bytes");
                }
                Block block = new Block(mapped.address(), bytes);
                advise(block, bytes, MADV_HUGEPAGE); // only a hint: errors are ignored
                return block;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private void free(Block block) {
            // Whole huge pages: others would be split.
            boolean freed = advise(block, block.bytes() / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES, MADV_FREE);
            Block surplus = freed ? KEPT.add(block) : block;
            if (surplus != null) {
                try {
                    int _ = (int) munmap.invokeExact(
                            MemorySegment.ofAddress(surplus.base()), surplus.bytes() + HUGE_PAGE_BYTES);
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        private boolean advise(Block block, long bytes, int advice) {
            try {
                return (int) madvise.invokeExact(block.start(), bytes, advice) == 0;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Mapping with room for a block of some bytes from a huge-page boundary on. */
    private record Block(long base, long bytes) {
        MemorySegment start() {
            return MemorySegment.ofAddress(Math.ceilDiv(base, HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES);
        }
    }

    /** The largest freed mappings. */
    private static final class Kept {
        private final List<Block> blocks = new ArrayList<>();

        /** Returns the smallest mapping for a block, at most twice as large; null if there is none. */
        synchronized @Nullable Block take(long bytes) {
            Block best = null;
            for (Block each : blocks) {
                boolean fits = each.bytes() >= bytes && each.bytes() / 2 <= bytes;
                if (fits && (best == null || each.bytes() < best.bytes())) {
                    best = each;
                }
            }
            blocks.remove(best);
            return best;
        }

        /** Adds a mapping; returns the one that is no longer kept, if any. */
        synchronized @Nullable Block add(Block block) {
            blocks.add(block);
            if (blocks.size() <= MAX_KEPT) {
                return null;
            }
            Block smallest = Collections.min(blocks, Comparator.comparingLong(Block::bytes));
            blocks.remove(smallest);
            return smallest;
        }
    }
}
