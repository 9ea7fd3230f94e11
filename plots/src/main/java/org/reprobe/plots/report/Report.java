package org.reprobe.plots.report;

import java.io.IOException;
import java.nio.file.Path;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Templates;

/** Writes a report as one HTML file: no script, style, font or image from elsewhere. */
public final class Report {

    private Report() {}

    /**
     * Writes the report. The file is whole or, when this fails, as it was before.
     *
     * @param htmlFile in an existing directory
     * @throws org.reprobe.plots.FiguresUnavailableException when this Java can't draw
     */
    public static void write(ReportInput input, Path htmlFile) throws IOException {
        WholeFile.write(htmlFile, html(input));
    }

    static String html(ReportInput input) throws IOException {
        return Templates.render("report.jte", Page.of(input));
    }
}
