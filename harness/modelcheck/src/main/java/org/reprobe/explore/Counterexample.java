package org.reprobe.explore;

import java.util.List;
import org.reprobe.check.History;

/**
 * Failing schedule, with its number of switches, and with the timeline as text and line by line. A switch is a fault,
 * or a step of another program while the last one could have continued.
 */
public record Counterexample(
        String violation,
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
