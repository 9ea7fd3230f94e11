package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.List;

/**
 * What came out of comparing base and new.
 *
 * @param findings every metric compared
 * @param notes what the reader should know besides
 * @param means of each metric, over the cells; none where they are not asked for
 */
public record Comparison(List<RegressionFinding> findings, List<String> notes, List<GeometricMean> means)
        implements Outcome {
    public Comparison {
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
        means = List.copyOf(means);
    }

    /** One without means. */
    public Comparison(List<RegressionFinding> findings, List<String> notes) {
        this(findings, notes, List.of());
    }

    /** The verdict on all: the worst of them; "can't tell" where nothing could be compared. */
    @Override
    public RegressionVerdict verdict() {
        return findings.isEmpty() ? RegressionVerdict.CANT_TELL : RegressionVerdict.worst(verdicts());
    }

    @Override
    public List<RegressionVerdict> verdicts() {
        return findings.stream().map(RegressionFinding::verdict).toList();
    }

    @Override
    public List<Row> rows() {
        return findings.stream().map(Row::of).toList();
    }

    /** The same with more notes. */
    public Comparison with(List<String> moreNotes) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(moreNotes);
        return new Comparison(findings, all, means);
    }

    /** The same, but any change of a result that is compared exactly is for the worse. */
    public Comparison strict() {
        return new Comparison(
                findings.stream()
                        .map(finding -> finding.exact()
                                        && (finding.verdict() == RegressionVerdict.CHANGED
                                                || finding.verdict() == RegressionVerdict.BETTER)
                                ? finding.with(RegressionVerdict.WORSE)
                                : finding)
                        .toList(),
                notes,
                means);
    }

    /** Two comparisons in one. */
    public Comparison and(Comparison other) {
        List<RegressionFinding> all = new ArrayList<>(findings);
        all.addAll(other.findings);
        return new Comparison(all, notes).with(other.notes);
    }
}
