package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvQP;
import java.io.IOException;
import org.reprobe.verbs.ReceiveRequests;
import org.reprobe.verbs.SendRing;
import org.reprobe.verbs.WorkCompletions;

/** Posting through {@link org.reprobe.verbs}, which writes requests directly in the device's format. */
final class CorePosting implements Posting {
    private final IbvCQ queue;
    private final SendRing ring;
    private final ReceiveRequests receives;
    private final WorkCompletions completions;
    private final int localKey;

    CorePosting(IbvQP pair, IbvCQ queue, int sendQueue, int polled, int localKey) {
        this.queue = queue;
        this.ring = new SendRing(pair, sendQueue);
        this.receives = new ReceiveRequests(pair);
        this.completions = new WorkCompletions(polled);
        this.localKey = localKey;
    }

    @Override
    public void put(int place, int opcode, int flags, long local, int bytes, long remote, int key) {
        ring.put(place, place, opcode, flags, local, bytes, localKey, remote, key);
    }

    @Override
    public void compareAndSwap(int place, int flags, long local, long remote, int key, long expected, long desired) {
        ring.compareAndSwap(place, place, flags, local, localKey, remote, key, expected, desired);
    }

    @Override
    public void fetchAndAdd(int place, int flags, long local, long remote, int key, long addend) {
        ring.fetchAndAdd(place, place, flags, local, localKey, remote, key, addend);
    }

    @Override
    public void post(int first, int count) throws IOException {
        ring.post(first, count);
    }

    @Override
    public void receive(long id, long local, int bytes) throws IOException {
        receives.post(id, local, bytes, localKey);
    }

    @Override
    public int poll(int max) throws IOException {
        return completions.poll(queue, max);
    }

    @Override
    public long id(int i) {
        return completions.id(i);
    }

    @Override
    public int status(int i) {
        return completions.status(i);
    }

    @Override
    public int receivedBytes(int i) {
        return completions.receivedBytes(i);
    }

    @Override
    public int vendorError(int i) {
        return completions.vendorError(i);
    }

    @Override
    public void close() {
        ring.close();
        receives.close();
        completions.close();
    }
}
