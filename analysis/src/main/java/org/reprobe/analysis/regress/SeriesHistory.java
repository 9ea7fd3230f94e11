package org.reprobe.analysis.regress;

import java.time.OffsetDateTime;
import java.util.List;
import org.reprobe.analysis.measurement.Kind;

/**
 * A metric of a cell over time, and where it changed.
 *
 * @param verdict on the newest level: worse where it is worse than any level since the first change that counts, or the one
 *     before it; a change that a note explains does not count
 * @param reason why nothing can be told; "" otherwise
 */
public record SeriesHistory(
        String scenario,
        String cell,
        String metric,
        Kind kind,
        Direction direction,
        List<Point> points,
        List<Change> changes,
        RegressionVerdict verdict,
        String reason) {

    public SeriesHistory {
        points = List.copyOf(points);
        changes = List.copyOf(changes);
    }

    /**
     * One result's value.
     *
     * @param commit in short
     */
    public record Point(OffsetDateTime when, String commit, double value) {}

    /**
     * A change.
     *
     * @param commit of the first result after it
     * @param lastBefore commit of the last result before it: the cause is between the two
     * @param recent whether it counts for the verdict
     * @param note what explains it; "" when nothing does
     */
    public record Change(
            ChangePoint point,
            OffsetDateTime when,
            String commit,
            String lastBefore,
            RegressionVerdict verdict,
            boolean recent,
            String note) {}

    /** Returns the same series, of which nothing can be told now. */
    SeriesHistory undecided(String because) {
        return new SeriesHistory(
                scenario, cell, metric, kind, direction, points, changes, RegressionVerdict.CANT_TELL, because);
    }

    /** {@code figure-07 linear-variable,load-factor=0.5}. */
    public String place() {
        return scenario + " " + cell;
    }
}
