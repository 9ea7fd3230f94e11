package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.DetailOptions;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.run.Findings;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.trust.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code merge}: results, figures, claims and report of a run in shards. */
@Command(
        name = "merge",
        description = {
            "Merges the shards of a run (run --shard) into results, figures, claims and report.",
            "Lists missing runs and then exits with 1. Simulated results are byte-identical to those of one machine."
        },
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
public final class MergeCommand extends CheckedCommand {
    @Parameters(paramLabel = "DIR", description = "The shards' common folder (--out).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path dir;

    @Option(names = "--strict", description = "Exit with code 1 if a claim is missed.")
    private boolean strict;

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private DetailOptions detail = new DetailOptions();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        Library library = Library.current();
        stopOnProblems();
        ShardFolder folder = ShardFolder.open(dir, library.nics());
        String unwritable = ResultFolder.unwritable(folder.dir());
        if (unwritable != null) {
            addProblem(dir, unwritable);
        }
        stopOnProblems();
        return merge(folder, library, json, detail, err(), strict);
    }

    /** Folder whose link {@code latest} is set to complete results; null if the results are elsewhere. */
    static @Nullable Path latestIn(Path dir, Library library) throws IOException {
        Path parent = dir.getParent();
        boolean ours =
                Files.isDirectory(library.results()) && parent != null && Files.isSameFile(parent, library.results());
        return ours ? parent : null;
    }

    static int merge(
            ShardFolder folder, Library library, JsonOption json, DetailOptions detail, PrintWriter err, boolean strict)
            throws InvalidInputException, IOException {
        Published published = Published.of(folder.plan().scenarios(), library.shelf());
        List<String> notes = new ArrayList<>();
        ShardFolder.Merged result = folder.merge(published, notes, latestIn(folder.dir(), library));
        notes.forEach(detail.header(json.text())::println);
        if (!result.differing().isEmpty()) {
            result.differing().forEach(problem -> err.println(Printable.lines(problem.toString())));
            err.println("Nothing was merged.");
            return ExitCode.FAILED;
        }
        ResultFolder merged = Objects.requireNonNull(result.merged());
        Findings findings = Objects.requireNonNull(result.findings());
        RunSummary summary = new RunSummary(List.of(merged), findings);
        summary.print(json.text(), detail);
        json.write(summary.json());
        RunSummary.printFailures(err, merged.failures());
        result.missing().forEach((shard, units) -> printMissing(err, folder, shard, units));
        if (!result.missing().isEmpty()) {
            err.println("Incomplete: "
                    + Quantities.share(merged.done(), folder.plan().units().size(), "run", "are")
                    + " stored. Run the shards above, or all missing runs on this machine:\n    "
                    + TypedCommand.typed(List.of("run", "--resume", folder.dir().toString())));
        }
        boolean missed = findings.claims().stream().anyMatch(claim -> claim.status() == ClaimResult.Status.MISSED);
        boolean failed = !result.missing().isEmpty()
                || !merged.failures().isEmpty()
                || !findings.problems().isEmpty()
                || (strict && missed);
        return failed ? ExitCode.FAILED : ExitCode.FINE;
    }

    private static void printMissing(PrintWriter err, ShardFolder folder, int shard, List<RunPlan.Unit> units) {
        List<String> cells = units.stream().map(RunPlan.Unit::name).distinct().toList();
        String shown = String.join("; ", cells.subList(0, Math.min(3, cells.size())));
        err.println("missing: shard " + shard + "/" + folder.shards().count() + ", " + units.size() + " of "
                + Quantities.count(folder.shards().units(shard).size(), "run") + ": " + shown
                + (cells.size() > 3 ? " and " + Quantities.count(cells.size() - 3, "other cell") : ""));
    }
}
