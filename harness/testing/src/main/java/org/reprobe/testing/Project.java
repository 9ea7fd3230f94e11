package org.reprobe.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Repository of the tests, independent of their module. */
public final class Project {
    private static final Path FOLDER = find();

    private Project() {}

    public static Path folder() {
        return FOLDER;
    }

    /** Returns a file or folder of the repository, absolute. */
    public static Path path(String relative) {
        return FOLDER.resolve(relative);
    }

    /** Returns the beginning of a command that starts another JVM like the tests' own, with the first compiler only. */
    public static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(System.getProperty("reprobe.jvm.flags", "").split(" ", -1)));
        command.removeIf(String::isEmpty);
        command.add("-XX:TieredStopAtLevel=1");
        return command;
    }

    private static Path find() {
        String home = System.getProperty("reprobe.home"); // of benchmarks, which run in any folder
        if (home != null) {
            return Path.of(home).toAbsolutePath().normalize();
        }
        Path from = Path.of("").toAbsolutePath();
        for (Path folder = from; folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("run.sh"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no run.sh in " + from + " or above it");
    }
}
