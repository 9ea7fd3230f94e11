package org.reprobe.scenario;

import java.util.List;
import java.util.Map;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.Settings;

/**
 * A scenario file, checked, for one scale.
 *
 * @param name the file's name without extension
 * @param title for people
 * @param reproduces what of which paper, "linear-probing/figure-7"
 * @param cells the product of its sweep
 * @param figures what to draw
 * @param resolvedYaml the scenario with every default, override and scale rule filled in; reading it again gives the
 *     same cells
 * @param skipped the cells that the file leaves out because they can't exist
 */
public record Scenario(
        String name,
        String title,
        List<String> reproduces,
        List<PlannedCell> cells,
        List<FigureSpec> figures,
        String resolvedYaml,
        List<Cell> skipped) {

    public Scenario {
        reproduces = List.copyOf(reproduces);
        cells = List.copyOf(cells);
        figures = List.copyOf(figures);
        skipped = List.copyOf(skipped);
    }

    /**
     * One cell and all its settings.
     *
     * @param shown the cell, with the settings that rules make different between the cells of the scenario
     * @param values of the keys that its scheme reads, by dotted name
     */
    public record PlannedCell(Cell cell, Settings settings, Cell shown, Map<String, Object> values) {}
}
