package org.reprobe.analysis.regress;

import java.util.Collection;

/** What is known of a metric of a cell, or of all of them. */
public enum RegressionVerdict {
    WORSE("worse"),
    /** Neither a difference nor its absence is sure enough. */
    CANT_TELL("can't tell"),
    BETTER("better"),
    /** Different, where different is neither good nor bad. */
    CHANGED("changed"),
    SAME("same");

    private final String word;

    RegressionVerdict(String word) {
        this.word = word;
    }

    /** The word used in tables and files. */
    public String word() {
        return word;
    }

    /** The first in the order above that occurs; {@link #SAME} for none. */
    public static RegressionVerdict worst(Collection<RegressionVerdict> verdicts) {
        return verdicts.stream().min(RegressionVerdict::compareTo).orElse(SAME);
    }
}
