package org.reprobe.plots.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Templates;

/**
 * All results that a folder has, as one HTML file beside them: a row for each, sorted and filtered in the page, and the commands that compare two.
 *
 * @param parent the folder's name, for commands
 * @param rows newest first
 */
public record ResultsPage(String parent, List<Row> rows) {
    public ResultsPage {
        rows = List.copyOf(rows);
    }

    /**
     * A result folder.
     *
     * @param folder its name
     * @param link to its report, relative to the page; empty when it has none
     * @param figure a picture of it, relative to the page; empty for none
     * @param scenarios names
     * @param kind whether its numbers are measured or simulated
     * @param commit of the program, shortened, with a word on uncommitted changes
     * @param started when, in universal time
     * @param state its status in words
     * @param whole true if it is complete and no run failed
     * @param judged claims that were
     */
    public record Row(
            String folder,
            String link,
            String figure,
            String scenarios,
            String fabric,
            String kind,
            String commit,
            String started,
            String state,
            boolean whole,
            int held,
            int missed,
            int judged) {}

    /** Writes it. */
    public void write(Path file) throws IOException {
        WholeFile.write(file, Templates.render("results.jte", this));
    }
}
