package org.reprobe.analysis.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
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

    @Test
    void aSymbolicLinkStaysAndItsTargetGetsTheText() throws Exception {
        Path real = Files.writeString(
                Files.createDirectories(folder.resolve("elsewhere")).resolve("real.txt"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("elsewhere/real.txt"));
        Path second = Files.createSymbolicLink(folder.resolve("second"), link);
        WholeFile.write(second, "new");
        assertThat(second).isSymbolicLink();
        assertThat(link).isSymbolicLink();
        assertThat(real).hasContent("new");
        assertThat(WholeFile.folder(second)).isEqualTo(real.getParent());
    }

    @Test
    void theTargetOfADanglingLinkIsMade() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("later.txt"));
        WholeFile.write(link, "text");
        assertThat(link).isSymbolicLink();
        assertThat(folder.resolve("later.txt")).isRegularFile().hasContent("text");
    }

    @Test
    void linksInACircleAreRefused() throws Exception {
        Path one = folder.resolve("one");
        Path two = Files.createSymbolicLink(folder.resolve("two"), one);
        Files.createSymbolicLink(one, two);
        assertThatThrownBy(() -> WholeFile.write(one, "text")).hasMessageContaining("too many symbolic links");
    }

    /** Through links in a temporary folder, so that a fault here costs the link alone. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeviceIsWrittenToAndStays() throws Exception {
        Path nothing = Files.createSymbolicLink(folder.resolve("nothing"), Path.of("/dev/null"));
        WholeFile.write(nothing, "text");
        assertThat(nothing).isSymbolicLink();
        assertThat(WholeFile.folder(nothing)).isNull();
        assertThat(Files.isRegularFile(nothing)).isFalse();

        Path full = Files.createSymbolicLink(folder.resolve("full"), Path.of("/dev/full"));
        assertThatThrownBy(() -> WholeFile.write(full, "text"))
                .hasMessageStartingWith(full + ": could not be written")
                .hasMessageContaining("No space left on device");
        assertThat(Files.isRegularFile(full)).isFalse();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theReaderOfAPipeGetsTheText() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> {
            try {
                return Files.readString(pipe);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        WholeFile.write(pipe, "text");
        assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo("text");
        assertThat(Files.readAttributes(pipe, BasicFileAttributes.class).isOther())
                .isTrue();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDescriptorsFileKeepsItsContent() throws Exception {
        Path file = folder.resolve("log.txt");
        try (FileOutputStream open = new FileOutputStream(file.toFile());
                var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            open.write("before, ".getBytes(StandardCharsets.US_ASCII));
            Path descriptor = descriptors
                    .filter(each -> {
                        try {
                            return Files.readSymbolicLink(each).equals(file.toRealPath());
                        } catch (IOException e) {
                            return false; // closed meanwhile
                        }
                    })
                    .findFirst()
                    .orElseThrow();
            WholeFile.write(Path.of("/dev/fd").resolve(descriptor.getFileName()), "after");
        }
        assertThat(file).hasContent("before, after");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileKeepsItsPermissions() throws Exception {
        Path file = Files.writeString(folder.resolve("private.txt"), "old");
        Set<PosixFilePermission> own = PosixFilePermissions.fromString("rw-------");
        Files.setPosixFilePermissions(file, own);
        WholeFile.write(file, "new");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(own);
    }

    @Test
    void partsThatKilledWritersLeftAreDeletedAndNothingElse() throws Exception {
        Files.writeString(folder.resolve(".status.json.4711.part"), "{");
        Files.writeString(folder.resolve(".status.json.4711-8a0f.part"), "{");
        Path own = Files.writeString(folder.resolve("my.part"), "kept");
        Path hidden = Files.writeString(folder.resolve(".my.part"), "kept");
        WholeFile.deleteParts(folder);
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(own, hidden);
        }
    }

    /** They formerly wrote to one neighbouring file, named by the number of their process. */
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
