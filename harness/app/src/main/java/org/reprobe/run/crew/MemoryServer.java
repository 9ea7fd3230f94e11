package org.reprobe.run.crew;

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
import org.reprobe.trust.Secret;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The server of a {@link DistantFabric}: registers as much memory as that asks for, waits passively, and ends with it. What
 * is in the memory, clients write.
 */
public final class MemoryServer implements AutoCloseable {
    private static final long NEXT_MS = 1_000;

    private final String fabric;
    private final InetSocketAddress listen;
    private final Door door;
    private final Secret token = Secret.random();
    private final Map<RemoteRegion, MemorySegment> regions = new LinkedHashMap<>();

    /**
     * Listens.
     *
     * @throws IOException when it can't
     */
    public MemoryServer(String fabric, InetSocketAddress listen) throws IOException {
        this.fabric = fabric;
        this.listen = listen;
        this.door = new Door(Door.listen(listen), () -> List.of(token));
    }

    /** Where the other side connects: {@code host:port}. */
    public String address() {
        return listen.getHostString() + ":" + door.socket().getLocalPort();
    }

    /** What the other side must know. */
    public Secret token() {
        return token;
    }

    /**
     * Serves one other side, to its end. Strangers are sent away.
     *
     * @throws IOException when it is lost; in words
     */
    public void serve() throws FabricException, IOException, InterruptedException {
        try (Line line = welcome();
                FabricServer server = Fabrics.serve(fabric, line.localHost())) {
            line.send(Line.message("serving").put("endpoint", line.seal(server.endpoint())));
            line.deadline(Line.SILENCE_MS);
            while (true) {
                JsonNode message = next(line);
                switch (message.get("type").stringValue()) {
                    case "allocate" ->
                        line.send(allocate(server, message.get("bytes").longValue()));
                    case "deregister" -> line.send(deregister(server, Peer.region(message.get("region"))));
                    case "release" -> {
                        release(server);
                        line.send(Line.message("released"));
                    }
                    case "end" -> {
                        return;
                    }
                    default -> {
                        // A ping: it lives.
                    }
                }
            }
        }
    }

    private static JsonNode next(Line line) throws IOException {
        try {
            JsonNode message = line.receive();
            if (message == null) {
                throw new IOException("the other process has ended before it was done");
            }
            return message;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "the other process has said nothing for " + Line.SILENCE_MS / 1000 + " s: it hangs", e);
        }
    }

    /** The first that knows the token and wants this fabric. */
    private Line welcome() throws IOException, InterruptedException {
        while (true) {
            Line.Guest guest = door.next(NEXT_MS);
            if (guest == null) {
                continue;
            }
            String wanted = Line.words(guest.introduction(), "fabric");
            if (wanted.equals(fabric)) {
                return guest.line();
            }
            guest.line().end("it serves " + fabric + ", not " + wanted);
        }
    }

    private ObjectNode allocate(FabricServer server, long bytes) {
        try {
            MemorySegment memory = server.allocate(bytes);
            RemoteRegion region = server.register(memory);
            regions.put(region, memory);
            return Peer.region(region);
        } catch (FabricException | IllegalArgumentException e) {
            return Line.message("refused").put("why", String.valueOf(e.getMessage()));
        }
    }

    private ObjectNode deregister(FabricServer server, RemoteRegion region) throws FabricException {
        MemorySegment memory = regions.remove(region);
        if (memory == null) {
            return Line.message("refused").put("why", "there is no such region");
        }
        server.deregister(region);
        server.free(memory);
        return Line.message("deregistered");
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
        door.close();
    }
}
