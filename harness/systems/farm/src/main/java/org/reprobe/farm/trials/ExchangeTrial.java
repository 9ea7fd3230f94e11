package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.messages.MessageExchange;
import org.reprobe.farm.messages.Messages;
import org.reprobe.farm.messages.MessagingThreads.ThreadNumber;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;

/**
 * Two threads that send each other more messages than their rings hold: each message arrives once, in order and whole,
 * and no thread waits forever, although both rings may be full at once.
 */
final class ExchangeTrial implements Trial {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MACHINES = 2;

    private final RingAddresses places;
    private final int messageCount;
    private final ConnectionOptions options;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    /** @param messageCount number of one-word messages per thread */
    ExchangeTrial(int ringWords, int messageCount) {
        this.places = RingAddresses.in(new MemoryMap(1), new RingLayout(ringWords * Long.BYTES), MACHINES);
        this.messageCount = messageCount;
        this.options = ConnectionOptions.oneSided(messageCount + 1, 1);
    }

    @Override
    public int clients() {
        return MACHINES;
    }

    @Override
    public int servers() {
        return MACHINES;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memories.clear();
        regions.clear();
        for (int machine = 0; machine < MACHINES; machine++) {
            MemorySegment memory = fabric.memory(machine).allocate(places.bytes() + Long.BYTES);
            memories.add(memory);
            regions.add(fabric.memory(machine).register(memory));
        }
    }

    private static long word(int from, int message) {
        return 100L * (from + 1) + message;
    }

    private final class Incoming implements MessageExchange.Handler {
        private final int own;
        private int taken;

        Incoming(int own) {
            this.own = own;
        }

        @Override
        public void received(int machine, MemorySegment message, int bytes) throws FabricException {
            if (bytes != Long.BYTES || message.get(WORD, 0) != word(machine, taken)) {
                throw new FabricException(
                        "message %d to machine %d was received with wrong content".formatted(taken + 1, own));
            }
            memories.get(own).set(WORD, places.bytes(), ++taken);
        }

        @Override
        public void room(int machine) {
            // The thread checks for space after each poll.
        }
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int own = client.index();
        int other = 1 - own;
        Incoming incoming = new Incoming(own);
        MessageExchange messages = new Messages.Rings(places, memories, regions, _ -> options, false, 0)
                .of(client, new ThreadNumber(own, 0), 0, Long.BYTES, incoming);
        int sent = 0;
        while (sent < messageCount || incoming.taken < messageCount || !messages.areIdle()) {
            if (sent < messageCount && messages.hasRoom(other, Long.BYTES)) {
                messages.send(other, MemorySegment.ofArray(new long[] {word(own, sent++)}), Long.BYTES);
            } else {
                messages.poll(Long.MAX_VALUE);
            }
        }
    }

    @Override
    public @Nullable String violation(History history) {
        for (int machine = 0; machine < MACHINES; machine++) {
            long taken = memories.get(machine).get(WORD, places.bytes());
            if (taken != messageCount) {
                return "machine %d has received %d of %d messages".formatted(machine, taken, messageCount);
            }
        }
        return null;
    }
}
