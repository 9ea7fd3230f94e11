package org.reprobe.analysis.regress;

import java.util.Comparator;
import java.util.List;

/** Result of a regression check, in the form common to all outputs. */
public sealed interface Outcome permits Comparison, RunHistory {
    RegressionVerdict verdict();

    List<String> notes();

    /** Returns every metric of every cell, in the order of comparison. */
    List<Row> rows();

    /** Returns the rows that are not the same, worst first. */
    default List<Row> notableRows() {
        return rows().stream()
                .filter(row -> row.verdict() != RegressionVerdict.SAME
                        || (!row.change().isEmpty() && this instanceof RunHistory))
                .sorted(Comparator.comparing(Row::verdict))
                .toList();
    }

    List<RegressionVerdict> verdicts();

    default long count(RegressionVerdict verdict) {
        return verdicts().stream().filter(each -> each == verdict).count();
    }

    /** Returns "2 worse, 1 can't tell, 37 same". */
    default String tally() {
        StringBuilder tally = new StringBuilder();
        for (RegressionVerdict verdict : RegressionVerdict.values()) {
            long count = count(verdict);
            if (count > 0) {
                tally.append(tally.isEmpty() ? "" : ", ")
                        .append(count)
                        .append(' ')
                        .append(verdict.word());
            }
        }
        return tally.isEmpty() ? "nothing to compare" : tally.toString();
    }
}
