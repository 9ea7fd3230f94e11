package org.reprobe.plots.report;

import java.io.IOException;
import java.nio.file.Path;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Templates;

/** Writer of a report as one self-contained HTML file. */
public final class Report {

    private Report() {}

    /**
     * Writes the report into an existing directory, atomically.
     *
     * @throws org.reprobe.plots.FiguresUnavailableException if this Java cannot draw
     */
    public static void write(ReportInput input, Path htmlFile) throws IOException {
        WholeFile.write(htmlFile, html(input));
    }

    static String html(ReportInput input) throws IOException {
        return Templates.render("report.jte", Page.of(input));
    }
}
