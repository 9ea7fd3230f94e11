package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.analysis.measurement.Metrics;

/** Kind of evidence that a claim gives if it holds. */
public enum Evidence {
    /** No evidence: the claim states an input, or holds by construction, independent of the simulator. */
    INPUT,
    /** Arithmetic of the read-size model. */
    MODEL,
    /** Tables and protocols: counts and shares, without time. */
    TABLES,
    /** The card: rates, latencies and numbers derived from them. */
    PERFORMANCE,
    /** No further evidence: {@link Claim#repeats another claim} of the file states the same about the same runs. */
    REPEATED;

    public String word() {
        return EnumWord.of(this);
    }

    static Evidence of(Quantity quantity) {
        List<String> metrics =
                quantity.metrics().stream().map(Quantity.Metric::metric).toList();
        if (metrics.stream().anyMatch(Metrics::isOfTime)) {
            return PERFORMANCE;
        }
        return metrics.stream().allMatch(Metrics::isOfFormula) ? MODEL : TABLES;
    }
}
