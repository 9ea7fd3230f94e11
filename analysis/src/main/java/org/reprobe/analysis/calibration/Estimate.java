package org.reprobe.analysis.calibration;

import org.reprobe.analysis.nic.NicProfile.Basis;

/**
 * A constant of the profile that a calibration writes.
 *
 * @param key its dotted key, {@code responder.message-ns}
 * @param halfWidth95 half of the 95 % confidence interval over the repeats; NaN for a constant that was not measured
 * @param basis measured: read off directly; fitted: from several probes at once; derived: from others; assumed: could not be
 *     told
 * @param source which probes, or why it could not be told
 */
public record Estimate(String key, double value, double halfWidth95, Basis basis, String source) {

    /** Whether the measurements say anything about it. */
    public boolean identified() {
        return basis != Basis.ASSUMED;
    }
}
