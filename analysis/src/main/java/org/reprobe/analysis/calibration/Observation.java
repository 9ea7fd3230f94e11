package org.reprobe.analysis.calibration;

/**
 * One timing.
 *
 * @param x where; what it is depends on the probe
 * @param repeat from 0; all probes are run in every repeat
 * @param ns the time
 */
public record Observation(Probe probe, double x, int repeat, double ns) {}
