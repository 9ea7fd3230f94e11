package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;

/** An open RDMA device: {@code struct ibv_context}. */
final class DeviceContext extends IbvContext {
    private final long address;
    private final long pollCq;
    private final long requestNotify;
    private final long postSend;
    private final long postReceive;

    /** The structure there, after a look whether it is one. */
    static DeviceContext of(long address) throws IOException {
        DeviceContext context = new DeviceContext(address);
        LayoutCheck.context(context);
        return context;
    }

    DeviceContext(long address) throws IOException {
        super(
                RdmaCore.getInt(address + Layout.Context.COMMAND_FD),
                RdmaCore.getInt(address + Layout.Context.COMPLETION_VECTORS));
        this.address = address;
        this.pollCq = RdmaCore.getLong(address + Layout.Context.POLL_CQ);
        this.requestNotify = RdmaCore.getLong(address + Layout.Context.REQUEST_NOTIFY);
        this.postSend = RdmaCore.getLong(address + Layout.Context.POST_SEND);
        this.postReceive = RdmaCore.getLong(address + Layout.Context.POST_RECEIVE);
    }

    long address() {
        return address;
    }

    long pollCq() {
        return pollCq;
    }

    long requestNotify() {
        return requestNotify;
    }

    long postSend() {
        return postSend;
    }

    long postReceive() {
        return postReceive;
    }
}
