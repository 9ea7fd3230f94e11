package org.reprobe.cli.options;

import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Parser of an option with an optional number: another word behind it is a parameter of the command. */
public final class OptionalNumber implements IParameterPreprocessor {
    @Override
    public boolean preprocess(Stack<String> words, CommandSpec command, ArgSpec option, Map<String, Object> info) {
        boolean separate = " ".equals(info.get("separator"));
        if (separate && !words.isEmpty() && !words.peek().matches("-?\\d+")) {
            words.push(((OptionSpec) option).fallbackValue());
        }
        return false;
    }
}
