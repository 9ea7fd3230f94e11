package org.reprobe.remote;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;

/** Server program that replies to one request at a time, until its clients have ended. */
public final class RequestLoop {
    private static final int BATCH = 64;

    private final Server server;
    private final int requestBytes;
    private final int replyBytes;
    private final Handler handler;
    private final int made;
    private final List<Link> links = new ArrayList<>();

    /** Behaviour of the server program. All methods are called on its thread. */
    public interface Handler {
        /** Handles a request from a client's connection and writes the reply to {@code reply}. */
        void handle(int connection, MemorySegment request, MemorySegment reply) throws FabricException;

        /** Handles the loss of the clients of these connections. */
        void gone(List<Integer> connections) throws FabricException;

        /** Returns the time of the next call of {@link #woken}. */
        default long untilNs() {
            return Long.MAX_VALUE;
        }

        /** Handles a change of a watched word, or the time {@link #untilNs}. */
        default void woken() throws FabricException {
            throw new IllegalStateException("unexpected wake reason");
        }

        /** Handles a completion on a connection to another server. */
        default void completed(int connection, Status status) throws FabricException {
            throw new IllegalStateException("unexpected completion");
        }
    }

    private record Link(QueuePair queuePair, MemorySegment request, MemorySegment reply) {}

    private RequestLoop(Server server, int requestBytes, int replyBytes, Handler handler, int made) {
        this.made = made;
        this.server = server;
        this.requestBytes = requestBytes;
        this.replyBytes = replyBytes;
        this.handler = handler;
    }

    /** Runs the loop with requests of at most {@code requestBytes} and replies of exactly {@code replyBytes}. */
    public static void run(Server server, int requestBytes, int replyBytes, Handler handler) throws FabricException {
        run(server, requestBytes, replyBytes, handler, 0);
    }

    /** Runs the loop for a handler that has already made {@code made} connections to other servers. */
    public static void run(Server server, int requestBytes, int replyBytes, Handler handler, int made)
            throws FabricException {
        new RequestLoop(server, requestBytes, replyBytes, handler, made).run();
    }

    /** Returns the size of the local memory that a connection needs, in bytes. */
    public static long localBytes(int requestBytes, int replyBytes) {
        return replyAt(requestBytes) + replyBytes;
    }

    /** Returns the reply's offset in either end's local memory: after the request, in a separate cache line. */
    static long replyAt(int requestBytes) {
        return (requestBytes + 63L) & ~63;
    }

    private void run() throws FabricException {
        Completions completions = new Completions(BATCH);
        while (true) {
            switch (server.next(completions, handler.untilNs())) {
                case CONNECTION -> accept();
                case COMPLETIONS -> {
                    for (int i = 0; i < completions.count(); i++) {
                        if (completions.connection(i) < made) {
                            handler.completed(completions.connection(i), completions.status(i));
                            continue;
                        }
                        // Failed completions are those of lost clients.
                        if (completions.received(i) && completions.status(i) == Status.SUCCESS) {
                            serve(completions.connection(i));
                        }
                    }
                }
                case GONE -> {
                    List<Integer> gone = new ArrayList<>();
                    for (int connection = server.gone(); connection >= 0; connection = server.gone()) {
                        gone.add(connection);
                    }
                    handler.gone(gone);
                }
                case WORDS, DEADLINE -> handler.woken();
                case END -> {
                    return;
                }
            }
        }
    }

    private void accept() throws FabricException {
        long replyAt = replyAt(requestBytes);
        MemorySegment local = server.allocate(replyAt + replyBytes);
        QueuePair queuePair = server.accept(local, new ConnectionOptions(8, 1, 2));
        if (queuePair != null) {
            queuePair.receive(0, 0, requestBytes);
            links.add(new Link(queuePair, local, local.asSlice(replyAt, replyBytes)));
        }
    }

    private void serve(int connection) throws FabricException {
        Link link = links.get(connection - made);
        handler.handle(connection, link.request(), link.reply());
        link.queuePair().receive(0, 0, requestBytes);
        link.queuePair().send(0, replyAt(requestBytes), replyBytes, true);
        try {
            link.queuePair().doorbell();
        } catch (FabricException _) {
            // The client is lost, which the fabric reports separately.
        }
    }
}
