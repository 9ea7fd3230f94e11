package org.reprobe.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.verbs.RdmaCore.Call;

/** RDMA device with its limits and the order in which WRITEs to this machine's memory become visible. */
public record ExaminedDevice(DeviceLimits limits, WriteOrder writes) {
    /** Loads rdma-core with the first query. Records can therefore be created on machines without it. */
    private static final class Native {
        static final Call LIST = new Call("ibv_get_device_list", JAVA_LONG, JAVA_LONG);
        static final Call OPEN = new Call("ibv_open_device", JAVA_LONG, JAVA_LONG);
        static final Call CLOSE = new Call("ibv_close_device", JAVA_INT, JAVA_LONG);
        static final RdmaCore.Action FREE_LIST = new RdmaCore.Action("ibv_free_device_list");
    }

    /** Returns all devices that this user may open. */
    public static List<ExaminedDevice> all() throws IOException {
        DisniProvider.install();
        long list = Native.LIST.pointer(0);
        List<ExaminedDevice> all = new ArrayList<>();
        try {
            for (long place = list; RdmaCore.getLong(place) != 0; place += Long.BYTES) {
                long context = Native.OPEN.pointer(RdmaCore.getLong(place));
                try {
                    all.add(new ExaminedDevice(DeviceLimits.query(context), WriteOrder.ofDevice(context)));
                } finally {
                    Native.CLOSE.run(context);
                }
            }
        } finally {
            Native.FREE_LIST.run(list);
        }
        return List.copyOf(all);
    }
}
