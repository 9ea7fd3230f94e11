package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Interrupts;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Status;

/**
 * Runs one shard: what no attempt at it has yet.
 */
record ShardRun(ShardFolder folder, ShardOf part) implements RunMode {
    /** Facts of an attempt, not of the whole run. */
    private static final Set<String> OF_ATTEMPT = Set.of("started", "threads");

    private static final Set<String> OF_WHOLE = Set.of("title", "scale", "seed", "fabric", "kind", "nic", "rdma");

    /** What came out, for programs. */
    record Json(int shard, int shards, int runs, int failed, String folder) {}

    /** Facts that are the same for all shards. */
    static Map<String, String> shared(Map<String, String> facts) {
        Map<String, String> shared = new LinkedHashMap<>(facts);
        shared.keySet().removeAll(OF_ATTEMPT);
        return shared;
    }

    /** Facts of a run that was not divided when it began. */
    static Map<String, String> whole(Map<String, String> environment) {
        Map<String, String> whole = new LinkedHashMap<>();
        environment.forEach((key, value) -> {
            if (OF_WHOLE.contains(key) || key.startsWith("command-of-") || key.startsWith(HistoryEntry.ARTIFACT)) {
                whole.put(key, value);
            }
        });
        return whole;
    }

    /**
     * A shard, of the same size of tables as all others.
     *
     * @param maxMemoryBytes as typed; null for that of the first shard
     */
    static ShardRun of(ShardFolder folder, ShardOf part, @Nullable Long maxMemoryBytes) throws InvalidInputException {
        if (maxMemoryBytes != null && maxMemoryBytes != folder.maxMemoryBytes()) {
            throw new InvalidInputException(Problem.of(
                    "--max-memory",
                    "the first shard may use " + Quantities.bytes(folder.maxMemoryBytes())
                            + ": all must say the same, since what doesn't fit is a result"));
        }
        return new ShardRun(folder, part);
    }

    /** Adds why a folder can't be the one of all shards. */
    static void check(Path dir, List<Problem> problems) throws IOException {
        String refusal = ResultFolder.unwritable(dir);
        if (refusal == null && Files.isDirectory(dir) && !ShardFolder.isOne(dir)) {
            try (Stream<Path> files = Files.list(dir)) {
                // The folder of shards alone: another one is just making it.
                if (files.anyMatch(file -> !file.getFileName().toString().equals(ShardFolder.FOLDER))) {
                    refusal = "holds something else: name a new folder, or that of the other shards";
                }
            }
        }
        if (refusal != null) {
            problems.add(Problem.of("--out " + dir, refusal));
        }
    }

    @Override
    public int run(RunSession session) throws InvalidInputException, IOException, InterruptedException {
        PrintWriter text = session.text();
        PrintWriter err = session.err();
        List<String> notes = new ArrayList<>();
        List<RunPlan.Unit> units = folder.missing(part.shard(), notes);
        PrintWriter header = session.header();
        notes.forEach(header::println);
        int all = folder.shards().units(part.shard()).size();
        String merge = TypedCommand.typed(List.of("merge", folder.dir().toString()));
        if (units.isEmpty()) {
            text.println("Shard " + part + " has nothing to run: "
                    + (all == 0
                            ? "there are fewer tables than shards"
                            : "its " + Quantities.count(all, "run") + " are there")
                    + ". When all shards have run:\n    " + merge);
            session.json()
                    .write(new Json(
                            part.shard(),
                            part.count(),
                            0,
                            0,
                            folder.shardDir(part.shard()).toString()));
            return ExitCode.FINE;
        }
        String otherVersion = ArtifactVersion.difference(folder.facts(), ArtifactVersion.facts(folder.plan()));
        if (otherVersion != null) {
            throw new InvalidInputException(Problem.of(folder.dir().toString(), otherVersion));
        }
        RunPlan share = new RunPlan(
                folder.plan().scenarios().stream()
                        .filter(scenario -> units.stream()
                                .anyMatch(unit -> unit.scenario().name().equals(scenario.name())))
                        .toList(),
                units);
        long memoryBytes = folder.maxMemoryBytes();
        new RunPreview(share, session.workers(), memoryBytes).tellRefusals(err);
        Map<String, String> facts = RunHeader.facts(share, false, "", folder.scale());
        facts.keySet().retainAll(OF_ATTEMPT);
        RunHeader.print(header, share, folder.facts(), session.workers(), memoryBytes);
        facts.putAll(RunHeader.noise(header, share));
        try (ProgressLine line = session.quiet().progress()) {
            RunProgress progress = new RunProgress(line, 0, units.size(), units);
            Experiment experiment = Experiment.shard(
                    folder,
                    part.shard(),
                    units,
                    session.library().home(),
                    facts,
                    session.command(),
                    new Experiment.Options(
                            session.workers(),
                            memoryBytes,
                            session.tableCache(),
                            false,
                            null,
                            session.coordinator(progress, folder.nics())),
                    progress);
            Path attempt = experiment.folder().dir();
            header.println("# shard " + part + ": " + units.size() + " of " + Quantities.count(all, "run") + ", into "
                    + attempt);
            Interrupts interrupts = Interrupts.on(
                    () -> {
                        progress.note("Ending; once more ends at once.");
                        experiment.stop();
                    },
                    () -> progress.note("Ended at once; runs that were stored are kept. The same command goes on."));
            Experiment.Outcome outcome = experiment.run();
            line.wipe();
            String kept =
                    outcome.done() + " of " + Quantities.count(outcome.planned(), "run") + " are kept in " + attempt;
            if (outcome.state() == Status.State.INTERRUPTED) {
                text.println("Interrupted: " + kept + ". The same command goes on.");
                return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
            }
            text.println("Shard " + part + ": " + kept + ". When all shards have run:\n    " + merge);
            session.json()
                    .write(new Json(
                            part.shard(),
                            part.count(),
                            outcome.done(),
                            outcome.invalid().size(),
                            attempt.toString()));
            RunSummary.printFailures(err, outcome.invalid());
            return outcome.invalid().isEmpty() ? ExitCode.FINE : ExitCode.FAILED;
        }
    }
}
