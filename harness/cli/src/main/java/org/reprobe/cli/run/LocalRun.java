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
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.Experiment;
import org.reprobe.run.Status;

/** Run of a result folder's pending runs, coordinated by this process; {@code lacking} has reasons by scenario. */
record LocalRun(Path dir, Map<String, String> lacking, Preparation preparation) implements RunMode {

    @FunctionalInterface
    interface Preparation {
        Experiment prepare(RunProgress progress) throws IOException;
    }

    @Override
    public int run(RunSession session) throws IOException, InterruptedException {
        try (RunProgress progress = new RunProgress(session.detail().progress())) {
            Experiment experiment;
            try {
                experiment = preparation.prepare(progress);
            } catch (IOException e) {
                throw notStored(e);
            }
            LiveServer live = session.live();
            if (live != null) {
                session.err().println("# live: " + live.address());
            }
            progress.begin(experiment.folder());
            if (live != null) {
                live.begin(progress, experiment);
            }
            int code = perform(experiment, progress, session);
            printNotRun(lacking, session.err()); // again, below the output of the runs
            if (live != null && live.isWatched()) {
                session.err().println("# The page serves the report until it is closed, or until Ctrl-C.");
                live.awaitClosing();
            }
            return code;
        }
    }

    static void printNotRun(Map<String, String> lacking, PrintWriter err) {
        lacking.forEach((scenario, why) -> err.println("*** NOT RUN: " + scenario + ": " + why + " ***"));
        err.flush();
    }

    private int perform(Experiment experiment, RunProgress progress, RunSession session)
            throws IOException, InterruptedException {
        LiveServer live = session.live();
        Interrupts interrupts = Interrupts.on(
                () -> {
                    if (live == null || !live.release()) {
                        progress.note("Ending; press again to end at once.");
                        experiment.stop();
                    }
                },
                () -> {
                    progress.end();
                    progress.note("Ended at once; stored runs are kept. To continue:\n    " + resumption());
                });
        Experiment.Outcome outcome;
        try {
            outcome = experiment.run();
        } catch (IOException e) {
            progress.end();
            throw notStored(e);
        }
        progress.end();
        PrintWriter text = session.text();
        if (outcome.findings() == null || outcome.state() == Status.State.INTERRUPTED) {
            text.println("Interrupted: " + Quantities.share(outcome.done(), outcome.planned(), "run", "are")
                    + " kept. To continue:\n    " + resumption());
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        }
        if (live != null) {
            live.end(outcome);
        }
        RunSummary summary = new RunSummary(List.of(experiment.folder()), outcome.findings());
        summary.print(text, session.detail());
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
                ? "Stored runs are kept; free some space, then continue with " + resumption()
                : "Nothing was run; free some space, then repeat the command.";
        return new IOException("Results can't be stored: " + FileFailure.words(why) + ". " + next, why);
    }
}
