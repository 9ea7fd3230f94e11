package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.perftest.PerftestRun.Latency;
import org.reprobe.analysis.perftest.PerftestRun.Rate;

/** Text of a run in perftest's layout. */
final class PrintedRun {
    private PrintedRun() {}

    /** Returns the text; {@code unit} is that of bandwidths, times are in usec. */
    static String of(PerftestRun run, String unit) {
        List<String> lines = new ArrayList<>();
        PerftestRun.Settings settings = run.settings();
        lines.add(rule());
        lines.add(" ".repeat(20) + run.program().verb() + (settings.bidirectional() ? " Bidirectional" : "")
                + (settings.postList() > 1 ? " Post List" : "") + (run.program().isLatency() ? " Latency" : " BW")
                + " Test");
        setting(lines, "Device", settings.device());
        setting(lines, "Number of qps", settings.queuePairs());
        setting(lines, "Connection type", settings.connection());
        setting(lines, "TX depth", settings.txDepth());
        if (settings.postList() > 1) {
            setting(lines, "Post List", settings.postList());
        }
        setting(lines, "CQ Moderation", settings.cqModeration());
        setting(lines, "Mtu", settings.mtuBytes() == null ? null : settings.mtuBytes() + "[B]");
        setting(lines, "Link type", settings.link());
        setting(lines, "Max inline data", settings.inlineBytes() == null ? null : settings.inlineBytes() + "[B]");
        setting(lines, "Outstand reads", settings.outstandingReads());
        lines.add(rule());
        String lid = run.warnings().contains(PerftestRun.Warning.LOOPBACK) ? "0x03" : "0x0a";
        lines.add(" local address: LID 0x03 QPN 0x0213 PSN 0x2a4b11");
        lines.add(" remote address: LID " + lid + " QPN 0x0127 PSN 0x5c1be0");
        lines.add(rule());
        lines.add(
                run.program().isLatency()
                        ? " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]"
                        : " #bytes     #iterations    BW peak[" + unit + "]    BW average[" + unit
                                + "]   MsgRate[Mpps]");
        if (run.warnings().contains(PerftestRun.Warning.CPU_FREQUENCY)) {
            lines.add(
                    "Conflicting CPU frequency values detected: 1000.000000 != 1259.399000. CPU Frequency is not max.");
        }
        for (PerftestRun.Row row : run.rows()) {
            switch (row) {
                case Rate rate -> {
                    String bandwidth = number(rate.bytesPerSecond() / PerftestTable.unit(unit), 2);
                    lines.add(" " + rate.bytes() + "  " + rate.iterations() + "  " + bandwidth + "  " + bandwidth + "  "
                            + number(rate.messagesPerSecond() / 1e6, 6));
                }
                case Latency latency -> {
                    if (!latency.samplesNs().isEmpty()) {
                        lines.add("#, usec");
                    }
                    for (int i = 0; i < latency.samplesNs().size(); i++) {
                        lines.add((i + 1) + ", " + number(latency.samplesNs().get(i) / 1e3, 3));
                    }
                    String median = number(latency.medianNs() / 1e3, 2);
                    lines.add(" " + latency.bytes() + " " + latency.iterations() + "  " + median + "  " + median + "  "
                            + median + "  " + number(latency.meanNs() / 1e3, 2) + "  "
                            + number(latency.stdevNs() / 1e3, 2) + "  " + number(latency.p99Ns() / 1e3, 2));
                }
            }
        }
        lines.add(rule());
        return String.join("\n", lines) + "\n";
    }

    private static void setting(List<String> lines, String name, @Nullable Object value) {
        if (value != null) {
            lines.add(" " + name + " : " + value);
        }
    }

    private static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    private static String rule() {
        return "-".repeat(87);
    }
}
