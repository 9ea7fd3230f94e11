package org.reprobe.analysis.claims;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One value or relation that a paper publishes, as read from {@code results/published/}.
 *
 * @param id {@code linear-probing/table-1/fixed/0.80}
 * @param source where the paper says so: "Table 1", "Section 5.3"
 * @param text the paper's words, short
 * @param quantity what to compute from the measurements
 * @param over cell keys whose combinations the claim speaks of; empty when the quantity says it all
 * @param take what becomes of the quantity's values over {@code over}
 * @param relation how the reproduced number must stand to the published one
 * @param published the published number, or the bound of a relation; in {@code unit}
 * @param tolerance the largest difference that still agrees; in {@code unit}
 * @param unit for people
 * @param derived true when the paper does not print the number: it was worked out of what the paper says
 * @param role whether something was chosen knowing it
 * @param evidence what it is evidence of should it hold
 * @param cause what is known of it: why it misses, or what is behind it
 */
public record Claim(
        String id,
        String source,
        String text,
        Quantity quantity,
        Map<String, CellCondition> over,
        Take take,
        Relation relation,
        double published,
        double tolerance,
        String unit,
        boolean derived,
        ClaimResult.Role role,
        Evidence evidence,
        @Nullable String cause) {

    public Claim {
        over = Collections.unmodifiableMap(new LinkedHashMap<>(over));
    }

    /** What becomes of a quantity's values over several cells. */
    public enum Take {
        /** Every one must stand in the relation; the one furthest from it is reported. */
        EACH("each"),
        LOWEST("lowest"),
        HIGHEST("highest"),
        MEAN("mean"),
        /** Highest divided by lowest. */
        SPREAD("spread"),
        /**
         * The lowest p value times their number (Bonferroni), at most 1: "not significant in any of n cells" must not
         * fail more often than one test does.
         */
        LOWEST_OF_FAMILY("lowest of family");

        private final String word;

        Take(String word) {
            this.word = word;
        }

        /** The word in a claims file. */
        public String word() {
            return word;
        }
    }
}
