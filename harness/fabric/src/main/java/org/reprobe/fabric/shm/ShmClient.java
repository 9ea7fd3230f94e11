package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.RoundRobin;
import org.reprobe.fabric.RunEndedException;

/** Client thread over shared memory, in real time. */
class ShmClient extends RealTimeClient {
    private final ShmClients.ClientRun run;
    private final List<ShmQueuePair> connections = new ArrayList<>();
    private final RoundRobin roundRobin = new RoundRobin();
    private final Idle idle = new Idle();

    ShmClient(ShmClients.ClientRun run, int index, int own) {
        super(index, own, run.group().barrier(), run.arena());
        this.run = run;
    }

    @Override
    public int eventsPerClockReading() {
        return 16;
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        check();
        ShmQueuePair.check(options);
        ShmClients.AtServer at = run.server(server);
        ShmControl control = at.server().control();
        int connection = control.addConnection(at.groupNumber(), options.receiveQueue(), options.oneSided());
        ShmQueuePair end = new ShmQueuePair(new Connected(at, connection), control, connection, local, options);
        connections.add(end);
        return end;
    }

    @Override
    protected void beginWaiting() {
        idle.reset();
    }

    @Override
    protected int take(Completions into) throws FabricException {
        return roundRobin.takeAll(connections, ShmQueuePair::takeMore, into);
    }

    @Override
    protected boolean idle(long maxNs) throws FabricException {
        check();
        boolean looks = idle.once();
        boolean posted = false;
        for (int i = 0; i < connections.size(); i++) {
            ShmQueuePair connection = connections.get(i);
            if (!connection.isIdle()) {
                posted = true;
                if (looks) {
                    connection.checkPeer();
                }
            }
        }
        return posted;
    }

    @Override
    protected void check() throws FabricException {
        String over = run.over();
        if (over != null) {
            throw new FabricException(over);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new RunEndedException("the run was ended");
        }
    }

    private final class Connected implements ShmQueuePair.Owner {
        private final ShmClients.AtServer at;
        private final int connection;

        Connected(ShmClients.AtServer at, int connection) {
            this.at = at;
            this.connection = connection;
        }

        @Override
        public ShmRegions regions() {
            return at.server().refreshed();
        }

        @Override
        public void check() throws FabricException {
            ShmClient.this.check();
        }

        @Override
        public void checkPeer(ShmQueuePair waiting) throws FabricException {
            at.checkOtherEnd(waiting);
        }

        @Override
        public @Nullable MessageChannel channel(ShmQueuePair of) {
            return at.server().channel(connection, run.arena());
        }
    }
}
