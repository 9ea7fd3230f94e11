package org.reprobe.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.TakingTurns;
import org.reprobe.trust.ProcessId;

/** What a server's program sees of one run of clients. */
final class ShmServing implements Server {
    private static final long LOOK_EVERY_NS = 200_000_000;
    private static final int GONE = -1;

    private final ShmServer server;
    private final ServerFolder folder;
    private final Control control;
    private final int firstGroup;
    private final int clients;
    private final Arena arena = Arena.ofShared();
    private final List<ShmQueuePair> accepted = new ArrayList<>();
    private final List<MessageChannel> channels = new ArrayList<>();
    /** By connection: the process that it came from; {@link #GONE} once its death was told. */
    private final List<Integer> groups = new ArrayList<>();

    private final Set<Integer> deadGroups = new HashSet<>();
    /** The program has asked for {@link Server#next news}: it goes on when clients die. */
    private boolean goesOn;

    private final Idle idle = new Idle();
    private int nextConnection;
    private final TakingTurns turns = new TakingTurns();
    private long lookedNs = System.nanoTime();
    private boolean interrupted;

    ShmServing(ShmServer server, ServerFolder folder, Control control, int firstGroup, int clients) {
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
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        ShmQueuePair.check(options);
        idle.reset();
        while (true) {
            check();
            boolean ended = clientsHaveEnded();
            int connection = arrived();
            if (connection >= 0) {
                return accept(connection, local, options);
            }
            if (ended) {
                return null;
            }
            lookNowAndThen(idle.once());
        }
    }

    /** Takes the next connection of this run; -1 while there is none. */
    private int arrived() {
        return hasArrived() ? nextConnection++ : -1;
    }

    /** Goes to the next connection of this run. */
    private boolean hasArrived() {
        while (nextConnection < control.connectionCount()) {
            int state = control.connectionState(nextConnection);
            if (state == 0) {
                return false;
            }
            if (state == Control.ANNOUNCED && control.connectionGroup(nextConnection) >= firstGroup) {
                return true;
            }
            nextConnection++;
        }
        return false;
    }

    private QueuePair accept(int connection, MemorySegment local, ConnectionOptions options) throws FabricException {
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
            accepted.add(end);
            groups.add(control.connectionGroup(connection));
            control.acceptConnection(connection, serverReceives, file);
            return end;
        } catch (IOException e) {
            throw new FabricException("no shared memory for a connection's messages: " + e.getMessage(), e);
        }
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        idle.reset();
        while (true) {
            check();
            boolean ended = clientsHaveEnded();
            turns.takeAll(accepted, ShmQueuePair::takeMore, into);
            if (into.count() > 0 || ended) {
                return into.count();
            }
            lookNowAndThen(idle.once());
        }
    }

    @Override
    public News next(Completions into) throws FabricException {
        goesOn = true;
        into.clear();
        idle.reset();
        while (true) {
            check();
            boolean ended = clientsHaveEnded();
            if (hasArrived()) {
                return News.CONNECTION;
            }
            if (turns.takeAll(accepted, ShmQueuePair::takeMore, into) > 0) {
                return News.COMPLETIONS;
            }
            if (firstGone() >= 0) {
                return News.GONE;
            }
            if (ended) {
                return News.END;
            }
            lookNowAndThen(idle.once());
        }
    }

    @Override
    public int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            groups.set(connection, GONE);
        }
        return connection;
    }

    private int firstGone() {
        for (int connection = 0; connection < groups.size() && !deadGroups.isEmpty(); connection++) {
            if (deadGroups.contains(groups.get(connection))) {
                return connection;
            }
        }
        return -1;
    }

    private boolean clientsHaveEnded() {
        int ended = 0;
        for (int group = firstGroup; group < control.groupCount() && ended < clients; group++) {
            if (control.groupIsThere(group)) {
                ended += deadGroups.contains(group) ? control.groupClients(group) : control.groupEnded(group);
            }
        }
        return ended >= clients;
    }

    /** The first group of the next run. */
    int groupsOfRun() {
        int seen = 0;
        int group = firstGroup;
        while (seen < clients && group < control.groupCount()) {
            seen += control.groupIsThere(group) ? control.groupClients(group) : 0;
            group++;
        }
        return group;
    }

    private void check() throws FabricException {
        if (Thread.interrupted()) {
            interrupted = true;
        }
        if (interrupted) {
            throw new FabricException("the server was interrupted");
        }
        String closed = server.whyClosed();
        if (closed != null) {
            throw new FabricException(closed);
        }
    }

    /** Notices clients whose process is gone. */
    private void lookNowAndThen(boolean now) throws FabricException {
        if (!now || System.nanoTime() - lookedNs < LOOK_EVERY_NS) {
            return;
        }
        lookedNs = System.nanoTime();
        for (int group = firstGroup; group < control.groupCount(); group++) {
            if (control.groupIsThere(group)
                    && control.groupEnded(group) < control.groupClients(group)
                    && !deadGroups.contains(group)) {
                ProcessId process = control.groupProcess(group);
                if (!process.alive() && control.groupEnded(group) < control.groupClients(group)) {
                    if (!goesOn) {
                        throw new FabricException("the client process " + process.pid() + " has died");
                    }
                    deadGroups.add(group);
                }
            }
        }
    }

    void close() {
        for (MessageChannel channel : channels) {
            channel.out().end();
        }
        arena.close();
    }

    /** What the server's end of a connection knows. It has no remote memory: clients register none. */
    private final class Accepted implements ShmQueuePair.Host {
        private final MessageChannel channel;

        Accepted(MessageChannel channel) {
            this.channel = channel;
        }

        @Override
        public Regions regions() {
            return Regions.none(control.regionsVersion());
        }

        @Override
        public void check() throws FabricException {
            ShmServing.this.check();
        }

        @Override
        public void checkOtherEnd(ShmQueuePair waiting) throws FabricException {
            lookNowAndThen(true);
        }

        @Override
        public MessageChannel channel(ShmQueuePair of) {
            return channel;
        }
    }
}
