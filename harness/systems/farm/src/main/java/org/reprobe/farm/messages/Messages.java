package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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

/** Messages by rings in the receivers' memories, into which senders WRITE (FaRM 2014, section 3.1). */
public final class Messages implements MessageExchange {
    private final Client client;
    private final RingPlaces places;
    private final int machine;
    private final int thread;
    private final MemorySegment memory;
    private final Handler handler;
    private final @Nullable Link[] links;
    private final Completions completions;
    private final MemorySegment received;
    /** By number: the machine that is READ from. */
    private final int[] readFrom;

    private final long turnPs;
    private final boolean survives;
    private int underWay;

    /**
     * Rings of a run's threads.
     *
     * @param memories of the machines, as they are registered; empty for another process's
     * @param regions of the machines: the rings are in them
     * @param options of a thread's queue pairs, by its client's index
     * @param assumeInOrder whether WRITEs are taken to land in order though no card promises it
     * @param pollPs CPU time of a look at a ring in which nothing has come
     * @param survives whether threads go on when a machine fails
     */
    public record Rings(
            RingPlaces places,
            List<MemorySegment> memories,
            List<RemoteRegion> regions,
            IntFunction<ConnectionOptions> options,
            boolean assumeInOrder,
            long pollPs,
            boolean survives)
            implements Kind {

        /** Of threads that all end when a machine fails. */
        public Rings(
                RingPlaces places,
                List<MemorySegment> memories,
                List<RemoteRegion> regions,
                IntFunction<ConnectionOptions> options,
                boolean assumeInOrder,
                long pollPs) {
            this(places, memories, regions, options, assumeInOrder, pollPs, false);
        }

        @Override
        public MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException {
            return new Messages(
                    client,
                    places,
                    own.machine(),
                    own.thread(),
                    memories.get(own.machine()),
                    regions,
                    options.apply(client.index()),
                    maxReads,
                    assumeInOrder,
                    pollPs,
                    survives,
                    handler);
        }
    }

    private static final class Link {
        private final QueuePair queuePair;
        private final RingSender sender;
        private final RingReceiver receiver;
        private int reads;
        private boolean lost;

        Link(QueuePair queuePair, RingSender sender, RingReceiver receiver) {
            this.queuePair = queuePair;
            this.sender = sender;
            this.receiver = receiver;
        }
    }

    /**
     * Connects to all other machines. Messages may be sent when all threads have done so.
     *
     * @param machine that the thread is on
     * @param memory of that machine, as it is registered; the rings in it are all zero
     * @param regions of all machines
     * @param options of the queue pairs; their send queue takes what the rings can hold, and the READs
     * @param maxReads READs under way at most: of a send queue so many places are theirs
     * @param assumeInOrder whether WRITEs are taken to land in order though the other machine's card does not promise it
     * @param pollPs CPU time of a look at a ring in which nothing has come
     * @param survives whether it goes on when a machine fails: what that was sent and asked for is forgotten
     * @throws FabricException also when WRITEs don't land in order there
     */
    public Messages(
            Client client,
            RingPlaces places,
            int machine,
            int thread,
            MemorySegment memory,
            List<RemoteRegion> regions,
            ConnectionOptions options,
            int maxReads,
            boolean assumeInOrder,
            long pollPs,
            boolean survives,
            Handler handler)
            throws FabricException {
        this.survives = survives;
        this.client = client;
        this.places = places;
        this.machine = machine;
        this.thread = thread;
        this.memory = memory;
        this.handler = handler;
        this.readFrom = new int[maxReads];
        this.links = new Link[regions.size()];
        this.turnPs = pollPs * (links.length - 1);
        this.received = client.allocate(places.layout().maxMessageBytes());
        for (int other = 0; other < links.length; other++) {
            if (other != machine) {
                links[other] = link(machine, other, regions.get(other), options, assumeInOrder);
                awaitMessage(other);
            }
        }
        this.completions = new Completions(links.length * 4);
    }

    private Link link(int machine, int other, RemoteRegion region, ConnectionOptions options, boolean assumeInOrder)
            throws FabricException {
        QueuePair queuePair = client.connect(other, memory, options);
        if (!assumeInOrder && !queuePair.writesLandInOrder()) {
            throw new FabricException(
                    "messages go through rings in memory, which need WRITEs that land in the order of addresses;"
                            + " the connection to machine " + other + " does not promise that");
        }
        memory.set(ValueLayout.JAVA_LONG, places.headAt(thread, other), 0); // a former run's: it left the ring empty
        RingSender sender = new RingSender(
                client,
                places.layout(),
                queuePair,
                options.sendQueue(),
                2L * other,
                memory,
                places.copyAt(thread, other),
                places.headAt(thread, other),
                region,
                places.ringAt(thread, machine));
        RingReceiver receiver = new RingReceiver(
                client,
                places.layout(),
                memory,
                places.ringAt(thread, other),
                queuePair,
                2L * other + 1,
                memory,
                places.toldAt(thread, other),
                region,
                places.headAt(thread, machine));
        return new Link(queuePair, sender, receiver);
    }

