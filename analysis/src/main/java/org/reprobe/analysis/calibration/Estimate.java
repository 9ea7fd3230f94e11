package org.reprobe.analysis.calibration;

import org.reprobe.analysis.nic.NicProfile.Basis;

/**
 * Constant of a calibrated profile, by its dotted key: {@code responder.message-ns}. The half width of its 95 %
 * confidence interval over the repeats is NaN if it was not measured. Bases: measured (read off directly), fitted (from
 * several probes at once), derived (from other constants), assumed (not identified; the source is the reason).
 */
public record Estimate(String key, double value, double halfWidth95, Basis basis, String source) {

    /** Returns true if the measurements identify the constant. */
    public boolean identified() {
        return basis != Basis.ASSUMED;
    }
}
