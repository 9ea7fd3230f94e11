package org.reprobe.fabric;

/**
 * CPU time of the steps of a client's program in picoseconds, charged by {@link Client#spendCpu}.
 *
 * @param operationPs choosing and starting an operation
 * @param comparisonPs comparing one entry that was read
 * @param messagePs each of sending a message through a ring in memory, serving it and receiving the reply
 */
public record CpuCosts(long operationPs, long comparisonPs, long messagePs) {
    /** Costs in real time, where the CPU time passes by itself. */
    public static final CpuCosts NONE = new CpuCosts(0, 0, 0);
}
