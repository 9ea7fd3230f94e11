package org.reprobe.trust;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableOutputTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final PrintStream out = PrintableOutput.to(new PrintStream(shown, true, StandardCharsets.UTF_8));

    private String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }

    @Test
    void terminalControlCharactersAreEscaped() {
        out.println("a\u001b]0;title\u0007b\rc\u009bd\u202ee");
        assertThat(shown()).isEqualTo("a\\u001b]0;title\\u0007b\\u000dc\\u009bd\\u202ee\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain\ttext\nof lines\n", "µs ± é 中文 \ud83d\ude00\n", "\ufffd replaced\n", ""})
    void textIsShownAsItIs(String text) {
        out.print(text);
        out.flush();
        assertThat(shown()).isEqualTo(text);
    }

    @Test
    void bytesThatAreNoUtf8ArePassedOnUnlessTheyControl() {
        byte[] bytes = {'a', (byte) 0xe9, 'b', (byte) 0x9b, 'c', (byte) 0xe4, (byte) 0x9b, 'd'};
        out.write(bytes, 0, bytes.length);
        out.flush();
        assertThat(shown.toByteArray())
                .startsWith((byte) 'a', (byte) 0xe9, (byte) 'b', (byte) '\\', (byte) 'u')
                .doesNotContain((byte) 0x9b);
    }
}
