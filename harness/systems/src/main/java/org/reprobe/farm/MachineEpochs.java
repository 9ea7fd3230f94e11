package org.reprobe.farm;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A machine's part in epochs (FaRM 2014, section 3.5), between other machines and its own threads: a request is passed to each thread, and
 * the machine answers it when all of them have, so that a message each way is enough for a machine ("we aggregate messages to/from the same
 * machine"). For all threads of the machine. Machines number their requests from 1.
 */
final class MachineEpochs {
    private final int machines;
    private final int threads;
    /** By machine: how many requests of its have come. */
    private final AtomicLongArray requested;
    /** By thread, then by machine: how many of them the thread has answered. */
    private final AtomicLongArray answered;

    MachineEpochs(int machines, int threads) {
        this.machines = machines;
        this.threads = threads;
        this.requested = new AtomicLongArray(machines);
        this.answered = new AtomicLongArray(machines * threads);
    }

    /** A request of a machine has come, as a message or, of the own machine, without one. */
    void received(int machine, long number) {
        if (number != requested.get(machine) + 1) {
            throw new IllegalStateException("machine %d's request %d follows its request %d"
                    .formatted(machine, number, requested.get(machine)));
        }
        requested.set(machine, number);
    }

    /** How many requests of a machine there are, all of which each thread must be told of. */
    long requested(int machine) {
        return requested.get(machine);
    }

    /**
     * A thread answers a machine's next request.
     *
     * @return the number of the request when all threads have answered it now, which is to be told to that machine; 0 when some have not.
     *     Of threads that answer last at once, each may be given it.
     */
    long answer(int thread, int machine) {
        long number = answered.incrementAndGet(thread * machines + machine);
        for (int other = 0; other < threads; other++) {
            if (answered.get(other * machines + machine) < number) {
                return 0;
            }
        }
        return number;
    }
}
