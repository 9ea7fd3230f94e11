package org.reprobe.command;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Programs as a shell finds them: by their path where it has a slash, else among the folders of PATH. */
final class Executable {
    private Executable() {}

    /**
     * Where a program is.
     *
     * @param folder in which it will be started
     * @return null when it is nowhere, or can't be executed
     */
    static @Nullable Path find(String program, Path folder) {
        try {
            if (program.contains("/")) {
                return executable(folder.resolve(program));
            }
            String path = System.getenv("PATH");
            for (String each : (path == null ? "" : path).split(File.pathSeparator, -1)) {
                Path found = each.isEmpty() ? null : executable(Path.of(each, program));
                if (found != null) {
                    return found;
                }
            }
            return null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    private static @Nullable Path executable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) ? file : null;
    }
}
