package org.reprobe.plots;

import java.awt.Font;
import java.awt.FontFormatException;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DejaVu Sans and Serif from the class path, so that figures have the same bytes on machines with many fonts, few or
 * none.
 *
 * <p>AWT requires a font configuration before it measures any text; without the system's fontconfig it fails with
 * "Fontconfig head is null". The property {@code sun.awt.fontconfig} selects our own instead. AWT reads it once, so
 * {@link #load} must be called before any other drawing.
 */
final class Fonts {
    private static final String RESOURCES = "/org/reprobe/plots/fonts/";
    private static final String PLAIN_FILE = "DejaVuSans.ttf";
    private static final String BOLD_FILE = "DejaVuSans-Bold.ttf";
    private static final String SERIF_FILE = "DejaVuSerif.ttf";
    private static final List<String> FILES = List.of(PLAIN_FILE, BOLD_FILE, SERIF_FILE);
    private static final String CONFIGURATION_PROPERTY = "sun.awt.fontconfig";
    private static final String CONFIGURATION_FILE = "fontconfig.properties";
    private static final String PREFIX = "reprobe-fonts-";
    private static final Object LOCK = new Object();

    /** Unhinted, so that widths are the same on every machine. */
    private static final FontRenderContext UNHINTED = new FontRenderContext(new AffineTransform(), true, true);

    private static volatile @Nullable List<Font> loaded;

    private final boolean serif;
    private final Font plain;
    private final Font bold;

    private Fonts(boolean serif, Font plain, Font bold) {
        this.serif = serif;
        this.plain = plain;
        this.bold = bold;
    }

    /** Returns the sans-serif fonts, or the only serif font, which has no bold letters. */
    static Fonts load(boolean serif) throws IOException {
        List<Font> fonts = fonts();
        return serif ? new Fonts(true, fonts.get(2), fonts.get(2)) : new Fonts(false, fonts.get(0), fonts.get(1));
    }

    /** Loads the fonts once per process. */
    private static List<Font> fonts() throws IOException {
        List<Font> fonts = loaded;
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

    Font font(Scene.Face face) {
        return (face.bold() ? bold : plain).deriveFont((float) face.size());
    }

    double width(String text, Scene.Face face) {
        return font(face).createGlyphVector(UNHINTED, text).getLogicalBounds().getWidth();
    }

    /** Returns the outline of a text, with its baseline's start at (0, 0). */
    static Shape outline(String text, Font font) {
        return new TextLayout(text, font, UNHINTED).getOutline(null);
    }

    /** Returns SVG's font families. Verdana has the same widths as DejaVu Sans and is on machines without it. */
    String families() {
        return serif ? "'DejaVu Serif',serif" : "'DejaVu Sans',Verdana,sans-serif";
    }

    /** Opens the TrueType file, for documents with embedded fonts. */
    InputStream file(boolean ofBold) throws IOException {
        return bundled(serif ? SERIF_FILE : ofBold ? BOLD_FILE : PLAIN_FILE);
    }

    private static List<Font> read() throws IOException {
        Path directory =
                Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-");
        deleteLeftovers(directory);
        Path configuration = directory.resolve(CONFIGURATION_FILE);
        // Files registered later are deleted earlier: the directory goes last.
        directory.toFile().deleteOnExit();
        for (String name : FILES) {
            extract(name, directory.resolve(name));
            directory.resolve(name).toFile().deleteOnExit();
        }
        Files.writeString(
                configuration,
                configuration(directory.resolve(PLAIN_FILE), directory.resolve(BOLD_FILE)),
                StandardCharsets.ISO_8859_1);
        configuration.toFile().deleteOnExit();
        if (System.getProperty(CONFIGURATION_PROPERTY) == null) {
            System.setProperty(CONFIGURATION_PROPERTY, configuration.toString());
        }
        try {
            List<Font> fonts = new ArrayList<>();
            for (String name : FILES) {
                fonts.add(Font.createFont(
                        Font.TRUETYPE_FONT, directory.resolve(name).toFile()));
            }
            return List.copyOf(fonts);
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
                    for (String name : FILES) {
                        Files.deleteIfExists(folder.resolve(name));
                    }
                    Files.deleteIfExists(folder.resolve(CONFIGURATION_FILE));
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
