package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of a fabric in real time: what it is told of its clients, and in which order. A fabric says what there is to
 * be told, and how the program's thread waits for it.
 *
 * @param <Q> the fabric's queue pairs
 */
public abstract class RealTimeServer<Q extends QueuePair> implements Server {
    /** Its memory's. */
    protected final Arena arena;

    /** The server's ends of connections, by the numbers of {@link Server#accept}. */
    protected final List<Q> accepted = new ArrayList<>();

    private final TakingTurns.Taking<Q> taking = this::take;
    private final TakingTurns turns = new TakingTurns();
    /** Connections that {@link #gone} has returned. */
    private final BitSet told = new BitSet();

    private volatile boolean goesOn;

    /**
     * A server without connections.
     *
     * @param arena of the program's memory
     */
    protected RealTimeServer(Arena arena) {
        this.arena = arena;
    }

    /** The program's thread begins to wait: changes must end its {@link #idle} from now on. */
    protected abstract void beginWaiting();

    /** It has what it waited for. */
    protected void endWaiting() {}

    /**
     * Whether all clients have ended, and nothing that they have done is still to come.
     *
     * @throws FabricException when the run can't go on
     */
    protected abstract boolean clientsHaveEnded() throws FabricException;

    /** Whether a client has made a connection that is not accepted yet. */
    protected abstract boolean hasArrived() throws FabricException;

    /** Accepts the first of those connections; null when there is none any more. */
    protected abstract @Nullable Q acceptArrived(MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Appends what a connection has completed. */
    protected abstract void take(Q end, Completions into) throws FabricException;

    /** Whether the client of an accepted connection is gone without having ended, as far as the fabric can tell. */
    protected abstract boolean isGone(int connection);

    /**
     * Waits a little, since there is nothing to tell.
     *
     * @param maxNs not for longer, as far as a thread can sleep so exactly
     */
    protected abstract void idle(long maxNs) throws FabricException;

    /** Whether the program has asked for {@link #next news}: then it goes on when clients die. For any thread. */
    protected final boolean goesOn() {
        return goesOn;
    }

    @Override
    public final long nowNs() {
        return System.nanoTime();
    }

    @Override
    public final MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    @Override
    public final @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        while (awaitArrival()) {
            Q end = acceptArrived(local, options);
            if (end != null) {
                accepted.add(end);
                return end;
            }
        }
        return null;
    }

    /** Waits until a client has made a connection; false when all have ended instead. */
    protected boolean awaitArrival() throws FabricException {
        return news(true, null, false, Long.MAX_VALUE) == News.CONNECTION;
    }

    @Override
    public final int await(Completions into) throws FabricException {
        into.clear();
        return news(false, into, false, Long.MAX_VALUE) == News.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public final News next(Completions into, long untilNs) throws FabricException {
        if (!goesOn) {
            goesOn = true;
        }
        into.clear();
        return news(true, into, true, untilNs);
    }

    /**
     * Waits for the first of what the program asks for.
     *
     * @param into for completions; null when it does not ask for them
     * @param untilNs when it has waited for long enough; {@link Long#MAX_VALUE} for never
     */
    private News news(boolean connections, @Nullable Completions into, boolean deaths, long untilNs)
            throws FabricException {
        beginWaiting();
        try {
            while (true) {
                // First whether all have ended, then what is there: nothing can come after the end.
                boolean ended = clientsHaveEnded();
                if (connections && hasArrived()) {
                    return News.CONNECTION;
                }
                if (into != null && turns.takeAll(accepted, taking, into) > 0) {
                    return News.COMPLETIONS;
                }
                if (deaths && firstGone() >= 0) {
                    return News.GONE;
                }
                if (ended) {
                    return News.END;
                }
                long leftNs = untilNs == Long.MAX_VALUE ? untilNs : untilNs - System.nanoTime();
                if (leftNs <= 0) {
                    return News.DEADLINE;
                }
                idle(leftNs);
            }
        } finally {
            endWaiting();
        }
    }

    @Override
    public final int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            told.set(connection);
        }
        return connection;
    }

    private int firstGone() {
        int connections = accepted.size();
        for (int i = told.nextClearBit(0); i < connections; i = told.nextClearBit(i + 1)) {
            if (isGone(i)) {
                return i;
            }
        }
        return -1;
    }
}
