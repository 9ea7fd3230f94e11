package org.reprobe.analysis.regress;

import java.util.List;

/**
 * What came out of comparing base and new.
 *
 * @param findings every metric compared
 * @param notes what the reader should know besides
 */
public record Comparison(List<Finding> findings, List<String> notes) {
    public Comparison {
        findings = List.copyOf(findings);
        notes = List.copyOf(notes);
    }

    /** The verdict on all: the worst of them; "can't tell" where nothing could be compared. */
    public Verdict verdict() {
        return findings.isEmpty()
                ? Verdict.CANT_TELL
                : Verdict.worst(findings.stream().map(Finding::verdict).toList());
    }

    /** How many findings have a verdict. */
    public long count(Verdict verdict) {
        return findings.stream().filter(finding -> finding.verdict() == verdict).count();
    }
}
