package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.Profiling;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.process.SlurmNodes;
import org.reprobe.scenario.Scenario;
import org.reprobe.trust.Printable;

final class Resumption {
    private final RunCommand command;
    private final RunSession session;
    private final Path from;
    private final boolean dryRun;

    Resumption(RunCommand command, RunSession session, Path from, boolean dryRun) {
        this.command = command;
        this.session = session;
        this.from = from;
        this.dryRun = dryRun;
    }

    /** Submits the runs that no attempt has stored yet, or all missing runs of a run without shards. */
    RunMode onSlurm(SlurmOptions slurm, @Nullable Long maxMemoryBytes)
            throws InvalidInputException, IOException, InterruptedException {
        Path dir = from.toAbsolutePath().normalize();
        ShardFolder folder = null;
        ResultFolder before = null;
        RunPlan plan;
        if (ShardFolder.isOne(from)) {
            folder = ShardFolder.open(dir, session.library().nics())
                    .ofCommit(session.library().home());
            plan = folder.plan();
        } else {
            before = ResultFolder.read(dir, session.library().nics(), new ArrayList<>());
            plan = before.plan();
            if (Profiling.isOf(before.environment())) {
                command.checkProfile("--resume " + from, plan);
            }
        }
        command.refuse(plan.lacking(true));
        SlurmRequest request =
                new SlurmRequest(slurm, plan, folder != null ? (Long) folder.maxMemoryBytes() : maxMemoryBytes);
        SlurmRequest.Submission submission =
                request.submission(folder != null ? folder.shards() : null, command.problems());
        command.stopOnProblems();
        if (submission == null) {
            return new RunMode.Refused(ExitCode.BAD_INPUT);
        }
        String name =
                String.join("+", plan.scenarios().stream().map(Scenario::name).toList());
        if (dryRun) {
            String sbatch = SlurmRequest.sbatch(submission, dir, name);
            return new DryRun(plan, null, List.of(), submission.shards(), sbatch, ExitCode.FINE);
        }
        if (before != null) {
            folder = ShardFolder.prepare(
                    dir,
                    plan,
                    submission.shards().count(),
                    new ShardFolder.Origin(
                            before.status().combined(),
                            request.tableBytes(),
                            before.status().command(),
                            ShardRun.whole(before.environment()),
                            null),
                    session.library().home(),
                    before.nics(session.library().nics()));
        }
        return new SlurmRun(Objects.requireNonNull(folder), submission, name, slurm.detach());
    }

    /** Returns the mode of a batch system's task, whose only input is the folder. */
    RunMode shard(ShardOf part, @Nullable Long maxMemoryBytes) throws InvalidInputException, IOException {
        ShardFolder folder = ShardFolder.open(from, session.library().nics())
                .ofCommit(session.library().home());
        if (part.count() != folder.shards().count()) {
            command.addProblem(
                    "--shard " + part,
                    "the run in " + from + " was divided into "
                            + Quantities.count(folder.shards().count(), "shard"));
        }
        command.refuse(folder.plan().lacking(SlurmNodes.areAvailable()));
        command.stopOnProblems();
        if (dryRun) {
            RunPreview preview = new RunPreview(folder.plan(), session.workers(), folder.maxMemoryBytes());
            List<RunPlan.Unit> missing = folder.missing(part.shard(), new ArrayList<>());
            return new DryRun(folder.plan(), preview, missing, folder.shards(), null, ExitCode.FINE);
        }
        return ShardRun.of(folder, part, maxMemoryBytes);
    }

    RunMode local() throws InvalidInputException, IOException, InterruptedException {
        List<String> notes = new ArrayList<>();
        if (ShardFolder.isOne(from) && !dryRun) {
            command.stopOnProblems();
            List<Problem> differing = ShardFolder.open(from, session.library().nics())
                    .ofCommit(session.library().home())
                    .collect(notes);
            if (!differing.isEmpty()) {
                differing.forEach(problem -> session.err().println(Printable.lines(problem.toString())));
                return new RunMode.Refused(ExitCode.FAILED);
            }
        }
        Reopened reopened = reopened(notes);
        ResultFolder folder = reopened.folder;
        PrintWriter header = session.header();
        notes.forEach(header::println);
        RunPlan plan = folder.plan();
        RunPreview preview = new RunPreview(plan, session.workers(), session.memoryBytes());
        preview.printRefusals(session.err());
        if (dryRun) {
            return new DryRun(plan, preview, folder.missing(), null, null, ExitCode.FINE);
        }
        RunHeader.print(header, plan, folder.environment(), session.workers(), session.memoryBytes());
        folder.addFacts(RunHeader.noise(header, new RunPlan(plan.scenarios(), folder.missing())));
        header.println("# resumes: " + folder.dir());
        Path latestIn = MergeCommand.latestIn(folder.dir(), session.library());
        return new LocalRun(
                folder.dir(),
                Map.of(),
                progress -> Experiment.resume(
                        folder,
                        reopened.published,
                        session.options(
                                Profiling.isOf(folder.environment()),
                                latestIn,
                                progress,
                                folder.nics(session.library().nics())),
                        progress));
    }

    private record Reopened(ResultFolder folder, Published published) {}

    private Reopened reopened(List<String> notes) throws InvalidInputException, IOException {
        ResultFolder folder = null;
        Published published = Published.NOTHING;
        try {
            folder = dryRun
                    ? ResultFolder.read(from, session.library().nics(), notes)
                    : ResultFolder.take(from, session.library().nics(), notes);
            published =
                    Published.of(folder.plan().scenarios(), session.library().shelf());
            String unwritable = ResultFolder.unwritable(folder.dir());
            if (unwritable != null) {
                command.addProblem(from, unwritable);
            }
        } catch (InvalidInputException e) {
            command.problems().addAll(e.problems());
        }
        if (folder != null && !dryRun) {
            command.refuse(folder.plan().lacking(SlurmNodes.areAvailable()));
            if (Profiling.isOf(folder.environment())) {
                command.checkProfile("--resume " + from, folder.plan());
            }
            if (command.problems().isEmpty() && !folder.missing().isEmpty()) {
                String otherVersion =
                        ArtifactVersion.difference(folder.environment(), ArtifactVersion.facts(folder.plan()));
                if (otherVersion != null) {
                    command.addProblem(from, otherVersion);
                }
            }
        }
        command.stopOnProblems();
        return new Reopened(Objects.requireNonNull(folder), published);
    }
}
