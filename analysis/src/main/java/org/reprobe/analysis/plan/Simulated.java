package org.reprobe.analysis.plan;

/** Simulated results of one server of an option: at saturation, and at the peak with failed servers. */
public record Simulated(double perServerPerSecond, double medianNs, double percentileNs) {}
