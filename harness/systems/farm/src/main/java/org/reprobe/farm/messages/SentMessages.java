package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientConnections;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.messages.MessagingThreads.ThreadNumber;

/**
 * Messages by SEND and RECEIVE, a baseline for FaRM's rings (FaRM 2014, section 3.1). A thread has a queue pair to the
 * thread with its number on each other machine. Threads cannot share a queue pair, because each would consume messages
 * of the other.
 *
 * <p>A RECEIVE is posted for each message that may be in flight, and again after each message, so every SEND finds a
 * RECEIVE. The number of requests is limited by the operations in flight, that of replies by this thread's requests.
 */
public final class SentMessages implements MessageExchange {
    private static final int LINE_BYTES = 64;
    /** Minimum number of outstanding READs of a queue pair. */
    private static final int NO_READS = 1;

    private final Client client;
    private final Handler handler;
    /** Maximum number of messages in flight to a machine, and from it. */
    private final int slots;

    private final int slotBytes;
    private final @Nullable Link[] links;
    private final Completions completions;
    private int underWay;

    /** Kind of exchange by SENDs, with at most {@code slots} messages in flight each way between two threads. */
    public record Sends(int machines, ToIntFunction<ThreadNumber> clientOf, int slots) implements Kind {

        @Override
        public MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException {
            return new SentMessages(client, own, this, maxMessageBytes, handler);
        }
    }

    /** Connection to a thread: the first half of its slots is for sent messages, the other for received ones. */
    private static final class Link {
        private final QueuePair queuePair;
        private final long from;
        private final MemorySegment[] slots;
        private long sent;
        private long completed;

        Link(QueuePair queuePair, long from, MemorySegment[] slots) {
            this.queuePair = queuePair;
            this.from = from;
            this.slots = slots;
        }
    }

    private SentMessages(Client client, ThreadNumber own, Sends all, int maxMessageBytes, Handler handler)
            throws FabricException {
        this.client = client;
        this.handler = handler;
        this.slots = all.slots;
        this.slotBytes = slotBytes(maxMessageBytes);
        int machines = all.machines;
        this.links = new Link[machines];
        ClientConnections connections = client.toClients()
                .orElseThrow(() -> new FabricException(
                        "threads of this fabric cannot SEND to each other: use scheme: farm-messages"));
        long linkBytes = 2L * slots * slotBytes;
        MemorySegment memory = client.allocate(linkBytes * Math.max(1, machines - 1));
        ConnectionOptions options = new ConnectionOptions(slots, NO_READS, slots);
        long from = 0;
        for (int other = 0; other < machines; other++) {
            if (other != own.machine()) {
                int there = all.clientOf.applyAsInt(new ThreadNumber(other, own.thread()));
                links[other] = link(connections.connect(there, memory, options), memory, from);
                for (int slot = slots; slot < 2 * slots; slot++) {
                    receive(other, slot);
                }
                from += linkBytes;
            }
        }
        this.completions = new Completions(links.length * 4);
    }

    private Link link(QueuePair queuePair, MemorySegment memory, long from) {
        MemorySegment[] each = new MemorySegment[2 * slots];
        for (int slot = 0; slot < each.length; slot++) {
            each[slot] = memory.asSlice(from + (long) slot * slotBytes, slotBytes);
        }
        return new Link(queuePair, from, each);
    }

    public static long localBytes(int machines, int slots, int maxMessageBytes) {
        return (machines - 1L) * 2 * slots * slotBytes(maxMessageBytes);
    }

    private static int slotBytes(int maxMessageBytes) {
        return (maxMessageBytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }

    private Link link(int machine) {
        Link link = links[machine];
        if (link == null) {
            throw new IllegalArgumentException("machine " + machine + " is this thread's own");
        }
        return link;
    }

    private long id(int machine, int slot) {
        return 2L * slots * machine + slot;
    }

    private void receive(int machine, int slot) {
        Link link = link(machine);
        link.queuePair.receive(id(machine, slot), link.from + (long) slot * slotBytes, slotBytes);
    }

    @Override
    public boolean hasRoom(int machine, int messageBytes) {
        Link link = link(machine);
        return link.sent - link.completed < slots && link.queuePair.free() > 0;
    }

    @Override
    public void send(int machine, MemorySegment message, int bytes) throws FabricException {
        if (!hasRoom(machine, bytes)) {
            throw new IllegalStateException("no space for a message to machine " + machine);
        }
        Link link = link(machine);
        int slot = (int) (link.sent++ % slots);
        MemorySegment.copy(message, 0, link.slots[slot], 0, bytes);
        underWay++;
        link.queuePair.send(id(machine, slot), link.from + (long) slot * slotBytes, bytes, true);
        link.queuePair.doorbell();
    }

    @Override
    public void read(int number, int machine, RemoteRegion region, long offset, long to, int bytes) {
        throw new IllegalStateException("an exchange by SEND has no READs");
    }

    @Override
    public boolean areIdle() {
        return underWay == 0;
    }

    @Override
    public void poll(long untilNs) throws FabricException {
        client.next(completions, untilNs);
        for (int i = 0; i < completions.count(); i++) {
            boolean received = completions.received(i);
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception(received ? "a RECEIVE of a message" : "a SEND of a message");
            }
            int machine = (int) (completions.id(i) / (2L * slots));
            Link link = link(machine);
            if (received) {
                int slot = (int) (completions.id(i) % (2L * slots));
                handler.received(machine, link.slots[slot], completions.receivedBytes(i));
                receive(machine, slot);
            } else {
                underWay--;
                link.completed++;
                handler.room(machine);
            }
        }
    }
}
