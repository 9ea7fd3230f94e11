package org.reprobe.cli.project;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.process.ShellWord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code new}: writes a project folder that runs at once, from an example of the program. */
@Command(
        name = "new",
        description = "Writes a project folder that runs at once, to be changed: scenario, claims and program.",
        footer = {
            "",
            "artifact: a program in any language. system: a hash table or protocol in Java, with build.sh and pom.xml.",
            "paper: experiments with shipped systems, and the paper's claims."
        })
public final class NewCommand extends CheckedCommand {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]+(-[a-z0-9]+)*");

    /** Folder of the examples among the program's resources. */
    private static final String EXAMPLES = "/org/reprobe/examples/";

    @Parameters(index = "0", paramLabel = "KIND", description = "artifact, system or paper.")
    private String kind = "";

    @Parameters(
            index = "1",
            paramLabel = "NAME",
            description = "Name of the scenario, system or paper, or a path that ends with it: the new folder.")
    private String path = "";

    private final Library library = Library.current();

    @Override
    public Integer call() throws Exception {
        List<String> kinds = Arrays.stream(ProjectTemplate.values())
                .map(ProjectTemplate::word)
                .toList();
        if (!kinds.contains(kind)) {
            addProblem(kind, "must be one of " + String.join(", ", kinds) + Spelling.hint(kind, kinds));
        }
        Path folder = folder();
        stopOnProblems();
        ProjectTemplate template = ProjectTemplate.valueOf(kind.toUpperCase(Locale.ROOT));
        write(template, Objects.requireNonNull(folder));
        return ExitCode.FINE;
    }

    private @Nullable Path folder() throws IOException {
        Path folder;
        try {
            folder = Path.of(path);
        } catch (InvalidPathException e) {
            addProblem(path, "can't be the name of a folder");
            return null;
        }
        String name = name(folder);
        if (!NAME.matcher(name).matches()) {
            addProblem(path, "a name has two or more lower-case letters, digits and single hyphens, such as my-table");
        } else if (library.all().keySet().stream()
                .anyMatch(each -> List.of(each.split("/")).contains(name))) {
            addProblem(path, "is the name of a shipped scenario or of a folder of them: choose another one");
        }
        String refusal = Files.exists(folder) ? "exists: name a new folder" : ResultFolder.unwritable(folder);
        if (refusal != null) {
            addProblem(path, refusal);
        }
        return folder;
    }

    private static String name(Path folder) {
        return String.valueOf(folder.getFileName());
    }

    private void write(ProjectTemplate template, Path folder) throws IOException {
        String name = name(folder);
        Map<String, String> replacements = template.replacements(
                name, library.home().toAbsolutePath().normalize().toString());
        Map<String, String> files = new LinkedHashMap<>();
        for (String file : template.files()) {
            files.put(replaced(file, replacements), replaced(text(template.example() + "/" + file), replacements));
        }
        List<String> commands = template.commands(name, ShellWord.typed(folder.toString()));
        files.put("README.md", readme(template, name, commands));
        for (Map.Entry<String, String> each : files.entrySet()) {
            Path file = folder.resolve(each.getKey());
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, each.getValue());
            if (each.getValue().startsWith("#!") && !file.toFile().setExecutable(true)) {
                throw new IOException(file + " can't be made executable");
            }
            out().println(file);
        }
        out().println();
        out().println("Next, from this folder:");
        String run = Files.exists(Path.of("run.sh")) ? "./run.sh" : ShellWord.typed(library.home() + "/run.sh");
        commands.forEach(command -> out().println("    " + command.replace("./run.sh", run)));
        out().println("Then replace the example by your own, file by file; docs/" + template.page()
                + " explains them.");
    }

    private static String readme(ProjectTemplate template, String name, List<String> commands) {
        return "# " + name + "\n\nProject for Reprobe: " + template.meaning() + ".\n\n"
                + commands.stream().map(command -> "    " + command + "\n").collect(Collectors.joining())
                + "\n`./run.sh validate " + name
                + " --project ...` checks all files. `./run.sh reference` lists the keys of a"
                + " scenario,\n`./run.sh reference claims` those of claims, `./run.sh reference metrics` the metrics."
                + " Reprobe's `docs/" + template.page() + "`\nexplains the files.\n";
    }

    /** Replaces words, the longest that match first, each part of the text once. */
    private static String replaced(String text, Map<String, String> replacements) {
        Pattern words = Pattern.compile(replacements.keySet().stream()
                .sorted((a, b) -> b.length() - a.length())
                .map(Pattern::quote)
                .collect(Collectors.joining("|")));
        return words.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(Objects.requireNonNull(replacements.get(match.group()))));
    }

    private static String text(String file) throws IOException {
        try (InputStream in = NewCommand.class.getResourceAsStream(EXAMPLES + file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
