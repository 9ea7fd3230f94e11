package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.reprobe.analysis.claims.ClaimResult.Status;

/** Claims that are evidence of one kind, in their files' order. */
public record EvidenceCount(Group group, List<ClaimResult> claims) {
    public EvidenceCount {
        claims = List.copyOf(claims);
    }

    /** Groups of claims, the strongest evidence first. A claim belongs to exactly one. */
    public enum Group {
        PREDICTED_NUMBERS(
                "Predicted performance: distinct numbers",
                "printed rates, latencies and ratios, without repetitions; nothing was tuned on them"),
        PREDICTED_RELATIONS(
                "Predicted performance: relations",
                "bounds, order of schemes, positions of crossovers, statements of equality"),
        TABLES("Table statistics", "counts and shares of real lookups in real tables, without time"),
        MODEL("Read-size model", "results of formulas, independent of the simulated card"),
        FORM_CHOSEN(
                "Form chosen",
                "a form of the model or an interpretation of the paper was chosen in view of these numbers"),
        CALIBRATION("Calibration", "constants were fitted to these numbers, so their agreement is no evidence"),
        INPUT(
                "Inputs and identities",
                "inputs of the experiment, or true by construction: only a bug could make them fail"),
        REPEATED("Duplicate statements", "repetitions of another claim's statement");

        private final String title;
        private final String meaning;

        Group(String title, String meaning) {
            this.title = title;
            this.meaning = meaning;
        }

        public String title() {
            return title;
        }

        public String meaning() {
            return meaning;
        }

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

    /** Returns the non-empty groups, in order. */
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

    /** Returns the number of judged claims; a run of some scenarios measures only some of a paper's claims. */
    public static long judged(List<ClaimResult> claims) {
        return counted(claims).judged();
    }

    /** Returns "97 of 112": the claims that hold of those that were judged. */
    public static String score(List<ClaimResult> claims) {
        return counted(claims).score();
    }

    private static ClaimCount counted(List<ClaimResult> claims) {
        return ClaimCount.of(claims.stream().map(ClaimResult::status).toList());
    }

    /** Returns the median relative difference from the published numbers; NaN without any. */
    public double medianRelativeError() {
        double[] errors = claims.stream()
                .mapToDouble(ClaimResult::relativeError)
                .filter(Double::isFinite)
                .toArray();
        return errors.length == 0 ? Double.NaN : new Median().evaluate(errors);
    }
}
