package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Interrupts;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.process.OwnJvm;
import org.reprobe.run.slurm.ArrayJob;

/** Run as a Slurm job array: submits missing runs or joins their job, then watches and merges unless {@code detach}. */
record SlurmRun(ShardFolder folder, SlurmRequest.Submission submission, String name, boolean detach)
        implements RunMode {
    /** Returns the command of this program with its options; tasks never build it. */
    private static List<String> program(Library library) {
        List<String> program =
                new ArrayList<>(OwnJvm.command(library.home().toAbsolutePath().normalize()));
        program.addAll(1, OwnJvm.cacheFlags());
        String project = System.getProperty("reprobe.project", "");
        if (!project.isEmpty()) {
            program.add(1, "-Dreprobe.project=" + project);
        }
        return program;
    }

    @Override
    public int run(RunSession session) throws InvalidInputException, IOException, InterruptedException {
        PrintWriter header = session.header();
        List<String> notes = new ArrayList<>();
        List<List<RunPlan.Unit>> missing = folder.missing(notes);
        List<Integer> shards = IntStream.rangeClosed(1, missing.size())
                .filter(shard -> !missing.get(shard - 1).isEmpty())
                .boxed()
                .toList();
        String resume =
                TypedCommand.typed(List.of("run", "--resume", folder.dir().toString(), "--on", "slurm"));
        int missingRuns = missing.stream().mapToInt(List::size).sum();
        try (ProgressLine line = session.detail().progress()) {
            ArrayJob.Listener listener = new ArrayJob.Listener() {
                @Override
                public void progress(int done, int running) {
                    int all = shards.stream()
                            .mapToInt(shard -> folder.shards().units(shard).size())
                            .sum();
                    line.show(
                            (double) done / all,
                            done + "/" + Quantities.count(all, "run"),
                            Quantities.count(running, "task") + " running");
                }

                @Override
                public void note(String text) {
                    line.note(text);
                }
            };
            if (!shards.isEmpty()) {
                ArrayJob live = ArrayJob.live(folder, listener);
                ArrayJob job = live != null
                        ? live
                        : ArrayJob.submit(
                                folder, name, shards, program(session.library()), submission.request(), listener);
                header.println("# Slurm's job " + job.number() + (live == null ? ": " : ", already running: ")
                        + Quantities.count(shards.size(), "shard") + ", " + Quantities.count(missingRuns, "run")
                        + ", in "
                        + folder.dir());
                if (detach) {
                    session.text().println("Submitted. To watch and to merge:\n    " + resume);
                    return ExitCode.FINE;
                }
                Interrupts interrupts = Interrupts.on(
                        () -> {
                            listener.note("Cancelling Slurm's job " + job.number() + "; press again to end at once.");
                            job.cancel();
                        },
                        () -> listener.note("Ended at once. To continue:\n    " + resume));
                boolean ended = job.watch(shards);
                line.wipe();
                if (!ended) {
                    int left = folder.missing(new ArrayList<>()).stream()
                            .mapToInt(List::size)
                            .sum();
                    int all = folder.plan().units().size();
                    session.text()
                            .println("Cancelled: " + Quantities.share(all - left, all, "run", "are")
                                    + " kept. To continue:\n    " + resume);
                    return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
                }
            }
        }
        return MergeCommand.merge(
                folder, session.library(), session.json(), session.detail(), session.err(), session.strict());
    }
}
