package org.reprobe.verb;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.verb.VerbSettings.Exchange;

/** Server program that receives the clients' SENDs and, if the exchange has replies, sends the same bytes back. */
final class SendReceiver {
    private static final int MAX_RECEIVES = 1024;
    /** A client may send its next message before the completion of the reply to its last one. */
    private static final int REPLIED_RECEIVES = 2;

    private static final int POLLED = 64;

    private final VerbSettings verb;
    private final Server server;
    private final boolean replies;
    /** RECEIVEs per connection; further SENDs wait. */
    private final int receives;

    private final ConnectionOptions options;
    private final List<QueuePair> ends = new ArrayList<>();

    SendReceiver(VerbSettings verb, Server server) {
        this.verb = verb;
        this.server = server;
        this.replies = verb.effectiveExchange() != Exchange.REQUEST;
        this.receives = replies ? REPLIED_RECEIVES : Math.min(MAX_RECEIVES, 2 * verb.inFlight());
        this.options = VerbWorkload.messages(verb, receives);
    }

    /**
     * Returns the memory of a connection: a buffer for each message to reply to; messages without replies share one.
     */
    static long bufferBytes(VerbSettings verb) {
        boolean replies = verb.effectiveExchange() != Exchange.REQUEST;
        return (replies ? REPLIED_RECEIVES : 1) * verb.bufferBytes();
    }

    /** Serves all clients until they have ended. */
    void run() throws FabricException {
        Completions completions = new Completions(POLLED);
        while (true) {
            switch (server.next(completions)) {
                case CONNECTION -> accept();
                case COMPLETIONS -> {
                    for (int i = 0; i < completions.count(); i++) {
                        // Failed completions belong to a client that has ended.
                        if (completions.status(i) == Status.SUCCESS) {
                            proceed(ends.get(completions.connection(i)), completions.received(i), completions.id(i));
                        }
                    }
                }
                case GONE -> {
                    while (server.gone() >= 0) {
                        // Clients leave no state to clean up.
                    }
                }
                case WORDS, DEADLINE -> throw new IllegalStateException("an event that was not requested");
                case END -> {
                    return;
                }
            }
        }
    }

    private void accept() throws FabricException {
        QueuePair end = server.accept(server.allocate(bufferBytes(verb)), options);
        if (end != null) {
            for (int i = 0; i < receives; i++) {
                receive(end, replies ? i : 0);
            }
            ends.add(end);
        }
    }

    private void receive(QueuePair end, long buffer) throws FabricException {
        end.receive(buffer, buffer * verb.bufferBytes(), verb.bytes());
    }

    /** Replies to a message from its buffer, which receives again once the reply has been sent. */
    private void proceed(QueuePair end, boolean received, long buffer) throws FabricException {
        if (received && replies) {
            end.send(buffer, buffer * verb.bufferBytes(), verb.bytes(), true);
            end.doorbell();
        } else {
            receive(end, buffer);
        }
    }
}
