package org.reprobe.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeServer;
import org.reprobe.fabric.RunEndedException;
import org.reprobe.trust.ProcessId;

/** Server program's connections and waits during one run of clients. */
final class ShmServing extends RealTimeServer<ShmQueuePair> {
    private static final long CHECK_NS = 200_000_000;

    private final ShmServer server;
    private final ServerFolder folder;
    private final ShmControl control;
    private final int firstGroup;
    private final int clients;
    private final List<MessageChannel> channels = new ArrayList<>();
    private final List<Integer> groups = new ArrayList<>();

    private final Set<Integer> deadGroups = new HashSet<>();
    private final Idle idle = new Idle();
    private int nextConnection;
    private long checkedNs = System.nanoTime();
    private boolean interrupted;

    ShmServing(ShmServer server, ServerFolder folder, ShmControl control, int firstGroup, int clients, Peers peers) {
        super(Arena.ofShared(), server, peers);
        this.server = server;
        this.folder = folder;
        this.control = control;
        this.firstGroup = firstGroup;
        this.clients = clients;
    }

    boolean interrupted() {
        return interrupted;
    }

    @Override
    protected void beginWaiting() {
        idle.reset();
    }

    @Override
    protected void idle(long maxNs) throws FabricException {
        checkPeriodically(idle.once());
    }

    /** Advances to the next connection of this run; returns false if there is none. */
    @Override
    protected boolean hasArrived() {
        while (nextConnection < control.connectionCount()) {
            int state = control.connectionState(nextConnection);
            if (state == 0) {
                return false;
            }
            if (state == ShmControl.ANNOUNCED && control.connectionGroup(nextConnection) >= firstGroup) {
                return true;
            }
            nextConnection++;
        }
        return false;
    }

    @Override
    protected ShmQueuePair acceptArrived(MemorySegment local, ConnectionOptions options) throws FabricException {
        ShmQueuePair.check(options);
        int connection = nextConnection++;
        int clientReceives = control.clientReceiveQueue(connection);
        int serverReceives = options.receiveQueue();
        long bytes = MessageChannel.bytes(clientReceives, serverReceives);
        int file = folder.nextFile();
        try {
            folder.create(folder.file(file), bytes);
            MessageChannel channel = MessageChannel.atServer(
                    Mapping.map(folder.file(file), bytes, arena), clientReceives, serverReceives);
            channels.add(channel);
            ShmQueuePair end = new ShmQueuePair(new Accepted(channel), control, ShmQueuePair.SERVER, local, options);
            groups.add(control.connectionGroup(connection));
            control.acceptConnection(connection, serverReceives, file);
            return end;
        } catch (IOException e) {
            throw new FabricException("no shared memory for a connection's messages: " + e.getMessage(), e);
        }
    }

    @Override
    protected void take(ShmQueuePair end, Completions into) {
        end.takeMore(into);
    }

    @Override
    protected boolean isGone(int connection) {
        return !deadGroups.isEmpty() && deadGroups.contains(groups.get(connection));
    }

    @Override
    protected boolean clientsHaveEnded() throws FabricException {
        check();
        int ended = 0;
        for (int group = firstGroup; group < control.groupCount() && ended < clients; group++) {
            if (control.isGroupPresent(group)) {
                ended += deadGroups.contains(group) ? control.groupClients(group) : control.groupEnded(group);
            }
        }
        return ended >= clients;
    }

    int groupsOfRun() {
        int seen = 0;
        int group = firstGroup;
        while (seen < clients && group < control.groupCount()) {
            seen += control.isGroupPresent(group) ? control.groupClients(group) : 0;
            group++;
        }
        return group;
    }

    private void check() throws FabricException {
        if (Thread.interrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            throw new RunEndedException("the server was interrupted");
        }
        String closed = server.whyClosed();
        if (closed != null) {
            throw new RunEndedException(closed);
        }
    }

    private void checkPeriodically(boolean now) throws FabricException {
        if (!now || System.nanoTime() - checkedNs < CHECK_NS) {
            return;
        }
        checkedNs = System.nanoTime();
        for (int group = firstGroup; group < control.groupCount(); group++) {
            if (control.isGroupPresent(group)
                    && control.groupEnded(group) < control.groupClients(group)
                    && !deadGroups.contains(group)) {
                ProcessId process = control.groupProcess(group);
                if (!process.alive() && control.groupEnded(group) < control.groupClients(group)) {
                    if (!running()) {
                        throw new RunEndedException("the client process " + process.pid() + " has died");
                    }
                    deadGroups.add(group);
                }
            }
        }
    }

    void close() {
        leave();
        for (MessageChannel channel : channels) {
            channel.out().end();
        }
        arena.close();
    }

    /** Host of a server's end, which has no remote memory. */
    private final class Accepted implements ShmQueuePair.Owner {
        private final MessageChannel channel;

        Accepted(MessageChannel channel) {
            this.channel = channel;
        }

        @Override
        public ShmRegions regions() {
            return ShmRegions.none(control.regionsVersion());
        }

        @Override
        public void check() throws FabricException {
            ShmServing.this.check();
        }

        @Override
        public void checkPeer(ShmQueuePair waiting) throws FabricException {
            checkPeriodically(true);
        }

        @Override
        public MessageChannel channel(ShmQueuePair of) {
            return channel;
        }
    }
}
