package org.reprobe.farm.reads;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.messages.WordRequests;
import org.reprobe.workload.Rng;

/** Reads of random blocks by messages (FaRM 2014, section 3.1): a request is a block's offset, the reply its bytes. */
public final class RandomBlocks implements WordRequests {

    private final Client client;
    private final ReadableMemory truth;
    private final int blockBytes;
    private final long blocks;
    private final int machine;
    private final int machines;
    private final MemorySegment memory;
    private final Rng random;
    private final long[] offsets;
    private final long[] requestWords = new long[1];

    /** Creates a thread's workload; its machine's memory begins with {@code blocks} blocks, as on each machine. */
    public RandomBlocks(
            Client client,
            ReadableMemory truth,
            int blockBytes,
            long blocks,
            int machine,
            int machines,
            MemorySegment memory,
            int inFlight,
            long seed) {
        this.client = client;
        this.truth = truth;
        this.blockBytes = blockBytes;
        this.blocks = blocks;
        this.machine = machine;
        this.machines = machines;
        this.memory = memory;
        this.random = new Rng(seed, client.index());
        this.offsets = new long[inFlight];
    }

    @Override
    public int maxWords() {
        return 1;
    }

    @Override
    public int replyBytes(int words) {
        return words * blockBytes;
    }

    @Override
    public int payloadBytes() {
        return blockBytes;
    }

    @Override
    public boolean begin(int slot, Sender sender) throws FabricException {
        int other = (int) random.below(machines - 1);
        offsets[slot] = random.below(blocks) * blockBytes;
        requestWords[0] = offsets[slot];
        sender.sendRequest(other < machine ? other : other + 1, requestWords, 1);
        return true;
    }

    @Override
    public void encodeReply(long[] words, int count, MemorySegment to, long at) {
        client.accesses(blockBytes);
        MemorySegment.copy(memory, words[0], to, at, blockBytes);
    }

    @Override
    public boolean replyReceived(int slot, int from, MemorySegment reply, long at, int bytes, Sender sender) {
        return bytes == blockBytes && truth.isBlock(from, offsets[slot], blockBytes, reply, at);
    }
}
