package org.reprobe.workload;

/**
 * What keys there are.
 *
 * @param distribution how keys are distributed over records
 * @param theta skew of {@link Distribution#ZIPF}
 * @param keySpace how many distinct keys there may be, at most 2^32 - 1
 */
public record KeySpec(Distribution distribution, double theta, long keySpace) {}
