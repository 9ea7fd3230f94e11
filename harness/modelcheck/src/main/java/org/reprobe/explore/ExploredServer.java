package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.Server;

/** Server program whose waits are ended by a scheduler. Its accesses between two waits are one atomic step. */
final class ExploredServer extends ExploredRequester implements Server {
    private final int number;
    private final int servers;
    /** Clients' ends of connections that are not accepted yet. */
    private final Queue<ExploredQueuePair> connecting = new ArrayDeque<>();

    private final List<ExploredQueuePair> connections = new ArrayList<>();

    /** Numbers of the connections that {@link #gone} has returned. */
    private final BitSet notified = new BitSet();

    ExploredServer(World world, int number, int servers) {
        super(world);
        this.number = number;
        this.servers = servers;
    }

    int number() {
        return number;
    }

    Queue<ExploredQueuePair> connecting() {
        return connecting;
    }

    /** Returns a hash of the state, with the order of unaccepted connections, which determines their numbers. */
    long hash() {
        long hash = Mixing.START;
        for (ExploredQueuePair each : connecting) {
            hash = Mixing.mix(hash, each.place());
        }
        return hash;
    }

    void reset() {
        connecting.clear();
        connections.clear();
        notified.clear();
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) {
        if (connecting.isEmpty()) {
            program().block(Program.Wait.CONNECTION, null);
        } else {
            program().requireNotWaiting();
        }
        ExploredQueuePair other = connecting.poll();
        if (other == null) {
            return null;
        }
        ExploredQueuePair end = new ExploredQueuePair(world(), program(), ExploredQueuePair.ACCEPTED, local, options);
        end.peer = other;
        other.peer = end;
        connections.add(end);
        return end;
    }

    @Override
    public int await(Completions into) {
        into.clear();
        program().block(Program.Wait.ANY_COMPLETION, null);
        return takeAll(into);
    }

    @Override
    public WakeReason next(Completions into, long untilNs) {
        into.clear();
        boolean tooLate = false;
        if (connecting.isEmpty()) {
            tooLate = program().blockUntil(Program.Wait.ANY_EVENT, null, untilNs);
        } else {
            program().requireNotWaiting();
        }
        return observed(reason(into, tooLate));
    }

    private WakeReason reason(Completions into, boolean tooLate) {
        if (!connecting.isEmpty()) {
            return WakeReason.CONNECTION;
        }
        if (takeAll(into) > 0) {
            return WakeReason.COMPLETIONS;
        }
        if (program().wordChanged()) {
            return WakeReason.WORDS;
        }
        if (firstGone() >= 0) {
            return WakeReason.GONE;
        }
        return tooLate ? WakeReason.DEADLINE : WakeReason.END;
    }

    @Override
    public RegisteredMemory memory() {
        return new ExploredFabric(world().memory(), servers, world().writesLandInOrder());
    }

    @Override
    public ExploredQueuePair connect(int server, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        ExploredQueuePair made = super.connect(server, local, options);
        connections.add(made);
        return made;
    }

    @Override
    public boolean isLocal(int server) {
        return server == number;
    }

    @Override
    public int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            notified.set(connection);
        }
        return (int) observed(connection);
    }

    /** Returns the first broken connection's number that {@link #gone} has not returned yet; -1 if there is none. */
    private int firstGone() {
        for (int i = 0; i < connections.size(); i++) {
            ExploredQueuePair client = connections.get(i).peer;
            if (client != null && client.noticed && !notified.get(i)) {
                return i;
            }
        }
        return -1;
    }

    /** {@inheritDoc} Other programs may act meanwhile. */
    @Override
    public void spendCpu(long ps) {
        program().clockNs += ps / 1000;
        program().block(Program.Wait.TURN, null);
    }
}
