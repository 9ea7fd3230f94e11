package org.reprobe.plots;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;

/**
 * Draws a scenario's figures. The same measurements give the same bytes on every machine with the same JDK, fonts or
 * not.
 *
 * <p>A point is the mean over the repeats of a cell with its 95 % interval (Student's t), drawn where it is wider than
 * the marker; a latency percentile is the median of the repeats' percentiles, without an interval.
 */
public final class FigureWriter {

    private FigureWriter() {}

    /**
     * Writes NAME.svg and NAME.png. Each file is whole or not there.
     *
     * @param published the paper's values, drawn hollow where they belong
     * @param directory an existing directory
     * @return the two files, SVG first
     * @throws InvalidInputException when cells that differ would fall on one point
     * @throws FiguresUnavailableException when this Java can't draw
     */
    public static List<Path> write(
            FigureSpec spec, List<Measurement> measurements, PublishedPoints published, Path directory)
            throws IOException, InvalidInputException {
        FigurePainter painter = painter(spec, measurements, published);
        Path svg = directory.resolve(spec.name() + ".svg");
        Path png = directory.resolve(spec.name() + ".png");
        try {
            byte[] svgBytes = Canvas.svg(painter, spec.title()).getBytes(StandardCharsets.UTF_8);
            byte[] pngBytes = Canvas.png(painter);
            replace(svg, svgBytes);
            replace(png, pngBytes);
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
        return List.of(svg, png);
    }

    /**
     * The figure as an SVG document.
     *
     * @throws InvalidInputException when cells that differ would fall on one point
     * @throws FiguresUnavailableException when this Java can't draw
     */
    public static String svg(FigureSpec spec, List<Measurement> measurements, PublishedPoints published)
            throws IOException, InvalidInputException {
        FigurePainter painter = painter(spec, measurements, published);
        try {
            return Canvas.svg(painter, spec.title());
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }

    private static FigurePainter painter(FigureSpec spec, List<Measurement> measurements, PublishedPoints published)
            throws IOException, InvalidInputException {
        FigureData data = FigureData.of(spec, measurements, published);
        try {
            return new FigurePainter(spec, data, Fonts.load());
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }

    /** Writes beside the target, then moves over it: a reader never sees half a file. */
    public static void replace(Path file, byte[] bytes) throws IOException {
        // Not createTempFile: its files are readable by their owner alone, and stay so when moved.
        Path temporary = file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        try {
            try (OutputStream out = Files.newOutputStream(temporary)) {
                out.write(bytes);
            }
            try {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
