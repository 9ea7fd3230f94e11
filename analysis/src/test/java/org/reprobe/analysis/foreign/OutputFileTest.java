package org.reprobe.analysis.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.testing.Nightly;

/** Outputs of programs, and error messages about unreadable ones. */
class OutputFileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void fieldsOfObjectsAreFoundAmongOtherOutput() throws Exception {
        OutputFile file = json("loading\n{\"ops\": 5, \"latency\": {\"p50\": \"1.5\"}}\ndone {\n{\"ops\": 7e3}\n");

        assertThat(file.numbers("ops")).containsExactly(5.0, 7000.0);
        assertThat(file.numbers("latency.p50")).containsExactly(1.5);
    }

    @Test
    void columnsAreFoundByName() throws Exception {
        OutputFile file = csv("# version 3\nsize, ops ,\"99 %, us\"\n8,1000,2.5\n\n# half way\n16,2000,\"3.5\"\n");

        assertThat(file.numbers("ops")).containsExactly(1000.0, 2000.0);
        assertThat(file.numbers("99 %, us")).containsExactly(2.5, 3.5);
        assertThat(csv("a;b\n1;2\n").numbers("b")).containsExactly(2.0);
        assertThat(csv("a\tb\n1\t2\n").numbers("b")).containsExactly(2.0);
    }

    @Test
    void textIsFoundByExpressionsOverLines() throws Exception {
        OutputFile file = text("Total (8 events)\n   Avg: 98\nRun time: 2.0s Ops: 80659 TPS: 40325\n");

        assertThat(file.numbers("TPS: (\\d+)")).containsExactly(40325.0);
        assertThat(file.numbers("(?s)Total .*?Avg: +(\\d+)")).containsExactly(98.0);
        assertThat(file.numbers("^Run time: ([0-9.]+)s")).containsExactly(2.0);
        assertThat(file.numbers("Avg: \\d+|TPS: (\\d+)"))
                .as("a match without the number is none")
                .containsExactly(40325.0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            JSON_LINES | {"ops": 1}\\n{"ops": 2  | out:2: one whole JSON object is expected, but the line is "{"ops": 2"
            JSON_LINES | {"ops": "fast"}         | out:1: ops must be a number, but is "fast"
            JSON_LINES | {"ops": NaN}            | out:1: one whole JSON object is expected, but the line is "{"ops": NaN}"
            JSON_LINES | {"ops": "NaN"}          | out:1: ops must be a number, but is "NaN"
            JSON_LINES | {"ops": [1, 2]}         | out:1: ops must be a number, but is "[1,2]"
            JSON_LINES | {"op": 1, "lat": 2}     | out has no field "ops"; did you mean "op"?; there are lat, op
            JSON_LINES | ops: 5                  | out has no field "ops": no line begins with {; its last line is "ops: 5"
            JSON_LINES | ``                      | out has no field "ops": it is empty
            CSV        | size,ops\\n8,1\\n9      | out:3: 2 values are expected (size, ops), not 1: "9"
            CSV        | size,ops\\n8,1,2        | out:2: 2 values are expected (size, ops), not 3: "8,1,2"
            CSV        | size,ops\\n8,many       | out:2: ops must be a number, but is "many"
            CSV        | size,opz\\n8,1          | out has no column "ops"; did you mean "opz"?; there are opz, size
            JSON_LINES | {"ops": "12d"}          | out:1: ops must be a number, but is "12d"
            JSON_LINES | {"ops": "0x1p4"}        | out:1: ops must be a number, but is "0x1p4"
            JSON_LINES | {"ops": 1, "ops": 2}    | out:1: a field is twice in one object: the line is "{"ops": 1, "ops": 2}"
            JSON_LINES | {"ops": 1, "a": {"b": 2}, "a.b": 3} | out:1: the field "a.b" is twice, once as a member of an object
            CSV        | ops\\n12f             | out:2: ops must be a number, but is "12f"
            CSV        | ops\\n1e400           | out:2: ops must be a number, but is "1e400"
            CSV        | ops,ops\\n1,2         | out:1: two columns are called "ops", so it is not clear which is meant: give each column a name of its own
            CSV        | a, \"ops\",ops \\n0,1,2 | out:1: two columns are called "ops", so it is not clear which is meant: give each column a name of its own
            CSV        | a,ops\\nx\0,1        | out:2: text is expected, but there is the control character U+0000
            CSV        | size,ops                | out has no column "ops": no line follows the columns' names; its last line is "size,ops"
            """)
    void unreadableInputIsReportedWithItsLine(OutputFormat format, String text, String complaint) {
        OutputFile file = OutputFile.of(text.replace("\\n", "\n"), "out", format);

        assertThatThrownBy(() -> file.numbers("ops"))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessage(complaint);
    }

    @Test
    void textWithoutMatchIsReportedWithItsEnd() {
        assertThatThrownBy(() -> text("a\nSegmentation fault\n").numbers("TPS: (\\d+)"))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessage("out has nothing that matches TPS: (\\d+); its last line is \"Segmentation fault\"");
    }

    @Test
    void anExpressionForOtherFormatsNamesTheFormatOfExpressions() throws Exception {
        Path file = Files.writeString(dir.resolve("out"), "ops=5\n");
        OutputFile output = OutputFile.read(file, "out", OutputFormat.JSON_LINES);

        assertThatThrownBy(() -> output.numbers("ops=(\\d+)"))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessageEndingWith("with format: text, from is a regular expression");
    }

    @Test
    void aMissingOrWronglyEncodedFileIsReported() throws Exception {
        assertThatThrownBy(() -> OutputFile.read(dir.resolve("no"), "no", OutputFormat.CSV))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessage("no does not exist");
        Path wide = Files.write(dir.resolve("wide"), "{}".getBytes(StandardCharsets.UTF_16));
        assertThatThrownBy(() -> OutputFile.read(wide, "wide", OutputFormat.JSON_LINES))
                .isInstanceOf(UnusableOutputException.class)
                .hasMessage("wide is UTF-16 text; UTF-8 is expected");
    }

    /** Latin-1 stands for bytes that are not UTF-8. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            TEXT       | at 40°\\nTPS: 12 a second\\n   | TPS: (\\d+) | 12
            TEXT       | at 40°, TPS: 12 a second\\n     | TPS: (\\d+) | 12
            TEXT       | TPS: 12°34\\n                  | TPS: (\\d+) | out:1: a number is expected, but "12�34" is not UTF-8 text
            TEXT       | TPS: °12\\n                    | TPS: .(\\d+) | out:1: a number is expected, but "�12" is not UTF-8 text
            JSON_LINES | {"t": "40°"}\\n{"ops": 12}     | ops | 12
            JSON_LINES | {"t": "40°", "ops": 12}       | ops | 12
            JSON_LINES | {"ops": "12°"}                | ops | out:1: ops must be a number, but is "12�"
            CSV        | t,ops\\n40°,12                 | ops | 12
            CSV        | t,ops\\n40,12°                 | ops | out:2: ops must be a number, but is "12�"
            """)
    void bytesThatAreNotUtf8MatterOnlyInTheNumber(OutputFormat format, String text, String field, String expected)
            throws Exception {
        Path file = Files.write(dir.resolve("out"), text.replace("\\n", "\n").getBytes(StandardCharsets.ISO_8859_1));
        OutputFile output = OutputFile.read(file, "out", format);

        assertThat(read(output, field)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "12d",
                "12f",
                "0x1p4",
                "0x10",
                "NaN",
                "Infinity",
                "-inf",
                "1e400",
                "1,5",
                "1 2",
                "1_0",
                "١",
                "+",
                ".",
                "1e",
                "true",
                "null"
            })
    void onlyPlainDecimalNumbersAreNumbers(String word) {
        String message = ": %s must be a number, but is \"" + word + "\"";
        assertThat(read(json("{\"ops\": \"" + word + "\"}"), "ops")).isEqualTo("out:1" + message.formatted("ops"));
        assertThat(read(csv("ops;b\n" + word + ";1"), "ops")).isEqualTo("out:2" + message.formatted("ops"));
        assertThat(read(text("ops " + word + "."), "ops (.*)\\."))
                .isEqualTo("out:1" + message.formatted("ops (.*)\\."));
    }

    @ParameterizedTest
    @CsvSource({"18446744073709551615, 1.8446744073709552E19", "-1.5e-3, -0.0015", "+.5, 0.5", "5., 5", "007, 7"})
    void allFormsOfDecimalNumbersAreRead(String word, double value) throws Exception {
        assertThat(json("{\"ops\": \"" + word + "\"}").numbers("ops")).containsExactly(value);
        assertThat(csv("ops;b\n" + word + ";1").numbers("ops")).containsExactly(value);
        assertThat(text("ops " + word).numbers("ops (.*)")).containsExactly(value);
    }

    @Test
    @Timeout(60)
    void complaintsStayShort() {
        String many = IntStream.range(0, 300_000).mapToObj(i -> "field" + i).collect(Collectors.joining(","));
        String fields = "{\"" + many.replace(",", "\":1,\"") + "\":1}";
        String wide = "{\"" + "x".repeat(1 << 20) + "\": 1}";

        assertThat(read(json(fields), "ops")).hasSizeLessThan(1_000).endsWith(" and 299992 more");
        assertThat(read(csv(many + "\n" + many), "ops")).hasSizeLessThan(1_000);
        assertThat(read(csv(many + "\n1"), "ops")).hasSizeLessThan(1_000);
        assertThat(read(json(wide), "ops")).hasSizeLessThan(1_000);
        assertThat(read(csv("\"" + many + "\n1\"x"), "ops")).hasSizeLessThan(1_000);
    }

    @Test
    @Timeout(90)
    @Nightly(besides = "complaints stay short")
    void expressionsThatAreTooExpensiveAreRefused() {
        assertThat(read(text("line\n".repeat(20_000)), "(?:.|\\n)*TPS: (\\d+)"))
                .startsWith("the search for (?:.|\\n)*TPS: (\\d+) needs too much stack");
        assertThat(read(text("a".repeat(60)), "(?:(a|aa)+)+$b")).contains("takes too long");
        assertThatThrownBy(() -> new OutputPattern("(".repeat(100_000))).isInstanceOf(PatternSyntaxException.class);
    }

    /** Returns the numbers of a field, or the error message. */
    private static String read(OutputFile file, String field) {
        try {
            return file.numbers(field).stream()
                    .map(number -> number == Math.rint(number) ? "" + number.longValue() : "" + number)
                    .collect(Collectors.joining(" "));
        } catch (UnusableOutputException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstName() throws Exception {
        Path file = Files.writeString(dir.resolve("bom"), "\uFEFFops\n1\n");
        assertThat(OutputFile.read(file, "bom", OutputFormat.CSV).numbers("ops"))
                .containsExactly(1.0);
    }

    /** Only lines that begin with # and empty lines are ignored. */
    @Test
    void noRowIsLostForItsFirstValue() throws Exception {
        assertThat(csv("ops,t\n,1\n5,2\n,\n").rows()).hasSize(2);
        assertThat(read(csv("ops,t\n5,1\n,2\n"), "ops")).isEqualTo("out:3: ops must be a number, but is \"\"");
        assertThat(read(csv("t,ops\n,5\n\"#1\",6\n"), "ops")).isEqualTo("5 6");
        assertThat(read(csv(",ops\na,5\n"), "ops")).isEqualTo("5");
        assertThat(read(csv("t,ops\n# a, \"b\n1,5\n# c, \"d\n2,6\n,\n"), "ops")).isEqualTo("5 6");
    }

    /** Blanks within quotes are a part of the text. */
    @Test
    void quotedBlanksStay() throws Exception {
        assertThat(csv("a,ops\n\" x \",1\n").rows().getFirst().fields()).containsEntry("a", " x ");
    }

    private static OutputFile json(String text) {
        return OutputFile.of(text, "out", OutputFormat.JSON_LINES);
    }

    private static OutputFile csv(String text) {
        return OutputFile.of(text, "out", OutputFormat.CSV);
    }

    private static OutputFile text(String text) {
        return OutputFile.of(text, "out", OutputFormat.TEXT);
    }

    @Test
    void aJsonDocumentIsReadByPaths() throws Exception {
        OutputFile file = OutputFile.of("""
                [INFO] fio-3.36
                {
                  "jobs": [{"read": {"iops": 5.5, "clat_ns": {"percentile": {"99.000000": 700}}}}],
                  "publishRate": [1, 3]
                }
                done {
                """, "out", OutputFormat.JSON);
        assertThat(file.numbers("jobs[0].read.iops")).containsExactly(5.5);
        assertThat(file.numbers("jobs[0].read.clat_ns.percentile.99.000000")).containsExactly(700.0);
        assertThat(file.numbers("publishRate[]")).containsExactly(1.0, 3.0);
        assertThatThrownBy(() -> file.numbers("jobs[0].read.iop"))
                .hasMessageContaining("did you mean \"jobs[0].read.iops\"");
        OutputFile damaged = OutputFile.of("\n{\n\"a\": 1,\n}\n", "out", OutputFormat.JSON);
        assertThatThrownBy(() -> damaged.numbers("a")).hasMessageContaining("out:4: damaged JSON");
    }
}
