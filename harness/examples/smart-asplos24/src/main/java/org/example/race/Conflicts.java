package org.example.race;

import java.util.ArrayDeque;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.workload.Rng;

/**
 * Avoidance of conflicts between the writes of a thread's coroutines, as in SMART (ASPLOS 2024; repository
 * madsys-dev/smart, include/smart/backoff.h). The back-off doubles with each attempt up to a limit, and a random time
 * of up to {@link #UNIT_NS} is added. An adaptive limit doubles at the end of an epoch in which more than half of the
 * attempts failed, and is halved if less than a tenth did. If the number of coroutines that may write is adaptive, too,
 * it is halved or doubled instead until it is 1 or {@link #MAX_COROUTINES}. Not thread-safe.
 */
final class Conflicts {
    /** 4096 cycles at 2.4 GHz. */
    private static final long UNIT_NS = 1707;

    private static final int MAX_COROUTINES = 64;
    private static final int FIXED_DOUBLINGS = 20;
    private static final int MAX_ADAPTED_DOUBLINGS = 10;
    private static final double MANY = 0.5;
    private static final double FEW = 0.1;

    private final RaceSettings.Avoidance kind;
    private final long epochNs;
    private final long seed;
    private int maxDoublings;
    private int maxCoroutines = MAX_COROUTINES;
    private int writing;
    /** Clients that wait until they may write, in order. */
    private final ArrayDeque<Client> waiting = new ArrayDeque<>();

    private long draws;
    private long retries;
    private long operations;
    private long epochEndsNs;

    /** @param epochNs time after which adaptive limits change */
    Conflicts(RaceSettings.Avoidance kind, long epochNs, long seed) {
        this.kind = kind;
        this.epochNs = epochNs;
        this.seed = seed;
        this.maxDoublings = kind == RaceSettings.Avoidance.BACK_OFF ? FIXED_DOUBLINGS : 0;
    }

    /** Waits until a coroutine may write. */
    void begin(Client client) throws FabricException {
        if (!waiting.isEmpty() || writing >= maxCoroutines) {
            waiting.add(client);
            while (waiting.element().index() != client.index() || writing >= maxCoroutines) {
                client.park();
            }
            waiting.remove();
        }
        writing++;
        wake(client);
    }

    /** Ends a coroutine's write. */
    void end(Client client) throws FabricException {
        operations++;
        writing--;
        wake(client);
    }

    private void wake(Client client) throws FabricException {
        Client next = waiting.peek();
        if (next != null && writing < maxCoroutines) {
            client.unpark(next.index());
        }
    }

    /** Returns the back-off in ns after a failed attempt, the first of which is 0. */
    long backOffNs(int attempt, long nowNs) {
        retries++;
        if (epochEndsNs == 0) {
            epochEndsNs = nowNs + epochNs;
        }
        if (kind != RaceSettings.Avoidance.BACK_OFF && nowNs >= epochEndsNs) {
            adapt((double) retries / (retries + operations));
            retries = 0;
            operations = 0;
            epochEndsNs = nowNs + epochNs;
        }
        long jitterNs = Math.unsignedMultiplyHigh(Rng.at(seed, draws++), UNIT_NS);
        return (UNIT_NS << Math.min(attempt, maxDoublings)) + jitterNs;
    }

    private void adapt(double failed) {
        boolean limits = kind == RaceSettings.Avoidance.COROUTINES;
        if (failed > MANY) {
            if (limits && maxCoroutines > 1) {
                maxCoroutines /= 2;
            } else {
                maxDoublings = Math.min(maxDoublings + 1, MAX_ADAPTED_DOUBLINGS);
            }
        } else if (failed < FEW) {
            if (limits && maxCoroutines < MAX_COROUTINES) {
                maxCoroutines *= 2;
            } else {
                maxDoublings = Math.max(maxDoublings - 1, 0);
            }
        }
    }
}
