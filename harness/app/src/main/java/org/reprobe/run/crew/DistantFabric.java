package org.reprobe.run.crew;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.SocketTimeoutException;
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
import org.reprobe.trust.Secret;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A fabric whose clients are here and whose server is a {@link MemoryServer}, in another process or on another host. What is
 * registered is copied to the server once, over the fabric itself.
 */
public final class DistantFabric implements Fabric {
    private static final int WRITE_BYTES = 64 << 10;
    private static final int WRITES = 16;

    private final Server server;
    private final Arena arena = Arena.ofShared();

    private DistantFabric(Server server) {
        this.server = server;
    }

    /** The connection to the server; outlives the fabrics that are opened with it, one at a time. */
    public static final class Server implements AutoCloseable {
        private final String fabric;
        private final String where;
        private final Line line;
        private String endpoint = "";

        /**
         * Connects.
         *
         * @throws FabricException in words, when there is none or it refuses
         */
        public Server(String fabric, String host, int port, Secret token) throws FabricException {
            this.fabric = fabric;
            this.where = "the server at " + host + ":" + port;
            try {
                line = Line.connect(
                        host, port, token, Line.message("introduction").put("fabric", fabric));
            } catch (IOException e) {
                throw new FabricException(where + " can't be reached: " + e.getMessage(), e);
            }
            try {
                endpoint = line.open(answer("serving").path("endpoint"));
            } catch (FabricException | IOException e) {
                line.close();
                throw e instanceof FabricException failed
                        ? failed
                        : new FabricException(where + " was lost: " + e.getMessage(), e);
            }
            line.keepPinging();
        }

        /** A fabric with nothing registered. */
        public Fabric open() {
            return new DistantFabric(this);
        }

        private JsonNode ask(ObjectNode question, String type) throws FabricException {
            try {
                line.send(question);
            } catch (IOException e) {
                throw new FabricException(where + " has ended", e);
            }
            return answer(type);
        }

        private JsonNode answer(String type) throws FabricException {
            try {
                while (true) {
                    JsonNode message = line.receive();
                    if (message == null) {
                        throw new FabricException(where + " has ended");
                    }
                    String word = message.get("type").stringValue();
                    if (word.equals(type)) {
                        return message;
                    } else if (word.equals("refused") || word.equals("end")) {
                        throw new FabricException(where + " refused: " + Line.words(message, "why"));
                    }
                }
            } catch (SocketTimeoutException e) {
                throw new FabricException(where + " has not answered for " + Line.SILENCE_MS / 1000 + " s", e);
            } catch (IOException e) {
                throw new FabricException(where + " was lost: " + e.getMessage(), e);
            }
        }

        /** Tells the server that all is done. */
        @Override
        public void close() {
            try {
                line.send(Line.message("end"));
            } catch (IOException e) {
                // It is gone.
            }
            line.close();
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
        RemoteRegion region =
                Peer.region(server.ask(Line.message("allocate").put("bytes", memory.byteSize()), "region"));
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
        ObjectNode question = Line.message("deregister");
        question.set("region", Peer.region(region));
        server.ask(question, "deregistered");
    }

    /** Copies memory to the server, some WRITEs at a time. */
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
                            + completions.status(0).words());
                }
            }
        }
    }

    @Override
    public void run(int clients, ClientProgram program, @Nullable ServerProgram serverProgram)
            throws FabricException, InterruptedException {
        if (serverProgram != null) {
            throw new FabricException("a server elsewhere is passive: it runs no program");
        }
        try (FabricClients half = Fabrics.connect(server.fabric, Servers.one(server.endpoint))) {
            half.run(FabricClients.Crew.alone(clients), program);
        }
    }

    /** Gives the server's memory back. */
    @Override
    public void close() {
        arena.close();
        try {
            server.ask(Line.message("release"), "released");
        } catch (FabricException e) {
            // It is gone, and its memory with it.
        }
    }
}
