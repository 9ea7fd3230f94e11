package org.reprobe.analysis.foreign;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** A log of histograms in HdrHistogram's format, version 1: intervals, whose latencies are put together. */
public final class HistogramFile {
    private static final int DIGITS = 3;
    private static final int SHOWN = 60;

    private static final String NUMBER = "[0-9.eE+-]+[,\\s]+";
    private static final Pattern INTERVAL =
            Pattern.compile("(?:Tag=[^,\\s]*[,\\s]+)?" + NUMBER.repeat(3) + "([A-Za-z0-9+/=]+)");
    /** How the encoding of a histogram begins whose values are no whole numbers. */
    private static final String OF_FRACTIONS = "DHIST";

    private HistogramFile() {}

    /**
     * All latencies of a log in nanoseconds, those of all its intervals and tags.
     *
     * @param name by which complaints call it
     * @param unit of the recorded values
     * @throws UnusableOutputException when there are none, or a line is damaged
     */
    public static Histogram latencyNs(Path file, String name, Unit unit) throws UnusableOutputException, IOException {
        if (!Files.isRegularFile(file)) {
            throw new UnusableOutputException(name + " is not there");
        }
        Histogram all = new Histogram(DIGITS);
        List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1); // damage is told below
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#") || line.startsWith("\"StartTimestamp\"")) {
                continue;
            }
            try {
                add(interval(line), unit, all);
            } catch (DataFormatException | RuntimeException e) { // whatever the decoder stumbled over
                throw new UnusableOutputException(name + ":" + (i + 1)
                        + ": an interval of an HdrHistogram log is expected (start,length,max,histogram), but the line is \""
                        + (line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line) + "\"");
            }
        }
        if (all.getTotalCount() == 0) {
            throw new UnusableOutputException(
                    name + " has no latencies: an HdrHistogram log with at least one is expected");
        }
        return all;
    }

    private static EncodableHistogram interval(String line) throws DataFormatException {
        Matcher fields = INTERVAL.matcher(line);
        if (!fields.matches()) {
            throw new DataFormatException("no interval");
        }
        String encoded = fields.group(1);
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
            // The middle of what such a value may have been: its ends would add up to a bias.
            double middle = ((Histogram) interval).medianEquivalentValue(value.getValueIteratedTo());
            all.recordValueWithCount(Math.round(unit.toBase(middle)), value.getCountAddedInThisIterationStep());
        }
    }
}
