package org.reprobe.system;

/**
 * Memory of a run, estimated before it. Memory outside the Java heap is exact except for alignment; that in the heap is an
 * upper bound from the arrays that grow with the settings.
 *
 * @param ownBytes outside the heap: tables that the run writes, buffers of clients
 * @param heapBytes in the heap: clients' queues and counters, key choice
 */
public record MemoryNeed(long ownBytes, long heapBytes) {
    /** Heap of a client's thread, histograms and small objects. */
    public static final long CLIENT_BYTES = 256 << 10;

    /** Heap of a slot in the rings of a simulated queue pair and its {@link org.reprobe.fabric.SendQueue}. */
    public static final long QUEUE_SLOT_BYTES = 128;

    public static final MemoryNeed NONE = new MemoryNeed(0, 0);
}
