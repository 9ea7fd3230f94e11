package org.reprobe.fabric;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/** The half of a fabric at the clients: those of one process. */
public interface FabricClients extends AutoCloseable {

    /**
     * Some of a run's clients.
     *
     * @param first index of the first client here
     * @param count how many there are here
     * @param total how many there are in all processes
     * @param barrier where they meet those of other processes
     */
    record Group(int first, int count, int total, Barrier barrier) {

        /** No client at all, but a server's program that asks others. */
        public static Group nobody() {
            return new Group(0, 0, 0, () -> {
                throw new IllegalStateException("barriers are the clients'");
            });
        }

        /** All clients of a run are in this process. */
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

    /** Lets nobody go before all clients of all processes have come. */
    @FunctionalInterface
    interface Barrier {
        /**
         * Waits for the others.
         *
         * @throws FabricException when the run has ended for another's reason
         */
        void await() throws FabricException, InterruptedException;
    }

    /**
     * Runs clients, a thread each, until each of them has returned. When one throws, the others are ended and its exception
     * is thrown here. Interrupting the caller ends them all, as do lost connections and a server that is gone, within
     * seconds.
     */
    void run(Group group, ClientProgram program) throws FabricException, InterruptedException;

    /**
     * Lets the calling thread, which runs a server program of this process, ask other servers.
     *
     * @param own the number of its own server
     */
    Peers.Peer join(int own) throws FabricException, InterruptedException;

    /** Ends the clients of the run that is on, if one is, as if one of them had thrown this. From any thread. */
    void fail(Throwable why);

    @Override
    void close();
}
