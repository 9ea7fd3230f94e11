package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.reprobe.analysis.claims.ClaimResult.Role;
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
                "printed rates, latencies and ratios; nothing was chosen with them in view",
                claim -> is(claim, Role.PREDICTION, Evidence.PERFORMANCE) && claim.relation() == Relation.EQUALS),
        PREDICTED_RELATIONS(
                "Predicted performance: relations",
                "what is faster than what, and where",
                claim -> is(claim, Role.PREDICTION, Evidence.PERFORMANCE) && claim.relation() != Relation.EQUALS),
        TABLES(
                "The tables' probability",
                "counts and shares of real lookups in real tables, without time",
                claim -> is(claim, Role.PREDICTION, Evidence.TABLES)),
        MODEL(
                "The model's arithmetic",
                "a formula's answers, which say nothing of the simulated card",
                claim -> is(claim, Role.PREDICTION, Evidence.MODEL)),
        FORM_CHOSEN(
                "Form chosen",
                "a form of the model or a reading of the paper was chosen with these numbers in view",
                claim -> claim.role() == Role.FORM_CHOSEN),
        CALIBRATION(
                "Calibration",
                "constants were fitted on these numbers, so their agreement is no evidence",
                claim -> claim.role() == Role.CALIBRATION),
        INPUT(
                "Inputs and identities",
                "an input of the experiment, or true by structure: only a bug could make them fail",
                claim -> claim.evidence() == Evidence.INPUT),
        REPEATED("Said again", "the same statement as another claim's", claim -> true);

        private final String title;
        private final String meaning;
        private final Predicate<ClaimResult> has;

        Group(String title, String meaning, Predicate<ClaimResult> has) {
            this.title = title;
            this.meaning = meaning;
            this.has = has;
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
            if (claim.evidence() == Evidence.REPEATED) {
                return REPEATED;
            }
            if (claim.evidence() == Evidence.INPUT) {
                return INPUT;
            }
            return Arrays.stream(values())
                    .filter(group -> group.has.test(claim))
                    .findFirst()
                    .orElse(REPEATED);
        }

        private static boolean is(ClaimResult claim, Role role, Evidence evidence) {
            return claim.role() == role && claim.evidence() == evidence;
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

    /** The median of how far those with a published number are off, relative to it; NaN where there is none. */
    public double medianRelativeError() {
        double[] errors = claims.stream()
                .mapToDouble(ClaimResult::relativeError)
                .filter(Double::isFinite)
                .toArray();
        return errors.length == 0 ? Double.NaN : new Median().evaluate(errors);
    }
}
