package org.reprobe.analysis.claims;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Value or relation published by a paper, as read from {@code results/published/}; numbers are in {@code unit}.
 *
 * @param id {@code linear-probing/table-1/fixed/0.80}
 * @param source place in the paper: "Table 1", "Section 5.3"
 * @param over cell keys whose combinations the claim covers; empty if the quantity names all keys
 * @param tolerance largest difference that still agrees
 * @param derived true if the number is computed from printed ones
 * @param role choices made in view of the number
 * @param cause known cause of a miss or of the effect
 * @param repeats id of the claim of the same file whose statement this one repeats
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
        @Nullable String cause,
        @Nullable String repeats) {

    public Claim {
        over = Collections.unmodifiableMap(new LinkedHashMap<>(over));
    }

    /** Aggregation of a quantity's values over several cells. */
    public enum Take {
        /** Every value must satisfy the relation; the one furthest from it is reported. */
        EACH("each"),
        LOWEST("lowest"),
        HIGHEST("highest"),
        MEAN("mean"),
        /** Highest divided by lowest. */
        SPREAD("spread"),
        /** The lowest p value times their number (Bonferroni), at most 1: several tests fail no more often than one. */
        LOWEST_OF_FAMILY("lowest of family");

        private final String word;

        Take(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }
}
