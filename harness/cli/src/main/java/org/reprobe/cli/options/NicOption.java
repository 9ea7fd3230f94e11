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

/** {@code --nic}: a shipped profile, or a profile's file. */
public final class NicOption {
    @Option(
            names = "--nic",
            paramLabel = "N",
            completionCandidates = Names.class,
            description = "NIC profile to use instead of the scenario's: a name in scenarios/nics/, or a file.")
    private @Nullable String given;

    /** Selected profile: name, null without the option; folder of all profiles; {@code own} for a file. */
    public record Profile(@Nullable String name, Path folder, boolean own) {}

    public Profile profile(Library library, List<Problem> problems) throws IOException {
        Path file = given == null ? null : file(given);
        if (file == null) {
            return new Profile(given, library.nics(), false);
        }
        String name = OwnNics.name(file);
        try {
            DocumentKind.NIC.read(file);
            NicProfiles.read(file, name); // reports problems of the user's file, not of the copy
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
            return null; // not a profile's name either, which is reported later
        }
    }

    public static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Library.files(Library.current().nics()).stream()
                    .map(Library::name)
                    .filter(name -> !NicProfiles.isPart(name))
                    .iterator();
        }
    }
}
