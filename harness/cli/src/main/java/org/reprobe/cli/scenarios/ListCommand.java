package org.reprobe.cli.scenarios;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.TextTable;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Systems;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code list}: lists scenarios and papers. */
@Command(
        name = "list",
        description = "Lists the shipped scenarios and the figures and tables that each reproduces.",
        footer = {
            "",
            "JSON: scenarios (folder, name, file, title, reproduces, cells, quick_seconds, full_seconds), papers"
                    + " (name, citation)."
        })
public final class ListCommand extends CheckedCommand {
    @Mixin
    private JsonOption json = new JsonOption();

    private final Library library = Library.current();

    /** A scenario, with rough estimates for this machine. */
    record Listed(
            String folder,
            String name,
            String file,
            String title,
            List<String> reproduces,
            int cells,
            double quickSeconds,
            double fullSeconds) {}

    record Cited(String name, String citation) {}

    record Json(List<Listed> scenarios, List<Cited> papers) {}

    @Override
    public Integer call() throws InvalidInputException, IOException {
        ScenarioReader reader = library.reader();
        Systems.all(); // if one can't be loaded, the exception must not be that of one of several threads
        List<Read> read = List.copyOf(library.all().entrySet()).parallelStream()
                .map(entry -> read(reader, entry.getKey(), entry.getValue()))
                .toList();
        List<Listed> scenarios = new ArrayList<>();
        for (Read each : read) {
            problems().addAll(each.problems());
            if (each.scenario() != null) {
                scenarios.add(each.scenario());
            }
        }
        List<Cited> papers = new ArrayList<>();
        try {
            for (Paper paper : library.shelf().cited()) {
                papers.add(new Cited(paper.name(), paper.citation()));
            }
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
        }
        print(json.text(), scenarios, papers);
        json.write(new Json(scenarios, papers));
        stopOnProblems(); // valid scenarios are listed all the same
        return ExitCode.FINE;
    }

    /** A scenario, or the problems of its file. */
    private record Read(@Nullable Listed scenario, List<Problem> problems) {}

    private Read read(ScenarioReader reader, String name, Path file) {
        try {
            Document document = Document.read(file);
            Scenario quick = reader.read(document, ScenarioReader.Options.of(Scale.QUICK));
            double quickSeconds = seconds(quick);
            double fullSeconds = document.root().has("scales")
                    ? seconds(reader.read(document, ScenarioReader.Options.of(Scale.FULL)))
                    : quickSeconds;
            Listed listed = new Listed(
                    name.substring(0, name.indexOf('/')),
                    quick.name(),
                    file.toString(),
                    quick.title(),
                    quick.reproduces(),
                    quick.cells().size(),
                    quickSeconds,
                    fullSeconds);
            return new Read(listed, List.of());
        } catch (InvalidInputException e) {
            return new Read(null, e.problems());
        }
    }

    private static void print(PrintWriter out, List<Listed> scenarios, List<Cited> papers) {
        for (String folder : scenarios.stream().map(Listed::folder).distinct().toList()) {
            TextTable table = new TextTable("lllrrr", "scenario", "title", "reproduces", "cells", "quick", "full");
            scenarios.stream()
                    .filter(each -> each.folder().equals(folder))
                    .forEach(each -> table.add(
                            each.name(),
                            each.title(),
                            each.reproduces().isEmpty() ? "-" : String.join(" ", each.reproduces()),
                            String.valueOf(each.cells()),
                            Quantities.duration(each.quickSeconds()),
                            Quantities.duration(each.fullSeconds())));
            out.println(folder);
            out.println(table);
        }
        papers.forEach(paper -> out.println(paper.name() + ": " + paper.citation()));
        out.println();
        out.println("quick and full are rough run times for "
                + Quantities.count(Runtime.getRuntime().availableProcessors(), "core")
                + ". Run one by ./run.sh run NAME, or a whole folder by ./run.sh run FOLDER.");
    }

    private double seconds(Scenario scenario) throws InvalidInputException {
        double seconds =
                RunPlan.seconds(RunPlan.of(List.of(scenario), library.nics()).units())
                        / Runtime.getRuntime().availableProcessors();
        return Math.max(1, Math.rint(seconds));
    }
}
