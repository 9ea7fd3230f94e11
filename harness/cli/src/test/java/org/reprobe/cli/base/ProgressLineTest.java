package org.reprobe.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Progress with a clock that the test advances. */
class ProgressLineTest {
    private static final long SECOND = 1_000_000_000L;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long nowNs = 7;
    private int columns = 101;

    private ProgressLine line(ProgressLine.Form form) {
        return new ProgressLine(new PrintStream(bytes, true), form, () -> nowNs, () -> columns);
    }

    private String shown() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        bytes.reset();
        return text;
    }

    @Test
    void withoutTerminalProgressIsALinePerTenSecondsWithTheRemainingTime() {
        ProgressLine line = line(ProgressLine.Form.PLAIN);
        nowNs += 9 * SECOND;
        line.show(0.1, "1/10 runs", "cell");
        assertThat(shown()).isEmpty();
        nowNs += SECOND;
        line.show(0.25, "2/10 runs", "cell");
        assertThat(shown().strip()).isEqualTo("# 2/10 runs, 10 s, about 30 s left  cell");
        nowNs += SECOND;
        line.show(0.3, "3/10 runs", "cell");
        assertThat(shown()).isEmpty();
    }

    @Test
    void theLongerItTakesTheRarerThePlainLinesAre() {
        ProgressLine line = line(ProgressLine.Form.PLAIN);
        for (int second = 0; second < 600; second++) {
            nowNs += SECOND;
            line.show(0.5, "1/2 runs", "cell");
        }
        assertThat(shown().lines()).hasSizeBetween(12, 16);
    }

    @Test
    void nothingIsGuessedFromNothing() {
        ProgressLine line = line(ProgressLine.Form.PLAIN);
        nowNs += 10 * SECOND;
        line.show(0.01, "0/10 runs", "");
        assertThat(shown().strip()).isEqualTo("# 0/10 runs, 10 s");
        nowNs += 10 * SECOND;
        line.show(1, "10/10 runs", "");
        assertThat(shown().strip()).isEqualTo("# 10/10 runs, 20 s");
    }

    @Test
    void aTerminalsLineIsRewrittenTenTimesASecond() {
        ProgressLine line = line(ProgressLine.Form.TERMINAL);
        nowNs += SECOND / 20;
        line.show(0.5, "1/2 runs", "cell");
        assertThat(shown()).isEmpty();
        nowNs += SECOND;
        line.show(0.5, "1/2 runs", "x".repeat(200));
        assertThat(shown()).startsWith("1/2 runs, 1 s, about 1 s left  xxx").hasSize(100);
    }

    @Test
    void aTerminalHasARowForEachPartInProgressThatFitsIntoItsWidth() {
        ProgressLine line = line(ProgressLine.Form.TERMINAL);
        List<String> row = List.of("scenario with a long name " + "x".repeat(60), "2/6", "3 s", "about 4 s");
        nowNs += 10 * SECOND;
        line.show(0.5, "1/2 runs", "cell", List.of(row, row));
        assertThat(shown().lines())
                .hasSize(4)
                .contains("1/2 runs, 10 s, about 10 s left")
                .allMatch(text -> text.length() <= 100)
                .last()
                .asString()
                .startsWith("  scenario with a long name xx")
                .endsWith("...  2/6     3 s  about 4 s");
        columns = 50; // the window was resized
        nowNs += SECOND;
        line.show(0.5, "1/2 runs", "cell", Collections.nCopies(40, row));
        assertThat(shown().lines())
                .hasSize(8)
                .allMatch(text -> text.length() < 50)
                .last()
                .isEqualTo("  and 35 more");
        line.close();
        nowNs += SECOND;
        line.show(0.5, "1/2 runs", "cell", List.of(row));
        line.note("FAILED cell");
        assertThat(shown().strip()).isEqualTo("FAILED cell");
    }

    @Test
    void quietOutputContainsOnlyWarnings() {
        ProgressLine line = line(ProgressLine.Form.QUIET);
        nowNs += 100 * SECOND;
        line.show(0.5, "1/2 runs", "cell");
        line.info("a pair takes 3 s");
        assertThat(shown()).isEmpty();
        line.note("FAILED cell");
        assertThat(shown().strip()).isEqualTo("FAILED cell");
    }
}
