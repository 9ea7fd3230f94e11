package org.reprobe.cli.base;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.run.process.ShellWord;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** A command line in words, from what picocli parsed: parameters first, then options in the order in which they were typed. */
public final class TypedCommand {
    /**
     * Options that change output only; {@code --project}, which {@link #typed} adds; and a webhook, whose address is often a
     * secret.
     */
    private static final Set<String> SHOW_ONLY = Set.of("--quiet", "--json", "--debug", "--project", "--webhook");

    private TypedCommand() {}

    /** The whole command as one types it in a shell. */
    public static String of(ParseResult parsed) {
        return typed(words(parsed, Set.of()));
    }

    /** The whole command without some options. */
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

    /** Options and their values. */
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

    /** Those of some options that were given, with their values. */
    public static List<String> only(ParseResult parsed, Set<String> names) {
        Set<String> others = new LinkedHashSet<>();
        parsed.matchedOptions().forEach(option -> others.add(option.longestName()));
        others.removeAll(names);
        return options(parsed, others);
    }

    /** A command line as one types it in a shell. */
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
