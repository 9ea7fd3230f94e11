package org.reprobe.plots;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.WholeFile;

/**
 * Draws a scenario's figures. The same measurements give the same bytes on every machine with the same JDK, fonts or
 * not.
 *
 * <p>A point is the mean over the repeats of a cell with its 95 % interval (Student's t), drawn where it is wider than
 * the marker; so is a latency percentile: the mean of the repeats' percentiles.
 */
public final class FigureWriter {

    /** Legend of points that have fewer runs than planned. */
    public static final String PARTIAL = FigurePainter.PARTIAL;

    private FigureWriter() {}

    /**
     * Writes NAME.svg, NAME.png, NAME.pdf and NAME.data.csv, the numbers in it. Each file is whole or not there.
     *
     * @param published the paper's values, drawn hollow where they belong
     * @param directory an existing directory
     * @return the files, in that order
     * @throws InvalidInputException when cells that differ would fall on one point
     * @throws FiguresUnavailableException when this Java can't draw
     */
    public static List<Path> write(
            FigureSpec spec, List<Measurement> measurements, PublishedPoints published, Path directory)
            throws IOException, InvalidInputException {
        return write(spec, measurements, Course.NONE, published, FigureLayout.FREE, directory);
    }

    /**
     * Writes NAME.svg, NAME.png, NAME.pdf and NAME.data.csv of a figure that may be over time.
     *
     * @param course what it shows then
     */
    public static List<Path> write(
            FigureSpec spec,
            List<Measurement> measurements,
            Course course,
            PublishedPoints published,
            FigureLayout layout,
            Path directory)
            throws IOException, InvalidInputException {
        FigureData data = data(spec, measurements, course, published);
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

    /**
     * The figure as an SVG document.
     *
     * @throws InvalidInputException when cells that differ would fall on one point
     * @throws FiguresUnavailableException when this Java can't draw
     */
    public static String svg(FigureSpec spec, List<Measurement> measurements, PublishedPoints published)
            throws IOException, InvalidInputException {
        return svg(spec, measurements, Course.NONE, published);
    }

    /**
     * A figure that may be over time as an SVG document.
     *
     * @param course what it shows then
     */
    public static String svg(FigureSpec spec, List<Measurement> measurements, Course course, PublishedPoints published)
            throws IOException, InvalidInputException {
        Drawing drawing = drawing(spec, data(spec, measurements, course, published), course, FigureLayout.FREE);
        try {
            return Canvas.svg(drawing, spec.title());
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }

    /**
     * An SVG document as a part of a page: without prologue, title (a label says the same, without a tooltip) and fixed
     * size.
     *
     * @param prefix of ids, which must differ between the figures of a page
     * @param label what a screen reader says
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
            FigureSpec spec, List<Measurement> measurements, Course course, PublishedPoints published)
            throws InvalidInputException {
        return FigureData.of(spec, spec.isOverTime() ? course.slices() : measurements, published);
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
