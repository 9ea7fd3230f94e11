package org.reprobe.cli.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.Executable;
import picocli.CommandLine.Option;

/** {@code --open}: shows a page in the browser that its user has chosen. */
public final class OpenOption {
    @Option(names = "--open", description = "Open the report in a browser.")
    private boolean open;

    /** Opens a page, if it was asked for; where that can't be, a line says why. Nothing waits for the browser. */
    void open(Path page, PrintWriter err) {
        if (!open) {
            return;
        }
        String why = whyNot(page);
        if (why != null) {
            err.println("--open: " + why + "; open " + page.toAbsolutePath().normalize());
            err.flush();
        }
    }

    private static @Nullable String whyNot(Path page) {
        String opener = opener(System.getProperty("os.name", ""), System.getenv());
        if (opener == null) {
            return "there is no display here";
        }
        if (!Executable.isInstalled(opener)) {
            return "there is no " + opener + " on PATH, which knows the browser";
        }
        try {
            // A browser that says something later has nobody to read it.
            new ProcessBuilder(opener, page.toAbsolutePath().normalize().toString())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return null;
        } catch (IOException e) {
            return opener + " does not start";
        }
    }

    /** The system's program that opens a file with what its user has chosen; null where nobody would see it. */
    public static @Nullable String opener(String system, Map<String, String> environment) {
        if (system.toLowerCase(Locale.ROOT).startsWith("mac")) {
            return "open";
        }
        if (environment.containsKey("WSL_DISTRO_NAME")) {
            return "wslview";
        }
        return environment.containsKey("DISPLAY") || environment.containsKey("WAYLAND_DISPLAY") ? "xdg-open" : null;
    }
}
