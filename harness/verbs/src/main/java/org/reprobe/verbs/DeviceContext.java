package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;

/** Open RDMA device: {@code struct ibv_context}. */
final class DeviceContext extends IbvContext {
    private final long address;
    private final long pollCq;
    private final long requestNotify;
    private final long postSend;
    private final long postReceive;

    static DeviceContext of(long address) throws IOException {
        DeviceContext context = new DeviceContext(address);
        LayoutCheck.context(context);
        return context;
    }

    DeviceContext(long address) throws IOException {
        super(
                RdmaCore.getInt(address + StructLayout.Context.COMMAND_FD),
                RdmaCore.getInt(address + StructLayout.Context.COMPLETION_VECTORS));
        this.address = address;
        this.pollCq = RdmaCore.getLong(address + StructLayout.Context.POLL_CQ);
        this.requestNotify = RdmaCore.getLong(address + StructLayout.Context.REQUEST_NOTIFY);
        this.postSend = RdmaCore.getLong(address + StructLayout.Context.POST_SEND);
        this.postReceive = RdmaCore.getLong(address + StructLayout.Context.POST_RECEIVE);
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
