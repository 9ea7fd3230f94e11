package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.messages.MessagingThreads.ThreadNumber;

/**
 * A thread's messages to and from the threads with its number on other machines, and the waiting part of its event
 * loop. It never blocks for space: two threads without space would wait for each other forever.
 */
public interface MessageExchange {

    interface Handler {
        /** Handles a received message at the start of {@code message}, valid until this returns. */
        void received(int machine, MemorySegment message, int bytes) throws FabricException;

        /** Called when there may be space for messages to a machine again, after {@link #hasRoom} returned false. */
        void room(int machine) throws FabricException;

        /** Handles the completion of a {@link #read READ}. */
        default void read(int number, int machine) throws FabricException {
            throw new IllegalStateException("unexpected completion of READ " + number + " from machine " + machine);
        }
    }

    /** READs by which a restarted machine copies its regions, without calls of the handler. */
    interface Copies {
        /** Returns true if messages reach a machine; false before its first message to a restarted machine. */
        boolean isConnected(int machine);

        /** READs a part of a machine's region into local memory at {@code to}; returns false if no READ is possible. */
        boolean read(int machine, RemoteRegion region, long offset, long to, int bytes) throws FabricException;

        int inFlight();
    }

    /** Kind of exchange, common to the threads of a run. */
    @FunctionalInterface
    interface Kind {
        /**
         * Connects a thread to its counterparts on other machines; messages may follow once all threads are connected.
         */
        MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException;
    }

    /** Returns true if a message can be sent now. Otherwise {@link Handler#room} is called once there may be space. */
    boolean hasRoom(int machine, int messageBytes);

    /** Sends the first {@code bytes} bytes of a message; {@link #hasRoom} must have returned true. */
    void send(int machine, MemorySegment message, int bytes) throws FabricException;

    /**
     * READs from another machine's region into local memory at {@code to}, on the queue pair that carries messages.
     * {@code number} identifies the READ to the {@link Handler}: below the maximum number of READs, and not in use by
     * one in flight.
     */
    void read(int number, int machine, RemoteRegion region, long offset, long to, int bytes) throws FabricException;

    /** Excludes a machine: messages to it and from it are dropped. */
    default void exclude(int machine) {
        throw new IllegalStateException("this exchange cannot exclude machine " + machine);
    }

    /**
     * Replaces the connection to an excluded machine, whose process was started again, and empties the rings. The first
     * message after that lets the thread there send messages.
     */
    default void reconnect(int machine, RemoteRegion region) throws FabricException {
        throw new IllegalStateException("this exchange cannot connect to machine " + machine + " again");
    }

    default Copies copies() {
        throw new IllegalStateException("this exchange cannot copy regions");
    }

    boolean areIdle();

    /** Waits for an event until {@code untilNs} on the thread's clock at the latest, and handles it. */
    void poll(long untilNs) throws FabricException;

    /** Returns the CPU time of checking all rings in one iteration of the loop, in ps. */
    default long turnPs() {
        return 0;
    }
}
