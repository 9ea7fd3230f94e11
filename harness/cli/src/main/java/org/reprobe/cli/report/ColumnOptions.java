package org.reprobe.cli.report;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.plots.FigureLayout;
import picocli.CommandLine.Option;

/** {@code --figure-width} and {@code --figure-font}: figures for a column of a paper. */
final class ColumnOptions {
    private static final double DEFAULT_FONT_PT = 8;

    @Option(
            names = "--figure-width",
            paramLabel = "WIDTH",
            converter = PaperLength.Width.class,
            description = "Draw the folder's figures for a column of a paper with this width, such as 84mm or 3.33in.")
    private @Nullable Double widthPt;

    @Option(
            names = "--figure-font",
            paramLabel = "SIZE",
            converter = PaperLength.Letters.class,
            description = "With --figure-width: font size at the axes (default: 8pt).")
    private @Nullable Double fontPt;

    @Option(
            names = "--figure-height",
            paramLabel = "HEIGHT",
            converter = PaperLength.Height.class,
            description =
                    "With --figure-width: height (default: to suit the content). Figures of several rows of panels"
                            + " may be higher.")
    private @Nullable Double heightPt;

    @Option(names = "--figure-serif", description = "With --figure-width: letters with serifs.")
    private boolean serif;

    FigureLayout layout(boolean oneFolder, List<Problem> problems) {
        if (widthPt == null) {
            problem(fontPt != null, "--figure-font", problems);
            problem(heightPt != null, "--figure-height", problems);
            problem(serif, "--figure-serif", problems);
            return FigureLayout.FREE;
        }
        if (!oneFolder) {
            problems.add(Problem.of("--figure-width", "only with one folder"));
            return FigureLayout.FREE;
        }
        double max = FigureLayout.maxFontPt(widthPt, heightPt);
        double letters = fontPt == null ? Math.min(DEFAULT_FONT_PT, max) : fontPt;
        if (letters > max) {
            problems.add(Problem.of(
                    "--figure-font",
                    String.format(
                            Locale.ROOT, "is too large for that size: at most %.1fpt", Math.floor(max * 10) / 10)));
            return FigureLayout.FREE;
        }
        return FigureLayout.ofColumn(widthPt, heightPt, letters, serif);
    }

    private static void problem(boolean given, String option, List<Problem> problems) {
        if (given) {
            problems.add(Problem.of(option, "needs --figure-width"));
        }
    }
}
