package org.reprobe.cli;

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
import org.reprobe.run.TinyScenario;

/**
 * The program as packaged by ./run.sh package, started from another folder, without the repository and without Maven;
 * {@code command} is the link in a folder of commands.
 */
record UnpackedProgram(Path command, Path home, Path work) {
    static final String CACHE = "lib/startup.aot";

    /** Result with the output of both streams. */
    record CommandResult(int exitCode, String output) {}

    static UnpackedProgram in(Path dir) throws IOException {
        Path home = dir.resolve("unpacked in a folder/reprobe");
        for (String folder : List.of("bin", "lib", "results")) {
            Files.createDirectories(home.resolve(folder));
        }
        Files.copy(TinyScenario.HOME.resolve("run.sh"), home.resolve("run.sh"));
        Files.copy(TinyScenario.HOME.resolve("harness/cli/src/package/reprobe"), home.resolve("bin/reprobe"));
        Files.createSymbolicLink(home.resolve("scenarios"), TinyScenario.HOME.resolve("scenarios"));
        Files.createSymbolicLink(home.resolve("results/published"), TinyScenario.HOME.resolve("results/published"));
        Files.writeString(home.resolve("build.properties"), "commit=abc123\nuncommitted-changes=no\n");
        // The libraries, which are in another folder.
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
        // Tests start it too rarely for a cache of its classes.
        Files.createFile(home.resolve(CACHE));
        Files.createDirectories(dir.resolve("bin"));
        Path command = Files.createSymbolicLink(dir.resolve("bin/reprobe"), home.resolve("bin/reprobe"));
        return new UnpackedProgram(command, home, Files.createDirectory(dir.resolve("work")));
    }

    CommandResult run(String... arguments) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of("/bin/bash", command.toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(work.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(10, TimeUnit.MINUTES)) {
            process.destroyForcibly();
        }
        return new CommandResult(process.waitFor(), output);
    }
}
