package org.reprobe.cli.scenarios;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.reprobe.analysis.claims.ClaimFile;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.plan.PlanReader;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.analysis.regress.HistoryNote;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.scenario.ScenarioKeys;
import org.reprobe.system.Systems;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "reference",
        description = {
            "Prints every key of a kind of file with its default, its meaning and its allowed values,",
            "or every metric of a result with its meaning.",
            "With --project, includes the keys of that project's systems."
        })
public final class ReferenceCommand implements Callable<Integer> {
    private record Kind(Supplier<String> reference, Supplier<String> schema) {
        Kind(Binder<?> files) {
            this(files::reference, files::schemaText);
        }
    }

    private static Map<String, Kind> kinds() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        kinds.put(SCENARIO, new Kind(ScenarioKeys::referenceYaml, ScenarioKeys::schemaText));
        kinds.put("claims", new Kind(ClaimFile.FILES));
        kinds.put("nic", new Kind(NicProfiles.files()));
        kinds.put("plan", new Kind(new PlanReader(Systems.planned()).files()));
        kinds.put("notes", new Kind(HistoryNote.FILES));
        kinds.put("history", new Kind(HistoryFile.lines()));
        return kinds;
    }

    private static final String SCENARIO = "scenario";
    private static final String METRICS = "metrics";

    @Parameters(
            paramLabel = "KIND",
            arity = "0..1",
            description = "scenario (the default), claims, nic, plan, notes, history or metrics.")
    private String word = SCENARIO;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--schema",
            description = "Print a JSON Schema instead, for editors that check and complete such files.")
    private boolean schema;

    @Override
    public Integer call() throws InvalidInputException {
        if (word.equals(METRICS) && !schema) {
            PrintWriter out = spec.commandLine().getOut();
            Metrics.meanings().forEach((name, meaning) -> out.printf("%s%n    %s%n", name, meaning));
            return ExitCode.FINE;
        }
        Map<String, Kind> kinds = kinds();
        Kind kind = kinds.get(word);
        if (kind == null) {
            List<String> words = new ArrayList<>(kinds.keySet());
            if (!schema) {
                words.add(METRICS);
            }
            throw new InvalidInputException(
                    word, "must be one of " + String.join(", ", words) + Spelling.hint(word, words));
        }
        spec.commandLine()
                .getOut()
                .println((schema ? kind.schema : kind.reference).get().stripTrailing());
        return ExitCode.FINE;
    }
}
