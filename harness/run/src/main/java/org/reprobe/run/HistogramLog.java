package org.reprobe.run;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.reprobe.analysis.document.InvalidInputException;

/**
 * {@code histograms.hlog}: every run's latencies in ns in the HdrHistogram log format, one line per run, with the tag
 * {@code scenario/cell/repeat}. Time stamps are zero, so that the same run gives the same line.
 */
final class HistogramLog {
    static final String NAME = "histograms.hlog";
    private static final double NS_PER_MS = 1e6;

    private HistogramLog() {}

    /** Returns the lines before the first histogram; the last column is in ms, the histograms are in ns. */
    static String header() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        writer.outputComment("[Lookup latencies in ns, logged by Reprobe; Interval_Max in ms]");
        writer.outputLogFormatVersion();
        writer.outputLegend();
        return bytes.toString(StandardCharsets.UTF_8).strip() + "\n";
    }

    /** Returns a run's tag, without commas, which would end it. */
    static String tag(RunPlan.Unit unit) {
        return (unit.scenario().name() + "/" + unit.planned().cell().label() + "/" + unit.repeat())
                .replaceAll("[,\\s]+", ";");
    }

    static String line(String tag, Histogram latencyNs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        latencyNs.setTag(tag);
        writer.outputIntervalHistogram(0, 0, latencyNs, NS_PER_MS);
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Returns the lines by tag, including newlines. An incomplete last line is omitted. */
    static Map<String, String> read(Path file) throws IOException, InvalidInputException {
        Map<String, String> lines = new LinkedHashMap<>();
        if (Files.exists(file)) {
            String text;
            try {
                text = Files.readString(file);
            } catch (CharacterCodingException e) {
                throw new InvalidInputException(
                        file, "is damaged: not UTF-8 text; without it, percentiles can't be drawn");
            }
            int start = 0;
            for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
                String line = text.substring(start, end + 1);
                if (line.startsWith("Tag=") && line.indexOf(',') > 0) {
                    lines.put(line.substring("Tag=".length(), line.indexOf(',')), line);
                }
                start = end + 1;
            }
        }
        return lines;
    }

    /** Appends to a file; a failed write is undone. */
    static void append(FileChannel channel, String text) throws IOException {
        long start = channel.size();
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        try {
            long at = start;
            while (bytes.hasRemaining()) {
                at += channel.write(bytes, at);
            }
        } catch (IOException e) {
            try {
                channel.truncate(start);
            } catch (IOException undo) {
                e.addSuppressed(undo);
            }
            throw e;
        }
    }

    static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }
}
