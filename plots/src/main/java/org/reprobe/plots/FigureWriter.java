package org.reprobe.plots;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.WholeFile;

/**
 * Writer of a scenario's figures. Equal measurements give equal bytes on every machine with the same JDK, whatever its
 * fonts.
 *
 * <p>A point is the mean over the repeats of a cell with its 95 % interval (Student's t), drawn if wider than the
 * marker; a latency percentile is the mean of the repeats' percentiles.
 */
public final class FigureWriter {

    /** Width up to which a figure fits beside its claims. */
    private static final int MAX_BESIDE = 700;

    private FigureWriter() {}

    /**
     * Writes NAME.svg, NAME.png, NAME.pdf, NAME.data.csv and NAME.tex, each atomically, and returns them in that order.
     * Published values are drawn hollow. Throws an {@link InvalidInputException} if different cells fall on one point,
     * a {@link FiguresUnavailableException} if this Java cannot draw.
     */
    public static List<Path> write(
            FigureSpec spec, List<Measurement> measurements, PublishedPoints published, Path directory)
            throws IOException, InvalidInputException {
        return write(spec, measurements, List.of(), Course.NONE, published, FigureLayout.FREE, directory);
    }

    /**
     * Writes a figure that may be over time or have intervals over {@code drawn} profiles, like
     * {@link #write(FigureSpec, List, PublishedPoints, Path)}.
     */
    public static List<Path> write(
            FigureSpec spec,
            List<Measurement> measurements,
            List<Measurement> drawn,
            Course course,
            PublishedPoints published,
            FigureLayout layout,
            Path directory)
            throws IOException, InvalidInputException {
        FigureData data = data(spec, measurements, drawn, course, published);
        Drawing drawing = painter(spec, data, course, layout).drawing();
        Path svg = directory.resolve(spec.name() + ".svg");
        Path png = directory.resolve(spec.name() + ".png");
        Path pdf = directory.resolve(spec.name() + ".pdf");
        Path csv = directory.resolve(spec.name() + ".data.csv");
        Path tex = directory.resolve(spec.name() + ".tex");
        try {
            String svgText = SvgText.document(drawing, spec.title());
            byte[] pngBytes = Canvas.png(drawing);
            byte[] pdfBytes = Canvas.pdf(drawing, spec.title());
            WholeFile.write(svg, svgText);
            WholeFile.write(png, pngBytes);
            WholeFile.write(pdf, pdfBytes);
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
        WholeFile.write(csv, FigureCsv.text(spec, data));
        WholeFile.write(tex, PgfPlots.text(spec, data, painter(spec, data, course, PgfPlots.layout(layout))));
        return List.of(svg, png, pdf, csv, tex);
    }

    /** Returns the figure as an SVG document, with the exceptions of {@link #write}. */
    static String svg(FigureSpec spec, List<Measurement> measurements, PublishedPoints published)
            throws IOException, InvalidInputException {
        return svg(spec, measurements, List.of(), Course.NONE, published);
    }

    /** Returns a figure that may be over time as an SVG document, with the exceptions of {@link #write}. */
    public static String svg(
            FigureSpec spec,
            List<Measurement> measurements,
            List<Measurement> drawn,
            Course course,
            PublishedPoints published)
            throws IOException, InvalidInputException {
        FigureData data = data(spec, measurements, drawn, course, published);
        return SvgText.document(painter(spec, data, course, FigureLayout.FREE).drawing(), spec.title());
    }

    /**
     * Returns a figure as a part of a page, as SVG for wide and for narrow pages, whose ids begin with {@code prefix};
     * exceptions are those of {@link #write}.
     */
    public static PageFigure inPage(
            FigureSpec spec,
            List<Measurement> measurements,
            List<Measurement> drawn,
            Course course,
            PublishedPoints published,
            String prefix)
            throws IOException, InvalidInputException {
        FigureData data = data(spec, measurements, drawn, course, published);
        FigurePainter wide = painter(spec, data, course, FigureLayout.FREE);
        Drawing drawing = wide.drawing();
        Drawing narrow = painter(spec, data, course, FigureLayout.NARROW).drawing();
        String label = alternative(spec);
        return new PageFigure(
                SvgText.inline(drawing, prefix, label, "plot wide")
                        + SvgText.inline(narrow, prefix + "narrow-", label, "plot narrow"),
                "<svg viewBox=\"" + wide.area() + "\" fill=\"none\" aria-hidden=\"true\"><use href=\"#" + prefix
                        + "plots\"/></svg>",
                wide.reading(),
                drawing.width() > MAX_BESIDE);
    }

    private static String alternative(FigureSpec spec) {
        String series = spec.series().isEmpty() ? "" : ", by " + String.join(" and ", spec.series());
        String panels = spec.panels().isEmpty() ? "" : ", one panel for each " + spec.panels();
        return spec.title() + ". " + (spec.shape() == FigureSpec.Shape.BAR ? "Bars: " : "Lines: ")
                + spec.y().axis() + " against " + Labels.axis(spec.x()).toLowerCase(Locale.ROOT) + series + panels
                + ".";
    }

    private static FigureData data(
            FigureSpec spec,
            List<Measurement> measurements,
            List<Measurement> drawn,
            Course course,
            PublishedPoints published)
            throws InvalidInputException {
        return spec.isOverTime()
                ? FigureData.of(spec, course.slices(), List.of(), published)
                : FigureData.of(spec, measurements, drawn, published);
    }

    private static FigurePainter painter(FigureSpec spec, FigureData data, Course course, FigureLayout layout)
            throws IOException {
        try {
            return new FigurePainter(
                    spec, data, spec.isOverTime() ? course.marks() : List.of(), layout, Fonts.load(layout.serif()));
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }
}
