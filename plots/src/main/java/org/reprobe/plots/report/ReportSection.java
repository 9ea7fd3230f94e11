package org.reprobe.plots.report;

import java.util.List;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.plots.Course;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.PublishedPoints;

/**
 * One scenario of a report.
 *
 * @param name the scenario's name
 * @param title for people
 * @param reproduces what of which paper, "linear-probing/figure-7"
 * @param kind what its numbers are
 * @param scenarioYaml the resolved scenario
 * @param command the exact command that runs it again
 * @param measurements every run, the failed ones too; those are listed and not drawn
 * @param course what figures over time show
 * @param figures to draw
 * @param published the paper's values, drawn in the figures
 * @param skipped cells that were not run
 * @param claims those that speak of this scenario
 */
public record ReportSection(
        String name,
        String title,
        List<String> reproduces,
        Kind kind,
        String scenarioYaml,
        String command,
        List<Measurement> measurements,
        Course course,
        List<FigureSpec> figures,
        PublishedPoints published,
        List<SkippedCell> skipped,
        List<ClaimResult> claims) {

    public ReportSection {
        reproduces = List.copyOf(reproduces);
        measurements = List.copyOf(measurements);
        figures = List.copyOf(figures);
        skipped = List.copyOf(skipped);
        claims = List.copyOf(claims);
    }

    /**
     * A cell that was not run.
     *
     * @param cell its label
     * @param reason why, in the user's words
     */
    public record SkippedCell(String cell, String reason) {}
}
