package org.reprobe.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Kernel files below {@code /sys} and {@code /proc}; missing and unreadable ones count as empty. */
record KernelFiles(Path root) {
    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

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

    List<String> lines(String file) {
        try {
            return Files.readAllLines(root.resolve(file));
        } catch (IOException e) {
            return List.of();
        }
    }

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
