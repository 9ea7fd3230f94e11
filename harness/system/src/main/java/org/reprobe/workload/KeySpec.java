package org.reprobe.workload;

/**
 * Specification of keys.
 *
 * @param theta skew of {@link Distribution#ZIPF}
 * @param keySpace number of possible distinct keys, at most 2^32 - 1
 */
public record KeySpec(Distribution distribution, double theta, long keySpace) {}
