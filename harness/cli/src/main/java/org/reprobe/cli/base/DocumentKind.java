package org.reprobe.cli.base;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.run.process.ShellWord;
import tools.jackson.databind.JsonNode;

/**
 * Kind of a file, by keys that only this kind has. A file of a wrong kind is refused with the command that accepts it.
 */
@SuppressWarnings("ImmutableEnumChecker") // its sets are
public enum DocumentKind {
    SCENARIO(
            "a scenario",
            "./run.sh run %s",
            "sweep",
            "measure",
            "scheme",
            "reproduces",
            "table",
            "load-factor",
            "fabric",
            "clients",
            "workload",
            "scales",
            "figures",
            "connection",
            "rules"),
    PLAN("a plan", "./run.sh plan %s", "lookups-per-second", "memory-per-server-gib", "value-bytes"),
    NIC("a NIC profile", "./run.sh run SCENARIO --nic %s", "responder", "requester", "link"),
    CLAIMS("a claims file", null, "paper", "claims"),
    NOTES("a notes file", "./run.sh regress history HISTORY --notes %s", "notes");

    private final String words;
    private final @Nullable String command;
    private final Set<String> keys;

    DocumentKind(String words, @Nullable String command, String... keys) {
        this.words = words;
        this.command = command;
        this.keys = Set.of(keys);
    }

    public static boolean isResults(Path folder) {
        return Files.isRegularFile(folder.resolve("status.json"));
    }

    /** Reads a file of this kind; fails if it can't be read or is of another kind. */
    public Document read(Path file) throws InvalidInputException {
        if (isResults(file)) {
            throw new InvalidInputException(
                    file,
                    "a result folder: %s shows it, %s completes it"
                            .formatted(
                                    TypedCommand.typed(List.of("report", file.toString())),
                                    TypedCommand.typed(List.of("run", "--resume", file.toString()))));
        }
        Document document = Document.read(file);
        if (!has(document.root())) {
            for (DocumentKind kind : values()) {
                if (kind.has(document.root())) {
                    String take =
                            kind.command == null ? "" : ": " + kind.command.formatted(ShellWord.typed(file.toString()));
                    throw new InvalidInputException(
                            Problem.of(file.toString(), "is %s, not %s%s".formatted(kind.words, words, take)));
                }
            }
        }
        return document;
    }

    private boolean has(JsonNode root) {
        return keys.stream().anyMatch(root::has);
    }
}
