package org.reprobe.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Cases of a test of which an ordinary run includes some and the nightly run all: see {@link Nightly}. */
public final class NightlyCases {
    private static final String PROPERTY = "reprobe.nightly";
    private static final Path FOLDER = Path.of("target/left-to-nightly");

    private NightlyCases() {}

    /** Returns true in the nightly run. */
    public static boolean areRun() {
        return Boolean.getBoolean(PROPERTY);
    }

    /**
     * Returns all cases in the nightly run, else the first {@code always}; the others are listed at the end of the
     * build under {@code test}, a valid file name: {@code SomeTest.thatHasCases}.
     */
    public static <T> List<T> of(String test, int always, List<T> cases) {
        if (areRun() || cases.size() <= always) {
            return cases;
        }
        leave(test, " (%d of %d cases)".formatted(cases.size() - always, cases.size()));
        return cases.subList(0, always);
    }

    static void leave(String test, String what) {
        try {
            Files.createDirectories(FOLDER);
            Files.writeString(FOLDER.resolve(test), test + what + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
