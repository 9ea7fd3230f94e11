package org.reprobe.analysis.calibration;

/** One timing in ns at place {@code x}, whose meaning depends on the probe. All probes are run in every repeat. */
public record Observation(Probe probe, double x, int repeat, double ns) {}
