package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;

/** {@code struct ibv_qp}. */
final class ReliableQueuePair extends IbvQP {
    private final long address;
    private final long postSend;
    private final long postReceive;

    ReliableQueuePair(DeviceContext context, IbvPd domain, IbvQPInitAttr attributes, long address) throws IOException {
        super(RdmaCore.getInt(address + StructLayout.Pair.NUMBER));
        this.address = address;
        this.context = context;
        this.pd = domain;
        this.send_cq = attributes.getSend_cq();
        this.recv_cq = attributes.getRecv_cq();
        this.qp_type = attributes.getQp_type();
        this.handle = RdmaCore.getInt(address + StructLayout.Pair.HANDLE);
        this.postSend = context.postSend();
        this.postReceive = context.postReceive();
        LayoutCheck.same("ibv_qp.context", context.address(), RdmaCore.getLong(address + StructLayout.Pair.CONTEXT));
    }

    long address() {
        return address;
    }

    /** Posts a linked list of {@code struct ibv_send_wr}; returns 0 or an errno. */
    int postSend(long list, long bad) {
        return post(postSend, list, bad);
    }

    /** Posts a linked list of {@code struct ibv_recv_wr}; returns 0 or an errno. */
    int postReceive(long list, long bad) {
        return post(postReceive, list, bad);
    }

    private int post(long function, long list, long bad) {
        try {
            return (int) RdmaCore.POST.invokeExact(RdmaCore.function(function), address, list, bad);
        } catch (Throwable thrown) {
            throw RdmaCore.unexpected(thrown);
        }
    }
}
