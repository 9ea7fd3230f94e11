package org.reprobe.cli.check;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.process.CrashRun;
import org.reprobe.run.process.MachinesRun;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.Systems;

/** {@code check --fabric}: a long run of processes with its progress and its result. */
final class HistoryCheck {
    static final String JSON_FIELDS =
            "linearizable, wrong, operations, keys, pending, killed, refused, server (counts of its program, or of runs whose machines fail).";

    private static final double NS_PER_MS = 1e6;
    private static final int LOOK_MS = 200;

    private final CrashRun.Order order;
    private final int stops;
    private final int restarts;
    private final int rejoins;
    /** Run of systems whose machines are killed; null for systems whose clients are. */
    private final @Nullable MachinesRun machines;

    /**
     * Result of the run; {@code linearizable} is strict serializability for transactions. {@code pending} operations
     * had no reply when their client was killed; {@code refused} clients were declared dead and then returned.
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

    HistoryCheck(CrashRun.Order order, int stops, int restarts, int rejoins, MachinesRun.Options options) {
        this.order = order;
        this.stops = stops;
        this.restarts = restarts;
        this.rejoins = rejoins;
        MachinesTest test =
                Systems.of(order.scheme()) instanceof MachinesTestable system ? system.machinesTest() : null;
        this.machines = test != null && test.scheme().equals(order.scheme())
                ? new MachinesRun(new MachinesRun.Wanted(order, stops, restarts, rejoins), test, options)
                : null;
    }

    boolean isOfMachines() {
        return machines != null;
    }

    @Nullable
    Problem problem() {
        return machines == null ? null : machines.problem();
    }

    void printHeader(PrintWriter out) {
        out.println("# " + order.scheme() + " over " + order.fabric() + ": "
                + Quantities.count(order.processes(), "process")
                + " of "
                + (machines == null
                        ? Quantities.count(order.threads(), "client") + " for "
                        : Quantities.count(order.threads(), "thread") + ", a machine each, for ")
                + order.durationMs() / 1000.0
                + " s, " + order.kills() + " of them killed"
                + (machines == null ? "" : ", " + stops + " stopped for 3 s")
                + (restarts == 0 ? "" : ", " + Quantities.count(restarts, "restart") + " of all machines")
                + (rejoins == 0 ? "" : ", " + rejoins + " killed and started again") + ", seed "
                + order.seed());
    }

    /** @param stopped ends the run as an interrupt does */
    CrashRun.Result run(ProgressLine line, BooleanSupplier stopped)
            throws FabricException, InterruptedException, IOException {
        long startNs = System.nanoTime();
        BooleanSupplier shown = () -> {
            double share = (System.nanoTime() - startNs) / NS_PER_MS / order.durationMs();
            line.show(
                    Math.min(1, share),
                    share < 1 ? Math.round(100 * share) + " %" : "ending",
                    Quantities.count(order.processes(), "process") + " over " + order.fabric());
            return stopped.getAsBoolean();
        };
        if (machines != null) {
            return run(machines, shown);
        }
        // The run polls this supplier many times per second, which also updates the progress line.
        return new CrashRun(order, ((CrashTestable) Systems.of(order.scheme())).crashTest(), shown).run();
    }

    private static CrashRun.Result run(MachinesRun machines, BooleanSupplier shown)
            throws FabricException, InterruptedException, IOException {
        Thread runs = Thread.currentThread();
        Thread looks = Thread.ofPlatform().daemon().name("progress").start(() -> {
            try {
                while (!shown.getAsBoolean()) {
                    Thread.sleep(LOOK_MS);
                }
                runs.interrupt();
            } catch (InterruptedException e) {
                // The run has ended.
            }
        });
        try {
            return machines.run();
        } finally {
            looks.interrupt();
            looks.join();
        }
    }

    void print(PrintWriter out, CrashRun.Result outcome) {
        String what = machines == null ? "operations" : "transactions";
        out.printf(
                "%,d " + what + " on %,d keys, %,d of them without a reply%n",
                outcome.operations(),
                outcome.keys(),
                outcome.pending());
        out.println(Quantities.count(outcome.killed(), "process") + " killed"
                + (machines == null ? "; " + outcome.refused() + " refused on return, having been declared dead" : ""));
        if (!outcome.server().isEmpty()) {
            out.println((machines == null ? "server: " : "")
                    + outcome.server().entrySet().stream()
                            .map(count -> String.format(Locale.ROOT, "%s %,d", count.getKey(), count.getValue()))
                            .collect(Collectors.joining(", ")));
        }
        String wrong = outcome.wrong();
        String property = machines == null ? "linearizable" : "strictly serializable";
        out.println(wrong == null ? property : "NOT " + property.toUpperCase(Locale.ROOT) + ". " + wrong);
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
