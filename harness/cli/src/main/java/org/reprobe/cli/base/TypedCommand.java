package org.reprobe.cli.base;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.run.process.ShellWord;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Command line reconstructed from picocli's parse result: parameters first, then options in the order of typing. */
public final class TypedCommand {
    /**
     * Options without effect on results; {@code --project}, which {@link #typed} adds; a webhook, whose address is
     * often secret.
     */
    private static final Set<String> SHOW_ONLY =
            Set.of("--quiet", "--verbose", "--json", "--debug", "--project", "--webhook", "--live");

    private TypedCommand() {}

    public static String of(ParseResult parsed) {
        return typed(words(parsed, Set.of()));
    }

    public static List<String> words(ParseResult parsed, Set<String> leftOut) {
        List<String> words = new ArrayList<>(
                List.of(parsed.commandSpec().qualifiedName(" ").split(" ")).subList(1, depth(parsed)));
        parsed.matchedPositionalsSet().forEach(parameter -> words.addAll(parameter.originalStringValues()));
        Set<String> unneeded = new LinkedHashSet<>(SHOW_ONLY);
        unneeded.addAll(leftOut);
        words.addAll(options(parsed, unneeded));
        return words;
    }

    private static int depth(ParseResult parsed) {
        return parsed.commandSpec().qualifiedName(" ").split(" ").length;
    }

    public static List<String> options(ParseResult parsed, Set<String> leftOut) {
        List<String> words = new ArrayList<>();
        for (OptionSpec option : new LinkedHashSet<>(parsed.matchedOptions())) {
            String name = option.longestName();
            if (!leftOut.contains(name)) {
                if (option.arity().max() == 0) {
                    words.add(name);
                } else {
                    option.originalStringValues().forEach(value -> words.addAll(List.of(name, value)));
                }
            }
        }
        return words;
    }

    public static List<String> only(ParseResult parsed, Set<String> names) {
        Set<String> others = new LinkedHashSet<>();
        parsed.matchedOptions().forEach(option -> others.add(option.longestName()));
        others.removeAll(names);
        return options(parsed, others);
    }

    public static String typed(List<String> arguments) {
        StringBuilder text = new StringBuilder("./run.sh");
        arguments.forEach(argument -> text.append(' ').append(ShellWord.typed(argument)));
        String project = System.getProperty("reprobe.project", "");
        if (!project.isEmpty()) {
            text.append(" --project ").append(ShellWord.typed(project));
        }
        return text.toString();
    }
}
