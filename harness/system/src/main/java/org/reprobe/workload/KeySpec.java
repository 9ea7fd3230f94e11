package org.reprobe.workload;

/** Specification of up to 2^32 - 1 possible keys; {@code theta} is the skew of {@link Distribution#ZIPF}. */
public record KeySpec(Distribution distribution, double theta, long keySpace) {}
