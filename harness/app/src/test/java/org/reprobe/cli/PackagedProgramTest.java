package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.run.TinyScenario;

/** The program as ./run.sh package lays it out, started from another folder, without the repository and without Maven. */
class PackagedProgramTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @SuppressWarnings("NullAway.Init")
    private Path work;

    private record Ended(int exitCode, String said) {}

    @BeforeEach
    void unpacked() throws IOException {
        Path home = dir.resolve("unpacked in a folder/reprobe");
        for (String folder : List.of("bin", "lib", "results")) {
            Files.createDirectories(home.resolve(folder));
        }
        Files.copy(TinyScenario.HOME.resolve("run.sh"), home.resolve("run.sh"));
        Files.copy(TinyScenario.HOME.resolve("harness/app/src/package/reprobe"), home.resolve("bin/reprobe"));
        Files.createSymbolicLink(home.resolve("scenarios"), TinyScenario.HOME.resolve("scenarios"));
        Files.createSymbolicLink(home.resolve("results/published"), TinyScenario.HOME.resolve("results/published"));
        Files.writeString(home.resolve("build.properties"), "commit=abc123\nuncommitted-changes=no\n");
        // The libraries, which stand elsewhere.
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        try (OutputStream out = Files.newOutputStream(home.resolve("lib/all.jar"))) {
            new JarOutputStream(out, manifest).close();
        }
        Files.createDirectories(dir.resolve("bin"));
        Files.createSymbolicLink(dir.resolve("bin/reprobe"), home.resolve("bin/reprobe"));
        work = Files.createDirectory(dir.resolve("work"));
    }

    private Ended reprobe(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("/bin/bash", dir.resolve("bin/reprobe").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
        return new Ended(process.exitValue(), said);
    }

    @Test
    void resultsAreOfTheFolderThatItIsStartedInAndSayWhatItWasMadeOf() throws Exception {
        TinyScenario.write(work, "tiny", 1);
        Ended ended = reprobe("run", "tiny.yaml", "--quiet");
        assertThat(ended.exitCode).as(ended.said).isZero();
        assertThat(work.resolve("results/latest/report.html")).exists();
        assertThat(Files.readString(work.resolve("results/index.html"))).contains("-tiny/report.html");
        assertThat(Files.readString(work.resolve("results/latest/environment.json")))
                .contains("\"abc123\"");
        try (Stream<Path> own = Files.list(dir.resolve("unpacked in a folder/reprobe/results"))) {
            assertThat(own).hasSize(1);
        }
    }

    @Test
    void shippedScenariosAreThereAndWhatNeedsTheRepositorySaysSo() throws Exception {
        Ended list = reprobe("list");
        assertThat(list.exitCode).as(list.said).isZero();
        assertThat(list.said).contains("figure-07").doesNotContain("building");
        for (String command : List.of("test", "bench", "vm", "package")) {
            assertThat(reprobe(command))
                    .isEqualTo(
                            new Ended(2, command + ": is not in the package: it is for a clone of the repository\n"));
        }
    }
}
