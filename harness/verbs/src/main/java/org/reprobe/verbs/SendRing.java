package org.reprobe.verbs;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;

/**
 * Ring of send requests in preallocated native memory, with one buffer per request. Each request is linked to the next
 * and the last to the first, so consecutive requests are posted as one list with one doorbell. The device copies posted
 * requests, so a slot may be rewritten after posting. Not thread-safe.
 */
public final class SendRing implements AutoCloseable {
    private final ReliableQueuePair pair;
    private final int capacity;
    private final long bad;
    private long requests;

    public SendRing(IbvQP pair, int capacity) {
        this.pair = (ReliableQueuePair) pair;
        this.capacity = capacity;
        this.requests = RdmaCore.allocate(capacity * (StructLayout.SendRequest.BYTES + StructLayout.Sge.BYTES) + 8);
        this.bad = requests + capacity * (StructLayout.SendRequest.BYTES + StructLayout.Sge.BYTES);
        for (int place = 0; place < capacity; place++) {
            RdmaCore.putLong(at(place) + StructLayout.SendRequest.SG_LIST, sge(place));
            RdmaCore.putInt(at(place) + StructLayout.SendRequest.NUM_SGE, 1);
            link(place);
        }
    }

    private long at(int place) {
        return requests + place * StructLayout.SendRequest.BYTES;
    }

    private long sge(int place) {
        return requests + capacity * StructLayout.SendRequest.BYTES + place * StructLayout.Sge.BYTES;
    }

    private void link(int place) {
        RdmaCore.putLong(at(place) + StructLayout.SendRequest.NEXT, at(place + 1 == capacity ? 0 : place + 1));
    }

    /** Writes a READ, WRITE or SEND; opcode and flags are {@code IbvSendWR.IBV_WR_*} and {@code IBV_SEND_*}. */
    public void put(
            int place, long id, int opcode, int flags, long local, int bytes, int localKey, long remote, int key) {
        long to = at(place);
        RdmaCore.putLong(to + StructLayout.SendRequest.ID, id);
        RdmaCore.putInt(to + StructLayout.SendRequest.OPCODE, opcode);
        RdmaCore.putInt(to + StructLayout.SendRequest.FLAGS, flags);
        RdmaCore.putLong(to + StructLayout.SendRequest.RDMA_ADDRESS, remote);
        RdmaCore.putInt(to + StructLayout.SendRequest.RDMA_KEY, key);
        ScatterGatherEntry.write(sge(place), local, bytes, localKey);
    }

    /** Writes a COMPARE_AND_SWAP; the previous value lands at {@code local}. */
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

    /** Writes a FETCH_AND_ADD; the previous value lands at {@code local}. */
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
        RdmaCore.putLong(to + StructLayout.SendRequest.ID, id);
        RdmaCore.putInt(to + StructLayout.SendRequest.OPCODE, opcode);
        RdmaCore.putInt(to + StructLayout.SendRequest.FLAGS, flags);
        RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_ADDRESS, remote);
        RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_COMPARE_ADD, compareAdd);
        RdmaCore.putLong(to + StructLayout.SendRequest.ATOMIC_SWAP, swap);
        RdmaCore.putInt(to + StructLayout.SendRequest.ATOMIC_KEY, key);
        ScatterGatherEntry.write(sge(place), local, Long.BYTES, localKey);
    }

    /** Posts {@code count} requests from {@code first} on, at most the whole ring. */
    public void post(int first, int count) throws IOException {
        int beyond = first + count;
        int last = beyond > capacity ? beyond - capacity - 1 : beyond - 1;
        RdmaCore.putLong(at(last) + StructLayout.SendRequest.NEXT, 0);
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
