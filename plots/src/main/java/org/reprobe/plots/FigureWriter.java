package org.reprobe.plots;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
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

    /** Legend of points with fewer runs than planned. */
    public static final String PARTIAL = FigurePainter.PARTIAL;

    private FigureWriter() {}

    /**
     * Writes NAME.svg, NAME.png, NAME.pdf and NAME.data.csv, each atomically, and returns them in that order. Published
     * values are drawn hollow. Throws an {@link InvalidInputException} if different cells fall on one point, a
     * {@link FiguresUnavailableException} if this Java cannot draw.
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
        Drawing drawing = drawing(spec, data, course, layout);
        Path svg = directory.resolve(spec.name() + ".svg");
        Path png = directory.resolve(spec.name() + ".png");
        Path pdf = directory.resolve(spec.name() + ".pdf");
        Path csv = directory.resolve(spec.name() + ".data.csv");
        try {
            String svgText = Canvas.svg(drawing, spec.title());
            byte[] pngBytes = Canvas.png(drawing);
            byte[] pdfBytes = Canvas.pdf(drawing, spec.title());
            WholeFile.write(svg, svgText);
            WholeFile.write(png, pngBytes);
            WholeFile.write(pdf, pdfBytes);
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
        WholeFile.write(csv, FigureCsv.text(spec, data));
        return List.of(svg, png, pdf, csv);
    }

    /** Returns the figure as an SVG document, with the exceptions of {@link #write}. */
    public static String svg(FigureSpec spec, List<Measurement> measurements, PublishedPoints published)
            throws IOException, InvalidInputException {
        return svg(spec, measurements, List.of(), Course.NONE, published);
    }

    /** Returns a figure that may be over time as an SVG document. */
    public static String svg(
            FigureSpec spec,
            List<Measurement> measurements,
            List<Measurement> drawn,
            Course course,
            PublishedPoints published)
            throws IOException, InvalidInputException {
        Drawing drawing = drawing(spec, data(spec, measurements, drawn, course, published), course, FigureLayout.FREE);
        try {
            return Canvas.svg(drawing, spec.title());
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }

    /**
     * Returns an SVG document as a part of a page: without prologue, title and fixed size, but with an accessible
     * label, which has no tooltip. Its ids begin with {@code prefix}, since ids must be unique in a page.
     */
    public static String inline(String svg, String prefix, String label) {
        return svg.substring(svg.indexOf("<svg "))
                .replaceFirst("(?s)<title>.*?</title>\\s*", "")
                .replaceFirst(" width=\"\\d+\"", "")
                .replaceFirst(" height=\"\\d+\"", "")
                .replaceFirst(
                        "<svg ",
                        "<svg role=\"img\" aria-label=\"" + Matcher.quoteReplacement(Canvas.escaped(label)) + "\" ")
                .replace(" id=\"", " id=\"" + prefix)
                .replace("url(#", "url(#" + prefix);
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

    private static Drawing drawing(FigureSpec spec, FigureData data, Course course, FigureLayout layout)
            throws IOException {
        try {
            return new FigurePainter(spec, data, spec.isOverTime() ? course.marks() : List.of(), layout, Fonts.load())
                    .drawing();
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }
}
