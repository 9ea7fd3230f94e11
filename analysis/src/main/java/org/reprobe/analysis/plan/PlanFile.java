package org.reprobe.analysis.plan;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/** Requirements of a plan, from a file or options. */
@Section(meaning = "Requirements of a plan: scenarios/plans/NAME.yaml. Each key but title is also an option of plan.")
public record PlanFile(
        @Key(optional = true, meaning = "Title of the plan.") @Nullable
        String title,

        @Key(min = 1, max = 1e15, meaning = "Total number of records.")
        long records,

        @Key(byDefault = "8", min = 1, max = 65536, meaning = "Bytes of a key.")
        int keyBytes,

        @Key(
                orOne = true,
                allowed = "a whole number from 0 to 1048576, or a list of {bytes, share}",
                meaning = "Bytes of a value, or a list of sizes and their shares.")
        List<Size> valueBytes,

        @Key(above = 0, max = 1e15, meaning = "Current mean rate of operations per second.")
        double lookupsPerSecond,

        @Key(above = 0, max = 1e15, meaning = "Rate of operations per second at the peak; by default the mean rate.")
        OptionalDouble peakLookupsPerSecond,

        @Key(byDefault = "0", min = 0, max = 2, meaning = "Zipf exponent of the choice of records.")
        double skew,

        @Key(
                byDefault = "1",
                above = 0,
                max = 1,
                meaning =
                        "Share of operations that only read. The others also write the record, by one-sided operations.")
        double reads,

        @Key(byDefault = "99", min = 50, max = 99.99, meaning = "Latency percentile to which the limit applies.")
        double percentile,

        @Key(above = 0, max = 1e9, meaning = "Limit of the latency percentile at the peak, in us; no limit by default.")
        OptionalDouble latencyLimitUs,

        @Key(above = 0, max = 1e9, meaning = "Memory of a server for table and heap, in GiB.")
        double memoryPerServerGib,

        @Key(byDefault = "0", min = 0, max = 1000, meaning = "Number of servers that may fail at the peak.")
        int serversThatMayFail,

        @Key(
                min = 1,
                max = 1000,
                meaning = "Number of servers that hold a copy of each record; by default one more than may fail.")
        OptionalInt copies,

        @Key(
                byDefault = "0",
                min = 0,
                max = 10000,
                meaning = "Growth of the numbers of records and operations, in percent per year.")
        double growthPercentPerYear,

        @Key(
                above = 0,
                max = 1e12,
                meaning = "Price of a server, in any currency; without it, the plan minimises the number of servers.")
        OptionalDouble pricePerServer,

        @Key(byDefault = "connectx5-edr", unique = true, allowed = "a name", meaning = "NIC profiles to choose from.")
        List<String> nics,

        @Key(optional = true, unique = true, meaning = "Schemes to choose from; all by default.")
        List<String> schemes,

        @Key(byDefault = "4", min = 1, max = 10000, meaning = "Client machines.")
        int clientMachines,

        @Key(byDefault = "28", min = 1, max = 65536, meaning = "Client threads per client machine.")
        int clientThreads,

        @Key(
                byDefault = "128",
                min = 1,
                max = 1 << 20,
                meaning = "Size of a queue pair's send queue, in work requests.")
        int sendQueue,

        @Key(byDefault = "16", min = 1, max = 65536, meaning = "Maximum number of READs in flight per queue pair.")
        int outstandingReads,

        @Key(byDefault = "0.8", above = 0, max = 1, meaning = "Maximum utilization at the peak.")
        double maxUtilisation,

        @Key(byDefault = "1024", min = 1, max = 100000, meaning = "Maximum number of servers to consider.")
        int maxServers) {

    @Section(alone = "bytes", meaning = "Size of values.")
    public record Size(
            @Key(min = 0, max = 1 << 20, meaning = "Bytes of a value.")
            int bytes,

            @Key(byDefault = "1", above = 0, max = 1, meaning = "Share of the records.")
            double share) {}
}
