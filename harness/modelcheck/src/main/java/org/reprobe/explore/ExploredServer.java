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

/** A server's program whose every wait is ended by a scheduler. What it does between two waits, others see done at once. */
final class ExploredServer extends ExploredRequester implements Server {
    private final int number;
    private final int servers;
    /** Clients' ends of connections that it has not connections. */
    private final Queue<ExploredQueuePair> connecting = new ArrayDeque<>();

    /** Those that it accepted and those that it made. */
    private final List<ExploredQueuePair> connections = new ArrayList<>();

    /** Connections whose end was told. */
    private final BitSet told = new BitSet();

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

    /** Who has connected and not been accepted, in order: who came first decides which connection is whose. */
    long hash() {
        long hash = Mixing.START;
        for (ExploredQueuePair each : connecting) {
            hash = Mixing.mix(hash, each.place());
        }
        return hash;
    }

    /** Forgets all, as its program does at the end of a schedule or when its machine fails. */
    void reset() {
        connecting.clear();
        connections.clear();
        told.clear();
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) {
        if (connecting.isEmpty()) {
            program().block(Program.Wait.CONNECTION, null);
        } else {
            program().waitsNot();
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
            tooLate = program().blockUntil(Program.Wait.NEWS, null, untilNs);
        } else {
            program().waitsNot();
        }
        return tells(news(into, tooLate));
    }

    private WakeReason news(Completions into, boolean tooLate) {
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
            told.set(connection);
        }
        return (int) tells(connection);
    }

    /** Number of a connection that has been noticed to be broken and that the program was not told of; or -1. */
    private int firstGone() {
        for (int i = 0; i < connections.size(); i++) {
            ExploredQueuePair client = connections.get(i).peer;
            if (client != null && client.noticed && !told.get(i)) {
                return i;
            }
        }
        return -1;
    }

    /** Others may act meanwhile. */
    @Override
    public void spendCpu(long ps) {
        program().clockNs += ps / 1000;
        program().block(Program.Wait.TURN, null);
    }
}
