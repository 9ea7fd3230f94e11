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
    private static final int RECEIVE_ID = 1;
    private static final int SEND_ID = 2;
    private static final int MAX_RECEIVES = 1024;
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
        this.receives = replies ? 1 : Math.min(MAX_RECEIVES, 2 * verb.inFlight());
        this.options = VerbWorkload.messages(verb, receives);
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
                            proceed(ends.get(completions.connection(i)), completions.received(i));
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
        QueuePair end = server.accept(server.allocate(verb.bufferBytes()), options);
        if (end != null) {
            for (int i = 0; i < receives; i++) {
                end.receive(RECEIVE_ID, 0, verb.bytes());
            }
            ends.add(end);
        }
    }

    private void proceed(QueuePair end, boolean received) throws FabricException {
        if (received && replies) {
            end.send(SEND_ID, 0, verb.bytes(), true);
            end.doorbell();
        } else {
            // A reply has been sent, so the next message may overwrite it.
            end.receive(RECEIVE_ID, 0, verb.bytes());
        }
    }
}
