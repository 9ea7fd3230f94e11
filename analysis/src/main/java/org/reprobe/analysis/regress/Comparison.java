package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.List;

/**
 * What came out of comparing base and new.
 *
 * @param findings every metric compared
 * @param notes what the reader should know besides
 */
public record Comparison(List<Finding> findings, List<String> notes) implements Outcome {
    public Comparison {
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

    /** The verdict on all: the worst of them; "can't tell" where nothing could be compared. */
    @Override
    public Verdict verdict() {
        return findings.isEmpty()
                ? Verdict.CANT_TELL
                : Verdict.worst(findings.stream().map(Finding::verdict).toList());
    }

    @Override
    public List<Row> rows() {
        return findings.stream().map(Row::of).toList();
    }

    /** The same with more notes. */
    public Comparison with(List<String> moreNotes) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(moreNotes);
        return new Comparison(findings, all);
    }

    /** The same, but any change of a result that is compared exactly is for the worse. */
    public Comparison strict() {
        return new Comparison(
                findings.stream()
                        .map(finding -> finding.exact()
                                        && (finding.verdict() == Verdict.CHANGED || finding.verdict() == Verdict.BETTER)
                                ? finding.with(Verdict.WORSE)
                                : finding)
                        .toList(),
                notes);
    }

    /** Two comparisons in one. */
    public Comparison and(Comparison other) {
        List<Finding> all = new ArrayList<>(findings);
        all.addAll(other.findings);
        return new Comparison(all, notes).with(other.notes);
    }
}
