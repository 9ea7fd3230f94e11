package org.reprobe.system;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Programs as a shell finds them: by their path where it has a slash, else among the folders of PATH. */
public final class Executable {
    private Executable() {}

    /**
     * Where a program is.
     *
     * @param folder in which it will be started
     * @return null when it is nowhere, or can't be executed
     */
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

    /** Whether a program is in a folder of PATH. */
    public static boolean isInstalled(String program) {
        return among(System.getenv("PATH"), program) != null;
    }

    /**
     * Where a program is among folders.
     *
     * @param path as PATH has them; null for none
     */
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
