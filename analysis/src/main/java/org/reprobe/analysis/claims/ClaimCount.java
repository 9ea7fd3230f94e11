package org.reprobe.analysis.claims;

import java.util.List;

/**
 * Number of claims by verdict, counted in one way everywhere: a claim is judged if it holds, is missed or is undecided.
 */
public record ClaimCount(long held, long missed, long judged) {
    public static ClaimCount of(List<ClaimResult.Status> verdicts) {
        return new ClaimCount(
                verdicts.stream()
                        .filter(verdict -> verdict == ClaimResult.Status.HOLDS)
                        .count(),
                verdicts.stream()
                        .filter(verdict -> verdict == ClaimResult.Status.MISSED)
                        .count(),
                verdicts.stream().filter(ClaimResult.Status::isJudged).count());
    }

    /** Returns "97 of 112": the claims that hold of those that were judged. */
    public String score() {
        return held + " of " + judged;
    }
}
