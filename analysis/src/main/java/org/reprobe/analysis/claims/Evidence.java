package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.measurement.Metrics;

/** What a claim that holds is evidence of. */
public enum Evidence {
    /** Nothing: it is an input of the experiment, or follows from the structure whatever the simulator does. */
    INPUT("input"),
    /** The read-size model's arithmetic. */
    MODEL("model"),
    /** What the tables and protocols ask for: counts and shares, without time. */
    TABLES("tables"),
    /** The card: rates, latencies and what is made of them. */
    PERFORMANCE("performance"),
    /** Nothing new: another claim of the file says the same of the same runs. */
    REPEATED("repeated");

    private final String word;

    Evidence(String word) {
        this.word = word;
    }

    /** The word in claims files and in {@code claims.jsonl}. */
    public String word() {
        return word;
    }

    /** What a quantity is evidence of unless its claim says otherwise. */
    static Evidence of(Quantity quantity) {
        List<String> metrics =
                quantity.metrics().stream().map(Quantity.Metric::metric).toList();
        if (metrics.stream().anyMatch(Metrics::isOfTime)) {
            return PERFORMANCE;
        }
        return metrics.stream().allMatch(Metrics::isOfFormula) ? MODEL : TABLES;
    }
}
