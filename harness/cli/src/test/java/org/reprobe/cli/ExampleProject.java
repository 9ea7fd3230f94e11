package org.reprobe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Copy of an example project, to be compiled against the program only. */
final class ExampleProject {
    private ExampleProject() {}

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(Objects.requireNonNull(copy.getParent()));
                Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Compiles an example from its {@code src} to a folder of classes, with {@code main/resources}, and to a jar. */
    static void compile(Path source, Path classes, Path jar) throws IOException {
        Files.createDirectories(classes);
        List<Path> sources;
        try (Stream<Path> files = Files.walk(source)) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            null,
                            manager,
                            null,
                            List.of("-parameters", "-proc:none", "-d", classes.toString()),
                            null,
                            manager.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).isTrue();
        }
        copy(source.resolve("main/resources"), classes);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
    }
}
