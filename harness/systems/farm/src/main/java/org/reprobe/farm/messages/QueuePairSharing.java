package org.reprobe.farm.messages;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.SendQueue;
import org.reprobe.system.CellCheck;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Settings;

/**
 * Queue pairs that some threads of a machine have in common: one to each other machine (FaRM 2014, section 3.1).
 *
 * @param threads q
 * @param machines of the cluster
 */
public record QueuePairSharing(int threads, int machines) {
    /** In the heap: a simulated queue pair without the slots of its queues. */
    private static final long QUEUE_PAIR_BYTES = 2048;

    /** As settings say; threads of real fabrics share none. */
    public static QueuePairSharing of(Settings settings, int threads) {
        return new QueuePairSharing(
                settings.isReal() ? 1 : threads, settings.clients().machines());
    }

    /** A thread's options, by its client's index. Machines take turns with indices. */
    public ConnectionOptions options(int client, int sendQueue, int outstandingReads) {
        ConnectionOptions own = ConnectionOptions.oneSided(sendQueue, outstandingReads);
        return threads == 1 ? own : own.sharedAs(client / machines / threads);
    }

    /** Of a machine, those of its own threads and those of others to it: 2mt/q in section 3.1, which counts all m machines. */
    public long queuePairs(int threadsOfMachine) {
        return 2 * Math.ceilDiv((long) threadsOfMachine, threads) * (machines - 1);
    }

    /** Bytes in the heap of what simulates the queue pairs to other machines: each thread has its part of them. */
    public long heapBytes(Settings settings, int sendQueue) {
        long outstanding = settings.connection().outstandingReads() * (long) Long.BYTES;
        long queues = SendQueue.powerOfTwo(sendQueue) * MemoryNeed.QUEUE_SLOT_BYTES + outstanding;
        return settings.clients().total() * (machines - 1L) * (QUEUE_PAIR_BYTES + queues);
    }

    /** Complains of threads that can't share: what they wait for each other must be known. */
    public void check(CellCheck cell, String key) {
        Settings settings = cell.settings();
        NicProfile nic = cell.nic();
        if (threads > 1 && nic != null && nic.card().lockNs() == 0) {
            cell.complain(
                    "sharing is %d, but what threads that share queue pairs wait for each other is not known of %s (card.lock-ns)"
                            .formatted(threads, settings.nic()),
                    key,
                    "nic");
        }
    }
}
