package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingReceiver;
import org.reprobe.farm.messages.RingSender;

/**
 * Client that sends a few messages through a ring to a server program: each must arrive once, in order and whole,
 * although WRITEs land word by word, and neither side may wait forever.
 */
final class RingTrial implements Trial {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int RECEIVER = 1;

    private final RingLayout layout;
    private final int[] messageWords;
    private final ConnectionOptions options;
    private MemorySegment sending = MemorySegment.NULL;
    private MemorySegment receiving = MemorySegment.NULL;
    private RemoteRegion head = new RemoteRegion(0, 0, 0);
    private RemoteRegion ring = new RemoteRegion(0, 0, 0);

    /** @param messageWords length of each message in words */
    RingTrial(int ringWords, int... messageWords) {
        this.layout = new RingLayout(ringWords * Long.BYTES);
        this.messageWords = messageWords.clone();
        // Each message is one WRITE: with these slots, the send queue never blocks the sender.
        this.options = ConnectionOptions.oneSided(Math.max(4, messageWords.length), 1);
    }

    @Override
    public int clients() {
        return 1;
    }

    @Override
    public int servers() {
        return 2;
    }

    /** Allocates the sender's copy and head; the ring, the receiver's head and the count of received messages. */
    @Override
    public void build(Fabric fabric) throws FabricException {
        sending = fabric.memory(0).allocate(layout.roomBytes() + Long.BYTES);
        head = fabric.memory(0).register(sending);
        receiving = fabric.memory(RECEIVER).allocate(layout.roomBytes() + 2 * Long.BYTES);
        ring = fabric.memory(RECEIVER).register(receiving);
    }

    /** Returns a word of a message; every second word is zero, as the empty words of a ring are. */
    private static long word(int message, int word) {
        return (message + word) % 2 == 0 ? 0 : 100L * (message + 1) + word;
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        QueuePair queuePair = client.connect(RECEIVER, sending, options);
        RingSender sender = new RingSender(
                client, layout, queuePair, options.sendQueue(), 0, sending, 0, layout.roomBytes(), ring, 0);
        Completions completions = new Completions(options.sendQueue());
        for (int message = 0; message < messageWords.length; message++) {
            long[] words = new long[messageWords[message]];
            for (int word = 0; word < words.length; word++) {
                words[word] = word(message, word);
            }
            while (!sender.send(MemorySegment.ofArray(words), words.length * Long.BYTES)) {
                if (sender.underWay() > 0) {
                    await(client, sender, completions);
                } else {
                    client.pause(1);
                }
            }
            queuePair.doorbell();
        }
        // WRITEs that have not landed when the client ends may never land.
        while (sender.underWay() > 0) {
            await(client, sender, completions);
        }
    }

    private static void await(Client client, RingSender sender, Completions completions) throws FabricException {
        client.await(completions);
        for (int i = 0; i < completions.count(); i++) {
            sender.completed();
        }
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return Arrays.asList(null, this::receive);
    }

    private void receive(Server server) throws FabricException {
        QueuePair queuePair = server.connect(0, receiving, options);
        RingReceiver receiver = new RingReceiver(
                server, layout, receiving, 0, queuePair, 0, receiving, layout.roomBytes(), head, layout.roomBytes());
        MemorySegment message = MemorySegment.ofArray(new long[layout.roomBytes() / Long.BYTES]);
        Completions completions = new Completions(options.sendQueue());
        int taken = 0;
        while (true) {
            server.watch(0, receiving, receiver.awaitedAt(), 0);
            Requester.WakeReason reason = server.next(completions);
            if (reason == Requester.WakeReason.END) {
                return;
            }
            while (server.changed() >= 0) {
                // Only one word is watched.
            }
            for (int i = 0; i < completions.count(); i++) {
                receiver.completed();
            }
            int bytes = receiver.nextBytes();
            if (bytes > 0) {
                receiver.copy(message);
                check(taken, bytes, message);
                receiving.set(WORD, layout.roomBytes() + Long.BYTES, ++taken);
                receiver.processed();
            }
            if (receiver.publishHead()) {
                queuePair.doorbell();
            }
        }
    }

    /** Checks a message on receipt: the ring's later contents do not show what was received. */
    private void check(int number, int bytes, MemorySegment message) {
        boolean whole = number < messageWords.length && bytes == messageWords[number] * Long.BYTES;
        for (int word = 0; whole && word < messageWords[number]; word++) {
            whole = message.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, word) == word(number, word);
        }
        if (!whole) {
            throw new IllegalStateException("message " + number + " was received with wrong content");
        }
    }

    @Override
    public @Nullable String violation(History history) {
        long taken = receiving.get(WORD, layout.roomBytes() + Long.BYTES);
        if (taken != messageWords.length) {
            return taken + " of " + messageWords.length + " messages were received";
        }
        for (long at = 0; at < layout.roomBytes(); at += Long.BYTES) {
            if (receiving.get(WORD, at) != 0) {
                return "all messages were received, but word " + at / Long.BYTES + " of the ring is not zero";
            }
        }
        return null;
    }

    @Override
    public String place(int region, long offset) {
        if (offset < layout.roomBytes()) {
            return (region == 0 ? "copy " : "ring ") + offset / Long.BYTES;
        }
        return region == 0 || offset == layout.roomBytes() ? "head" : "number of received messages";
    }
}
