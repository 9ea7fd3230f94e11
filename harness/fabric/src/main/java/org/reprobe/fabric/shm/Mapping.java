package org.reprobe.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Mapping of shared files. On Linux large mappings are aligned for huge pages, and {@link #collapse} creates huge
 * pages. Most systems use none for {@code /dev/shm} by default, so that each lookup would miss the TLB.
 */
final class Mapping {
    static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final int PAGE_BYTES = 4096;

    private static final int O_RDWR_CLOEXEC = 2 | 0x80000;
    private static final int PROT_NONE = 0;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
    private static final int MAP_SHARED_FIXED = 0x01 | 0x10;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_COLLAPSE = 25;
    private static final long FAILED = -1;

    private static final @Nullable Native NATIVE = Native.ofThisSystem();

    private Mapping() {}

    /** Maps the first bytes of a file read-write with the lifetime of {@code arena}. */
    static MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
        Native calls = NATIVE;
        if (calls != null && bytes >= HUGE_PAGE_BYTES) {
            return calls.map(file, bytes, arena);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return plain(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena), arena);
        }
    }

    /** Returns a native segment of the class of all other memory, so that calls on segments stay monomorphic. */
    @SuppressWarnings("restricted") // same bytes, same arena
    private static MemorySegment plain(MemorySegment mapped, Arena arena) {
        return MemorySegment.ofAddress(mapped.address()).reinterpret(mapped.byteSize(), arena, null);
    }

    /** Moves the written parts of a mapping to huge pages if the system supports that. */
    static void collapse(MemorySegment mapped) {
        Native calls = NATIVE;
        if (calls != null) {
            calls.collapse(mapped);
        }
    }

    @SuppressWarnings("restricted") // native calls are what this is for
    private record Native(
            MethodHandle open,
            MethodHandle close,
            MethodHandle mmap,
            MethodHandle munmap,
            MethodHandle madvise,
            MethodHandle mincore) {

        static @Nullable Native ofThisSystem() {
            if (!System.getProperty("os.name", "").equals("Linux")) {
                return null;
            }
            var address = ValueLayout.ADDRESS;
            var number = ValueLayout.JAVA_INT;
            var length = ValueLayout.JAVA_LONG;
            MethodHandle open = find("open", FunctionDescriptor.of(number, address, number));
            MethodHandle close = find("close", FunctionDescriptor.of(number, number));
            MethodHandle mmap =
                    find("mmap", FunctionDescriptor.of(address, address, length, number, number, number, length));
            MethodHandle munmap = find("munmap", FunctionDescriptor.of(number, address, length));
            MethodHandle madvise = find("madvise", FunctionDescriptor.of(number, address, length, number));
            MethodHandle mincore = find("mincore", FunctionDescriptor.of(number, address, length, address));
            if (open == null || close == null || mmap == null || munmap == null || madvise == null || mincore == null) {
                return null;
            }
            return new Native(open, close, mmap, munmap, madvise, mincore);
        }

        private static @Nullable MethodHandle find(String name, FunctionDescriptor function) {
            Linker linker = Linker.nativeLinker();
            SymbolLookup lookup = linker.defaultLookup();
            Optional<MemorySegment> symbol = lookup.find(name);
            return symbol.map(at -> linker.downcallHandle(at, function)).orElse(null);
        }

        MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
            long reservedBytes = bytes + HUGE_PAGE_BYTES; // leaves room to start at a huge-page boundary
            try (Arena call = Arena.ofConfined()) {
                int descriptor = (int) open.invokeExact(call.allocateFrom(file.toString()), O_RDWR_CLOEXEC);
                if (descriptor < 0) {
                    throw new IOException("can't open " + file);
                }
                try {
                    MemorySegment reserved = (MemorySegment) mmap.invokeExact(
                            MemorySegment.NULL, reservedBytes, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
                    long base = reserved.address();
                    if (base == FAILED) {
                        throw new IOException("no address space to map " + file);
                    }
                    MemorySegment aligned =
                            MemorySegment.ofAddress(Math.ceilDiv(base, HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES);
                    MemorySegment mapped = (MemorySegment)
                            mmap.invokeExact(aligned, bytes, PROT_READ_WRITE, MAP_SHARED_FIXED, descriptor, 0L);
                    if (mapped.address() == FAILED) {
                        unmap(base, reservedBytes);
                        throw new IOException("can't map " + file);
                    }
                    int _ = (int) madvise.invokeExact(aligned, bytes, MADV_HUGEPAGE); // only a hint: errors are ignored
                    return aligned.reinterpret(bytes, arena, _ -> unmap(base, reservedBytes));
                } finally {
                    int _ = (int) close.invokeExact(descriptor);
                }
            } catch (IOException | RuntimeException | Error e) {
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

        /** Skips holes: collapsing a hole would allocate it. */
        void collapse(MemorySegment mapped) {
            int pages = (int) (HUGE_PAGE_BYTES / PAGE_BYTES);
            long from = Math.ceilDiv(mapped.address(), HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES;
            long to = mapped.address() + mapped.byteSize();
            try (Arena call = Arena.ofConfined()) {
                MemorySegment resident = call.allocate(pages);
                for (; from + HUGE_PAGE_BYTES <= to; from += HUGE_PAGE_BYTES) {
                    MemorySegment page = MemorySegment.ofAddress(from);
                    int there = 0;
                    if ((int) mincore.invokeExact(page, HUGE_PAGE_BYTES, resident) == 0) {
                        for (int i = 0; i < pages; i++) {
                            there += resident.get(ValueLayout.JAVA_BYTE, i) & 1;
                        }
                    }
                    if (2 * there >= pages && (int) madvise.invokeExact(page, HUGE_PAGE_BYTES, MADV_COLLAPSE) != 0) {
                        return; // not supported by this system
                    }
                }
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
