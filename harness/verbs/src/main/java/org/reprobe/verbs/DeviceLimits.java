package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import org.reprobe.verbs.RdmaCore.Call;

/**
 * Limits of a device: {@code struct ibv_device_attr}.
 *
 * @param maxRequests work requests per send or receive queue
 * @param maxCompletions entries per completion queue
 * @param maxOutstandingReads READs and atomics in flight per queue pair as initiator
 * @param maxOutstandingReadsServed the same as target
 */
public record DeviceLimits(
        String name,
        String firmware,
        int maxQueuePairs,
        int maxRequests,
        int maxCompletions,
        int maxOutstandingReads,
        int maxOutstandingReadsServed,
        long maxRegionBytes,
        boolean atomics) {
    /** Loads rdma-core with the first query. Records can therefore be created on machines without it. */
    private static final class Native {
        static final Call QUERY = new Call("ibv_query_device", JAVA_INT, JAVA_LONG, JAVA_LONG);
        static final Call NAME = new Call("ibv_get_device_name", JAVA_LONG, JAVA_LONG);
    }

    /** Queries the device of a bound or resolved id. */
    public static DeviceLimits of(IbvContext context) throws IOException {
        return query(((DeviceContext) context).address());
    }

    static DeviceLimits query(long context) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long to = arena.allocate(StructLayout.Device.BYTES, 8).address();
            Native.QUERY.run(context, to);
            return new DeviceLimits(
                    RdmaCore.string(Native.NAME.pointer(RdmaCore.getLong(context + StructLayout.Context.DEVICE))),
                    RdmaCore.string(to + StructLayout.Device.FIRMWARE),
                    RdmaCore.getInt(to + StructLayout.Device.MAX_PAIRS),
                    RdmaCore.getInt(to + StructLayout.Device.MAX_REQUESTS),
                    RdmaCore.getInt(to + StructLayout.Device.MAX_COMPLETIONS),
                    RdmaCore.getInt(to + StructLayout.Device.MAX_OUTSTANDING_READS_OUT),
                    RdmaCore.getInt(to + StructLayout.Device.MAX_OUTSTANDING_READS_IN),
                    RdmaCore.getLong(to + StructLayout.Device.MAX_REGION_BYTES),
                    RdmaCore.getInt(to + StructLayout.Device.ATOMICS) != 0);
        }
    }
}
