package org.reprobe.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Zeroed off-heap memory of any length. On Linux large blocks are anonymous mappings that request huge pages: lookups
 * are random, and with 4 KiB pages each would miss the TLB. Elsewhere the arena allocates.
 */
public final class OffHeap {
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
    private static final int MADV_HUGEPAGE = 14;
    private static final LongAdder ALLOCATED = new LongAdder();
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
            long mappedBytes = bytes + HUGE_PAGE_BYTES; // leaves room to start at a huge-page boundary
            try {
                MemorySegment mapped = (MemorySegment) mmap.invokeExact(
                        MemorySegment.NULL, mappedBytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
                long base = mapped.address();
                if (base == -1) {
                    throw new OutOfMemoryError("no block of " + bytes + " bytes");
                }
                long start = Math.ceilDiv(base, HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES;
                MemorySegment aligned = MemorySegment.ofAddress(start);
                int _ = (int) madvise.invokeExact(aligned, bytes, MADV_HUGEPAGE); // only a hint: errors are ignored
                return aligned.reinterpret(bytes, arena, _ -> unmap(base, mappedBytes));
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private void unmap(long base, long bytes) {
            try {
                int _ = (int) munmap.invokeExact(MemorySegment.ofAddress(base), bytes);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
