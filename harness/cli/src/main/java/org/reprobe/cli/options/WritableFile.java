package org.reprobe.cli.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.cli.base.FileFailure;
import org.reprobe.run.ResultFolder;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of an output file that is refused before any work is done if it can't be written. */
public final class WritableFile implements ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
        Path file = path(text);
        check(problem(file));
        return file;
    }

    private static @Nullable String problem(Path file) {
        if (Files.isDirectory(file)) {
            return "is a folder, not a file";
        }
        try {
            Path folder = WholeFile.folder(file);
            if (folder == null) {
                return Files.isWritable(file) ? null : "can't be written: no permission";
            }
            return ResultFolder.unwritable(folder);
        } catch (IOException e) {
            return "can't be written (" + FileFailure.words(e) + ")";
        }
    }

    /** Converter of a folder, checked in the same way. */
    public static final class Folder implements ITypeConverter<Path> {
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

    /** Writes all of a text, or nothing; a device or a pipe may receive a part of it. */
    public static void write(Path file, String text) throws IOException {
        Path folder = WholeFile.folder(file);
        if (folder != null) {
            Files.createDirectories(folder);
        }
        WholeFile.write(file, text);
    }
}
