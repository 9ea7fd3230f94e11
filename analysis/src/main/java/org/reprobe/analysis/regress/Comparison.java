package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.List;

/** Result of comparing base and new: every metric, notes, and means over the cells if requested. */
public record Comparison(List<RegressionFinding> findings, List<String> notes, List<GeometricMean> means)
        implements Outcome {
    public Comparison {
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
        means = List.copyOf(means);
    }

    public Comparison(List<RegressionFinding> findings, List<String> notes) {
        this(findings, notes, List.of());
    }

    /** Returns the worst verdict; "can't tell" if nothing could be compared. */
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

    public Comparison with(List<String> moreNotes) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(moreNotes);
        return new Comparison(findings, all, means);
    }

    /** Returns the comparison in which any change of an exact result is worse. */
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

    /** Returns the union of two comparisons. */
    public Comparison and(Comparison other) {
        List<RegressionFinding> all = new ArrayList<>(findings);
        all.addAll(other.findings);
        return new Comparison(all, notes).with(other.notes);
    }
}
