package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.messages.MessagingThreads.ThreadNumber;

/**
 * A thread's messages to and from the threads with its number on other machines, and the part of its event loop that waits for them. It
 * never waits for room: who can't send now goes on, or two threads without room would wait for each other for ever.
 */
public interface MessageExchange {

    /** What is done with what comes. */
    interface Handler {
        /** A message has come: {@code bytes} bytes at the start of {@code message}, which are there until this returns. */
        void received(int machine, MemorySegment message, int bytes) throws FabricException;

        /** There may be room for further messages to a machine for which there was none. */
        void room(int machine) throws FabricException;

        /** A {@link #read READ} of a machine has completed. */
        default void read(int number, int machine) throws FabricException {
            throw new IllegalStateException("a READ of machine " + machine + " that nobody has posted: " + number);
        }
    }

    /** How the threads of a run exchange messages. */
    @FunctionalInterface
    interface Kind {
        /**
         * Connects a thread to those of all other machines. Messages may be sent when all threads have done so.
         *
         * @param maxReads READs that it has under way at most
         * @param maxMessageBytes of its longest message
         */
        MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException;
    }

    /** Whether there is room for a message now. If there is none its {@link Handler} is told when there may be. */
    boolean hasRoom(int machine, int messageBytes);

    /** Sends the first {@code bytes} bytes of a message, for which there {@link #hasRoom is room}. */
    void send(int machine, MemorySegment message, int bytes) throws FabricException;

    /**
     * READs from a region of another machine, on the queue pair that takes messages there as well.
     *
     * @param number told to the {@link Handler} in the end; below the most READs, and of none that is under way
     * @param to where in the own machine's memory
     */
    void read(int number, int machine, RemoteRegion region, long offset, long to, int bytes) throws FabricException;

    /** A machine takes part no more: nothing is sent there, and nothing that comes from there is taken. */
    default void lose(int machine) {
        throw new IllegalStateException("machine " + machine + " can't be lost");
    }

    /** Whether all that was sent has completed. */
    boolean areIdle();

    /** Waits for something to do, but not longer than until the thread's clock shows {@code untilNs}, and does it. */
    void poll(long untilNs) throws FabricException;

    /** CPU time of a turn of the loop for the looks at rings. */
    default long turnPs() {
        return 0;
    }
}
