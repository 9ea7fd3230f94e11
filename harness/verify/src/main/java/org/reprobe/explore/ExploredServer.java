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
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;

/** A server whose every wait is ended by a scheduler. What it does between two waits, others see done at once. */
final class ExploredServer implements Server {
    private final World world;
    private final int number;
    /** Clients' ends of connections that it has not accepted. */
    private final Queue<ExploredQueuePair> connecting = new ArrayDeque<>();

    private final List<ExploredQueuePair> accepted = new ArrayList<>();
    /** Connections whose client's death was told. */
    private final BitSet told = new BitSet();

    private @Nullable Program program;

    ExploredServer(World world, int number) {
        this.world = world;
        this.number = number;
    }

    int number() {
        return number;
    }

    Queue<ExploredQueuePair> connecting() {
        return connecting;
    }

    void attach(Program own) {
        program = own;
    }

    Program program() {
        return java.util.Objects.requireNonNull(program);
    }

    void reset() {
        connecting.clear();
        accepted.clear();
        told.clear();
    }

    @Override
    public long nowNs() {
        return program().clockNs;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return program().allocate(bytes);
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) {
        if (connecting.isEmpty()) {
            program().block(Program.Wait.CONNECTION, null);
        }
        ExploredQueuePair other = connecting.poll();
        if (other == null) {
            return null;
        }
        ExploredQueuePair end = new ExploredQueuePair(world, program(), local, options);
        end.peer = other;
        other.peer = end;
        accepted.add(end);
        return end;
    }

    @Override
    public int await(Completions into) {
        into.clear();
        program().block(Program.Wait.ANY_COMPLETION, null);
        return takeAll(into);
    }

    @Override
    public News next(Completions into, long untilNs) {
        into.clear();
        if (!connecting.isEmpty()) {
            return News.CONNECTION;
        }
        boolean tooLate = program().blockUntil(Program.Wait.NEWS, null, untilNs);
        if (!connecting.isEmpty()) {
            return News.CONNECTION;
        }
        if (takeAll(into) > 0) {
            return News.COMPLETIONS;
        }
        if (firstGone() >= 0) {
            return News.GONE;
        }
        return tooLate ? News.DEADLINE : News.END;
    }

    @Override
    public int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            told.set(connection);
        }
        return connection;
    }

    /** Number of a connection whose client has been noticed to be dead and that the program was not told of; or -1. */
    private int firstGone() {
        for (int i = 0; i < accepted.size(); i++) {
            ExploredQueuePair client = accepted.get(i).peer;
            if (client != null && (client.owner().noticedBy & 1L << number) != 0 && !told.get(i)) {
                return i;
            }
        }
        return -1;
    }

    private int takeAll(Completions into) {
        for (int i = 0; i < accepted.size(); i++) {
            int from = into.count();
            accepted.get(i).take(into);
            into.ofConnection(from, i);
        }
        return into.count();
    }

    /** Others may act meanwhile. */
    @Override
    public void spendCpu(long ps) {
        program().clockNs += ps / 1000;
        program().block(Program.Wait.TURN, null);
    }
}
