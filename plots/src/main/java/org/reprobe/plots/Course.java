package org.reprobe.plots;

import java.util.List;
import org.reprobe.analysis.measurement.Measurement;

/**
 * What figures over time show.
 *
 * @param slices a measurement for each slice of each run, whose cell has the slice's middle as {@link FigureSpec#TIME}
 * @param marks what went wrong, and when
 */
public record Course(List<Measurement> slices, List<Mark> marks) {
    /** Of runs of which no slices were kept. */
    public static final Course NONE = new Course(List.of(), List.of());

    public Course {
        slices = List.copyOf(slices);
        marks = List.copyOf(marks);
    }

    /**
     * A time that a figure marks.
     *
     * @param fromMs where it begins
     * @param untilMs where it ends; infinity for not at all
     * @param words a few, to stand beside it
     */
    public record Mark(double fromMs, double untilMs, String words) {}
}
