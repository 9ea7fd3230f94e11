package org.reprobe.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.run.ResultFolder;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A file that something is to be written to; refused before any work is done when it can't be. */
final class WritableFile implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        Path file = path(text);
        Path parent = file.toAbsolutePath().getParent();
        check(
                Files.isDirectory(file)
                        ? "is a folder, not a file"
                        : parent == null ? null : ResultFolder.unwritable(parent));
        return file;
    }

    /** The same of a folder. */
    static final class Folder implements ITypeConverter<Path> {
        @Override
        public Path convert(String text) {
            Path folder = path(text);
            check(ResultFolder.unwritable(folder));
            return folder;
        }
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new TypeConversionException("can't be the name of a file");
        }
    }

    private static void check(@Nullable String problem) {
        if (problem != null) {
            throw new TypeConversionException(problem);
        }
    }

    /** Writes all of a text, or nothing. */
    static void write(Path file, String text) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        WholeFile.write(file, text);
    }
}
