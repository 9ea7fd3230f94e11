package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.reprobe.analysis.claims.ClaimResult.Status;

/**
 * The claims that are evidence of one kind.
 *
 * @param group what they have in common
 * @param claims in their files' order
 */
public record EvidenceCount(Group group, List<ClaimResult> claims) {
    public EvidenceCount {
        claims = List.copyOf(claims);
    }

    /** What claims have in common, the most telling first. A claim belongs to one only. */
    public enum Group {
        PREDICTED_NUMBERS(
                "Predicted performance: numbers",
                "printed rates, latencies and ratios; nothing was chosen with them in view"),
        PREDICTED_RELATIONS("Predicted performance: relations", "what is faster than what, and where"),
        TABLES("The tables' probability", "counts and shares of real lookups in real tables, without time"),
        MODEL("The model's arithmetic", "a formula's answers, which say nothing of the simulated card"),
        FORM_CHOSEN(
                "Form chosen", "a form of the model or a reading of the paper was chosen with these numbers in view"),
        CALIBRATION("Calibration", "constants were fitted on these numbers, so their agreement is no evidence"),
        INPUT(
                "Inputs and identities",
                "an input of the experiment, or true by structure: only a bug could make them fail"),
        REPEATED("Said again", "the same statement as another claim's");

        private final String title;
        private final String meaning;

        Group(String title, String meaning) {
            this.title = title;
            this.meaning = meaning;
        }

        /** For people. */
        public String title() {
            return title;
        }

        /** What their agreement says. */
        public String meaning() {
            return meaning;
        }

        /** The group that a claim belongs to. */
        public static Group of(ClaimResult claim) {
            return switch (claim.evidence()) {
                case REPEATED -> REPEATED;
                case INPUT -> INPUT;
                case MODEL -> of(claim, MODEL);
                case TABLES -> of(claim, TABLES);
                case PERFORMANCE ->
                    of(claim, claim.relation() == Relation.EQUALS ? PREDICTED_NUMBERS : PREDICTED_RELATIONS);
            };
        }

        private static Group of(ClaimResult claim, Group predicted) {
            return switch (claim.role()) {
                case PREDICTION -> predicted;
                case FORM_CHOSEN -> FORM_CHOSEN;
                case CALIBRATION -> CALIBRATION;
            };
        }
    }

    /** The groups that some claims have, in order. */
    public static List<EvidenceCount> of(List<ClaimResult> claims) {
        List<EvidenceCount> counts = new ArrayList<>();
        for (Group group : Group.values()) {
            List<ClaimResult> own =
                    claims.stream().filter(claim -> Group.of(claim) == group).toList();
            if (!own.isEmpty()) {
                counts.add(new EvidenceCount(group, own));
            }
        }
        return counts;
    }

    public long count(Status status) {
        return count(claims, status);
    }

    public static long count(List<ClaimResult> claims, Status status) {
        return claims.stream().filter(claim -> claim.status() == status).count();
    }

    /** How many could be judged: a run of some scenarios measures little of what a paper claims, which says nothing of the rest. */
    public static long judged(List<ClaimResult> claims) {
        return count(claims, Status.HOLDS) + count(claims, Status.MISSED) + count(claims, Status.CANT_TELL);
    }

    /** The median of how far those with a published number are off, relative to it; NaN where there is none. */
    public double medianRelativeError() {
        double[] errors = claims.stream()
                .mapToDouble(ClaimResult::relativeError)
                .filter(Double::isFinite)
                .toArray();
        return errors.length == 0 ? Double.NaN : new Median().evaluate(errors);
    }
}
