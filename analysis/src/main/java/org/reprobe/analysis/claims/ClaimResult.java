package org.reprobe.analysis.claims;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

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
 * @param cause what is known of a miss, from the claims file; for a claim that was not measured, the runs that are missing or
 *     failed
 * @param interval half width of the reproduction's 95 % interval; NaN where there is none
 * @param relation how {@code reproduced} must stand to {@code published}
 * @param kind where the reproduced number comes from; null when there is none, or when it compares kinds
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
        double interval,
        Relation relation,
        @Nullable Kind kind) {

    /** A plain value, its kind left open. */
    public ClaimResult(
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
        this(
                id,
                source,
                text,
                published,
                reproduced,
                unit,
                tolerance,
                status,
                role,
                cause,
                interval,
                Relation.EQUALS,
                null);
    }

    /** Whether a claim holds. */
    public enum Status {
        HOLDS("holds"),
        MISSED("missed"),
        /** The runs that it speaks of are not among the measurements. */
        NOT_MEASURED("not measured");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        /** The words in {@code claims.jsonl}. */
        public String words() {
            return words;
        }
    }

    /** What a claim is evidence of. */
    public enum Role {
        CALIBRATION("calibration"),
        PREDICTION("prediction");

        private final String word;

        Role(String word) {
            this.word = word;
        }

        /** The word in {@code claims.jsonl} and in claims files. */
        public String word() {
            return word;
        }
    }

    /** {@code reproduced - published}. */
    public double difference() {
        return reproduced - published;
    }
}
