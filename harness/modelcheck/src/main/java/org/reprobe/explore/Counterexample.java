package org.reprobe.explore;

import java.util.List;
import org.reprobe.check.History;

/**
 * A schedule in which something goes wrong.
 *
 * @param wrong what
 * @param schedule its choices
 * @param switches how often another program's step comes while the last one's program could have gone on, and faults
 * @param steps everything that was chosen or had to happen
 * @param history what clients asked and were told
 * @param timeline all that happened, a column for each program
 * @param moments the same, line by line
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
