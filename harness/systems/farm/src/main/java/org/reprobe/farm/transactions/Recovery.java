package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.system.Counts;

/** Recovery of a run's machines, as transactions use it. */
public interface Recovery {
    OfThread of(Client client, int machine, int thread, Participant participant);

    /** Returns the words of the longest message, of so many transactions that may be under way. */
    int maxWords(int coordinators);

    /** Returns a machine's copies, by region. */
    List<MemorySegment> copies(int machine, MemorySegment memory);

    long copyAt(int machine, int region);

    void acknowledged(long number, long version, long stamp);

    /** Sends a message of membership to another machine. */
    @FunctionalInterface
    interface Post {
        void send(int machine, long[] words, int count) throws FabricException;
    }

    interface OfThread {
        long configuration();

        /** Returns the places of regions as long as the configuration holds. */
        RegionCopies places();

        boolean isActive();

        /** Returns true if a transaction that has only read may be reported as committed. */
        boolean hasLease();

        boolean hasCommitted(long transaction);

        /**
         * Runs a turn of the thread's loop.
         *
         * @param stop gives up what is under way, and adds what was about to commit
         * @param evicted receives machines that are no longer members
         * @return latest time of the next turn
         */
        long turn(Post post, Consumer<Votes> stop, Consumer<Integer> evicted) throws FabricException;

        /** Takes a message of another machine's first thread. */
        void received(int from, long[] words, int count) throws FabricException;

        /** Returns true if no other thread of the machine needs this one any more. */
        boolean mayLeave();

        /** Ends the thread's part, and counts its machine's recovery. */
        void done(Counts counts);
    }
}
