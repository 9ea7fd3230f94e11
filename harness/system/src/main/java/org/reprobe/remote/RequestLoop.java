package org.reprobe.remote;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    /** Accepted connections by number; null for those that the handler made. */
    private final List<@Nullable Link> links = new ArrayList<>();

    private int accepted;

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

        /** Handles the completion of a request on a connection that the handler made. */
        default void completed(long id, Status status) throws FabricException {
            throw new IllegalStateException("unexpected completion");
        }

        /** Returns the number of connections that the handler has made. */
        default int made() {
            return 0;
        }
    }

    private record Link(QueuePair queuePair, MemorySegment request, MemorySegment reply) {}

    private RequestLoop(Server server, int requestBytes, int replyBytes, Handler handler) {
        this.server = server;
        this.requestBytes = requestBytes;
        this.replyBytes = replyBytes;
        this.handler = handler;
    }

    /** Runs the loop with requests of at most {@code requestBytes} and replies of exactly {@code replyBytes}. */
    public static void run(Server server, int requestBytes, int replyBytes, Handler handler) throws FabricException {
        new RequestLoop(server, requestBytes, replyBytes, handler).run();
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
                        Link link = link(completions.connection(i));
                        if (link == null) {
                            handler.completed(completions.id(i), completions.status(i));
                        } else if (completions.received(i) && completions.status(i) == Status.SUCCESS) {
                            serve(completions.connection(i), link); // failed completions are those of lost clients
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

    private @Nullable Link link(int connection) {
        return connection < links.size() ? links.get(connection) : null;
    }

    private void accept() throws FabricException {
        long replyAt = replyAt(requestBytes);
        MemorySegment local = server.allocate(replyAt + replyBytes);
        QueuePair queuePair = server.accept(local, new ConnectionOptions(8, 1, 2));
        if (queuePair != null) {
            queuePair.receive(0, 0, requestBytes);
            while (links.size() < accepted + handler.made()) {
                links.add(null);
            }
            links.add(new Link(queuePair, local, local.asSlice(replyAt, replyBytes)));
            accepted++;
        }
    }

    private void serve(int connection, Link link) throws FabricException {
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
