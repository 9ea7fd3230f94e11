package org.reprobe.plots.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.reprobe.analysis.claims.ClaimCount;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Templates;

/**
 * All results in a folder, newest first, as one HTML file beside them: a row for each, sorted and filtered in the page.
 * Chosen results are compared in it, by figures and by differences with intervals, and by commands, which name the
 * folder by {@code parent}.
 */
public record ResultsPage(String parent, List<Row> rows) {
    public ResultsPage {
        rows = List.copyOf(rows);
    }

    /**
     * Result folder.
     *
     * @param link to its report, relative to the page; empty without one
     * @param figure its picture, relative to the page; empty without one
     * @param kind measured or simulated
     * @param papers names of the papers whose claims were checked
     * @param card NIC profile
     * @param machine CPU, cores, memory and architecture
     * @param data of {@link RunData}; empty without
     * @param commit of the program, shortened, with a mark for uncommitted changes
     * @param started in universal time
     * @param state its status in words
     * @param whole true if it is complete and no run failed
     */
    public record Row(
            String folder,
            String link,
            String figure,
            String scenarios,
            String fabric,
            String kind,
            String papers,
            String card,
            String machine,
            String commit,
            String started,
            String state,
            boolean whole,
            ClaimCount claims,
            String data) {
        /** Returns the data for the page. */
        public String embeddedData() {
            return RunData.embedded(data);
        }
    }

    /** Returns what the results' data have in common, for the page. */
    public String shared() {
        return RunData.embedded(RunData.shared(
                rows.stream().map(Row::data).filter(data -> !data.isEmpty()).toList()));
    }

    public void write(Path file) throws IOException {
        WholeFile.write(file, Templates.render("results.jte", this));
    }
}
