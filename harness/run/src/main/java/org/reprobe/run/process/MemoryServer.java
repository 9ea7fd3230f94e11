package org.reprobe.run.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.run.Fabrics;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/** Server of a {@link DistantFabric}: registers memory on request, waits passively, and ends with its client. */
public final class MemoryServer implements AutoCloseable {
    private static final long NEXT_MS = 1_000;

    private final String fabric;
    private final InetSocketAddress listen;
    private final WorkerServer.Opener opener;
    private final Acceptor acceptor;
    private final Secret token = Secret.random();
    private final Map<RemoteRegion, MemorySegment> regions = new LinkedHashMap<>();

    public MemoryServer(String fabric, InetSocketAddress listen) throws IOException {
        this(fabric, listen, Fabrics::serve);
    }

    MemoryServer(String fabric, InetSocketAddress listen, WorkerServer.Opener opener) throws IOException {
        this.fabric = fabric;
        this.listen = listen;
        this.opener = opener;
        this.acceptor = new Acceptor(Acceptor.listen(listen), () -> List.of(token));
    }

    public String address() {
        return HostPort.text(listen.getHostString(), acceptor.socket().getLocalPort());
    }

    public Secret token() {
        return token;
    }

    /** Serves one client until its end. Unauthenticated connections are closed. */
    public void serve() throws FabricException, IOException, InterruptedException {
        try (MessageConnection connection = accept();
                FabricServer server = opener.serve(fabric, connection.localHost())) {
            connection.send(new Message.ServerReady(connection.seal(server.endpoint())));
            while (true) {
                switch (next(connection)) {
                    case Message.Allocate allocate -> connection.send(allocate(server, allocate.bytes()));
                    case Message.Release release -> connection.send(release(server, release.region()));
                    case Message.ReleaseAll() -> {
                        release(server);
                        connection.send(new Message.Released());
                    }
                    case Message.End end -> {
                        return;
                    }
                    default -> connection.send(new Message.Refused("a memory server can't do that"));
                }
            }
        }
    }

    private static Message next(MessageConnection connection) throws IOException {
        try {
            Message message = connection.receive();
            if (message == null) {
                throw new IOException("the other process ended before it was done");
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "the other process sent nothing for " + OwnJvm.SILENCE_MS / 1000 + " s; it is considered hung", e);
        }
    }

    private MessageConnection accept() throws IOException, InterruptedException {
        while (true) {
            MessageConnection.Authenticated accepted = acceptor.next(NEXT_MS);
            if (accepted == null) {
                continue;
            }
            if (accepted.startedFor().contains(fabric)) {
                return accepted.connection();
            }
            accepted.connection().end("it serves " + fabric + ", not " + String.join(", ", accepted.startedFor()));
        }
    }

    private Message allocate(FabricServer server, long bytes) {
        try {
            MemorySegment memory = server.allocate(bytes);
            try {
                RemoteRegion region = server.register(memory);
                regions.put(region, memory);
                return new Message.Allocated(region);
            } catch (FabricException | IllegalArgumentException e) {
                server.free(memory); // its client has no region to release
                throw e;
            }
        } catch (FabricException | IllegalArgumentException e) {
            return new Message.Refused(String.valueOf(e.getMessage()));
        }
    }

    private Message release(FabricServer server, RemoteRegion region) throws FabricException {
        MemorySegment memory = regions.remove(region);
        if (memory == null) {
            return new Message.Refused("unknown region");
        }
        server.deregister(region);
        server.free(memory);
        return new Message.Released();
    }

    private void release(FabricServer server) throws FabricException {
        for (Map.Entry<RemoteRegion, MemorySegment> region : regions.entrySet()) {
            server.deregister(region.getKey());
            server.free(region.getValue());
        }
        regions.clear();
    }

    @Override
    public void close() {
        acceptor.close();
    }
}
