package org.reprobe.analysis.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.OneRead;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.analysis.regress.HistoryNote;
import org.reprobe.testing.Project;
import tools.jackson.databind.JsonNode;

class BinderTest {
    private static final PlanReader PLANS = new PlanReader(List.of(new OneRead()));

    static Stream<Binder<?>> kinds() {
        return Stream.of(ClaimFile.FILES, NicProfiles.files(), PLANS.files(), HistoryFile.lines(), HistoryNote.FILES);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theReferenceIsAFileWithEveryKeyAtTheTop(Binder<?> kind) throws Exception {
        JsonNode reference = Document.parse("reference", kind.reference()).root();
        assertThat(reference.propertyNames())
                .containsExactlyElementsOf(kind.schema().get("properties").propertyNames());
    }

    /** Editors use descriptions for completion and definitions for checks. */
    @ParameterizedTest
    @MethodSource("kinds")
    void everyKeyOfASchemaIsDescribedAndRefersToADefinition(Binder<?> kind) {
        JsonNode schema = kind.schema();
        for (JsonNode properties : schema.findValues("properties")) {
            properties.forEachEntry((key, value) -> {
                JsonNode of = value.has("$ref")
                        ? schema.at(value.get("$ref").stringValue().substring(1))
                        : value;
                assertThat(of.isObject()).as(key).isTrue();
                assertThat(value.has("description") || of.has("description") || key.equals("value"))
                        .as(key)
                        .isTrue();
            });
        }
    }

    @Test
    void shippedFilesFollowThePublishedSchemas() throws Exception {
        hold(ClaimFile.FILES, Project.path("results/published"));
        hold(NicProfiles.files(), Project.path("scenarios/nics"));
        hold(PLANS.files(), Project.path("scenarios/plans"));
    }

    private static void hold(Binder<?> kind, Path folder) throws Exception {
        DocumentSchema schema =
                new DocumentSchema(Document.parse("schema", kind.schemaText()).root());
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".yaml"))
                    .filter(each -> !NicProfiles.isPart(each.getFileName().toString()))
                    .toList()) {
                assertThat(schema.violations(Document.read(file))).isEmpty();
            }
        }
    }

    @Test
    void allErrorsAreReportedAtOnce() {
        InvalidInputException refused = catchThrowableOfType(
                InvalidInputException.class, () -> HistoryNote.FILES.read(Document.parse("n", """
                        notes:
                          - {date: 2026-02-30, text: a}
                          - {date: 2026-02-31, text: b}
                        """)));
        assertThat(refused.problems())
                .extracting(BinderTest::placed)
                .isEqualTo(List.of("n:2:12: there is no such day", "n:3:12: there is no such day"));
    }

    private static String placed(Problem problem) {
        return problem.file() + ":" + problem.line() + ":" + problem.column() + ": " + problem.message();
    }

    @Test
    void aViolationInAListHasThePlaceOfItsElement() throws Exception {
        Document document = Document.parse("n", """
                notes:
                  - {date: 2026-02-03, text: a}
                  - date: 2026-02-04
                    txt: b
                """);
        assertThat(HistoryNote.FILES.violations(document))
                .extracting(violation -> placed(violation.problem()))
                .anyMatch(problem -> problem.startsWith("n:4:5: ") && problem.contains("txt"));
    }

    /** The file's other values keep their places. */
    @Test
    void aValueOfAnOptionHasTheOptionInPlaceOfALine() throws Exception {
        Document document =
                Document.parse("n", """
                notes:
                  - {date: 2026-02-30, text: a}
                  - {date: 2026-02-04, text: b}
                """).with("/notes/1/date", Document.value("--day", "2026-02-31"), "--day");
        InvalidInputException refused =
                catchThrowableOfType(InvalidInputException.class, () -> HistoryNote.FILES.read(document));
        assertThat(refused.problems())
                .extracting(BinderTest::placed)
                .isEqualTo(List.of("n:2:12: there is no such day", "--day:0:0: there is no such day"));
    }
}
