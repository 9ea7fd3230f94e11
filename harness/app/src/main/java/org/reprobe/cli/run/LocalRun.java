package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.FileFailure;
import org.reprobe.cli.base.Interrupts;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.Experiment;
import org.reprobe.run.RunPlan;
import org.reprobe.run.Status;

/**
 * A run of all that a result folder lacks, directed by this process.
 *
 * @param dir the result folder
 * @param done number of runs that are stored
 * @param planned number of all runs
 * @param missing runs to come
 * @param lacking scenarios that this host can't run, with the reason
 */
record LocalRun(
        Path dir,
        int done,
        int planned,
        List<RunPlan.Unit> missing,
        Map<String, String> lacking,
        Preparation preparation)
        implements RunMode {

    /** Begins or reopens the results. */
    @FunctionalInterface
    interface Preparation {
        Experiment prepare(RunProgress progress) throws IOException;
    }

    @Override
    public int run(RunSession session) throws IOException, InterruptedException {
        try (ProgressLine line = session.quiet().progress()) {
            RunProgress progress = new RunProgress(line, done, planned, missing);
            Experiment experiment;
            try {
                experiment = preparation.prepare(progress);
            } catch (IOException e) {
                throw notStored(e);
            }
            int code = perform(experiment, line, session);
            printNotRun(lacking, session.err()); // again, below all that was printed meanwhile
            return code;
        }
    }

    static void printNotRun(Map<String, String> lacking, PrintWriter err) {
        lacking.forEach((scenario, why) -> err.println("*** NOT RUN: " + scenario + ": " + why + " ***"));
        err.flush();
    }

    private int perform(Experiment experiment, ProgressLine progress, RunSession session)
            throws IOException, InterruptedException {
        Interrupts interrupts = Interrupts.on(
                () -> {
                    progress.note("Ending; once more ends at once.");
                    experiment.stop();
                },
                () -> progress.note("Ended at once; runs that were stored are kept. To go on:\n    " + resumption()));
        Experiment.Outcome outcome;
        try {
            outcome = experiment.run();
        } catch (IOException e) {
            progress.wipe();
            throw notStored(e);
        }
        progress.wipe();
        PrintWriter text = session.text();
        if (outcome.findings() == null || outcome.state() == Status.State.INTERRUPTED) {
            text.println("Interrupted: " + outcome.done() + " of " + Quantities.count(outcome.planned(), "run")
                    + " are kept. To go on:\n    " + resumption());
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        }
        RunSummary summary = new RunSummary(List.of(experiment.folder()), outcome.findings());
        summary.print(text);
        session.json().write(summary.json());
        RunSummary.printFailures(session.err(), outcome.invalid());
        boolean missed =
                outcome.findings().claims().stream().anyMatch(claim -> claim.status() == ClaimResult.Status.MISSED);
        boolean failed = !outcome.invalid().isEmpty()
                || !outcome.findings().problems().isEmpty()
                || (session.strict() && missed);
        return failed ? ExitCode.FAILED : ExitCode.FINE;
    }

    private String resumption() {
        return TypedCommand.typed(List.of("run", "--resume", dir.toString()));
    }

    private IOException notStored(IOException why) {
        String next = Files.exists(dir.resolve(Status.NAME))
                ? "What was stored is kept; make room, then " + resumption() + " goes on."
                : "Nothing was run; make room, then give the same command again.";
        return new IOException("Results can't be stored: " + FileFailure.words(why) + ". " + next, why);
    }
}
