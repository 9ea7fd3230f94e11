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

    /** What an editor completes and checks by. */
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
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                schema.require(Document.read(file));
            }
        }
    }

    @Test
    void everythingThatIsWrongIsSaidAtOnce() {
        InvalidInputException refused = catchThrowableOfType(
                InvalidInputException.class, () -> HistoryNote.FILES.read(Document.parse("n", """
                        notes:
                          - {date: 2026-02-30, text: a}
                          - {date: 2026-02-31, text: b}
                        """)));
        assertThat(refused.problems())
                .extracting(Problem::message)
                .isEqualTo(List.of("there is no such day", "there is no such day"));
    }
}
