package org.reprobe.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.run.OwnNics;

/**
 * What {@code --nic} names: a profile that comes with the program, or a file with one.
 *
 * @param name by which the profile is known; null without the option
 * @param folder of all profiles, the file's among them
 * @param own whether it is a file
 */
record NicOption(@Nullable String name, Path folder, boolean own) {

    /**
     * Reads the option.
     *
     * @param given null when it was not
     * @param problems gets what a file is that is no profile
     */
    static NicOption of(@Nullable String given, Shipped shipped, List<Problem> problems) throws IOException {
        Path file = given == null ? null : file(given);
        if (file == null) {
            return new NicOption(given, shipped.nics(), false);
        }
        Problem other = DocumentKind.other(file, DocumentKind.NIC);
        if (other != null) {
            problems.add(other);
            return new NicOption(null, shipped.nics(), false);
        }
        String name = OwnNics.name(file);
        return new NicOption(name, OwnNics.beside(shipped.nics(), file, name), true);
    }

    private static @Nullable Path file(String given) {
        if (!given.contains("/") && !given.endsWith(".yaml")) {
            return null;
        }
        try {
            Path file = Path.of(given);
            return Files.isRegularFile(file) ? file : null;
        } catch (InvalidPathException e) {
            return null; // the name of no profile either, which is said then
        }
    }
}
