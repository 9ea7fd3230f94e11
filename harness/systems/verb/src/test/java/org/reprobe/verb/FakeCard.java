package org.reprobe.verb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.UnreachableException;

/**
 * A client whose clock stands still except while it waits. Each wait takes 10 ns and completes the oldest signaled
 * request of each queue pair. Requests are logged as {@code number:id}, signaled ones with an asterisk.
 */
final class FakeCard extends ForwardingClient {
    static final long WAIT_NS = 10;

    final List<String> log = new ArrayList<>();
    final List<FakeQueuePair> queuePairs = new ArrayList<>();
    boolean logs = true;
    int waits;
    int maxInFlight;
    /** Number of the wait that fails; the clock then advances no further by it. */
    int failingWait = Integer.MAX_VALUE;

    private long nowNs = 1000;
    private long word;

    FakeCard() {
        super(null);
    }

    @Override
    public int index() {
        return 0;
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public boolean inVirtualTime() {
        return true;
    }

    @Override
    public void barrier() {}

    @Override
    public MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, 64);
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) {
        FakeQueuePair made = new FakeQueuePair(queuePairs.size(), local, options);
        queuePairs.add(made);
        return made;
    }

    private void wake() throws FabricException {
        nowNs += WAIT_NS;
        if (++waits == failingWait) {
            throw new UnreachableException("cut");
        }
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        wake();
        for (FakeQueuePair each : queuePairs) {
            int from = into.count();
            each.complete(into);
            into.ofConnection(from, each.number);
        }
        if (into.count() == 0) {
            throw new FabricException("the client waits for ever");
        }
        return into.count();
    }

    final class FakeQueuePair implements QueuePair {
        private final int number;
        private final MemorySegment local;
        private final int sendQueue;
        private final long[] ids;
        private final boolean[] signals;
        private long appended;
        private long posted;
        private long freed;
        private boolean closed;

        FakeQueuePair(int number, MemorySegment local, ConnectionOptions options) {
            this.number = number;
            this.local = local;
            this.sendQueue = options.sendQueue();
            this.ids = new long[sendQueue];
            this.signals = new boolean[sendQueue];
        }

        private void append(String verb, long id, boolean signaled) {
            if (free() == 0) {
                throw new IllegalStateException("the send queue is full");
            }
            int at = (int) (appended++ % sendQueue);
            ids[at] = id;
            signals[at] = signaled;
            maxInFlight = Math.max(maxInFlight, (int) (appended - freed));
            if (logs) {
                log.add(verb + number + ":" + id + (signaled ? "*" : ""));
            }
        }

        @Override
        public int free() {
            return sendQueue - (int) (appended - freed);
        }

        @Override
        public void read(long id, long at, long remote, int key, int bytes, boolean signaled) {
            append("r", id, signaled);
        }

        @Override
        public void write(long id, long at, long remote, int key, int bytes, boolean signaled) {
            append("w", id, signaled);
        }

        @Override
        public void compareAndSwap(
                long id, long at, long remote, int key, long expected, long desired, boolean signaled) {
            local.set(ValueLayout.JAVA_LONG, at, word);
            word = word == expected ? desired : word;
            append("c", id, signaled);
        }

        @Override
        public void fetchAndAdd(long id, long at, long remote, int key, long addend, boolean signaled) {
            word += addend;
            append("f", id, signaled);
        }

        @Override
        public void send(long id, long at, int bytes, boolean signaled) {
            append("s", id, signaled);
        }

        @Override
        public void receive(long id, long at, int bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void doorbell() {
            posted = appended;
            if (logs) {
                log.add("doorbell");
            }
        }

        private void complete(Completions into) {
            for (long at = freed; at < posted && !closed; at++) {
                if (signals[(int) (at % sendQueue)]) {
                    into.add(ids[(int) (at % sendQueue)], Status.SUCCESS);
                    freed = at + 1;
                    if (logs) {
                        log.add("done");
                    }
                    return;
                }
            }
        }

        @Override
        public int poll(Completions into) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int await(Completions into) throws FabricException {
            into.clear();
            wake();
            complete(into);
            if (into.count() == 0) {
                throw new FabricException("the client waits for ever");
            }
            return into.count();
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    long word() {
        return word;
    }
}
