package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.QueuePair;

/** A client thread over shared memory, in real time. */
final class ShmClient implements Client {
    private final ShmClients.ClientRun run;
    private final int index;

    ShmClient(ShmClients.ClientRun run, int index) {
        this.run = run;
        this.index = index;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public int eventsPerClockReading() {
        return 16;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, run.arena());
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        check();
        ShmQueuePair.check(options);
        ShmClients.AtServer at = run.server(server);
        Control control = at.server().control();
        int connection = control.addConnection(at.groupNumber(), options.receiveQueue(), options.oneSided());
        return new ShmQueuePair(new Connected(at, connection), control, connection, local, options);
    }

    @Override
    public boolean isLocal(int server) {
        return run.own() == server;
    }

    private void check() throws FabricException {
        String over = run.over();
        if (over != null) {
            throw new FabricException(over);
        }
    }

    @Override
    public void pause(long ns) throws FabricException {
        long untilNs = System.nanoTime() + ns;
        while (true) {
            check();
            long leftNs = untilNs - System.nanoTime();
            if (leftNs <= 0) {
                return;
            }
            // Sleeping takes some 50 us at least.
            if (leftNs < 100_000) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(leftNs - 60_000);
            }
        }
    }

    @Override
    public void barrier() throws FabricException {
        check();
        try {
            run.group().barrier().await();
        } catch (InterruptedException e) {
            check();
            throw new FabricException("the client was interrupted", e);
        }
    }

    @Override
    public void worked(int lookups, long slots) {
        // Real time passes by itself.
    }

    /** What a connection knows of this process. */
    private final class Connected implements ShmQueuePair.Host {
        private final ShmClients.AtServer at;
        private final int connection;

        Connected(ShmClients.AtServer at, int connection) {
            this.at = at;
            this.connection = connection;
        }

        @Override
        public Regions regions() {
            return at.server().refreshed();
        }

        @Override
        public void check() throws FabricException {
            ShmClient.this.check();
        }

        @Override
        public void checkOtherEnd(ShmQueuePair waiting) throws FabricException {
            at.checkOtherEnd(waiting);
        }

        @Override
        public @Nullable MessageChannel channel(ShmQueuePair of) {
            return at.server().channel(connection, run.arena());
        }
    }
}
