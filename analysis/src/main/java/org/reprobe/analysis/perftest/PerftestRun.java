package org.reprobe.analysis.perftest;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Output of one run of a perftest program. */
public record PerftestRun(
        PerftestProgram program, Settings settings, List<Row> rows, List<Warning> warnings, Origin origin) {

    public PerftestRun {
        rows = List.copyOf(rows);
        warnings = List.copyOf(warnings);
    }

    /** Reason for caution with a run. */
    public enum Warning {
        /** Both ends have the same address. */
        LOOPBACK,
        SOFTWARE_RDMA,
        CPU_FREQUENCY
    }

    /**
     * Settings in the heading; null if the program did not print them.
     *
     * @param postList requests per doorbell; 1 unless printed
     */
    public record Settings(
            @Nullable String device,
            @Nullable String connection,
            @Nullable String link,
            int queuePairs,
            int postList,
            boolean bidirectional,
            @Nullable Integer txDepth,
            @Nullable Integer cqModeration,
            @Nullable Integer mtuBytes,
            @Nullable Integer inlineBytes,
            @Nullable Integer outstandingReads) {

        /** Names of whole numbers in a heading. */
        static final Set<String> NUMBERS = Set.of(
                "Number of qps", "Post List", "TX depth", "CQ Moderation", "Mtu", "Max inline data", "Outstand reads");

        /** Returns the settings with these names in a heading. */
        static Settings of(Map<String, String> words, Map<String, Integer> numbers, boolean bidirectional) {
            return new Settings(
                    words.get("Device"),
                    words.get("Connection type"),
                    words.get("Link type"),
                    numbers.getOrDefault("Number of qps", 1),
                    numbers.getOrDefault("Post List", 1),
                    bidirectional,
                    numbers.get("TX depth"),
                    numbers.get("CQ Moderation"),
                    numbers.get("Mtu"),
                    numbers.get("Max inline data"),
                    numbers.get("Outstand reads"));
        }

        boolean isSoftware() {
            return device != null && device.matches("(rxe|siw).*");
        }
    }

    /** Line of a table. */
    public sealed interface Row permits Rate, Latency {
        long bytes();

        long iterations();

        Origin origin();

        /** Returns the same numbers at another place. */
        Row at(Origin place);
    }

    public record Rate(long bytes, long iterations, double bytesPerSecond, double messagesPerSecond, Origin origin)
            implements Row {
        public double nsPerMessage() {
            return 1e9 / messagesPerSecond;
        }

        @Override
        public Rate at(Origin place) {
            return new Rate(bytes, iterations, bytesPerSecond, messagesPerSecond, place);
        }
    }

    /**
     * Times of one size; NaN for columns that the version or mode lacks. Of WRITEs and SENDs, half a round trip.
     *
     * @param samplesNs all times in ascending order; empty unless printed by -H or -U
     */
    public record Latency(
            long bytes,
            long iterations,
            double medianNs,
            double meanNs,
            double stdevNs,
            double p99Ns,
            List<Double> samplesNs,
            Origin origin)
            implements Row {
        public Latency {
            samplesNs = List.copyOf(samplesNs);
        }

        @Override
        public Latency at(Origin place) {
            return new Latency(bytes, iterations, medianNs, meanNs, stdevNs, p99Ns, samplesNs, place);
        }
    }

    List<Rate> rates() {
        return rows.stream()
                .filter(Rate.class::isInstance)
                .map(Rate.class::cast)
                .toList();
    }

    List<Latency> latencies() {
        return rows.stream()
                .filter(Latency.class::isInstance)
                .map(Latency.class::cast)
                .toList();
    }
}
