package org.reprobe.analysis.foreign;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** Reader of histogram logs in HdrHistogram's format, version 1; latencies of all intervals are merged. */
public final class HistogramFile {
    private static final int DIGITS = 3;
    private static final int SHOWN = 60;

    /** Start of the line with the columns' titles. */
    private static final String TITLES = "\"StartTimestamp\"";

    private static final String NUMBER = "[0-9.eE+-]+[,\\s]+";
    private static final Pattern INTERVAL =
            Pattern.compile("(?:Tag=([^,\\s]*)[,\\s]+)?" + NUMBER.repeat(3) + "([A-Za-z0-9+/=]+)");
    /** Start of the encoding of a histogram whose values are not integers. */
    private static final String OF_FRACTIONS = "DHIST";

    private HistogramFile() {}

    /**
     * Returns all latencies of a log, called {@code name} in messages, in nanoseconds, of all its intervals and tags.
     * Throws an {@link UnusableOutputException} if there are none, or a line is damaged.
     */
    public static Histogram latencyNs(Path file, String name, Unit unit) throws UnusableOutputException, IOException {
        if (!Files.isRegularFile(file)) {
            throw new UnusableOutputException(name + " does not exist");
        }
        Histogram all = empty();
        int number = 0;
        // Latin-1 accepts any byte; a damaged line is reported below.
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                addLine(line, unit, _ -> all);
            }
        } catch (UnusableOutputException e) {
            throw new UnusableOutputException(name, number, e.reason());
        }
        if (all.getTotalCount() == 0) {
            throw new UnusableOutputException(
                    name + " has no latencies: an HdrHistogram log with at least one is expected");
        }
        return all;
    }

    static Histogram empty() {
        return new Histogram(DIGITS);
    }

    /** Returns true if a text begins as logs do: with a header line or an interval. */
    static boolean isLog(ForeignText file) {
        String first = file.lines().stream()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse("")
                .strip();
        String values = file.lines().stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .findFirst()
                .orElse("");
        return first.startsWith("#[Histogram log format version")
                || values.startsWith(TITLES)
                || INTERVAL.matcher(values.strip()).matches();
    }

    /** Adds a line's latencies in ns to the histogram of its tag, "" without one; comments and titles have none. */
    static void addLine(String text, Unit unit, Function<String, Histogram> into) throws UnusableOutputException {
        String line = text.strip();
        if (line.isEmpty() || line.startsWith("#") || line.startsWith(TITLES)) {
            return;
        }
        Matcher fields = INTERVAL.matcher(line);
        try {
            if (!fields.matches()) {
                throw new DataFormatException("no interval");
            }
            String tag = fields.group(1);
            add(histogram(fields.group(2)), unit, into.apply(tag == null ? "" : tag));
        } catch (DataFormatException | RuntimeException e) { // whatever the decoder stumbled over
            throw new UnusableOutputException(
                    "an interval of an HdrHistogram log is expected (start,length,max,histogram), but the line is \""
                            + (line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line) + "\"");
        }
    }

    private static EncodableHistogram histogram(String encoded) throws DataFormatException {
        ByteBuffer compressed = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
        return encoded.startsWith(OF_FRACTIONS)
                ? DoubleHistogram.decodeFromCompressedByteBuffer(compressed, 0)
                : Histogram.decodeFromCompressedByteBuffer(compressed, 0);
    }

    private static void add(EncodableHistogram interval, Unit unit, Histogram all) {
        if (interval instanceof DoubleHistogram real) {
            real.recordedValues()
                    .forEach(value -> all.recordValueWithCount(
                            Math.round(unit.toBase(value.getValueIteratedTo())),
                            value.getCountAddedInThisIterationStep()));
            return;
        }
        for (HistogramIterationValue value : ((Histogram) interval).recordedValues()) {
            // The middle of the values that fall into the bucket: its ends would add up to a bias.
            double middle = ((Histogram) interval).medianEquivalentValue(value.getValueIteratedTo());
            all.recordValueWithCount(Math.round(unit.toBase(middle)), value.getCountAddedInThisIterationStep());
        }
    }
}
