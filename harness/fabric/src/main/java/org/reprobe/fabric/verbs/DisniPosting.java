package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.stream.IntStream;

/** Posting through DiSNI's own classes, for libdisni. Each batch is translated to DiSNI's lists. */
@SuppressWarnings("JdkObsolete") // DiSNI takes linked lists
final class DisniPosting implements Posting {
    private final IbvQP pair;
    private final IbvSendWR[] requests;
    private final IbvWC[] completions;
    private final SVCPollCq poll;
    private final int localKey;
    private final boolean atomics;
    private boolean atomicRefused;

    /** Polled completions: the caller has received {@code taken} of {@code polled}, from {@code first} on. */
    private int first;

    private int taken;
    private int polled;

    /** @param atomics true if the provider supports atomics; libdisni would post another operation instead */
    DisniPosting(IbvQP pair, IbvCQ queue, int sendQueue, int polled, int localKey, boolean atomics) throws IOException {
        this.pair = pair;
        this.atomics = atomics;
        this.localKey = localKey;
        this.requests = new IbvSendWR[sendQueue];
        for (int place = 0; place < sendQueue; place++) {
            requests[place] = new IbvSendWR();
            requests[place].setWr_id(place);
            requests[place].setSg_list(new LinkedList<>(List.of(new IbvSge())));
            requests[place].setNum_sge(1);
        }
        this.completions = IntStream.range(0, polled).mapToObj(_ -> new IbvWC()).toArray(IbvWC[]::new);
        this.poll = queue.poll(completions, polled);
    }

    private IbvSendWR request(int place, int opcode, int flags, long local, int bytes) {
        IbvSendWR request = requests[place];
        request.setOpcode(opcode);
        request.setSend_flags(flags);
        IbvSge buffer = request.getSge(0);
        buffer.setAddr(local);
        buffer.setLength(bytes);
        buffer.setLkey(localKey);
        return request;
    }

    @Override
    public void put(int place, int opcode, int flags, long local, int bytes, long remote, int key) {
        IbvSendWR request = request(place, opcode, flags, local, bytes);
        request.getRdma().setRemote_addr(remote);
        request.getRdma().setRkey(key);
    }

    @Override
    public void compareAndSwap(int place, int flags, long local, long remote, int key, long expected, long desired) {
        atomic(place, IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, flags, local, remote, key, expected, desired);
    }

    @Override
    public void fetchAndAdd(int place, int flags, long local, long remote, int key, long addend) {
        atomic(place, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, flags, local, remote, key, addend, 0);
    }

    private void atomic(
            int place, int opcode, int flags, long local, long remote, int key, long compareAdd, long swap) {
        atomicRefused |= !atomics;
        IbvSendWR.Atomic atomic =
                request(place, opcode, flags, local, Long.BYTES).getAtomic();
        atomic.setRemote_addr(remote);
        atomic.setRkey(key);
        atomic.setCompare_add(compareAdd);
        atomic.setSwap(swap);
    }

    @Override
    public void post(int from, int count) throws IOException {
        if (atomicRefused) {
            throw new IOException(Provider.LIBDISNI.cannot("atomics"));
        }
        List<IbvSendWR> list = new ArrayList<>(count);
        for (int i = 0, place = from; i < count; i++, place = place + 1 == requests.length ? 0 : place + 1) {
            list.add(requests[place]);
        }
        pair.postSend(list, null).execute().free();
    }

    @Override
    public void receive(long id, long local, int bytes) throws IOException {
        IbvSge buffer = new IbvSge();
        buffer.setAddr(local);
        buffer.setLength(bytes);
        buffer.setLkey(localKey);
        IbvRecvWR request = new IbvRecvWR();
        request.setWr_id(id);
        request.setSg_list(new LinkedList<>(List.of(buffer)));
        request.setNum_sge(1);
        pair.postRecv(List.of(request), null).execute().free();
    }

    @Override
    public int poll(int max) throws IOException {
        // A call polls a fixed number; completions beyond the caller's capacity wait for the next call.
        first += taken;
        if (first == polled) {
            polled = poll.execute().getPolls();
            first = 0;
        }
        taken = Math.min(max, polled - first);
        return taken;
    }

    @Override
    public long id(int i) {
        return completions[first + i].getWr_id();
    }

    @Override
    public int status(int i) {
        return completions[first + i].getStatus();
    }

    @Override
    public int receivedBytes(int i) {
        return completions[first + i].getByte_len();
    }

    @Override
    public int vendorError(int i) {
        return completions[first + i].getVendor_err();
    }

    @Override
    public void close() {
        poll.free();
    }
}
