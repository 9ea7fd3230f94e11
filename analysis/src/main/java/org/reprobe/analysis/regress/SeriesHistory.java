package org.reprobe.analysis.regress;

import java.time.OffsetDateTime;
import java.util.List;
import org.reprobe.analysis.measurement.Kind;

/**
 * Metric of a cell over time, with its changes. The verdict is worse if the newest level is worse than any level since
 * the first change that counts, or than the one before it. A change explained by a note does not count.
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

    public record Point(OffsetDateTime when, String commit, double value) {}

    /** Change between the commits of the results around it. It counts for the verdict if recent; a note explains it. */
    public record Change(
            ChangePoint point,
            OffsetDateTime when,
            String commit,
            String lastBefore,
            RegressionVerdict verdict,
            boolean recent,
            String note) {}

    SeriesHistory undecided(String because) {
        return new SeriesHistory(
                scenario, cell, metric, kind, direction, points, changes, RegressionVerdict.CANT_TELL, because);
    }

    /** Returns {@code figure-07 linear-variable,load-factor=0.5}. */
    public String place() {
        return scenario + " " + cell;
    }
}
