package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Requester;

/** Requester that accesses only its own machine's memory, in real time. */
public class OwnMemory implements Requester {
    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public MemorySegment allocate(long bytes) {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public int await(Completions into) {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public WakeReason next(Completions into, long untilNs) {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public void watch(int number, MemorySegment memory, long offset, long seen) {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public int changed() {
        throw new UnsupportedOperationException("no fabric");
    }

    @Override
    public void pause(long ns) {
        LockSupport.parkNanos(ns);
    }
}
