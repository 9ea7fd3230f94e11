package org.reprobe.system.program;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Lookup of programs, as in a shell: by path if the name contains a slash, otherwise in the folders of PATH. */
public final class Executable {
    private Executable() {}

    /** Finds a program that will be started in {@code folder}; returns null if it is missing or not executable. */
    public static @Nullable Path find(String program, Path folder) {
        try {
            if (program.contains("/")) {
                return executable(folder.resolve(program));
            }
            return among(System.getenv("PATH"), program);
        } catch (InvalidPathException e) {
            return null;
        }
    }

    public static boolean isInstalled(String program) {
        return among(System.getenv("PATH"), program) != null;
    }

    /** Finds a program in the folders of {@code path}, which has the format of PATH; returns null if there is none. */
    public static @Nullable Path among(@Nullable String path, String program) {
        for (String folder : (path == null ? "" : path).split(File.pathSeparator, -1)) {
            Path found = folder.isEmpty() ? null : executable(Path.of(folder, program));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable Path executable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) ? file : null;
    }
}
