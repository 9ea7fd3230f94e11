package org.reprobe.cli.options;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.cli.base.FileFailure;
import org.reprobe.trust.Secret;
import picocli.CommandLine.Option;

/** Token of a server that was started by hand: not on a command line, since every user of a host can read those. */
public final class TokenOption {
    private static final String FORM = "[0-9a-f]{32}";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token that the server printed (default: prompt, or standard input).")
    private @Nullable Path file;

    public boolean given() {
        return file != null;
    }

    /** Returns the token; null if there is none, with a problem. */
    public @Nullable Secret read(List<Problem> problems) throws IOException {
        Path path = file;
        String text = path == null ? prompt() : firstLine(path, problems);
        if (text == null) {
            return null;
        }
        String token = text.strip();
        if (!token.matches(FORM)) {
            problems.add(Problem.of(
                    path == null ? "standard input" : "--token-file " + path,
                    "has no token: expected the 32 hexadecimal digits that the server printed"));
            return null;
        }
        return Secret.of(token);
    }

    private static @Nullable String firstLine(Path path, List<Problem> problems) {
        try (BufferedReader in = Files.newBufferedReader(path)) {
            char[] start = new char[200];
            int read = in.read(start);
            return new String(start, 0, Math.max(0, read)).lines().findFirst().orElse("");
        } catch (IOException e) {
            problems.add(Problem.of("--token-file " + path, "can't be read: " + FileFailure.words(e)));
            return null;
        }
    }

    @SuppressWarnings("SystemConsoleNull") // null still, when jdk.internal.le is left out
    private static String prompt() throws IOException {
        Console console = System.console();
        if (console != null && console.isTerminal()) {
            char[] typed = console.readPassword("Token that the server printed: ");
            return typed == null ? "" : new String(typed);
        }
        String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        return line == null ? "" : line;
    }
}
