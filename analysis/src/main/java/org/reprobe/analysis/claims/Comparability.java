package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.measurement.Cell;

/** Whether runs had the settings that the claims about them presume. */
@FunctionalInterface
public interface Comparability {
    /** Runs of which nothing else is known than their measurements. */
    Comparability PRESUMED = (_, _, _) -> List.of();

    /**
     * What sets a cell's runs apart from those that the claims speak of, in words: "nic connectx6-200g instead of
     * connectx5-edr". Empty when a metric of theirs can be held against a paper.
     */
    List<String> differences(String scenario, Cell cell, String metric);
}
