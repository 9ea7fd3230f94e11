package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;

/**
 * Send requests in preallocated native memory, each linked to the next and the last to the first, so that any run of
 * neighbours can be posted as one list with one doorbell. Requests have one buffer each. A place may be written again as
 * soon as it has been posted: the device has a copy. For one thread.
 */
public final class SendRing implements AutoCloseable {
    private final ReliableQueuePair pair;
    private final int capacity;
    private final long bad;
    private long requests;

    /**
     * A ring for a queue pair of this provider.
     *
     * @param capacity places
     */
    public SendRing(IbvQP pair, int capacity) {
        this.pair = (ReliableQueuePair) pair;
        this.capacity = capacity;
        this.requests = RdmaCore.allocate(capacity * (Layout.SendRequest.BYTES + Layout.Sge.BYTES) + 8);
        this.bad = requests + capacity * (Layout.SendRequest.BYTES + Layout.Sge.BYTES);
        for (int place = 0; place < capacity; place++) {
            RdmaCore.putLong(at(place) + Layout.SendRequest.SG_LIST, sge(place));
            RdmaCore.putInt(at(place) + Layout.SendRequest.NUM_SGE, 1);
            link(place);
        }
    }

    private long at(int place) {
        return requests + place * Layout.SendRequest.BYTES;
    }

    private long sge(int place) {
        return requests + capacity * Layout.SendRequest.BYTES + place * Layout.Sge.BYTES;
    }

    private void link(int place) {
        RdmaCore.putLong(at(place) + Layout.SendRequest.NEXT, at(place + 1 == capacity ? 0 : place + 1));
    }

    /**
     * Writes a READ, WRITE or SEND.
     *
     * @param opcode {@code IbvSendWR.IBV_WR_*}
     * @param flags an or of {@code IbvSendWR.IBV_SEND_*}
     */
    public void put(
            int place, long id, int opcode, int flags, long local, int bytes, int localKey, long remote, int key) {
        long to = at(place);
        RdmaCore.putLong(to + Layout.SendRequest.ID, id);
        RdmaCore.putInt(to + Layout.SendRequest.OPCODE, opcode);
        RdmaCore.putInt(to + Layout.SendRequest.FLAGS, flags);
        RdmaCore.putLong(to + Layout.SendRequest.RDMA_ADDRESS, remote);
        RdmaCore.putInt(to + Layout.SendRequest.RDMA_KEY, key);
        ScatterGatherEntry.write(sge(place), local, bytes, localKey);
    }

    /** Writes a COMPARE_AND_SWAP; the value found before lands at {@code local}. */
    public void compareAndSwap(
            int place,
            long id,
            int flags,
            long local,
            int localKey,
            long remote,
            int key,
            long expected,
            long desired) {
        atomic(place, IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, id, flags, local, localKey, remote, key, expected, desired);
    }

    /** Writes a FETCH_AND_ADD; the value found before lands at {@code local}. */
    public void fetchAndAdd(
            int place, long id, int flags, long local, int localKey, long remote, int key, long addend) {
        atomic(place, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, id, flags, local, localKey, remote, key, addend, 0);
    }

    private void atomic(
            int place,
            int opcode,
            long id,
            int flags,
            long local,
            int localKey,
            long remote,
            int key,
            long compareAdd,
            long swap) {
        long to = at(place);
        RdmaCore.putLong(to + Layout.SendRequest.ID, id);
        RdmaCore.putInt(to + Layout.SendRequest.OPCODE, opcode);
        RdmaCore.putInt(to + Layout.SendRequest.FLAGS, flags);
        RdmaCore.putLong(to + Layout.SendRequest.ATOMIC_ADDRESS, remote);
        RdmaCore.putLong(to + Layout.SendRequest.ATOMIC_COMPARE_ADD, compareAdd);
        RdmaCore.putLong(to + Layout.SendRequest.ATOMIC_SWAP, swap);
        RdmaCore.putInt(to + Layout.SendRequest.ATOMIC_KEY, key);
        ScatterGatherEntry.write(sge(place), local, Long.BYTES, localKey);
    }

    /** Posts {@code count} requests from {@code first} on, at most all. */
    public void post(int first, int count) throws IOException {
        int beyond = first + count;
        int last = beyond > capacity ? beyond - capacity - 1 : beyond - 1;
        RdmaCore.putLong(at(last) + Layout.SendRequest.NEXT, 0);
        int result = pair.postSend(at(first), bad);
        link(last);
        if (result != 0) {
            throw new VerbsException("ibv_post_send", result);
        }
    }

    @Override
    public void close() {
        if (requests != 0) {
            RdmaCore.free(requests);
            requests = 0;
        }
    }
}
