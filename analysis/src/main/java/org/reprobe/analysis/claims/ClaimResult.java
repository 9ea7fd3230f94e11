package org.reprobe.analysis.claims;

import org.jspecify.annotations.Nullable;

/**
 * A claim held against a reproduction. A line of {@code claims.jsonl}.
 *
 * @param id {@code linear-probing/table-1/fixed/0.80}
 * @param source where the paper says so: "Table 1", "Section 5.3"
 * @param text what the paper says, short
 * @param published the published value; for a relation its bound; NaN where the claim has no number
 * @param reproduced the value found; NaN when the reproduction did not measure it
 * @param unit for people: "requests/lookup", "M lookups/s"
 * @param tolerance the largest difference that still agrees
 * @param status whether it holds
 * @param role calibration points were used to fit the simulator; predictions were not
 * @param cause what is known of a miss; from the claims file
 * @param interval half width of the reproduction's 95 % interval; NaN where there is none
 */
public record ClaimResult(
        String id,
        String source,
        String text,
        double published,
        double reproduced,
        String unit,
        double tolerance,
        Status status,
        Role role,
        @Nullable String cause,
        double interval) {

    /** Whether a claim holds. */
    public enum Status {
        HOLDS,
        MISSED,
        /** The runs that it speaks of are not among the measurements. */
        NOT_MEASURED
    }

    /** What a claim is evidence of. */
    public enum Role {
        CALIBRATION,
        PREDICTION
    }

    /** {@code reproduced - published}. */
    public double difference() {
        return reproduced - published;
    }
}
