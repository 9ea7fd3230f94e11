package org.reprobe.farm.tao;

import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.LoggingParticipant;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.messages.RemoteRequests;

/**
 * Service of a thread for requests to its machine's part of a graph (FaRM 2014, section 4.4): {@link EdgeScan}s,
 * allocation of free blocks, and the {@code CommitMessage}s of transactions. A scan of a list that is being written is
 * retried after a random time: the writer may be waiting for a reply of this thread.
 */
final class TaoServing {
    private final Client client;
    private final EdgeScan scan;
    private final EdgeAdds.FreeBlocks free;
    private final LoggingParticipant logging;
    private final BackOff backOff;
    /** Waiting requests and replies, by slot. */
    private final long[][] served;

    private final int[] words;

    TaoServing(
            Client client,
            EdgeScan scan,
            EdgeAdds.FreeBlocks free,
            LoggingParticipant logging,
            BackOff backOff,
            int slots) {
        this.client = client;
        this.scan = scan;
        this.free = free;
        this.logging = logging;
        this.backOff = backOff;
        this.served = new long[slots][];
        this.words = new int[slots];
    }

    void serve(int slot, long[] request, int count, RemoteRequests.Sender sender) throws FabricException {
        switch ((int) request[0]) {
            case EdgeScan.REQUEST -> scanFor(slot, Arrays.copyOf(request, count), sender);
            case EdgeAdds.REQUEST -> {
                EdgeAdds.FreeBlock block = free.next();
                served[slot] = block == null
                        ? new long[] {EdgeAdds.NO_BLOCK, 0, 0}
                        : new long[] {block.offset(), block.version(), block.incarnation()};
                words[slot] = EdgeAdds.REPLY_WORDS;
            }
            default -> {
                served[slot] = new long[] {logging.execute(request, count)};
                words[slot] = 1;
                long ns = logging.waitNs(slot, request, count, client.nowNs());
                if (ns > 0) {
                    sender.waitFor(ns);
                }
            }
        }
    }

    private void scanFor(int slot, long[] request, RemoteRequests.Sender sender) {
        if (scan.run(request, request.length)) {
            served[slot] = scan.reply();
            words[slot] = scan.words();
        } else {
            served[slot] = request;
            words[slot] = 0;
            sender.waitFor(backOff.nextNs());
        }
    }

    /** Continues after a wait for the writer of a list or for the log. */
    void resume(int slot, RemoteRequests.Sender sender) {
        if (words[slot] == 0) {
            scanFor(slot, served[slot], sender);
        }
    }

    /** Copies the reply; returns its words. To be called before the slot is reused. */
    int served(int slot, long[] into) {
        System.arraycopy(served[slot], 0, into, 0, words[slot]);
        return words[slot];
    }

    /** Returns the words of the thread's log cleaned since the last call. */
    long newlyCleanedWords() {
        return logging.newlyCleanedWords();
    }
}
