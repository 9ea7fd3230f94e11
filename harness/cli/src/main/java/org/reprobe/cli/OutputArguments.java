package org.reprobe.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.SummaryCsv;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.run.Status;
import picocli.CommandLine.Model.ArgSpec;

/** Output files of a command: none may be an input of the command, a file of a result folder, or given twice. */
final class OutputArguments {
    /** Files of a result folder that can't be outputs. */
    private static final Set<String> OF_RESULTS = Set.of(
            Status.NAME,
            MeasurementFile.NAME,
            SummaryCsv.NAME,
            "claims.jsonl",
            "environment.json",
            "histograms.hlog",
            "scenario.yaml",
            "series.jsonl");

    private record Argument(String name, Path file) {}

    private OutputArguments() {}

    static List<Problem> problems(List<ArgSpec> arguments) {
        List<Argument> taken = new ArrayList<>();
        for (ArgSpec argument : arguments) {
            if (!isOutput(argument)) {
                files(argument).stream()
                        .filter(input -> argument.isPositional() || Files.isRegularFile(input.file))
                        .forEach(taken::add);
            }
        }
        List<Problem> problems = new ArrayList<>();
        for (ArgSpec argument : arguments) {
            for (Argument output : isOutput(argument) ? files(argument) : List.<Argument>of()) {
                String problem = problem(output.file, taken);
                if (problem != null) {
                    problems.add(Problem.of(output.name + " " + output.file, problem + ": write to another file"));
                }
                taken.add(output);
            }
        }
        return problems;
    }

    private static @Nullable String problem(Path output, List<Argument> taken) {
        if (Files.exists(output) && !Files.isRegularFile(output)) {
            return null; // a device takes any number of outputs
        }
        for (Argument other : taken) {
            if (isSame(output, other.file)) {
                return "is also given as " + other.name;
            }
        }
        boolean ofResult = OF_RESULTS.contains(String.valueOf(output.getFileName()))
                && Files.isRegularFile(output)
                && Files.isRegularFile(output.resolveSibling(Status.NAME));
        return ofResult ? "is a part of a result" : null;
    }

    private static boolean isSame(Path output, Path other) {
        try {
            return output.toAbsolutePath()
                            .normalize()
                            .equals(other.toAbsolutePath().normalize())
                    || (Files.isRegularFile(other) && Files.exists(output) && Files.isSameFile(output, other));
        } catch (IOException _) {
            return false; // whatever reads or writes it reports why
        }
    }

    private static boolean isOutput(ArgSpec argument) {
        return Arrays.stream(argument.converters())
                .anyMatch(each -> each instanceof WritableFile || each instanceof JsonOption.Target);
    }

    private static List<Argument> files(ArgSpec argument) {
        List<Argument> files = new ArrayList<>();
        for (String value : argument.stringValues()) {
            try {
                if (!value.equals("-")) {
                    files.add(new Argument(ArgumentErrors.name(argument), Path.of(value)));
                }
            } catch (InvalidPathException _) {
                // no file: a number or a setting
            }
        }
        return files;
    }
}
