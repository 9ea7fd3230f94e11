package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.trust.PrivateFolder;

/**
 * NIC profiles of the user beside the shipped ones. A result folder stores those of its runs in {@code nics/}, so that
 * it can be completed and reported on anywhere. They are identified by file name and a hash of the content: an edited
 * profile is a new one.
 */
public final class OwnNics {
    private static final String FOLDER = "nics";
    private static final String EXTENSION = ".yaml";
    private static final int HASH_DIGITS = 8;

    private OwnNics() {}

    public static String name(Path file) throws IOException {
        String stem = file.getFileName()
                .toString()
                .replaceFirst("\\.(yaml|yml|json)$", "")
                .replaceAll("[^A-Za-z0-9._-]", "-");
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
            return stem + "-" + HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    /** Returns a folder with a user's profile beside all of another folder's. Deleted when this process ends. */
    public static Path beside(Path nics, Path file, String name) throws IOException {
        Path all = merged(List.of(nics));
        copy(file, all.resolve(name + EXTENSION));
        return all;
    }

    /** Returns a folder with a result folder's profiles beside all others; {@code nics} itself if it has none. */
    static Path beside(Path nics, Path results) throws IOException {
        Path own = results.resolve(FOLDER);
        if (!Files.isDirectory(own)) {
            return nics;
        }
        Path all = merged(List.of(nics));
        for (Path file : profiles(own)) {
            copy(file, all.resolve(file.getFileName()));
        }
        return all;
    }

    static void keep(Path nics, String name, Path results) throws IOException {
        Path own = Files.createDirectories(results.resolve(FOLDER));
        WholeFile.write(own.resolve(name + EXTENSION), Files.readAllBytes(nics.resolve(name + EXTENSION)));
    }

    /**
     * Temporary folder with the profiles of several folders, later ones replacing earlier ones. Deleted with this
     * process; that of a killed process is deleted by the next one.
     */
    public static Path merged(List<Path> folders) throws IOException {
        Path all = PrivateFolder.temporary("reprobe-nics").path();
        all.toFile().deleteOnExit();
        for (Path folder : folders) {
            for (Path file : profiles(folder)) {
                copy(file, all.resolve(file.getFileName()));
            }
        }
        return all;
    }

    private static void copy(Path file, Path to) throws IOException {
        Files.copy(file, to, StandardCopyOption.REPLACE_EXISTING);
        to.toFile().deleteOnExit();
    }

    private static List<Path> profiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(EXTENSION))
                    .toList();
        }
    }
}
