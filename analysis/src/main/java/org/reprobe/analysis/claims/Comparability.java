package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.measurement.Cell;

/** Comparison of runs' settings with those that claims presume. */
@FunctionalInterface
public interface Comparability {
    /** Accepts all runs, for measurements whose settings are unknown. */
    Comparability PRESUMED = (_, _, _) -> List.of();

    /** Returns the differences of a cell's settings from those that its claims presume, in words; empty for none. */
    List<String> differences(String scenario, Cell cell, String metric);
}
