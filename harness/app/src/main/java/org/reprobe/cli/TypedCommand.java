package org.reprobe.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** A command line in words, from what picocli parsed: parameters first, then options in the order in which they were typed. */
final class TypedCommand {
    /**
     * Options that say what is shown, not what is done; {@code --project}, which {@link Reprobe#typed} adds; and a webhook, whose
     * address is often a secret.
     */
    private static final Set<String> SHOW_ONLY = Set.of("--quiet", "--json", "--debug", "--project", "--webhook");

    private TypedCommand() {}

    /** The whole command as one types it in a shell. */
    static String of(ParseResult parsed) {
        return Reprobe.typed(words(parsed, Set.of()));
    }

    /** The whole command without some options. */
    static List<String> words(ParseResult parsed, Set<String> leftOut) {
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
    static List<String> options(ParseResult parsed, Set<String> leftOut) {
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
    static List<String> only(ParseResult parsed, Set<String> names) {
        Set<String> others = new LinkedHashSet<>();
        parsed.matchedOptions().forEach(option -> others.add(option.longestName()));
        others.removeAll(names);
        return options(parsed, others);
    }
}
