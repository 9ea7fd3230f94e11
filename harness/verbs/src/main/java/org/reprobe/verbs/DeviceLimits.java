package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.verbs.RdmaCore.Call;

/**
 * What a device can do: {@code struct ibv_device_attr}.
 *
 * @param name such as {@code mlx5_0}
 * @param firmware its version
 * @param maxQueuePairs queue pairs in all
 * @param maxRequests work requests that a send or receive queue holds
 * @param maxCompletions entries of a completion queue
 * @param maxOutstandingReads READs and atomics that one queue pair can have in flight as initiator
 * @param maxOutstandingReadsServed those that it can serve as target
 * @param maxRegionBytes length of a region
 * @param atomics whether there are atomics at all
 * @param writes the order in which WRITEs to this machine's memory become visible
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
        boolean atomics,
        WriteOrder writes) {
    /** Loads rdma-core with the first call, so that a record of limits can be had without. */
    private static final class Native {
        static final Call QUERY = new Call("ibv_query_device", JAVA_INT, JAVA_LONG, JAVA_LONG);
        static final Call NAME = new Call("ibv_get_device_name", JAVA_LONG, JAVA_LONG);
        static final Call LIST = new Call("ibv_get_device_list", JAVA_LONG, JAVA_LONG);
        static final Call OPEN = new Call("ibv_open_device", JAVA_LONG, JAVA_LONG);
        static final Call CLOSE = new Call("ibv_close_device", JAVA_INT, JAVA_LONG);
        static final RdmaCore.Action FREE_LIST = new RdmaCore.Action("ibv_free_device_list");
    }

    /** Of the device that an id was bound or resolved to. */
    public static DeviceLimits of(IbvContext context) throws IOException {
        return query(((DeviceContext) context).address());
    }

    /** Of all devices that this machine has and this user may open. */
    public static List<DeviceLimits> ofAll() throws IOException {
        DisniProvider.install();
        long list = Native.LIST.pointer(0);
        List<DeviceLimits> all = new ArrayList<>();
        try {
            for (long place = list; RdmaCore.getLong(place) != 0; place += Long.BYTES) {
                long context = Native.OPEN.pointer(RdmaCore.getLong(place));
                try {
                    all.add(query(context));
                } finally {
                    Native.CLOSE.run(context);
                }
            }
        } finally {
            Native.FREE_LIST.run(list);
        }
        return List.copyOf(all);
    }

    private static DeviceLimits query(long context) throws IOException {
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
                    RdmaCore.getInt(to + StructLayout.Device.ATOMICS) != 0,
                    WriteOrder.ofDevice(context));
        }
    }
}
