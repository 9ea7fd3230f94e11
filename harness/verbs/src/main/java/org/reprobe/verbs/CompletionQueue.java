package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** {@code struct ibv_cq}. */
final class CompletionQueue extends IbvCQ {
    private final long address;
    private final long pollCq;
    private final long requestNotify;

    CompletionQueue(DeviceContext context, @Nullable CompletionChannel channel, long address) throws IOException {
        super(context, channel, RdmaCore.getInt(address + StructLayout.Queue.HANDLE));
        this.address = address;
        this.pollCq = context.pollCq();
        this.requestNotify = context.requestNotify();
        this.cqe = RdmaCore.getInt(address + StructLayout.Queue.ENTRIES);
        LayoutCheck.same("ibv_cq.context", context.address(), RdmaCore.getLong(address + StructLayout.Queue.CONTEXT));
    }

    long address() {
        return address;
    }

    /** Fills an array of {@code struct ibv_wc}; returns the number, negative for a broken queue. */
    int poll(int entries, long array) {
        try {
            return (int) RdmaCore.POLL_CQ.invokeExact(RdmaCore.function(pollCq), address, entries, array);
        } catch (Throwable thrown) {
            throw RdmaCore.unexpected(thrown);
        }
    }

    void requestNotify(boolean solicitedOnly) throws IOException {
        int result;
        try {
            result = (int) RdmaCore.REQUEST_NOTIFY.invokeExact(
                    RdmaCore.function(requestNotify), address, solicitedOnly ? 1 : 0);
        } catch (Throwable thrown) {
            throw RdmaCore.unexpected(thrown);
        }
        if (result != 0) {
            throw new VerbsException("ibv_req_notify_cq", result);
        }
    }
}
