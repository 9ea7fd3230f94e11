package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
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

    /** They used to write to one neighbouring file, by the number of their process. */
    @Test
    void threadsThatWriteOneFileAtOnceLeaveOneOfTheirTexts() throws Exception {
        Path file = folder.resolve("a.txt");
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = Stream.of("a", "b", "c", "d")
                .map(text -> Thread.ofPlatform()
                        .uncaughtExceptionHandler((_, e) -> failures.add(e))
                        .start(() -> {
                            for (int i = 0; i < 20; i++) {
                                try {
                                    WholeFile.write(file, text.repeat(10_000));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            }
                        }))
                .toList();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(Files.readString(file)).matches("a{10000}|b{10000}|c{10000}|d{10000}");
    }
}
