package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvQP;
import java.io.IOException;

/** Receive request in preallocated native memory. Not thread-safe. */
public final class ReceiveRequests implements AutoCloseable {
    private final ReliableQueuePair pair;
    private final long sge;
    private final long bad;
    private long request;

    public ReceiveRequests(IbvQP pair) {
        this.pair = (ReliableQueuePair) pair;
        this.request = RdmaCore.allocate(StructLayout.ReceiveRequest.BYTES + StructLayout.Sge.BYTES + 8);
        this.sge = request + StructLayout.ReceiveRequest.BYTES;
        this.bad = sge + StructLayout.Sge.BYTES;
        RdmaCore.putLong(request + StructLayout.ReceiveRequest.SG_LIST, sge);
        RdmaCore.putInt(request + StructLayout.ReceiveRequest.NUM_SGE, 1);
    }

    /** Posts a RECEIVE of one buffer; the device copies the request. */
    public void post(long id, long local, int bytes, int localKey) throws IOException {
        RdmaCore.putLong(request + StructLayout.ReceiveRequest.ID, id);
        ScatterGatherEntry.write(sge, local, bytes, localKey);
        int result = pair.postReceive(request, bad);
        if (result != 0) {
            throw new VerbsException("ibv_post_recv", result);
        }
    }

    @Override
    public void close() {
        if (request != 0) {
            RdmaCore.free(request);
            request = 0;
        }
    }
}
