package org.reprobe.fabric;

/**
 * What steps of a client's program cost its CPU, in picoseconds: to be charged by {@link Client#spendCpu}.
 *
 * @param operationPs choosing and beginning an operation
 * @param comparisonPs looking at one entry of what was read
 * @param messagePs each of sending a message by a ring in memory, serving it and receiving the answer
 */
public record CpuCosts(long operationPs, long comparisonPs, long messagePs) {
    /** Of clients in real time, which passes by itself. */
    public static final CpuCosts NONE = new CpuCosts(0, 0, 0);
}
