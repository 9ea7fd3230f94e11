package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.system.Counts;

/** Interface between the transactions of a run and the recovery of its machines. */
public interface Recovery {
    OfThread of(Client client, int machine, int thread, Participant participant);

    /** Returns the maximum words of a recovery message, with at most {@code coordinators} transactions in progress. */
    int maxWords(int coordinators);

    /** Returns the copies of regions in a machine's memory, by region. */
    List<MemorySegment> copies(int machine, MemorySegment memory);

    long copyAt(int machine, int region);

    void acknowledged(long number, long version, long stamp);

    /** Returns the number of this process of its machine; 0 if the machine has not failed. */
    int process();

    /** Sender of membership messages to other machines. */
    @FunctionalInterface
    interface Post {
        void send(int machine, long[] words, int count) throws FabricException;
    }

    interface OfThread {
        long configuration();

        /** Returns the placement of regions in the current configuration. */
        RegionCopies places();

        boolean isActive();

        /**
         * Returns true if the machine has a valid lease, so that a read-only transaction may be reported as committed.
         */
        boolean hasLease();

        boolean hasCommitted(long transaction);

        /**
         * Runs one iteration of the thread's event loop; returns the latest time of the next one, in ns. {@code stop}
         * stops all transactions in progress and adds those that were committing to the votes.
         */
        long turn(RemoteRequests.Iteration iteration, Consumer<Votes> stop) throws FabricException;

        /** Processes a message from the first thread of another machine. */
        void received(int from, long[] words, int count) throws FabricException;

        /** Returns true if no other thread of the machine still needs this one. */
        boolean mayLeave();

        /** Ends the thread's part, and adds the times of its machine's recovery to {@code counts}. */
        void done(Counts counts);
    }
}
