package org.reprobe.cli.scenarios;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
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
        List<Listed> scenarios = new ArrayList<>();
        for (Map.Entry<String, Path> entry : library.all().entrySet()) {
            try {
                String folder = entry.getKey().substring(0, entry.getKey().indexOf('/'));
                scenarios.add(listed(folder, entry.getValue()));
            } catch (InvalidInputException e) {
                problems().addAll(e.problems());
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

    private Listed listed(String folder, Path file) throws InvalidInputException {
        Document document = Document.read(file);
        Scenario quick = read(document, Scale.QUICK);
        double quickSeconds = seconds(quick);
        return new Listed(
                folder,
                quick.name(),
                file.toString(),
                quick.title(),
                quick.reproduces(),
                quick.cells().size(),
                quickSeconds,
                document.root().has("scales") ? seconds(read(document, Scale.FULL)) : quickSeconds);
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

    private Scenario read(Document file, Scale scale) throws InvalidInputException {
        return library.reader().read(file, ScenarioReader.Options.of(scale));
    }

    private double seconds(Scenario scenario) throws InvalidInputException {
        double seconds =
                RunPlan.seconds(RunPlan.of(List.of(scenario), library.nics()).units())
                        / Runtime.getRuntime().availableProcessors();
        return Math.max(1, Math.rint(seconds));
    }
}
