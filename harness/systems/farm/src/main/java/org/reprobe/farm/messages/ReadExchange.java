package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.messages.MessagingThreads.ThreadNumber;

/** READs of a thread that sends no requests to other machines: queue pairs without rings. */
public final class ReadExchange implements MessageExchange {
    private final Client client;
    private final Handler handler;
    private final @Nullable QueuePair[] queuePairs;
    private final Completions completions;
    /** Source machine, by READ number. */
    private final int[] readFrom;

    /** Queue pairs of a run's threads, with options by client index; memories of other processes are empty. */
    public record QueuePairs(List<MemorySegment> memories, IntFunction<ConnectionOptions> options) implements Kind {
        @Override
        public MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException {
            return new ReadExchange(client, own.machine(), memories, options.apply(client.index()), maxReads, handler);
        }
    }

    private ReadExchange(
            Client client,
            int machine,
            List<MemorySegment> memories,
            ConnectionOptions options,
            int maxReads,
            Handler handler)
            throws FabricException {
        this.client = client;
        this.handler = handler;
        this.completions = new Completions(maxReads);
        this.readFrom = new int[maxReads];
        this.queuePairs = new QueuePair[memories.size()];
        for (int other = 0; other < queuePairs.length; other++) {
            if (other != machine) {
                queuePairs[other] = client.connect(other, memories.get(machine), options);
            }
        }
    }

    private QueuePair queuePair(int machine) {
        QueuePair queuePair = queuePairs[machine];
        if (queuePair == null) {
            throw new IllegalArgumentException("machine " + machine + " is this thread's own");
        }
        return queuePair;
    }

    @Override
    public boolean hasRoom(int machine, int messageBytes) {
        return true;
    }

    /** Delivers the message locally as if the other machine had sent it: both threads only send final messages. */
    @Override
    public void send(int machine, MemorySegment message, int bytes) throws FabricException {
        handler.received(machine, message, bytes);
    }

    @Override
    public void read(int number, int machine, RemoteRegion region, long offset, long to, int bytes)
            throws FabricException {
        readFrom[number] = machine;
        QueuePair queuePair = queuePair(machine);
        queuePair.read(number, to, region.address() + offset, region.key(), bytes, true);
        queuePair.doorbell();
    }

    @Override
    public boolean areIdle() {
        return true; // threads wait for their READs
    }

    @Override
    public void poll(long untilNs) throws FabricException {
        client.next(completions, untilNs);
        for (int i = 0; i < completions.count(); i++) {
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception("a READ");
            }
            int number = (int) completions.id(i);
            handler.read(number, readFrom[number]);
        }
    }
}
