package org.reprobe.analysis.regress;

import java.util.Comparator;
import java.util.List;

/** What a regression check found, in the form that all its outputs share. */
public sealed interface Outcome permits Comparison, RunHistory {
    /** The verdict on everything. */
    RegressionVerdict verdict();

    /** What the reader should know besides. */
    List<String> notes();

    /** Every metric of every cell, in the order in which they were compared. */
    List<Row> rows();

    /** The rows that are not simply the same, worst first. */
    default List<Row> tellingRows() {
        return rows().stream()
                .filter(row -> row.verdict() != RegressionVerdict.SAME
                        || (!row.change().isEmpty() && this instanceof RunHistory))
                .sorted(Comparator.comparing(Row::verdict))
                .toList();
    }

    /** The verdicts of all rows. */
    List<RegressionVerdict> verdicts();

    /** How many rows have a verdict. */
    default long count(RegressionVerdict verdict) {
        return verdicts().stream().filter(each -> each == verdict).count();
    }

    /** "2 worse, 1 can't tell, 37 same". */
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
