package org.reprobe.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.run.ResultFolder;

/** A file that the user wants something written to. */
final class OutputFile {
    private OutputFile() {}

    /** Complains when it can't be written, before any work is done. */
    static void check(String option, @Nullable Path file, List<Problem> problems) {
        if (file == null) {
            return;
        }
        Path parent = file.toAbsolutePath().getParent();
        String unwritable = Files.isDirectory(file)
                ? "is a folder, not a file"
                : parent == null ? null : ResultFolder.unwritable(parent);
        if (unwritable != null) {
            problems.add(Problem.of(option + " " + file, unwritable));
        }
    }

    /** Writes all of it, or nothing. */
    static void write(Path file, String text) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        WholeFile.write(file, text);
    }
}
