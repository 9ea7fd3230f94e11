package org.reprobe.analysis.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class DocumentTest {
    private static final String SCHEMA = """
            type: object
            additionalProperties: false
            required: [title]
            properties:
              title: {type: string}
              fabric: {type: string, enum: [sim, shm, tcp, verbs]}
              records: {type: integer, minimum: 1, maximum: 9007199254740992}
              load-factor: {type: number, exclusiveMinimum: 0, exclusiveMaximum: 1}
              cutoff:
                anyOf:
                  - {type: number, minimum: 0, maximum: 1}
                  - {type: string, enum: [exact]}
              loads:
                anyOf:
                  - {$ref: "#/properties/load-factor"}
                  - {type: array, minItems: 1, items: {$ref: "#/properties/load-factor"}}
              figures:
                type: array
                items:
                  type: object
                  additionalProperties: false
                  properties:
                    name: {type: string}
                    log: {type: boolean}
            """;

    @TempDir
    Path dir;

    /** A word of 4 MB took the parser ten seconds: its time grows with the square of the length. */
    @Test
    void aLineTooLongForTheParserIsRefusedAtItsPlace() throws Exception {
        Path file = Files.writeString(dir.resolve("long.yaml"), "title: t\nname: " + "x".repeat(1 << 19) + "\n");
        InvalidInputException refused = catchThrowableOfType(InvalidInputException.class, () -> Document.read(file));
        assertThat(refused.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.line()).isEqualTo(2);
            assertThat(problem.message()).contains("at most 262144 are allowed");
        });
    }

    @ParameterizedTest
    @CsvSource({"figure-7, figure-07", "duration, duration-ms", "figure-77, figure-07"})
    void theNearestWordIsTheOneMeant(String word, String meant) {
        assertThat(Spelling.nearest(word, List.of("figure-2", "figure-07", "duration-ms", "warm-up-ms")))
                .isEqualTo(meant);
    }

    @ParameterizedTest
    @CsvSource({
        "warm-up-ms, 3ms, 3",
        "back-off-ns, 3us, 3000",
        "warm-up-ms, 1.5 s, 1500",
        "bytes, 2MiB, 2097152",
        "bytes, 2MB, 2000000",
        "records, 200M, 200000000",
        "records, 1.5 Ki, 1536",
        "records, 2g, 2000000000"
    })
    void aNumberWithAUnitIsReportedInTheKeysUnit(String key, String text, String write) {
        assertThat(Phrasing.written(key, text)).endsWith("write " + write);
        assertThat(Phrasing.written(key, "many")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            load-facter: 0.5           | 2:1: unknown key "load-facter"; did you mean "load-factor"?
            recrods: 5                 | 2:1: unknown key "recrods"; did you mean "records"?
            zzz: 5                     | 2:1: unknown key "zzz"; allowed here: title, fabric, records, load-factor, cutoff, loads, figures
            records: many              | 2:10: records must be a whole number of at least 1, but is "many"
            records: 1e308             | 2:10: records must be at most 9007199254740992, but is 1.0E308
            records: 8k                | 2:10: records must be a whole number of at least 1, but is "8k"; numbers have no units: write 8000
            load-factor: 65%           | 2:14: load-factor must be a number above 0 and below 1, but is "65%"; write 0.65
            figures: !!set [] | 2:10: the tag tag:yaml.org,2002:set is not supported; remove it
            records: 0                 | 2:10: records must be a whole number of at least 1, but is 0
            records: 1.5               | 2:10: records must be a whole number of at least 1, but is 1.5
            records:                   | 2:9: records must be a whole number of at least 1, but is empty
            records: [1]               | 2:10: records must be a whole number of at least 1, but is a list
            load-factor: 1.0           | 2:14: load-factor must be a number above 0 and below 1, but is 1.0
            load-factor: .nan          | 2:14: load-factor must be a number above 0 and below 1, but is ".nan"
            fabric: simm               | 2:9: fabric must be one of sim, shm, tcp, verbs, but is "simm"; did you mean "sim"?
            fabric: 5                  | 2:9: fabric must be one of sim, shm, tcp, verbs, but is 5
            cutoff: exakt              | 2:9: cutoff must be a number from 0 to 1 or "exact", but is "exakt"; did you mean "exact"?
            cutoff: 2                  | 2:9: cutoff must be a number from 0 to 1 or "exact", but is 2
            loads: [0.5, 2]            | 2:14: loads must be a number above 0 and below 1, but is 2
            loads: []                  | 2:8: loads must not be an empty list
            loads: high                | 2:8: loads must be a number above 0 and below 1, or a list of such, but is "high"
            figures: [{nmae: x}]       | 2:12: unknown key "nmae"; did you mean "name"?
            log: true                  | 2:1: unknown key "log"; allowed here: title, fabric, records, load-factor, cutoff, loads, figures
            figures: [{records: 5}]    | 2:12: unknown key "records"; it belongs at the top of the file
            figures: [{log: yes}]      | 2:17: log must be true or false, but is "yes"
            title: again               | 2:1: key "title" is a duplicate; the first is in line 1
            records: [1                | 3:1: damaged YAML: while parsing a flow sequence, expected ',' or ']', but got <stream end>
            records: 1: 2              | 2:11: damaged YAML: mapping values are not allowed here
            records: *nothing          | 2:10: damaged YAML: found undefined alias nothing
            records: !!int many        | 2:10: records must be a whole number of at least 1, but is "many"
            """)
    void aViolationIsReportedInUserTermsAtItsPlace(String line, String expected) {
        Problem problem = onlyProblem("title: x\n" + line + "\n");

        assertThat(problem.line() + ":" + problem.column() + ": " + problem.message())
                .isEqualTo(expected);
    }

    @Test
    void aProblemShowsTheLineAndACaretUnderTheFault() {
        Problem problem = onlyProblem("title: x\nrecords: many # lots\n");

        assertThat(problem).hasToString("""
                        a.yaml:2:10: records must be a whole number of at least 1, but is "many"
                            2 | records: many # lots
                              |          ^""");
    }

    @Test
    void allViolationsAreReportedInTheFilesOrder() {
        List<Problem> problems = problems("records: many\nfabrik: sim\nloads: [3, 0.5, -1]\n");

        assertThat(problems).extracting(Problem::line).containsExactly(0, 1, 2, 3, 3);
        assertThat(problems.getFirst().message()).isEqualTo("key \"title\" is missing");
    }

    @Test
    void allDuplicateKeysAreReportedAtOnce() {
        assertThat(problems("a: 1\nb: 2\na: 3\nb: 4\n"))
                .extracting(Problem::line)
                .containsExactly(3, 4);
    }

    @Test
    void jsonIsReadLikeYamlWithPlaces() throws Exception {
        Document document = Document.parse("a.json", "{\n  \"table\": {\"records\": 5,\n \"a/b\": [1, true, null]}}");

        assertThat(document.root().at("/table/records").longValue()).isEqualTo(5);
        assertThat(document.problem("/table/a~1b/1", "").line()).isEqualTo(3);
        assertThat(document.problem("/table/a~1b/1", "").column()).isEqualTo(13);
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5",
        "0x10, 16",
        "0o17, 15",
        "1e3, 1000.0",
        ".5, 0.5",
        "-3, -3",
        "true, true",
        "~, null",
        "'''5''', '\"5\"'"
    })
    void scalarsAreThoseOfYamlsCoreSchema(String text, String json) throws Exception {
        assertThat(Document.value("x", text)).hasToString(json);
    }

    @Test
    void aNumberWithAnExponentCountsAsWhole() throws Exception {
        JsonNode schema = Document.parse("schema", SCHEMA).root();
        Document document = Document.parse("a.yaml", "title: x\nrecords: 1e6\n");

        assertThat(new DocumentSchema(schema).violations(document)).isEmpty();
    }

    @Test
    void anEmptyFileACommentAndAListAreNoMapping() {
        assertThat(onlyProblem("").message()).isEqualTo("the file is empty");
        assertThat(onlyProblem("# nothing\n").message()).isEqualTo("the file holds only comments");
        assertThat(onlyProblem("- a\n").message())
                .isEqualTo("the file must be a mapping of keys to values, but is a list");
        assertThat(onlyProblem("hello\n").message())
                .isEqualTo("the file must be a mapping of keys to values, but is \"hello\"");
    }

    @Test
    void aTabThatIndentsIsNamed() {
        assertThat(onlyProblem("a:\n\tb: 1\n").message()).isEqualTo("damaged YAML: a tab can't indent; use spaces");
    }

    @Test
    void unreadableFilesGetOneClearMessageEach() throws IOException {
        Path missing = dir.resolve("missing.yaml");
        assertThat(readProblem(missing)).isEqualTo("there is no such file");
        assertThat(readProblem(dir)).isEqualTo("is a folder, not a file");
        Path binary = Files.write(dir.resolve("binary"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1, (byte) 0xFF});
        assertThat(readProblem(binary)).isEqualTo("is not a text file in UTF-8");
        Path zeros = Files.write(dir.resolve("zeros"), new byte[100]);
        assertThat(readProblem(zeros)).isEqualTo("is not a text file: there is a control character (0) in it");
        Path huge = dir.resolve("huge.yaml");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(100L << 20);
        }
        assertThat(readProblem(huge)).isEqualTo("is 100 MB long; a file of settings may have at most 16 MB");
    }

    @Test
    void anAliasBombIsDefused() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            bomb.append("a%d: &a%d [*a%d".formatted(i, i, i - 1))
                    .append((", *a" + (i - 1)).repeat(9))
                    .append("]\n");
        }

        assertThat(onlyProblem(bomb.toString()).message())
                .isEqualTo("holds more than 500000 values, with aliases (*name) expanded");
        assertThat(onlyProblem("a: &a [*a]\n").message())
                .isEqualTo("an alias (*name) is inside the value that it repeats");
        assertThat(onlyProblem("a: " + "[".repeat(100_000)).message())
                .isEqualTo("is nested too deeply; at most 200 levels are allowed");
        assertThat(onlyProblem("a: " + "[".repeat(300) + "]".repeat(300)).message())
                .isEqualTo("is nested too deeply; at most 200 levels are allowed");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstKey() throws Exception {
        Path file = Files.writeString(dir.resolve("bom.yaml"), "\uFEFFtitle: x\n", StandardCharsets.UTF_8);

        assertThat(Document.read(file).root().get("title").stringValue()).isEqualTo("x");
    }

    @Test
    void anOverrideIsBlamedInsteadOfTheFile() throws Exception {
        Document document = Document.parse("a.yaml", "title: x\nrecords: 5\n");
        Document changed = document.with("/records", Document.value("--set", "many"), "--set records=many");

        List<DocumentSchema.Violation> violations =
                new DocumentSchema(Document.parse("schema", SCHEMA).root()).violations(changed);

        assertThat(violations)
                .singleElement()
                .satisfies(violation -> assertThat(violation.problem())
                        .hasToString(
                                "--set records=many: records must be a whole number of at least 1, but is \"many\""));
        assertThat(document.root().get("records").intValue()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource({"load-facter, load-factor", "laod, load", "recor, record", "SIM, sim"})
    void nearWordsAreSuggested(String wrong, String right) {
        assertThat(Spelling.nearest(wrong, List.of("load-factor", "load", "record", "sim")))
                .isEqualTo(right);
    }

    @Test
    void farWordsAreNotSuggested() {
        assertThat(Spelling.nearest("elephant", List.of("load-factor", "load", "sim")))
                .isNull();
    }

    private static Problem onlyProblem(String text) {
        List<Problem> problems = problems(text);
        assertThat(problems).hasSize(1);
        return problems.getFirst();
    }

    private static List<Problem> problems(String text) {
        try {
            DocumentSchema schema =
                    new DocumentSchema(Document.parse("schema", SCHEMA).root());
            return schema.violations(Document.parse("a.yaml", text)).stream()
                    .map(DocumentSchema.Violation::problem)
                    .toList();
        } catch (InvalidInputException e) {
            return e.problems();
        }
    }

    private static String readProblem(Path file) {
        InvalidInputException refused = catchThrowableOfType(InvalidInputException.class, () -> Document.read(file));
        assertThat(refused.problems()).hasSize(1);
        assertThat(refused.problems().getFirst().file()).isEqualTo(file.toString());
        return refused.problems().getFirst().message();
    }
}
