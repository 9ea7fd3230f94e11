package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.longrun.LongRun;
import org.reprobe.nessie.NessieServer;

/** {@code check --fabric}: a long run of processes, its progress and what came of it. */
final class HistoryCheck {
    /** Of {@link Json}, for {@code --help}. */
    static final String JSON_FIELDS =
            "linearizable, wrong, operations, keys, pending, killed, came_back, server (revocations, deaths, ended,"
                    + " moves, resizes), slots.";

    private static final double NS_PER_MS = 1e6;

    private final LongRun.Plan plan;

    /**
     * What came of it.
     *
     * @param wrong what no order of the operations explains; null when all is well
     * @param pending operations without an answer when their client was killed
     * @param cameBack dead clients that tried to come back and were refused
     */
    record Json(
            boolean linearizable,
            @Nullable String wrong,
            long operations,
            long keys,
            long pending,
            int killed,
            int cameBack,
            ServerJson server,
            long slots) {}

    /** What the server's program did, as counts. */
    record ServerJson(long revocations, long deaths, long ended, long moves, long resizes) {}

    HistoryCheck(LongRun.Plan plan) {
        this.plan = plan;
    }

    void printHeader(PrintWriter out) {
        out.println("# Nessie over " + plan.fabric() + ": " + plan.processes() + " processes of " + plan.threads()
                + " clients for " + plan.durationMs() / 1000.0 + " s, " + plan.kills() + " of them killed, seed "
                + plan.seed());
    }

    /** @param stopped ends the run as if interrupted */
    LongRun.Outcome run(ProgressLine line, BooleanSupplier stopped)
            throws FabricException, InterruptedException, IOException {
        long startNs = System.nanoTime();
        // The run asks many times a second whether to go on; that is when its progress is shown.
        return new LongRun(plan, () -> {
                    double share = (System.nanoTime() - startNs) / NS_PER_MS / plan.durationMs();
                    line.show(
                            Math.min(1, share),
                            share < 1 ? Math.round(100 * share) + " %" : "ending",
                            plan.processes() + " processes over " + plan.fabric());
                    return stopped.getAsBoolean();
                })
                .run();
    }

    static void print(PrintWriter out, LongRun.Outcome outcome) {
        out.printf(
                "%,d operations on %,d keys, %,d of them without an answer%n",
                outcome.operations(), outcome.keys(), outcome.pending());
        out.printf(
                "%d processes killed; %d tried to come back as a dead client and were refused%n",
                outcome.killed(), outcome.cameBack());
        NessieServer.Counts counts = outcome.server();
        out.printf(
                "server: access revoked %,d times, %,d clients declared dead, %,d operations ended for others, %,d"
                        + " entries moved along chains, %d resizes (to %d slots)%n",
                counts.revocations(),
                counts.deaths(),
                counts.ended(),
                counts.moves(),
                counts.resizes(),
                outcome.slots());
        String wrong = outcome.wrong();
        out.println(wrong == null ? "linearizable" : "NOT LINEARIZABLE. " + wrong);
    }

    static Json json(LongRun.Outcome outcome) {
        NessieServer.Counts counts = outcome.server();
        return new Json(
                outcome.wrong() == null,
                outcome.wrong(),
                outcome.operations(),
                outcome.keys(),
                outcome.pending(),
                outcome.killed(),
                outcome.cameBack(),
                new ServerJson(counts.revocations(), counts.deaths(), counts.ended(), counts.moves(), counts.resizes()),
                outcome.slots());
    }
}
