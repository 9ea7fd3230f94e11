package org.reprobe.cli.plan;

import java.io.PrintWriter;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import org.reprobe.analysis.plan.Advice;
import org.reprobe.analysis.plan.CardAnswer;
import org.reprobe.analysis.plan.Influence;
import org.reprobe.analysis.plan.Interval;
import org.reprobe.analysis.plan.PlanInput;
import org.reprobe.analysis.plan.PlanJson;
import org.reprobe.analysis.plan.PlanOption;
import org.reprobe.analysis.plan.Prediction;
import org.reprobe.cli.base.TextTable;

record PlanText(
        PlanInput input, CardAnswer.All answers, Advice advice, List<PlanJson.Verified> verified, LocalDate today) {
    /** Maximum number of records in a simulated table, whatever the plan's is. */
    static final long MAX_SIMULATED_RECORDS = 1L << 20;

    /** Constants shown of the first card, and of each other one. */
    private static final int FIRST_INFLUENCES = 3;

    /** @param tookMs time of planning, in ms */
    void print(PrintWriter out, int shown, double tookMs) {
        out.printf(
                Locale.ROOT,
                "# %,d records of %.0f bytes, %,.0f operations/s, %,.0f at the peak; %,d configurations in %.0f ms%n",
                input.file().records(),
                input.meanRecordBytes(),
                input.file().lookupsPerSecond(),
                input.peakPerSecond(),
                answers.result().tried(),
                tookMs);
        out.println("# nothing was measured here; clients: " + Advice.clients(input));
        out.println();
        cards(out);
        others(out, answers.others(shown));
        if (!advice.why().isEmpty()) {
            paragraph(out, "Why the first is the best", advice.why());
        }
        influences(out);
        if (!advice.changes().isEmpty()) {
            changes(out);
        }
        paragraph(out, "Assumptions", advice.assumptions());
        if (!advice.warnings().isEmpty()) {
            paragraph(out, "Warnings", advice.warnings());
        }
        if (!answers.result().options().isEmpty()) {
            PlanOption best = answers.result().options().getFirst();
            out.println();
            out.println("With growth, the first configuration is full by: " + PlanJson.fullBy(best, today));
        }
        if (!verified.isEmpty()) {
            verified(out);
        }
        String undecided = answers.undecided(input);
        if (!undecided.isEmpty()) {
            out.println();
            out.println("Can't tell: " + undecided);
        }
    }

    private void cards(PrintWriter out) {
        out.println("Best configuration of each card; in parentheses 5 % to 95 % of the constants' ranges");
        TextTable table = new TextTable(
                "rlllrlrrrrrrllrrr",
                "",
                "NIC",
                "limits kept",
                "scheme",
                "load",
                "storage",
                "READ B",
                "servers",
                "GiB/server",
                "M/s per server",
                "p50 us",
                "p" + input.percentileWords() + " us",
                "known constants",
                "numbers",
                "used mean/peak/down",
                "headroom",
                costTitle());
        int rank = 0;
        for (CardAnswer card : answers.cards()) {
            PlanOption option = card.option();
            Prediction prediction = card.prediction();
            if (option == null || prediction == null) {
                table.add(
                        "-",
                        card.nic().name(),
                        card.words(),
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-",
                        "-");
                continue;
            }
            boolean ranks = input.allowsAssumed() || card.isMeasured();
            table.add(
                    ranks ? String.valueOf(++rank) : "-",
                    card.nic().name(),
                    card.words(),
                    option.shape().scheme().key(),
                    String.format(Locale.ROOT, "%.2f", option.shape().loadFactor()),
                    option.shape().inline() ? "inline" : "heap",
                    String.valueOf(option.shape().readBytes()),
                    option.servers() + " (" + prediction.servers() + ")",
                    String.format(Locale.ROOT, "%.1f", option.tableBytes() / 0x1p30),
                    within(card.perServerPerSecond(), prediction.perServerPerSecond(), 1e6),
                    within(card.medianNs(), prediction.medianNs(), 1e3),
                    within(card.percentileNs(), prediction.percentileNs(), 1e3),
                    card.basis(input),
                    card.simulated() == null ? "predicted" : "simulated",
                    used(option),
                    String.format(Locale.ROOT, "%.2fx", option.headroom()),
                    cost(option));
        }
        out.print(table);
        out.println(
                "Latencies are at the peak load with the tolerated number of failed servers (down). Memory, utilization and"
                        + " headroom are predicted.");
        if (answers.hasUnranked(input)) {
            out.println(
                    "A card without a rank has assumed constants where they decide; --allow-assumed ranks it like the others.");
        }
    }

    private static String within(double value, Interval interval, double unit) {
        return String.format(
                Locale.ROOT, "%.1f (%.1f to %.1f)", value / unit, interval.low() / unit, interval.high() / unit);
    }

    private String costTitle() {
        return input.file().pricePerServer().isPresent() ? "cost" : "full by";
    }

    private String cost(PlanOption option) {
        return input.file().pricePerServer().isPresent()
                ? String.format(Locale.ROOT, "%,.0f", option.cost().orElse(0))
                : PlanJson.fullBy(option, today);
    }

    private static String used(PlanOption option) {
        return String.format(
                Locale.ROOT,
                "%s %.0f/%.0f/%.0f %%",
                option.binding().name(),
                100 * option.binding().mean(),
                100 * option.binding().peak(),
                100 * option.binding().down());
    }

    private void others(PrintWriter out, List<PlanOption> others) {
        if (others.isEmpty()) {
            return;
        }
        out.println();
        out.println("Other configurations, predicted");
        TextTable table = new TextTable(
                "llrlrrrrrrrlrrr",
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
                costTitle());
        for (PlanOption option : others) {
            table.add(
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
                    cost(option));
        }
        out.print(table);
    }

    private void influences(PrintWriter out) {
        TextTable table = new TextTable(
                "llllrrrl",
                "NIC",
                "constant",
                "basis",
                "value (range)",
                "servers",
                "M/s per server",
                "p" + input.percentileWords() + " us",
                "command that identifies it");
        int shown = FIRST_INFLUENCES;
        for (CardAnswer card : answers.cards()) {
            for (Influence influence : card.influences().stream().limit(shown).toList()) {
                table.add(
                        card.nic().name(),
                        influence.constant(),
                        influence.basis().name().toLowerCase(Locale.ROOT),
                        String.format(
                                Locale.ROOT,
                                "%.4g (%.4g to %.4g)",
                                influence.range().value(),
                                influence.range().low(),
                                influence.range().high()),
                        influence.servers(),
                        ends(influence.perServerPerSecond(), 1e6),
                        ends(influence.latencyNs(), 1e3),
                        influence.command());
            }
            shown = 1;
        }
        if (answers.cards().stream().anyMatch(card -> !card.influences().isEmpty())) {
            out.println();
            out.println("Constants that move the answer most, alone from one end of their range to the other");
            out.print(table);
        }
    }

    private static String ends(Interval ends, double unit) {
        return String.format(Locale.ROOT, "%.1f to %.1f", ends.low() / unit, ends.high() / unit);
    }

    private void changes(PrintWriter out) {
        out.println();
        out.println("Sensitivity (* marks another best configuration)");
        TextTable changes = new TextTable("lrl", "changed requirement", "servers", "best");
        advice.changes()
                .forEach(change -> changes.add(
                        (change.differs() ? "* " : "  ") + change.what(),
                        change.servers() == 0 ? "-" : String.valueOf(change.servers()),
                        change.servers() == 0 ? "no configuration" : change.best()));
        out.print(changes);
    }

    private void verified(PrintWriter out) {
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
        out.println(
                "idle and peak: 99th percentile of latency. This checks the closed form against the simulator, not a card:"
                        + " both use the profile's constants.");
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
