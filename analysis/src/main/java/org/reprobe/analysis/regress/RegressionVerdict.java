package org.reprobe.analysis.regress;

import java.util.Collection;

public enum RegressionVerdict {
    WORSE("worse"),
    /** Neither a difference nor its absence is significant. */
    CANT_TELL("can't tell"),
    BETTER("better"),
    /** Different, neither better nor worse. */
    CHANGED("changed"),
    SAME("same");

    private final String word;

    RegressionVerdict(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }

    /** Returns the first occurring verdict in the order above; {@link #SAME} for none. */
    public static RegressionVerdict worst(Collection<RegressionVerdict> verdicts) {
        return verdicts.stream().min(RegressionVerdict::compareTo).orElse(SAME);
    }
}
