package org.reprobe.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tests that a machine cannot run. {@code run.sh test} ends with one line for each. */
public final class NotTested {
    private static final Path FOLDER = Path.of("target/not-tested");

    private NotTested() {}

    /** Returns {@code here}; if it is false, records the reason under a file name. */
    public static boolean unless(boolean here, String name, String why) {
        if (!here) {
            record(name, why);
        }
        return here;
    }

    static void record(String name, String why) {
        try {
            Files.createDirectories(FOLDER);
            Files.writeString(FOLDER.resolve(name), why.replaceAll("\\s*\\R\\s*", " ") + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
