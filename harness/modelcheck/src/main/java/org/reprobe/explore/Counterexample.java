package org.reprobe.explore;

import java.util.List;
import org.reprobe.check.History;

/**
 * Failing schedule, with the number of switches (faults, and steps of another program while the last one's could have
 * continued) and the timeline as text and line by line.
 */
public record Counterexample(
        String wrong,
        Schedule schedule,
        int switches,
        int steps,
        History history,
        String timeline,
        List<TimelineEvent> moments) {
    public Counterexample {
        moments = List.copyOf(moments);
    }
}
