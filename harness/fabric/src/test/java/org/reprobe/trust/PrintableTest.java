package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void aTerminalGetsNoCode() {
        assertThat(Printable.line("\u001b[2Jgone\u0007\r\n\u009b1m\u202etxt.exe\u2066"))
                .isEqualTo("\\u001b[2Jgone\\u0007\\u000d\\u000a\\u009b1m\\u202etxt.exe\\u2066");
        assertThat(Printable.line("\ud800")).isEqualTo("\\ud800");
    }

    @Test
    void readableRunsAreKept() {
        assertThat(Printable.line("ä 5 µs ± 3 \t漢字 😀")).isEqualTo("ä 5 µs ± 3 \t漢字 😀");
        assertThat(Printable.lines("two\nlines\u001b")).isEqualTo("two\nlines\\u001b");
        assertThat(Printable.line("x".repeat(5_000))).hasSize(2_003).endsWith("...");
    }
}
