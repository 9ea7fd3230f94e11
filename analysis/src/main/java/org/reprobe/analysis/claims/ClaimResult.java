package org.reprobe.analysis.claims;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
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
 * @param role whether something was chosen knowing the published number
 * @param cause what is known of it, from the claims file, whether it holds or not; for a claim that was not measured, the
 *     runs that are missing or failed; for one that is not comparable, the settings that differ
 * @param interval half width of the reproduction's 95 % interval; NaN where there is none
 * @param relation how {@code reproduced} must stand to {@code published}
 * @param kinds where the reproduced number comes from; empty when there is none, two when it compares kinds
 * @param evidence what it is evidence of
 * @param derived true when the paper does not print the published number, but it follows from what it says
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
        Set<Kind> kinds,
        Evidence evidence,
        boolean derived) {

    public ClaimResult {
        EnumSet<Kind> ordered = EnumSet.noneOf(Kind.class);
        ordered.addAll(kinds);
        kinds = Collections.unmodifiableSet(ordered);
    }

    /** A plain value of performance, its kind left open. */
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
                Set.of(),
                Evidence.PERFORMANCE,
                false);
    }

    /** Whether a claim holds. */
    public enum Status {
        HOLDS("holds"),
        MISSED("missed"),
        /** The 95 % interval has numbers on both sides of the bound. */
        CANT_TELL("can't tell"),
        /** The runs had other settings than those that the claim presumes. */
        NOT_COMPARABLE("not comparable"),
        /** The runs that it speaks of are not among the measurements. */
        NOT_MEASURED("not measured");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        /** The words for people. */
        public String words() {
            return words;
        }

        /** The word for programs: the verdict in {@code claims.jsonl}, a class in pages. */
        public String word() {
            return words.replace("'", "").replace(' ', '-');
        }

        /** True when the claim was held against comparable runs, whatever came out. */
        public boolean isJudged() {
            return this == HOLDS || this == MISSED || this == CANT_TELL;
        }
    }

    /** What was known of the published number when the simulator was made. */
    public enum Role {
        /** A constant was fitted on it, or it follows from numbers that one was fitted on. */
        CALIBRATION("calibration"),
        /** A form of the model or a reading of the paper was chosen with it in view. */
        FORM_CHOSEN("form-chosen"),
        /** Nothing was chosen with it in view. */
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

    /** How far off it is, relative to the published number; NaN where that means nothing. */
    public double relativeError() {
        return relation == Relation.EQUALS && published != 0 && status.isJudged()
                ? Math.abs(difference() / published)
                : Double.NaN;
    }

    /** {@code reproduced - published}. */
    public double difference() {
        return reproduced - published;
    }
}
