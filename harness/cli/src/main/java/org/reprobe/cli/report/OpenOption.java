package org.reprobe.cli.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.program.Executable;
import picocli.CommandLine.Option;

/** {@code --open}: opens a page in the user's browser. */
public final class OpenOption {
    @Option(names = "--open", description = "Open the report in a browser.")
    private boolean open;

    /** Opens a page if requested; if that fails, prints one line with the reason. Does not wait for the browser. */
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
            return "there is no display";
        }
        if (!Executable.isInstalled(opener)) {
            return opener + ", which starts the browser, is not on PATH";
        }
        try {
            // Output of the browser is discarded.
            new ProcessBuilder(opener, page.toAbsolutePath().normalize().toString())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return null;
        } catch (IOException e) {
            return opener + " can't be started";
        }
    }

    /** Returns the system's program that opens a file with the user's browser; null without a display. */
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
