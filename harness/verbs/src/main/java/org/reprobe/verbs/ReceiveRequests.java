package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvQP;
import java.io.IOException;

/** A receive request in preallocated native memory. For one thread. */
public final class ReceiveRequests implements AutoCloseable {
    private final ReliableQueuePair pair;
    private final long sge;
    private final long bad;
    private long request;

    /** For a queue pair of this provider. */
    public ReceiveRequests(IbvQP pair) {
        this.pair = (ReliableQueuePair) pair;
        this.request = RdmaCore.allocate(Layout.ReceiveRequest.BYTES + Layout.Sge.BYTES + 8);
        this.sge = request + Layout.ReceiveRequest.BYTES;
        this.bad = sge + Layout.Sge.BYTES;
        RdmaCore.putLong(request + Layout.ReceiveRequest.SG_LIST, sge);
        RdmaCore.putInt(request + Layout.ReceiveRequest.NUM_SGE, 1);
    }

    /** Posts a RECEIVE of one buffer at once; the device has a copy of the request. */
    public void post(long id, long local, int bytes, int localKey) throws IOException {
        RdmaCore.putLong(request + Layout.ReceiveRequest.ID, id);
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
