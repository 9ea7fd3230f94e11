package org.reprobe.farm.memory;

/** Map of the memory that each machine registers: disjoint aligned areas in the order of their addition. */
public final class MemoryMap {
    private final int threads;
    private long bytes;

    public MemoryMap(int threads) {
        this.threads = threads;
    }

    /** Areas of a machine's threads, {@code threadBytes} bytes each, one behind the other. */
    public record PerThread(long from, long threadBytes) {

        public long at(int thread) {
            return from + thread * threadBytes;
        }
    }

    /** Adds an area that begins at a cache line, and returns its offset. */
    public long lines(long areaBytes) {
        return add(ObjectLayout.LINE_BYTES, areaBytes);
    }

    /** Adds an area that begins at a word, and returns its offset. */
    public long words(long areaBytes) {
        return add(Long.BYTES, areaBytes);
    }

    /** Adds an area of whole words for each thread. */
    public PerThread perThread(long areaBytes) {
        long threadBytes = aligned(Long.BYTES, areaBytes);
        return new PerThread(words(threads * threadBytes), threadBytes);
    }

    private long add(int alignment, long areaBytes) {
        long from = aligned(alignment, bytes);
        bytes = Math.addExact(from, areaBytes);
        return from;
    }

    private static long aligned(int alignment, long offset) {
        return (offset + alignment - 1) / alignment * alignment;
    }

    public int threads() {
        return threads;
    }

    /** Returns the bytes of the areas added so far, including the gaps between them. */
    public long bytes() {
        return bytes;
    }
}
