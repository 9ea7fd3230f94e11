package org.reprobe.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the kernel tells in files below {@code /sys} and {@code /proc}. Many are missing on some machines, or are not for everybody to read: then
 * nothing is told.
 *
 * @param root where those folders are
 */
record KernelFiles(Path root) {
    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    /** What is in a folder, by name; nothing where there is none. */
    List<Path> list(String folder) {
        return list(root.resolve(folder));
    }

    static List<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** None where there is no such file. */
    List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Empty where there is no such file, or reading it is not possible, as with a port that is down. */
    String read(String file) {
        return read(root.resolve(file));
    }

    static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
