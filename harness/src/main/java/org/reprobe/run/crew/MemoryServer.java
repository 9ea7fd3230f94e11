package org.reprobe.run.crew;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.run.Fabrics;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The server of a {@link DistantFabric}: registers as much memory as that asks for, waits passively, and ends with it. What
 * is in the memory, clients write.
 */
public final class MemoryServer implements AutoCloseable {
    private static final int HELLO_MS = 5_000;
    private static final int MOST_HELLO_BYTES = 4_096;

    private final String fabric;
    private final InetSocketAddress listen;
    private final ServerSocket socket;
    private final String token = Crew.newToken();
    private final Map<RemoteRegion, MemorySegment> regions = new LinkedHashMap<>();

    /**
     * Listens.
     *
     * @throws IOException when it can't
     */
    public MemoryServer(String fabric, InetSocketAddress listen) throws IOException {
        this.fabric = fabric;
        this.listen = listen;
        this.socket = new ServerSocket();
        try {
            socket.bind(listen);
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "can't listen on " + listen.getHostString() + ":" + listen.getPort() + ": " + e.getMessage(), e);
        }
    }

    /** What the other side needs: {@code host:port#token}. */
    public String address() {
        return listen.getHostString() + ":" + socket.getLocalPort() + "#" + token;
    }

    /**
     * Serves one other side, to its end. Strangers are sent away.
     *
     * @throws IOException when it is lost; in words
     */
    public void serve() throws FabricException, IOException {
        try (Line line = welcome();
                FabricServer server = Fabrics.serve(fabric, line.localHost())) {
            line.send(Line.message("welcome").put("endpoint", server.endpoint()));
            line.deadline(Line.SILENCE_MS);
            line.keepPinging();
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

    /** The first that knows the token. */
    private Line welcome() throws IOException {
        while (true) {
            Line line = new Line(socket.accept());
            try {
                line.deadline(HELLO_MS);
                JsonNode hello = line.receive(MOST_HELLO_BYTES);
                String why = refusal(hello);
                if (why == null) {
                    return line;
                }
                line.send(Line.message("refused").put("why", why));
            } catch (IOException e) {
                // A stranger.
            }
            line.close();
        }
    }

    private @Nullable String refusal(@Nullable JsonNode hello) {
        String word = hello == null ? "" : hello.path("token").asString("");
        if (!MessageDigest.isEqual(token.getBytes(StandardCharsets.UTF_8), word.getBytes(StandardCharsets.UTF_8))) {
            return "wrong token: use the address that it printed";
        }
        String wanted = hello == null ? "" : hello.path("fabric").asString("");
        return wanted.equals(fabric) ? null : "it serves " + fabric + ", not " + wanted;
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
    public void close() throws IOException {
        socket.close();
    }
}
