package org.reprobe.analysis.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.analysis.measurement.Cell;
import tools.jackson.databind.JsonNode;

class ParameterTest {
    private static final String[] TEXTS = {
        "1",
        "1.0",
        "1.00",
        "01",
        "+1",
        "-1",
        "0",
        "-0",
        "0.0",
        "-0.0",
        "0x1",
        "0o1",
        "1e0",
        "1E0",
        "3.1",
        "3.10",
        "010",
        "10",
        "1e3",
        "1000",
        "1000.0",
        "1E-7",
        "0.0000001",
        "1.0E-7",
        "0.0001",
        "1.0E-4",
        "12345e2",
        "1234500",
        "18446744073709551615",
        "9223372036854775807",
        "9223372036854775808",
        "9007199254740993",
        "9007199254740992",
        "9007199254740993.5",
        "0.1",
        "0.10000000000000001",
        "1e400",
        ".5",
        "0.5",
        "5.",
        ".inf",
        ".nan",
        "true",
        "True",
        "TRUE",
        "false",
        "yes",
        "1_000",
        "12:30:45",
        "2026-11-30",
        "64K",
        "a b",
        "'"
    };

    @Test
    void valuesAreEqualOnlyWhereTextsAre() {
        Map<Object, String> texts = new LinkedHashMap<>();
        Map<String, String> labels = new LinkedHashMap<>();
        for (String text : TEXTS) {
            Cell cell = new Cell(Map.of("command.parameters.v", Parameter.value(text)));
            Object value = Objects.requireNonNull(cell.get("command.parameters.v"));

            assertThat(Parameter.text(value)).isEqualTo(text);
            assertThat(cell.label()).isEqualTo("v=" + text);
            assertThat(texts.put(Objects.requireNonNull(Cell.canonical(value)), text))
                    .isNull();
            assertThat(labels.put(cell.label(), text)).isNull();
        }
    }

    @Test
    void plainNumbersAndFlagsStayWhatTheyAre() {
        assertThat(Parameter.value("64")).isEqualTo(64L);
        assertThat(Parameter.value("-2.5")).isEqualTo(-2.5);
        assertThat(Parameter.value("true")).isEqualTo(true);
        assertThat(new Cell(Map.of("command.parameters.v", 1.0)).get("command.parameters.v"))
                .as("a result of an earlier version")
                .isEqualTo("1.0");
        assertThat(Parameter.number("1.50")).isEqualTo(1.5);
        assertThat(Parameter.number("0x10")).isNaN();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "command: {parameters: {v: %s}}",
                "sweep: {command.parameters.v: [%s]}",
                "rules: [{when: {command.parameters.v: %s}}]",
                "scales: {quick: [{command.parameters.v: %s}]}",
                "claims: [{over: {command.parameters.v: [%s]}}]",
                "{\"command\": {\"parameters\": {\"v\": %s}}}"
            })
    void filesKeepTextsWhereverParametersAre(String file) throws Exception {
        for (String text : TEXTS) {
            boolean word = text.equals("'") || file.startsWith("{") && !text.matches("[0-9.eE+-]+|true|false");
            JsonNode node = Document.parse("f", file.formatted(word ? '"' + text + '"' : text))
                    .root();
            while (node.isContainer()) {
                node = node.iterator().next();
            }
            assertThat(Parameter.text(plain(node))).as(file).isEqualTo(text);
        }
    }

    @Test
    void optionsKeepTexts() throws Exception {
        assertThat(Document.value("--set", "command.parameters.v", "3.10")).hasToString("\"3.10\"");
        assertThat(Document.value("--set", "command.parameters.v", "[3.10, 3.1, 64, \"64\", true]"))
                .hasToString("[\"3.10\",3.1,64,64,true]");
        assertThat(Document.value("--set", "command.parameters", "{v: 010}")).hasToString("{\"v\":\"010\"}");
        assertThat(Document.value("--set", "seed", "010")).hasToString("10");
        assertThat(Document.value("--set", "only", "[{command.parameters.v: 1.0, load-factor: 1.0}]"))
                .hasToString("[{\"command.parameters.v\":\"1.0\",\"load-factor\":1.0}]");
    }

    @Test
    void numbersThatOnlyALongHoldsAreDifferent() {
        assertThat(Cell.equalValues(1L, 1.0)).isTrue();
        assertThat(Cell.equalValues(9007199254740993L, 9007199254740992L)).isFalse();
        assertThat(Cell.equalValues(9007199254740992L, 9007199254740992.0)).isTrue();
        assertThat(Cell.equalValues(Long.MAX_VALUE, 0x1p63)).isFalse();
    }

    private static Object plain(JsonNode node) {
        return node.isBoolean()
                ? (Object) node.booleanValue()
                : node.isIntegralNumber()
                        ? (Object) node.longValue()
                        : node.isNumber() ? node.doubleValue() : node.stringValue();
    }
}
