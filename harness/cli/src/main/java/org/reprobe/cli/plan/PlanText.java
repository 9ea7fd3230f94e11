package org.reprobe.cli.plan;

import java.io.PrintWriter;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.Planner;
import org.reprobe.cli.base.TextTable;

record PlanText(
        PlanInput input, Planner.Result result, Advice advice, List<PlanJson.Verified> verified, LocalDate today) {
    /** Maximum number of records in a simulated table, whatever the plan's is. */
    static final long MAX_SIMULATED_RECORDS = 1L << 20;

    /** @param tookMs time of planning, in ms */
    void print(PrintWriter out, int shown, double tookMs) {
        out.printf(
                Locale.ROOT,
                "# %,d records of %.0f bytes, %,.0f operations/s, %,.0f at the peak; %,d configurations in %.0f ms%n",
                input.file().records(),
                input.meanRecordBytes(),
                input.file().lookupsPerSecond(),
                input.peakPerSecond(),
                result.tried(),
                tookMs);
        out.println("# predicted, not measured; " + String.join(", ", titles(input)));
        out.println();
        TextTable table = new TextTable(
                "rllrlrrrrrrrlrrr",
                "",
                "NIC",
                "scheme",
                "load",
                "storage",
                "READ B",
                "servers",
                "GiB/server",
                "overhead",
                "M/s per server",
                "p50 us",
                "p" + input.percentileWords() + " us",
                "bottleneck, next",
                "used mean/peak/down",
                "headroom",
                input.file().pricePerServer().isPresent() ? "cost" : "full by");
        int rank = 0;
        for (PlanOption option :
                result.options().subList(0, Math.min(shown, result.options().size()))) {
            table.add(
                    String.valueOf(++rank),
                    option.nic().name(),
                    option.shape().scheme().key(),
                    String.format(Locale.ROOT, "%.2f", option.shape().loadFactor()),
                    option.shape().inline() ? "inline" : "heap",
                    String.valueOf(option.shape().readBytes()),
                    String.valueOf(option.servers()),
                    String.format(Locale.ROOT, "%.1f", option.tableBytes() / 0x1p30),
                    String.format(Locale.ROOT, "%.0f %%", 100 * option.overhead(input)),
                    String.format(
                            Locale.ROOT,
                            "%.1f ± %.1f",
                            option.perServerPerSecond() / 1e6,
                            option.relativeError() * option.perServerPerSecond() / 1e6),
                    String.format(Locale.ROOT, "%.1f", option.downNs()[0] / 1e3),
                    String.format(Locale.ROOT, "%.1f", option.downNs()[1] / 1e3),
                    option.binding().name() + ", " + option.next().name(),
                    String.format(
                            Locale.ROOT,
                            "%.0f/%.0f/%.0f %%",
                            100 * option.binding().mean(),
                            100 * option.binding().peak(),
                            100 * option.binding().down()),
                    String.format(Locale.ROOT, "%.2fx", option.headroom()),
                    input.file().pricePerServer().isPresent()
                            ? String.format(Locale.ROOT, "%,.0f", option.cost().orElse(0))
                            : PlanJson.fullBy(option, today));
        }
        out.print(table);
        out.println("Latencies are at the peak load with the tolerated number of failed servers (down).");
        paragraph(out, "Why the first is the best", advice.why());
        out.println();
        out.println("Sensitivity (* marks another best configuration)");
        TextTable changes = new TextTable("lrl", "changed requirement", "servers", "best");
        advice.changes()
                .forEach(change -> changes.add(
                        (change.differs() ? "* " : "  ") + change.what(),
                        change.servers() == 0 ? "-" : String.valueOf(change.servers()),
                        change.servers() == 0 ? "no configuration" : change.best()));
        out.print(changes);
        paragraph(out, "Assumptions", advice.assumptions());
        if (!advice.warnings().isEmpty()) {
            paragraph(out, "Warnings", advice.warnings());
        }
        PlanOption best = result.options().getFirst();
        out.println();
        out.println("With growth, the first configuration is full by: " + PlanJson.fullBy(best, today));
        if (!verified.isEmpty()) {
            out.println();
            out.println("Predicted and simulated numbers of one server, with tables of at most " + MAX_SIMULATED_RECORDS
                    + " records");
            TextTable check =
                    new TextTable("lrrrrrr", "", "M/s", "simulated", "idle us", "simulated", "peak us", "simulated");
            for (PlanJson.Verified each : verified) {
                check.add(
                        each.label(),
                        mega(each.predictedPerSecond()),
                        mega(each.simulatedPerSecond()),
                        micro(each.predictedIdleNs()),
                        micro(each.simulatedIdleNs()),
                        micro(each.predictedPeakNs()),
                        micro(each.simulatedPeakNs()));
            }
            out.print(check);
            out.println("idle and peak: 99th percentile of latency.");
        }
    }

    private static List<String> titles(PlanInput input) {
        return input.nics().stream().map(NicProfile::title).toList();
    }

    private static String mega(double perSecond) {
        return String.format(Locale.ROOT, "%.2f", perSecond / 1e6);
    }

    private static String micro(double ns) {
        return String.format(Locale.ROOT, "%.2f", ns / 1e3);
    }

    private static void paragraph(PrintWriter out, String title, List<String> sentences) {
        out.println();
        out.println(title);
        sentences.forEach(sentence -> out.println("- " + sentence));
    }
}
