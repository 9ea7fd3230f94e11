package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.Problem;
import org.reprobe.trust.PrintableOutput;

class HighlightingTest {
    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

    private PrintStream to(String colour) {
        System.setProperty("reprobe.colour", colour);
        PrintStream raw = new PrintStream(terminal, true, StandardCharsets.UTF_8);
        return PrintableOutput.to(Highlighting.of(raw, "err"));
    }

    private String seen() {
        return terminal.toString(StandardCharsets.UTF_8);
    }

    @AfterEach
    void forget() {
        System.clearProperty("reprobe.colour");
    }

    @Test
    void theMistakesPlaceAndItsCaretStandOut() {
        to("out,err").println(new Problem("my.yaml", 2, 5, "no such key", "  lod: 1"));
        assertThat(seen())
                .isEqualTo(
                        "\u001b[1mmy.yaml:2:5\u001b[0m: no such key\n    2 |   lod: 1\n      |     \u001b[1;31m^\u001b[0m\n");
    }

    @Test
    void missedClaimsAreRed() {
        assertThat(Highlighting.coloured("Claims: 3 of 4 hold, 1 missed")).contains("\u001b[1;31m1 missed\u001b[0m");
        assertThat(Highlighting.coloured("Claims: 4 of 4 hold, 0 missed")).doesNotContain("\u001b");
    }

    @Test
    void anotherStreamAndAPlainTerminalGetNoCodes() {
        to("out").println("FAILED a run");
        to("").println("FAILED a run");
        assertThat(seen()).isEqualTo("FAILED a run\nFAILED a run\n");
    }

    @Test
    void codesInTextAreStillMadeHarmless() {
        to("err").println("FAILED \u001b[2J");
        assertThat(seen()).startsWith("\u001b[1;31mFAILED\u001b[0m ").doesNotContain("\u001b[2J");
    }

    @Test
    void aQuestionIsSeenBeforeItsLineEnds() {
        PrintStream out = to("err");
        out.print("token: ");
        out.flush();
        assertThat(seen()).isEqualTo("token: ");
    }
}
