package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
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

/** Messages through rings in the receivers' memory, into which senders WRITE (FaRM 2014, section 3.1). */
public final class Messages implements MessageExchange, MessageExchange.Copies {
    private final Client client;
    private final RingAddresses places;
    private final int machine;
    private final int thread;
    private final MemorySegment memory;
    private final Handler handler;
    private final @Nullable Link[] links;
    /** Links by connection, including replaced ones. */
    private final List<Link> connected = new ArrayList<>();

    private final ConnectionOptions options;
    private final boolean assumeInOrder;
    private final Completions completions;
    private final MemorySegment received;
    /** Source machine, by READ number. */
    private final int[] readFrom;

    private final long turnPs;
    private final boolean survives;
    private int underWay;
    private int copying;

    /**
     * Rings of a run's threads in the machines' memories; those of other processes are empty.
     *
     * @param options options of a thread's queue pairs, by client index; the send queues have space for the ring's
     *     messages and the READs
     * @param assumeInOrder true to assume in-order WRITEs although no card guarantees them
     * @param pollPs CPU time of polling an empty ring
     * @param survives true if threads continue after a machine has failed
     * @param restarted true if this process replaces a killed one: nothing is sent to a thread before its first message
     */
    public record Rings(
            RingAddresses places,
            List<MemorySegment> memories,
            List<RemoteRegion> regions,
            IntFunction<ConnectionOptions> options,
            boolean assumeInOrder,
            long pollPs,
            boolean survives,
            boolean restarted)
            implements Kind {

        public Rings(
                RingAddresses places,
                List<MemorySegment> memories,
                List<RemoteRegion> regions,
                IntFunction<ConnectionOptions> options,
                boolean assumeInOrder,
                long pollPs) {
            this(places, memories, regions, options, assumeInOrder, pollPs, false, false);
        }

        @Override
        public MessageExchange of(Client client, ThreadNumber own, int maxReads, int maxMessageBytes, Handler handler)
                throws FabricException {
            return new Messages(client, this, own, maxReads, handler);
        }
    }

    private static final class Link {
        private final int other;
        private final QueuePair queuePair;
        private final RingSender sender;
        private final RingReceiver receiver;
        private int reads;
        private boolean lost;
        /** True once the other end's ring may be written. */
        private boolean open;

        Link(int other, QueuePair queuePair, RingSender sender, RingReceiver receiver, boolean open) {
            this.other = other;
            this.open = open;
            this.queuePair = queuePair;
            this.sender = sender;
            this.receiver = receiver;
        }
    }

    private Messages(Client client, Rings rings, ThreadNumber own, int maxReads, Handler handler)
            throws FabricException {
        this.survives = rings.survives;
        this.client = client;
        this.places = rings.places;
        this.machine = own.machine();
        this.thread = own.thread();
        this.memory = rings.memories.get(machine);
        this.handler = handler;
        this.readFrom = new int[maxReads];
        this.links = new Link[rings.regions.size()];
        this.turnPs = rings.pollPs * (links.length - 1);
        this.received = client.allocate(places.layout().maxMessageBytes());
        this.options = rings.options.apply(client.index());
        this.assumeInOrder = rings.assumeInOrder;
        for (int other = 0; other < links.length; other++) {
            if (other != machine) {
                connect(other, rings.regions.get(other), !rings.restarted);
            }
        }
        this.completions = new Completions(links.length * 4);
    }

    private void connect(int other, RemoteRegion region, boolean open) throws FabricException {
        Link link = link(other, region, open);
        links[other] = link;
        connected.add(link);
        awaitMessage(other);
    }

