package org.reprobe.system;

/**
 * The memory that a run takes, told before it begins. What is outside of the Java heap is told exactly, but for what blocks are
 * aligned by; what is in it from the arrays that grow with the settings, so that it is never less.
 *
 * @param ownBytes outside of the heap: tables that the run writes, buffers of clients
 * @param heapBytes in the heap: clients' queues and counts, what keys are chosen with
 */
public record MemoryNeed(long ownBytes, long heapBytes) {
    /** In the heap: a client's thread, histograms and small objects. */
    public static final long CLIENT_BYTES = 256 << 10;

    /** In the heap: a slot in the rings of a simulated queue pair and its {@link org.reprobe.fabric.SendQueue}. */
    public static final long QUEUE_SLOT_BYTES = 128;

    public static final MemoryNeed NONE = new MemoryNeed(0, 0);
}
