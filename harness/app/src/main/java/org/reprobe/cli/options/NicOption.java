package org.reprobe.cli.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.cli.base.DocumentKind;
import org.reprobe.cli.base.Library;
import org.reprobe.run.OwnNics;
import picocli.CommandLine.Option;

/** {@code --nic}: a profile that comes with the program, or a file with one. */
public final class NicOption {
    @Option(
            names = "--nic",
            paramLabel = "N",
            completionCandidates = Names.class,
            description = "A NIC profile of scenarios/nics/, or a file with one, in place of the files'.")
    private @Nullable String given;

    /**
     * What the option names.
     *
     * @param name by which the profile is known; null without the option
     * @param folder of all profiles, the file's among them
     * @param own whether it is a file
     */
    public record Profile(@Nullable String name, Path folder, boolean own) {}

    /** Whether the option was given. */
    public boolean isGiven() {
        return given != null;
    }

    /**
     * Reads the option.
     *
     * @param problems gets why a file is no profile
     */
    public Profile profile(Library library, List<Problem> problems) throws IOException {
        Path file = given == null ? null : file(given);
        if (file == null) {
            return new Profile(given, library.nics(), false);
        }
        String name = OwnNics.name(file);
        try {
            DocumentKind.NIC.read(file);
            NicProfiles.read(file, name); // its problems are the user's file's, not the copy's
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return new Profile(null, library.nics(), false);
        }
        return new Profile(name, OwnNics.beside(library.nics(), file, name), true);
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

    /** The profiles that there are, for completion. */
    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Library.files(Library.here().nics()).stream()
                    .map(Library::name)
                    .iterator();
        }
    }
}
