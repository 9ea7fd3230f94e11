package org.reprobe.plots;

import java.util.List;
import org.reprobe.analysis.measurement.Measurement;

/** Measurements for each slice of each run, with the slice's middle as key {@link FigureSpec#TIME}, and the faults. */
public record Course(List<Measurement> slices, List<Mark> marks) {
    /** No slices. */
    public static final Course NONE = new Course(List.of(), List.of());

    public Course {
        slices = List.copyOf(slices);
        marks = List.copyOf(marks);
    }

    /** Marked time, with a short label; {@code untilMs} is infinite if it does not end. */
    public record Mark(double fromMs, double untilMs, String words) {}
}
