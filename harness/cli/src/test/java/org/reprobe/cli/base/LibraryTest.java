package org.reprobe.cli.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.analysis.document.Problem;
import org.reprobe.run.TinyScenario;

class LibraryTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path project;

    @Test
    void aProjectsScenarioPrecedesAShippedOneOfTheSameName() throws Exception {
        Path own = Files.createDirectories(project.resolve("scenarios/queues")).resolve("figure-1.yaml");
        Files.writeString(own, TinyScenario.yaml(1));
        Library library = new Library(TinyScenario.HOME, project);
        List<Problem> problems = new ArrayList<>();

        assertThat(library.find("figure-1", problems)).isEqualTo(own);
        assertThat(library.find("nessie/figure-1", problems))
                .isEqualTo(TinyScenario.HOME.resolve("scenarios/nessie/figure-1.yaml"));
        assertThat(library.find("figure-07", problems)).isNotNull();
        assertThat(problems).isEmpty();
        assertThat(library.find("figure-o7", problems)).isNull();
        assertThat(problems).singleElement().asString().contains("did you mean \"figure-07\"");
    }

    @Test
    void aShortNameOfAFigureIsFound() {
        Library library = new Library(TinyScenario.HOME, null);
        List<Problem> problems = new ArrayList<>();
        for (String word : List.of("fig7", "figure-7", "fig-07")) {
            assertThat(library.find(word, problems)).isEqualTo(library.find("figure-07", problems));
        }
        assertThat(problems).isEmpty();
        assertThat(library.find("fig99", problems)).isNull();
    }
}
