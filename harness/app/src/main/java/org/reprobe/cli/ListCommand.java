package org.reprobe.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.run.Plan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code list}: what there is to run. */
@Command(name = "list", description = "The shipped scenarios and what each reproduces.")
final class ListCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Shipped shipped = Shipped.here();
        int code = Reprobe.FINE;
        String folder = "";
        TextTable table = table();
        for (Map.Entry<String, Path> entry : shipped.all().entrySet()) {
            String of = entry.getKey().substring(0, entry.getKey().indexOf('/'));
            if (!of.equals(folder)) {
                print(out, folder, table);
                folder = of;
                table = table();
            }
            try {
                Scenario quick = read(shipped, entry.getValue(), Scale.QUICK);
                table.add(
                        quick.name(),
                        quick.title(),
                        quick.reproduces().isEmpty() ? "-" : String.join(" ", quick.reproduces()),
                        String.valueOf(quick.cells().size()),
                        time(shipped, quick),
                        time(shipped, read(shipped, entry.getValue(), Scale.FULL)));
            } catch (InvalidInputException e) {
                e.problems().forEach(spec.commandLine().getErr()::println);
                code = Reprobe.BAD_INPUT;
            }
        }
        print(out, folder, table);
        try {
            for (Paper paper : shipped.shelf().cited()) {
                out.println(paper.name() + ": " + paper.citation());
            }
            out.println();
        } catch (InvalidInputException e) {
            e.problems().forEach(spec.commandLine().getErr()::println);
            code = Reprobe.BAD_INPUT;
        }
        out.println(
                "Times are rough, for " + Quantities.count(Runtime.getRuntime().availableProcessors(), "core")
                        + ". ./run.sh run NAME runs one of these, ./run.sh run FOLDER a whole folder.");
        return code;
    }

    private static TextTable table() {
        return new TextTable("lllrrr", "scenario", "title", "reproduces", "cells", "quick", "full");
    }

    private static void print(PrintWriter out, String folder, TextTable table) {
        if (!folder.isEmpty()) {
            out.println(folder);
            out.println(table);
        }
    }

    private static Scenario read(Shipped shipped, Path file, Scale scale) throws InvalidInputException {
        return shipped.reader().read(file, ScenarioReader.Options.of(scale));
    }

    private static String time(Shipped shipped, Scenario scenario) throws InvalidInputException {
        double seconds = Plan.seconds(Plan.of(List.of(scenario), shipped.nics()).units())
                / Runtime.getRuntime().availableProcessors();
        return Quantities.duration(Math.max(1, seconds));
    }
}
