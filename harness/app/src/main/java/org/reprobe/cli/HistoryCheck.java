package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.process.CrashRun;
import org.reprobe.system.Systems;

/** {@code check --fabric}: a long run of processes, its progress and what came of it. */
final class HistoryCheck {
    /** Of {@link Json}, for {@code --help}. */
    static final String JSON_FIELDS =
            "linearizable, wrong, operations, keys, pending, killed, refused, server (counts of its program).";

    private static final double NS_PER_MS = 1e6;

    private final CrashRun.Order order;

    /**
     * What came of it.
     *
     * @param wrong what no order of the operations explains; null when all is well
     * @param pending operations without an answer when their client was killed
     * @param refused clients that tried to come back after they were declared dead, and were refused
     * @param server what the server program has done: numbers by what they count
     */
    record Json(
            boolean linearizable,
            @Nullable String wrong,
            long operations,
            long keys,
            long pending,
            int killed,
            int refused,
            Map<String, Long> server) {}

    HistoryCheck(CrashRun.Order order) {
        this.order = order;
    }

    void printHeader(PrintWriter out) {
        out.println("# " + order.scheme() + " over " + order.fabric() + ": " + order.processes() + " processes of "
                + order.threads()
                + " clients for " + order.durationMs() / 1000.0 + " s, " + order.kills() + " of them killed, seed "
                + order.seed());
    }

    /** @param stopped ends the run as if interrupted */
    CrashRun.Result run(ProgressLine line, BooleanSupplier stopped)
            throws FabricException, InterruptedException, IOException {
        long startNs = System.nanoTime();
        // The run asks many times a second whether to go on; that is when its progress is shown.
        return new CrashRun(
                        order, Objects.requireNonNull(Systems.of(order.scheme()).crashTest()), () -> {
                            double share = (System.nanoTime() - startNs) / NS_PER_MS / order.durationMs();
                            line.show(
                                    Math.min(1, share),
                                    share < 1 ? Math.round(100 * share) + " %" : "ending",
                                    order.processes() + " processes over " + order.fabric());
                            return stopped.getAsBoolean();
                        })
                .run();
    }

    static void print(PrintWriter out, CrashRun.Result outcome) {
        out.printf(
                "%,d operations on %,d keys, %,d of them without an answer%n",
                outcome.operations(), outcome.keys(), outcome.pending());
        out.printf(
                "%d processes killed; %d tried to come back as a dead client and were refused%n",
                outcome.killed(), outcome.refused());
        if (!outcome.server().isEmpty()) {
            out.println("server: "
                    + outcome.server().entrySet().stream()
                            .map(count -> String.format(Locale.ROOT, "%s %,d", count.getKey(), count.getValue()))
                            .collect(Collectors.joining(", ")));
        }
        String wrong = outcome.wrong();
        out.println(wrong == null ? "linearizable" : "NOT LINEARIZABLE. " + wrong);
    }

    static Json json(CrashRun.Result outcome) {
        return new Json(
                outcome.wrong() == null,
                outcome.wrong(),
                outcome.operations(),
                outcome.keys(),
                outcome.pending(),
                outcome.killed(),
                outcome.refused(),
                outcome.server());
    }
}