    private Link link(int machine) {
        Link link = links[machine];
        if (link == null) {
            throw new IllegalArgumentException("machine " + machine + " is this thread's own");
        }
        return link;
    }

    @Override
    public boolean hasRoom(int machine, int messageBytes) {
        Link link = link(machine);
        if (link.lost) {
            return true;
        }
        // Watched is what was looked at here: a head that comes after this would change no more, and wake nobody.
        long seen = link.sender.toldHead();
        // One more, by which the receiver's end tells how much it has processed.
        boolean room = link.sender.hasRoom(messageBytes) && freeForMessages(link) > 1;
        if (!room) {
            client.watch(links.length + machine, memory, places.headAt(thread, machine), seen);
        }
        return room;
    }

    /** Places in the send queue that no READ may want. */
    private int freeForMessages(Link link) {
        return link.queuePair.free() - (readFrom.length - link.reads);
    }

    @Override
    public void send(int machine, MemorySegment message, int bytes) throws FabricException {
        Link link = link(machine);
        if (link.lost) {
            return;
        }
        if (!link.sender.send(message, bytes)) {
            throw new IllegalStateException("no room for a message to machine " + machine);
        }
        underWay++;
        link.queuePair.doorbell();
    }

    @Override
    public void read(int number, int machine, RemoteRegion region, long offset, long to, int bytes)
            throws FabricException {
        Link link = link(machine);
        if (link.lost) {
            return;
        }
        link.reads++;
        readFrom[number] = machine;
        QueuePair queuePair = link.queuePair;
        queuePair.read(2L * links.length + number, to, region.address() + offset, region.key(), bytes, true);
        queuePair.doorbell();
    }

    @Override
    public long turnPs() {
        return turnPs;
    }

    @Override
    public boolean areIdle() {
        return underWay == 0;
    }

    @Override
    public void poll(long untilNs) throws FabricException {
        client.next(completions, untilNs);
        if (turnPs > 0) { // virtual time passes a wait over: this turn of the loop is the one that finds something
            client.spendCpu(turnPs);
        }
        // All have left the send queue: messages that the first is followed by must not take what READs after the last
        // may want.
        for (int i = 0; i < completions.count(); i++) {
            if (isOfLost(i)) {
                continue;
            }
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception("a WRITE of a message, or a READ");
            }
            if (isRead(completions.id(i))) {
                link(readFrom[number(completions.id(i))]).reads--;
            }
        }
        for (int i = 0; i < completions.count(); i++) {
            if (survives && link(machineOf(completions.connection(i))).lost) {
                forget(machineOf(completions.connection(i)), isRead(completions.id(i)));
                continue;
            }
            if (isRead(completions.id(i))) {
                handler.read(number(completions.id(i)), readFrom[number(completions.id(i))]);
                continue;
            }
            completed((int) (completions.id(i) >> 1), (completions.id(i) & 1) == 0);
        }
        // One look at each word in turn: else completions, by which send queues get room, would wait until nobody sends
        // anything more.
        int words = 2 * links.length;
        int last = -1;
        for (int looked = 0; looked < words; ) {
            int word = client.changed();
            if (word < 0) {
                break;
            }
            looked += last < 0 ? 1 : Math.floorMod(word - last - 1, words) + 1;
            last = word;
            if (word < links.length) {
                take(word);
            } else {
                handler.room(word - links.length);
            }
        }
    }

    /** Whether what has completed went to a machine that is lost; one whose connection has ended is from now on. */
    private boolean isOfLost(int completion) {
        if (!survives) {
            return false;
        }
        Link link = link(machineOf(completions.connection(completion)));
        link.lost |= completions.status(completion) != Status.SUCCESS;
        return link.lost;
    }

    /** Connections are to all other machines, in their order. */
    private int machineOf(int connection) {
        return connection < machine ? connection : connection + 1;
    }

    private void forget(int other, boolean read) throws FabricException {
        if (!read) {
            underWay--;
        }
        handler.room(other); // what waits for it waits for nothing
    }

    @Override
    public void lose(int other) {
        link(other).lost = true;
    }

    private boolean isRead(long id) {
        return id >= 2L * links.length;
    }

    /** Whose READ it is. */
    private int number(long id) {
        return (int) id - 2 * links.length;
    }

    private void completed(int machine, boolean sent) throws FabricException {
        Link link = link(machine);
        underWay--;
        if (sent) {
            link.sender.completed();
        } else {
            link.receiver.completed();
            tell(link);
        }
        handler.room(machine);
    }

    /** Takes the next message of a machine, if all of it is there. */
    private void take(int machine) throws FabricException {
        Link link = link(machine);
        if (link.lost) {
            return;
        }
        int bytes = link.receiver.nextBytes();
        if (bytes > 0) {
            link.receiver.copy(received);
            link.receiver.processed();
            tell(link);
            handler.received(machine, received, bytes);
        }
        awaitMessage(machine);
    }

    private void tell(Link link) throws FabricException {
        if (!link.lost && freeForMessages(link) > 0 && link.receiver.tell()) {
            underWay++;
            link.queuePair.doorbell();
        }
    }

    private void awaitMessage(int machine) {
        client.watch(machine, memory, link(machine).receiver.awaitedAt(), 0);
    }
}
