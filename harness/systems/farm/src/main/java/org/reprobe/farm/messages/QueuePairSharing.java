package org.reprobe.farm.messages;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.SendQueue;
import org.reprobe.system.CellCheck;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Settings;

/**
 * Sharing of a queue pair to each other machine by {@code threads} threads of a machine, q in section 3.1 of FaRM 2014.
 */
public record QueuePairSharing(int threads, int machines) {
    /** JVM heap bytes of a simulated queue pair without its queues. */
    private static final long QUEUE_PAIR_BYTES = 2048;

    /** Returns the sharing of the settings; threads of real fabrics do not share. */
    public static QueuePairSharing of(Settings settings, int threads) {
        return new QueuePairSharing(
                settings.isReal() ? 1 : threads, settings.clients().machines());
    }

    /** Returns a thread's options, by client index. Client indices alternate between machines. */
    public ConnectionOptions options(int client, int sendQueue, int outstandingReads) {
        ConnectionOptions own = ConnectionOptions.oneSided(sendQueue, outstandingReads);
        return threads == 1 ? own : own.sharedAs(client / machines / threads);
    }

    /** Returns the queue pairs of a machine, at both ends: 2mt/q in section 3.1, which counts all m machines. */
    public long queuePairs(int threadsOfMachine) {
        return 2 * Math.ceilDiv((long) threadsOfMachine, threads) * (machines - 1);
    }

    public long heapBytes(Settings settings, int sendQueue) {
        long outstanding = settings.connection().outstandingReads() * (long) Long.BYTES;
        long queues = SendQueue.powerOfTwo(sendQueue) * MemoryNeed.QUEUE_SLOT_BYTES + outstanding;
        return settings.clients().total() * (machines - 1L) * (QUEUE_PAIR_BYTES + queues);
    }

    /** Reports sharing on a NIC profile without a known lock time. */
    public void check(CellCheck cell, String key) {
        Settings settings = cell.settings();
        NicProfile nic = cell.nic();
        if (threads > 1 && nic != null && nic.card().lockNs() == 0) {
            cell.reportProblem(
                    "sharing is %d, but the lock time of shared queue pairs is unknown for %s (card.lock-ns)"
                            .formatted(threads, settings.nic()),
                    key,
                    "nic");
        }
    }
}
