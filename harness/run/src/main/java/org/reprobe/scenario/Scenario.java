package org.reprobe.scenario;

import java.util.List;
import java.util.Map;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.Settings;

/**
 * A checked scenario file at one scale.
 *
 * @param reproduces paper and figure or table, as "linear-probing/figure-7"
 * @param resolved the scenario with every default, override and scale rule filled in; reading it again gives the same
 *     cells
 * @param skipped impossible cells that the file excludes
 */
public record Scenario(
        String name,
        String title,
        List<String> reproduces,
        List<PlannedCell> cells,
        List<FigureSpec> figures,
        ResolvedYaml resolved,
        List<Cell> skipped) {

    public Scenario {
        reproduces = List.copyOf(reproduces);
        cells = List.copyOf(cells);
        figures = List.copyOf(figures);
        skipped = List.copyOf(skipped);
    }

    public String resolvedYaml() {
        return resolved.text();
    }

    /** One cell and all its settings; {@code shown} also has the settings that rules make different between cells. */
    public record PlannedCell(Cell cell, Settings settings, Cell shown, Map<String, Object> values) {}
}
