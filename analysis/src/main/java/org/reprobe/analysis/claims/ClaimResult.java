package org.reprobe.analysis.claims;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.analysis.measurement.Kind;

/**
 * Result of checking a {@link Claim}; one line of {@code claims.jsonl}. Unknown numbers are NaN.
 *
 * @param cause known cause from the claims file, for any verdict. If not measured: the missing or failed runs. If not
 *     comparable: the settings that differ. If undecided whatever the interval: the warning, or that there is one run.
 * @param interval half width of the reproduction's 95 % interval
 * @param relation required relation of {@code reproduced} to {@code published}, a value or bound
 * @param kinds sources of the reproduced number; empty without one, two if it compares kinds
 * @param repeats id of the claim whose statement this one repeats
 * @param runs number of runs of the cell with the fewest; 0 if not measured
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
        boolean derived,
        @Nullable String repeats,
        int runs) {

    public ClaimResult {
        EnumSet<Kind> ordered = EnumSet.noneOf(Kind.class);
        ordered.addAll(kinds);
        kinds = Collections.unmodifiableSet(ordered);
    }

    public enum Status {
        HOLDS("holds"),
        MISSED("missed"),
        /** The 95 % interval contains numbers on both sides of the bound, or the measured interval is unreliable. */
        CANT_TELL("can't tell"),
        /** The runs' settings differ from those that the claim presumes. */
        NOT_COMPARABLE("not comparable"),
        /** The claim's runs are not among the measurements. */
        NOT_MEASURED("not measured");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }

        /** Returns the identifier: the verdict in {@code claims.jsonl}, a class in pages. */
        public String word() {
            return words.replace("'", "").replace(' ', '-');
        }

        /** Returns true if comparable runs were checked, whatever the verdict. */
        public boolean isJudged() {
            return this == HOLDS || this == MISSED || this == CANT_TELL;
        }
    }

    /** Use of the published number when the simulator was built. */
    public enum Role {
        /** A constant was fitted to it, or it follows from numbers to which one was fitted. */
        CALIBRATION,
        /** A form of the model or an interpretation of the paper was chosen in view of it. */
        FORM_CHOSEN,
        /** Nothing was chosen in view of it. */
        PREDICTION;

        public String word() {
            return EnumWord.of(this);
        }
    }

    /** Returns the relative difference from the published number; NaN if undefined. */
    public double relativeError() {
        return relation == Relation.EQUALS && published != 0 && status.isJudged()
                ? Math.abs(difference() / published)
                : Double.NaN;
    }

    /** Returns true if the number comes from one run, so that its interval is unknown; false for a formula. */
    public boolean isOfOneRun() {
        return runs == 1 && !kinds.equals(Set.of(Kind.PREDICTED));
    }

    /** Returns {@code reproduced - published}. */
    public double difference() {
        return reproduced - published;
    }
}
