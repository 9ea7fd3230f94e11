package org.reprobe.run.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Servers;
import org.reprobe.run.Fabrics;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;

/**
 * Fabric whose clients are here and whose server is a {@link MemoryServer}, in another process or on another host.
 * Registered memory is copied to the server once, over the fabric itself.
 */
public final class DistantFabric implements Fabric {
    private static final int WRITE_BYTES = 64 << 10;
    private static final int WRITES = 16;

    private final Server server;
    private final Arena arena = Arena.ofShared();

    private DistantFabric(Server server) {
        this.server = server;
    }

    /** Connection to the server; outlives the fabrics that are opened with it, one at a time. */
    public static final class Server implements AutoCloseable {
        private final String fabric;
        private final String where;
        private final MessageConnection connection;
        private String endpoint = "";

        /** @throws FabricException with a readable reason, if there is no server or it refuses */
        public Server(String fabric, String host, int port, Secret token) throws FabricException {
            this.fabric = fabric;
            this.where = "the server at " + HostPort.text(host, port);
            try {
                connection = MessageConnection.connect(host, port, token, List.of(fabric));
            } catch (IOException e) {
                throw new FabricException(where + " can't be reached: " + e.getMessage(), e);
            }
            boolean serves = false;
            try {
                endpoint = connection.open(answer(Message.ServerReady.class).endpoint());
                serves = true;
            } catch (IOException e) {
                throw new FabricException(where + " was lost: " + e.getMessage(), e);
            } finally {
                if (!serves) {
                    connection.close();
                }
            }
        }

        public Fabric open() {
            return new DistantFabric(this);
        }

        private <T extends Message> T request(Message request, Class<T> type) throws FabricException {
            try {
                connection.send(request);
            } catch (IOException e) {
                throw new FabricException(where + " has ended", e);
            }
            return answer(type);
        }

        private <T extends Message> T answer(Class<T> type) throws FabricException {
            try {
                Message message = connection.receive();
                if (message == null) {
                    throw new FabricException(where + " has ended");
                } else if (type.isInstance(message)) {
                    return type.cast(message);
                }
                throw new FabricException(where + " refused: "
                        + switch (message) {
                            case Message.Refused refused -> refused.why();
                            case Message.End end -> end.why();
                            default -> "it is another version of Reprobe";
                        });
            } catch (SocketTimeoutException e) {
                throw new FabricException(where + " sent nothing for " + OwnJvm.SILENCE_MS / 1000 + " s", e);
            } catch (IOException e) {
                throw new FabricException(where + " was lost: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {
            connection.end(Message.End.DONE);
        }
    }

    @Override
    public String name() {
        return server.fabric;
    }

    @Override
    public Kind kind() {
        return Kind.MEASURED;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    @Override
    public RemoteRegion register(MemorySegment memory) throws FabricException {
        RemoteRegion region = server.request(new Message.Allocate(memory.byteSize()), Message.Allocated.class)
                .region();
        try {
            run(1, client -> write(client, memory, region));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("interrupted", e);
        }
        return region;
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        server.request(new Message.Release(region), Message.Released.class);
    }

    private static void write(Client client, MemorySegment memory, RemoteRegion region) throws FabricException {
        MemorySegment local = client.allocate((long) WRITES * WRITE_BYTES);
        Completions completions = new Completions(1);
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(WRITES, 1))) {
            for (long from = 0; from < memory.byteSize(); from += local.byteSize()) {
                long end = Math.min(memory.byteSize(), from + local.byteSize());
                MemorySegment.copy(memory, from, local, 0, end - from);
                for (long at = from; at < end; at += WRITE_BYTES) {
                    int bytes = (int) Math.min(WRITE_BYTES, end - at);
                    queuePair.write(0, at - from, region.address() + at, region.key(), bytes, at + bytes == end);
                }
                queuePair.doorbell();
                queuePair.await(completions);
                if (completions.status(0) != Completions.Status.SUCCESS) {
                    throw new FabricException("filling the server's memory ended with "
                            + completions.status(0).text());
                }
            }
        }
    }

    @Override
    public void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        if (programs.stream().anyMatch(Objects::nonNull)) {
            throw new FabricException("a remote memory server is passive: it runs no program");
        }
        try (FabricClients half = Fabrics.connect(server.fabric, Servers.one(server.endpoint))) {
            half.run(FabricClients.Group.alone(clients), program);
        }
    }

    @Override
    public void close() {
        arena.close();
        try {
            server.request(new Message.ReleaseAll(), Message.Released.class);
        } catch (FabricException e) {
            // The server has ended, and its memory with it.
        }
    }
}
