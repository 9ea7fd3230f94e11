package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Nightly;

/**
 * The program as packaged by ./run.sh package, started from another folder, without the repository and without Maven.
 */
class PackagedProgramTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private UnpackedProgram program;

    @BeforeEach
    void unpack() throws IOException {
        program = UnpackedProgram.in(dir);
    }

    @Test
    @Nightly(besides = "shipped scenarios are in the package")
    void resultsAreOfTheFolderThatItIsStartedInAndSayWhatItWasMadeOf() throws Exception {
        TinyScenario.write(program.work(), "tiny", 1);
        UnpackedProgram.CommandResult ended = program.run("run", "tiny.yaml", "--quiet");
        assertThat(ended.exitCode()).as(ended.output()).isZero();
        assertThat(program.work().resolve("results/latest/report.html")).exists();
        assertThat(Files.readString(program.work().resolve("results/index.html")))
                .contains("-tiny/report.html");
        assertThat(Files.readString(program.work().resolve("results/latest/environment.json")))
                .contains("\"abc123\"");
        try (Stream<Path> own = Files.list(program.home().resolve("results"))) {
            assertThat(own).hasSize(1);
        }
    }

    @Test
    void aDamagedCacheOfClassesIsIgnoredWithoutAWord() throws Exception {
        Files.writeString(program.home().resolve(UnpackedProgram.CACHE), "damaged");
        UnpackedProgram.CommandResult ended = program.run("--version");
        assertThat(ended.exitCode()).as(ended.output()).isZero();
        assertThat(ended.output()).matches("Reprobe .*\nJava .*\n");
    }

    @Test
    void shippedScenariosExistAndOthersNameTheRepository() throws Exception {
        UnpackedProgram.CommandResult list = program.run("list");
        assertThat(list.exitCode()).as(list.output()).isZero();
        assertThat(list.output()).contains("figure-07").doesNotContain("building");
        for (String command : List.of("test", "bench", "vm", "package")) {
            assertThat(program.run(command))
                    .isEqualTo(new UnpackedProgram.CommandResult(
                            2, command + " is not in the package, only in a clone of the repository\n"));
        }
    }
}
