package org.reprobe.calibrate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.system.Settings;
import org.reprobe.verb.VerbSettings;

/** Results of single requests as text in perftest's layout: a run for the cells that differ by their size only. */
final class PrintedPerftest {
    private static final String RATES =
            " #bytes     #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]";
    private static final String LATENCIES =
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]";

    /**
     * A cell with its results.
     *
     * @param metrics latency in ns, rate in requests per second, by Reprobe's names
     */
    record Result(Settings settings, Map<String, Double> metrics) {
        VerbSettings verb() {
            return settings.section(VerbSettings.class);
        }
    }

    private final List<String> lines = new ArrayList<>();
    private final String link;
    private final int mtuBytes;

    /** @param link IB or Ethernet */
    PrintedPerftest(String link, int mtuBytes) {
        this.link = link;
        this.mtuBytes = mtuBytes;
    }

    /** Adds a run with a row per result; {@code clients} of a result share its rate evenly. */
    void add(List<Result> results, boolean latency, int clients) {
        Settings settings = results.getFirst().settings();
        VerbSettings verb = results.getFirst().verb();
        lines.add("-".repeat(87));
        lines.add(" ".repeat(20) + heading(verb.kind()) + (verb.batch() > 1 ? " Post List" : "")
                + (latency ? " Latency" : " BW") + " Test");
        setting("Device", "mlx5_0");
        setting("Number of qps", verb.queuePairs());
        setting("Connection type", "RC");
        setting("TX depth", verb.inFlight());
        if (verb.batch() > 1) {
            setting("Post List", verb.batch());
        }
        setting("CQ Moderation", verb.signalEvery());
        setting("Mtu", mtuBytes + "[B]");
        setting("Link type", link);
        setting("Max inline data", verb.inlineBytes() + "[B]");
        setting("Outstand reads", settings.connection().outstandingReads());
        lines.add("-".repeat(87));
        lines.add(latency ? LATENCIES : RATES);
        for (Result result : results) {
            int bytes = result.verb().bytes();
            lines.add(latency ? latency(bytes, result.metrics()) : rate(bytes, result.metrics(), clients));
        }
        lines.add("-".repeat(87));
    }

    private static String heading(VerbSettings.Kind kind) {
        return switch (kind) {
            case READ -> "RDMA_Read";
            case WRITE -> "RDMA_Write";
            case SEND -> "Send";
            case COMPARE_AND_SWAP -> "Atomic CMP_AND_SWAP";
            case FETCH_AND_ADD -> "Atomic FETCH_AND_ADD";
        };
    }

    private void setting(String name, Object value) {
        lines.add(" " + name + " : " + value);
    }

    private static String rate(int bytes, Map<String, Double> metrics, int clients) {
        double perSecond = Objects.requireNonNull(metrics.get(Metrics.THROUGHPUT)) / clients;
        double mebibytes = perSecond * bytes / (1 << 20);
        return String.format(Locale.ROOT, " %d 5000 %.2f %.2f %.6f", bytes, mebibytes, mebibytes, perSecond / 1e6);
    }

    private static String latency(int bytes, Map<String, Double> metrics) {
        double us = Objects.requireNonNull(metrics.get(Metrics.LATENCY + ".p50")) / 1e3;
        double tail = metrics.getOrDefault(Metrics.LATENCY + ".p99", 1e3 * us) / 1e3;
        return String.format(Locale.ROOT, " %d 1000 %.2f %.2f %.2f %.2f 0.05 %.2f", bytes, us, tail, us, us, tail);
    }

    @Override
    public String toString() {
        return String.join("\n", lines) + "\n";
    }
}
