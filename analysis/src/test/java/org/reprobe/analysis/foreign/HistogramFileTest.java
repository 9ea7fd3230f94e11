package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistogramFileTest {
    private static final double ACCURACY = 0.002;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void percentilesAreThoseOfAllIntervalsTogether() throws Exception {
        Histogram fast = new Histogram(3);
        fast.recordValueWithCount(10, 900);
        Histogram slow = new Histogram(3);
        slow.recordValueWithCount(2_000, 99);
        slow.recordValue(70_000);
        slow.setTag("writes");
        Path log = log(fast, slow);

        Histogram all = HistogramFile.latencyNs(log, "log", Unit.of("us"));

        assertThat(all.getTotalCount()).isEqualTo(1_000);
        assertThat((double) all.getValueAtPercentile(50)).isCloseTo(10e3, within(10e3 * ACCURACY));
        assertThat((double) all.getValueAtPercentile(99)).isCloseTo(2e6, within(2e6 * ACCURACY));
        assertThat((double) all.getMaxValue()).isCloseTo(70e6, within(70e6 * ACCURACY));
    }

    @Test
    void histogramsOfFractionsAreReadToo() throws Exception {
        DoubleHistogram seconds = new DoubleHistogram(3);
        seconds.recordValueWithCount(0.0015, 10);

        Histogram all = HistogramFile.latencyNs(log(seconds), "log", Unit.of("s"));

        assertThat(all.getTotalCount()).isEqualTo(10);
        assertThat(all.getMean()).isCloseTo(1.5e6, within(1.5e6 * ACCURACY));
    }

    @Test
    void aDamagedIntervalIsReportedWithItsLine() throws Exception {
        Histogram one = new Histogram(3);
        one.recordValue(5);
        Path log = log(one);
        String text = Files.readString(log);
        Files.writeString(log, text + text.lines().toList().getLast().substring(0, 40) + "\n");

        assertThatThrownBy(() -> HistogramFile.latencyNs(log, "log", Unit.of("ns")))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessageStartingWith(
                        "log:" + (text.lines().count() + 1) + ": an interval of an HdrHistogram log is expected");
        Files.writeString(log, "p50 = 3 us\n");
        assertThatThrownBy(() -> HistogramFile.latencyNs(log, "log", Unit.of("ns")))
                .hasMessageStartingWith("log:1: an interval")
                .hasMessageEndingWith("\"p50 = 3 us\"");
    }

    @Test
    void aLogWithoutLatenciesIsReported() throws Exception {
        assertThatThrownBy(() -> HistogramFile.latencyNs(log(new Histogram(3)), "log", Unit.of("ns")))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessageStartingWith("log has no latencies");
        assertThatThrownBy(() -> HistogramFile.latencyNs(dir.resolve("none"), "none", Unit.of("ns")))
                .hasMessage("none does not exist");
    }

    private Path log(EncodableHistogram... intervals) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        writer.outputComment("[another program's]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(0);
        writer.outputLegend();
        double at = 0;
        for (EncodableHistogram interval : intervals) {
            writer.outputIntervalHistogram(at, at + 1, interval, 1);
            at++;
        }
        return Files.write(dir.resolve("latencies.hlog"), bytes.toByteArray());
    }
}
