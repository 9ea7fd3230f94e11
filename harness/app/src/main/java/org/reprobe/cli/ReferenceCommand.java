package org.reprobe.cli;

import java.util.concurrent.Callable;
import org.reprobe.scenario.ScenarioKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints what a scenario file may hold. */
@Command(
        name = "reference",
        description = {
            "Prints every key of a scenario file with its default, its meaning and what it may be.",
            "With --project, the keys of that project's systems are among them."
        })
final class ReferenceCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--schema",
            description = "Print a JSON Schema instead, with which editors check and complete scenario files.")
    private boolean schema;

    @Override
    public Integer call() {
        String text = schema
                ? ScenarioKeys.schemaText()
                : ScenarioKeys.referenceYaml().stripTrailing();
        spec.commandLine().getOut().println(text);
        return Reprobe.FINE;
    }
}
