package org.reprobe.plots;

import java.awt.Font;
import java.awt.FontFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DejaVu Sans from the class path, so that figures have the same bytes on machines with many fonts, few or none.
 *
 * <p>AWT requires a font configuration before it measures any text; without the system's fontconfig it fails with
 * "Fontconfig head is null". The property {@code sun.awt.fontconfig} selects our own instead. AWT reads it once, so
 * {@link #load} must be called before any other drawing.
 */
final class Fonts {
    /** SVG's font families. Verdana has the same widths and is on machines without DejaVu. */
    static final String SVG_FAMILIES = "'DejaVu Sans',Verdana,sans-serif";

    private static final String RESOURCES = "/org/reprobe/plots/fonts/";
    private static final String PLAIN_FILE = "DejaVuSans.ttf";
    private static final String BOLD_FILE = "DejaVuSans-Bold.ttf";
    private static final String CONFIGURATION_PROPERTY = "sun.awt.fontconfig";
    private static final String CONFIGURATION_FILE = "fontconfig.properties";
    private static final String PREFIX = "reprobe-fonts-";
    private static final Object LOCK = new Object();

    private static volatile @Nullable Fonts loaded;

    private final Font plain;
    private final Font bold;

    private Fonts(Font plain, Font bold) {
        this.plain = plain;
        this.bold = bold;
    }

    /** Loads the fonts once per process. */
    static Fonts load() throws IOException {
        Fonts fonts = loaded;
        if (fonts == null) {
            synchronized (LOCK) {
                fonts = loaded;
                if (fonts == null) {
                    fonts = read();
                    loaded = fonts;
                }
            }
        }
        return fonts;
    }

    Font plain(float size) {
        return plain.deriveFont(size);
    }

    /** Returns the bold font, of bold style for SVG's family and weight; AWT does not embolden a bold font. */
    Font bold(float size) {
        return bold.deriveFont(Font.BOLD, size);
    }

    /** Opens the TrueType file of {@link #plain}, for documents with embedded fonts. */
    static InputStream plainFile() throws IOException {
        return bundled(PLAIN_FILE);
    }

    static InputStream boldFile() throws IOException {
        return bundled(BOLD_FILE);
    }

    private static Fonts read() throws IOException {
        Path directory =
                Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-");
        deleteLeftovers(directory);
        Path plainFile = directory.resolve(PLAIN_FILE);
        Path boldFile = directory.resolve(BOLD_FILE);
        Path configuration = directory.resolve(CONFIGURATION_FILE);
        extract(PLAIN_FILE, plainFile);
        extract(BOLD_FILE, boldFile);
        Files.writeString(configuration, configuration(plainFile, boldFile), StandardCharsets.ISO_8859_1);
        // Files registered later are deleted earlier: the directory goes last.
        for (Path path : List.of(directory, plainFile, boldFile, configuration)) {
            path.toFile().deleteOnExit();
        }
        if (System.getProperty(CONFIGURATION_PROPERTY) == null) {
            System.setProperty(CONFIGURATION_PROPERTY, configuration.toString());
        }
        try {
            return new Fonts(
                    Font.createFont(Font.TRUETYPE_FONT, plainFile.toFile()),
                    Font.createFont(Font.TRUETYPE_FONT, boldFile.toFile()));
        } catch (FontFormatException e) {
            throw new IOException("the bundled font is damaged: " + e.getMessage(), e);
        } catch (LinkageError | InternalError e) {
            throw new FiguresUnavailableException(e);
        }
    }

    /** Deletes folders left beside ours by killed processes: only those of the same owner with only our files. */
    private static void deleteLeftovers(Path ours) {
        Path place = ours.getParent();
        if (place == null) {
            return;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(place, PREFIX + "*")) {
            UserPrincipal owner = Files.getOwner(ours);
            for (Path folder : folders) {
                String pid = folder.getFileName()
                        .toString()
                        .substring(PREFIX.length())
                        .replaceFirst("-.*", "");
                if (pid.matches("\\d{1,18}")
                        && ProcessHandle.of(Long.parseLong(pid)).isEmpty()
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(owner)) {
                    for (String name : List.of(PLAIN_FILE, BOLD_FILE, CONFIGURATION_FILE)) {
                        Files.deleteIfExists(folder.resolve(name));
                    }
                    Files.deleteIfExists(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Remains do not affect figures.
        }
    }

    private static void extract(String name, Path file) throws IOException {
        try (InputStream in = bundled(name)) {
            Files.copy(in, file);
        }
    }

    private static InputStream bundled(String name) throws IOException {
        InputStream in = Fonts.class.getResourceAsStream(RESOURCES + name);
        if (in == null) {
            throw new IOException("the bundled font " + name + " is missing from this build");
        }
        return in;
    }

    /** Returns a configuration of every logical font in every style, since one with a gap is rejected as a whole. */
    private static String configuration(Path plain, Path bold) {
        StringBuilder text = new StringBuilder("version=1\nsequence.allfonts=default\n");
        for (String font : List.of("serif", "sansserif", "monospaced", "dialog", "dialoginput")) {
            for (String style : List.of("plain", "italic")) {
                text.append(font).append('.').append(style).append(".default=DejaVu Sans\n");
            }
            for (String style : List.of("bold", "bolditalic")) {
                text.append(font).append('.').append(style).append(".default=DejaVu Sans Bold\n");
            }
        }
        text.append("filename.DejaVu_Sans=").append(escaped(plain)).append('\n');
        text.append("filename.DejaVu_Sans_Bold=").append(escaped(bold)).append('\n');
        return text.toString();
    }

    private static String escaped(Path path) {
        return path.toString().replace("\\", "\\\\");
    }
}
