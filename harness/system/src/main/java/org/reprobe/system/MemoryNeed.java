package org.reprobe.system;

/**
 * Memory that a run needs, estimated before the run. The size outside the Java heap is exact except for alignment. The
 * size in the heap is an upper bound, computed from the arrays that grow with the settings.
 *
 * @param ownBytes bytes outside the heap: tables that the run writes, buffers of clients
 * @param heapBytes bytes in the heap: queues and counters of clients, choice of keys
 */
public record MemoryNeed(long ownBytes, long heapBytes) {
    /** Heap size of a client's thread, histograms and small objects, in bytes. */
    public static final long CLIENT_BYTES = 256 << 10;

    /** Bytes in the heap per slot of a simulated queue pair and its {@link org.reprobe.fabric.SendQueue}. */
    public static final long QUEUE_SLOT_BYTES = 128;

    public static final MemoryNeed NONE = new MemoryNeed(0, 0);
}
