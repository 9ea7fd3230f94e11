package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    Path folder;

    @Test
    void aNewTextStandsWhereTheOldOneDidAndNothingElseIsLeft() throws Exception {
        Path file = folder.resolve("a.txt");
        WholeFile.write(file, "a long first text");
        WholeFile.write(file, "zwölf");
        assertThat(file).hasContent("zwölf");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aFailureNamesTheFileAndLeavesNothingBehind() throws Exception {
        Path occupied = Files.createDirectories(folder.resolve("b.txt"));
        Files.writeString(occupied.resolve("inside"), "kept");
        assertThatThrownBy(() -> WholeFile.write(occupied, "text"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(occupied + ": could not be written");
        assertThat(occupied.resolve("inside")).hasContent("kept");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(occupied);
        }
    }
}
