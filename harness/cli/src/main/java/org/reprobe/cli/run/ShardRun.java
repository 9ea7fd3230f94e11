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
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Status;

record ShardRun(ShardFolder folder, ShardOf part) implements RunMode {
    private static final Set<String> OF_ATTEMPT = Set.of("started", "threads");

    private static final Set<String> OF_WHOLE = Set.of("title", "scale", "seed", "fabric", "kind", "nic", "rdma");

    record Json(int shard, int shards, int runs, int failed, String folder) {}

    static Map<String, String> shared(Map<String, String> facts) {
        Map<String, String> shared = new LinkedHashMap<>(facts);
        shared.keySet().removeAll(OF_ATTEMPT);
        return shared;
    }

    /** Returns the facts of a run that was not divided when it began. */
    static Map<String, String> whole(Map<String, String> environment) {
        Map<String, String> whole = new LinkedHashMap<>();
        environment.forEach((key, value) -> {
            if (OF_WHOLE.contains(key) || key.startsWith("command-of-") || key.startsWith(HistoryEntry.ARTIFACT)) {
                whole.put(key, value);
            }
        });
        return whole;
    }

    /** Returns a shard with the memory limit of all others; {@code maxMemoryBytes} must be null or equal to it. */
    static ShardRun of(ShardFolder folder, ShardOf part, @Nullable Long maxMemoryBytes) throws InvalidInputException {
        if (maxMemoryBytes != null && maxMemoryBytes != folder.maxMemoryBytes()) {
            throw new InvalidInputException(
                    "--max-memory",
                    "the first shard's limit is " + Quantities.bytes(folder.maxMemoryBytes())
                            + ": all shards need the same, since a run beyond the limit is a result");
        }
        return new ShardRun(folder, part);
    }

    static void check(Path dir, List<Problem> problems) throws IOException {
        String refusal = ResultFolder.unwritable(dir);
        if (refusal == null && Files.isDirectory(dir) && !ShardFolder.isOne(dir)) {
            try (Stream<Path> files = Files.list(dir)) {
                // Another shard may just be creating the folder.
                if (files.anyMatch(file -> !file.getFileName().toString().equals(ShardFolder.FOLDER))) {
                    refusal = "has other contents: name a new folder, or that of the other shards";
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
                            : "its " + Quantities.count(all, "run") + " " + Quantities.verb(all, "are") + " stored")
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
            throw new InvalidInputException(folder.dir(), otherVersion);
        }
        RunPlan share = new RunPlan(
                folder.plan().scenarios().stream()
                        .filter(scenario -> units.stream()
                                .anyMatch(unit -> unit.scenario().name().equals(scenario.name())))
                        .toList(),
                units);
        long memoryBytes = folder.maxMemoryBytes();
        new RunPreview(share, session.workers(), memoryBytes).printRefusals(err);
        Map<String, String> facts = RunHeader.facts(share, false, "", folder.scale());
        facts.keySet().retainAll(OF_ATTEMPT);
        RunHeader.print(header, share, folder.facts(), session.workers(), memoryBytes);
        facts.putAll(RunHeader.noise(header, share));
        try (RunProgress progress = new RunProgress(session.detail().progress())) {
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
            progress.begin(experiment.folder());
            Path attempt = experiment.folder().dir();
            header.println("# shard " + part + ": " + units.size() + " of " + Quantities.count(all, "run") + ", into "
                    + attempt);
            Interrupts interrupts = Interrupts.on(
                    () -> {
                        progress.note("Ending; press again to end at once.");
                        experiment.stop();
                    },
                    () -> progress.note("Ended at once; stored runs are kept. Repeat the command to continue."));
            Experiment.Outcome outcome = experiment.run();
            progress.end();
            String kept = Quantities.share(outcome.done(), outcome.planned(), "run", "are") + " kept in " + attempt;
            if (outcome.state() == Status.State.INTERRUPTED) {
                text.println("Interrupted: " + kept + ". Repeat the command to continue.");
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
