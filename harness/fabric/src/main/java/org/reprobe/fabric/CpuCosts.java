package org.reprobe.fabric;

/**
 * CPU time of the steps of a client's program in picoseconds, charged by {@link Client#spendCpu}.
 *
 * @param operationPs time to choose and start an operation
 * @param comparisonPs time to compare one entry that was read
 * @param messagePs time for each of three steps: to send a message through a ring in memory, to serve it, to receive
 *     the reply
 * @param messageBytePs time per byte of a message, both to send and to receive it
 */
public record CpuCosts(long operationPs, long comparisonPs, long messagePs, long messageBytePs) {
    /** No costs, for fabrics in real time. */
    public static final CpuCosts NONE = new CpuCosts(0, 0, 0, 0);
}