    private Link link(int other, RemoteRegion region, boolean open) throws FabricException {
        QueuePair queuePair = client.connect(other, memory, options);
        if (!assumeInOrder && !queuePair.writesLandInOrder()) {
            throw new FabricException("message rings require WRITEs that land in address order;"
                    + " the connection to machine " + other + " does not guarantee that");
        }
        memory.set(ValueLayout.JAVA_LONG, places.headAt(thread, other), 0); // a former run may have left its head there
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
                places.publishedHeadAt(thread, other),
                region,
                places.headAt(thread, machine));
        return new Link(other, queuePair, sender, receiver, open);
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
        if (link.lost || !link.open) {
            return true;
        }
        // The watch starts at the head checked here, so a head that arrives in between wakes the thread.
        long seen = link.sender.receivedHead();
        // One further slot is reserved for the receiver's head.
        boolean room = link.sender.hasRoom(messageBytes) && freeForMessages(link) > 1;
        if (!room) {
            client.watch(links.length + machine, memory, places.headAt(thread, machine), seen);
        }
        return room;
    }

    /** Returns the number of send-queue slots not reserved for READs. */
    private int freeForMessages(Link link) {
        return link.queuePair.free() - (readFrom.length - link.reads);
    }

    @Override
    public void send(int machine, MemorySegment message, int bytes) throws FabricException {
        Link link = link(machine);
        if (link.lost || !link.open) {
            return;
        }
        if (!link.sender.send(message, bytes)) {
            throw new IllegalStateException("no space for a message to machine " + machine);
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
        readFrom[number] = machine;
        post(link, number, region, offset, to, bytes);
    }

    private void post(Link link, int number, RemoteRegion region, long offset, long to, int bytes)
            throws FabricException {
        link.reads++;
        link.queuePair.read(2L * links.length + number, to, region.address() + offset, region.key(), bytes, true);
        link.queuePair.doorbell();
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
        if (turnPs > 0) { // virtual time skips the wait: only the successful check costs CPU time
            client.spendCpu(turnPs);
        }
        // All completed READs are subtracted first: otherwise messages sent below could take slots reserved for READs.
        for (int i = 0; i < completions.count(); i++) {
            if (isOfLost(i)) {
                continue;
            }
            if (completions.status(i) != Status.SUCCESS) {
                throw completions.status(i).exception("a WRITE of a message, or a READ");
            }
            if (isRead(completions.id(i))) {
                linkOf(i).reads--;
            }
        }
        for (int i = 0; i < completions.count(); i++) {
            Link link = linkOf(i);
            if (isRead(completions.id(i)) && number(completions.id(i)) == readFrom.length) {
                copying--;
                continue;
            }
            if (survives && link.lost) {
                forget(link.other, isRead(completions.id(i)));
                continue;
            }
            if (isRead(completions.id(i))) {
                handler.read(number(completions.id(i)), readFrom[number(completions.id(i))]);
                continue;
            }
            completed(link, (completions.id(i) & 1) == 0);
        }
        // Each word is checked once: otherwise completions, which free send-queue slots, could starve.
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

    /** Returns true if the completion's machine is excluded. A failed completion excludes its machine. */
    private boolean isOfLost(int completion) {
        if (!survives) {
            return false;
        }
        Link link = linkOf(completion);
        link.lost |= completions.status(completion) != Status.SUCCESS;
        return link.lost;
    }

    private Link linkOf(int completion) {
        return connected.get(completions.connection(completion));
    }

    private void forget(int other, boolean read) throws FabricException {
        if (!read) {
            underWay--;
        }
        handler.room(other); // releases waiting messages, which are dropped
    }

    @Override
    public void exclude(int other) {
        link(other).lost = true;
    }

    @Override
    public void reconnect(int other, RemoteRegion region) throws FabricException {
        link(other).lost = true;
        memory.asSlice(places.ringAt(thread, other), places.layout().roomBytes())
                .fill((byte) 0);
        connect(other, region, true);
    }

    @Override
    public Copies copies() {
        return this;
    }

    @Override
    public boolean isConnected(int other) {
        Link link = link(other);
        return !link.lost && link.open;
    }

    @Override
    public boolean read(int other, RemoteRegion region, long offset, long to, int bytes) throws FabricException {
        Link link = link(other);
        if (link.reads == readFrom.length || link.queuePair.free() == 0) {
            return false;
        }
        post(link, readFrom.length, region, offset, to, bytes);
        copying++;
        return true;
    }

    @Override
    public int inFlight() {
        return copying;
    }

    private boolean isRead(long id) {
        return id >= 2L * links.length;
    }

    private int number(long id) {
        return (int) id - 2 * links.length;
    }

    private void completed(Link link, boolean sent) throws FabricException {
        underWay--;
        if (sent) {
            link.sender.completed();
        } else {
            link.receiver.completed();
            tell(link);
        }
        handler.room(link.other);
    }

    private void take(int machine) throws FabricException {
        Link link = link(machine);
        if (link.lost) {
            return;
        }
        int bytes = link.receiver.nextBytes();
        if (bytes > 0) {
            link.open = true;
            link.receiver.copy(received);
            link.receiver.processed();
            tell(link);
            handler.received(machine, received, bytes);
        }
        awaitMessage(machine);
    }

    private void tell(Link link) throws FabricException {
        if (!link.lost && freeForMessages(link) > 0 && link.receiver.publishHead()) {
            underWay++;
            link.queuePair.doorbell();
        }
    }

    private void awaitMessage(int machine) {
        client.watch(machine, memory, link(machine).receiver.awaitedAt(), 0);
    }
}
