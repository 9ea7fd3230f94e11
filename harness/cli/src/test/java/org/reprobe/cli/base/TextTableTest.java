package org.reprobe.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {
    private static TextTable table() {
        TextTable table = new TextTable("llr", "cell", "title", "runs");
        table.add("linear-variable,load-factor=0.5", "How full may a table be before lookups are slow?", "12");
        table.add("cuckoo", "Two places", "3");
        return table;
    }

    @Test
    void aRowIsALineWhateverItsTexts() {
        TextTable table = new TextTable("ll", "verdict", "cell");
        table.add("worse", "x\nverdict: same\r\ny");
        assertThat(table.toString().lines()).hasSize(2).last().asString().contains("x verdict: same y");
    }

    @Test
    void withoutATerminalNothingIsBroken() {
        assertThat(table().toString().lines()).hasSize(3);
        assertThat(table().fit(200)).isEqualTo(table().toString());
    }

    @Test
    void onANarrowTerminalTextIsBrokenAtBlanksAndCommasAndNumbersStayWhole() {
        assertThat(table().fit(50).lines())
                .containsExactly(
                        "cell                   title                  runs",
                        "linear-variable,       How full may a table     12",
                        "load-factor=0.5        be before lookups are",
                        "                       slow?",
                        "cuckoo                 Two places                3");
    }

    @Test
    void aTextThatMayBeShortenedStaysOneLine() {
        TextTable table = new TextTable("sr", "claim", "rate");
        table.add("variable-sized reads never perform worse", "12");
        assertThat(table.fit(30).lines())
                .containsExactly("claim                     rate", "variable-sized reads ...    12");
    }

    @Test
    void aTerminalThatIsFarTooNarrowGetsTheNarrowestTable() {
        assertThat(table().fit(10).lines()).allMatch(line -> line.length() <= 2 * 16 + 4 + 4);
        assertThat(table().fit(10)).contains("12").contains("linear-variable,");
    }
}
