package org.reprobe.fabric;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** Client side of a fabric: the clients in one process. */
public interface FabricClients extends AutoCloseable {

    /**
     * Clients of a run in this process: {@code count} of {@code total}, from index {@code first} on. The barrier
     * synchronizes with the clients of other processes.
     */
    record Group(int first, int count, int total, Barrier barrier) {

        /** Returns a group without clients, for a server program that sends requests to other servers. */
        public static Group empty() {
            return new Group(0, 0, 0, () -> {
                throw new IllegalStateException("a group without clients has no barrier");
            });
        }

        /** Returns the group of all clients of the run. */
        public static Group alone(int clients) {
            CyclicBarrier barrier = new CyclicBarrier(clients);
            return new Group(0, clients, clients, () -> {
                try {
                    barrier.await();
                } catch (BrokenBarrierException e) {
                    throw new FabricException("the run was ended", e);
                }
            });
        }
    }

    @FunctionalInterface
    interface Barrier {
        /** Waits for the clients of all processes. Throws a {@link FabricException} if the run has failed elsewhere. */
        void await() throws FabricException, InterruptedException;
    }

    /**
     * Runs each client on its own thread until all have returned. The first exception of a client stops the others and
     * is rethrown. An interrupt of the caller, a lost connection or a lost server stops all clients within seconds.
     */
    void run(Group group, ClientProgram program) throws FabricException, InterruptedException;

    /** Connects the program of server {@code own}, run by the calling thread in this process, to the other servers. */
    Peers.Peer join(int own) throws FabricException, InterruptedException;

    /**
     * Replaces the endpoint of a server whose process was killed and started again: later connections reach the new
     * process. Clients of the current run must be able to lose servers. Thread-safe.
     */
    default void restarted(int server, String endpoint) throws FabricException {
        throw new FabricException("this fabric can't reach a process that has replaced a killed one");
    }

    /** Aborts the clients of the current run, if any, with {@code why} as the cause. Thread-safe. */
    void fail(Throwable why);

    @Override
    void close();
}
