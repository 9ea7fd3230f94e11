package org.reprobe.plots.report;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.PublishedPoints;

/**
 * Section of a report: one scenario.
 *
 * @param reproduces the paper and its part, "linear-probing/figure-7"
 * @param kind of its numbers
 * @param scenarioYaml the resolved scenario
 * @param command exact command that repeats it
 * @param measurements every run, including failed ones, which are listed and not drawn
 * @param drawn valid and failed runs by profiles drawn from the ranges of the card's constants
 * @param course data of figures over time
 * @param published the paper's values, drawn in the figures
 * @param files address of the folder of the figures' files, relative to the report: empty or ending with "/"; null
 *     without files
 * @param skipped cells that were not run
 * @param claims claims about this scenario
 */
public record ReportSection(
        String name,
        String title,
        List<String> reproduces,
        Kind kind,
        String scenarioYaml,
        String command,
        List<Measurement> measurements,
        List<Measurement> drawn,
        Course course,
        List<FigureSpec> figures,
        PublishedPoints published,
        @Nullable String files,
        List<SkippedCell> skipped,
        List<ClaimResult> claims) {

    public ReportSection {
        reproduces = List.copyOf(reproduces);
        measurements = List.copyOf(measurements);
        drawn = List.copyOf(drawn);
        figures = List.copyOf(figures);
        skipped = List.copyOf(skipped);
        claims = List.copyOf(claims);
    }

    /** Cell that was not run, with the reason in words. */
    public record SkippedCell(String cell, String reason) {}
}
