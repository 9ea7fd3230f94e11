package org.reprobe.memcached;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** Connection to memcached through the library folsom, with the text protocol and pipelined requests. */
final class Connection implements AutoCloseable {
    private static final long CONNECT_MS = 5_000;
    private static final long SILENCE_MS = 30_000;

    /** Number of sets or deletes in flight while records are loaded or deleted. */
    static final int LOADING = 512;

    private static final int NEVER = 0;

    private final ServerAddress address;
    private final AsciiMemcacheClient<byte[]> client;

    /**
     * Connects, with at most {@code inFlight} requests in flight; fails if the server does not reply as memcached does.
     */
    Connection(ServerAddress address, int inFlight) throws FabricException, InterruptedException {
        this.address = address;
        requireReachable(address); // folsom would retry forever
        this.client = MemcacheClientBuilder.newByteArrayClient()
                .withAddress(address.host(), address.port())
                .withConnections(1)
                .withMaxOutstandingRequests(inFlight)
                .withConnectionTimeoutMillis(SILENCE_MS) // without a reply
                .withReplyExecutor(Runnable::run) // the callback only enqueues the reply
                .connectAscii();
        try {
            client.awaitConnected(CONNECT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            close();
            requireReachable(address); // it may have ended since
            throw new FabricException("the server at " + address + " does not reply as memcached does", e);
        } catch (InterruptedException e) {
            close();
            throw e;
        }
    }

    private static void requireReachable(ServerAddress address) throws FabricException {
        if (!isReachable(address)) {
            throw new FabricException("memcached at " + address + " can't be reached");
        }
    }

    static boolean isReachable(ServerAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()), (int) CONNECT_MS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    CompletionStage<byte[]> get(String key) {
        return client.get(key);
    }

    /** Returns the values of {@code keys}, in the same order; null for absent keys. */
    CompletionStage<List<byte[]>> get(List<String> keys) {
        return client.get(keys);
    }

    CompletionStage<MemcacheStatus> set(String key, byte[] value) {
        return client.set(key, value, NEVER);
    }

    void load(Records records) throws FabricException {
        Deque<CompletionStage<MemcacheStatus>> underWay = new ArrayDeque<>(LOADING);
        for (long ordinal = 0; ordinal < records.count(); ordinal++) {
            if (underWay.size() == LOADING) {
                stored(await(underWay.remove()));
            }
            underWay.add(set(records.key(ordinal), records.value(ordinal)));
        }
        for (CompletionStage<MemcacheStatus> each : underWay) {
            stored(await(each));
        }
    }

    private void stored(MemcacheStatus status) throws FabricException {
        if (status != MemcacheStatus.OK) {
            throw new FabricException("memcached at " + address + " did not store a record: " + status);
        }
    }

    /** Deletes all records; absent ones are ignored. */
    void unload(Records records) throws FabricException {
        Deque<CompletionStage<MemcacheStatus>> underWay = new ArrayDeque<>(LOADING);
        for (long ordinal = 0; ordinal < records.count(); ordinal++) {
            if (underWay.size() == LOADING) {
                await(underWay.remove());
            }
            underWay.add(client.delete(records.key(ordinal)));
        }
        for (CompletionStage<MemcacheStatus> each : underWay) {
            await(each);
        }
    }

    /** Returns the counters of memcached, by memcached's names. */
    Map<String, String> statistics() throws FabricException {
        return await(client.getStats("")).values().iterator().next().getStats();
    }

    long statistic(String name) throws FabricException {
        String value = statistics().get(name);
        if (value == null) {
            throw new FabricException("the server at " + address + " is not memcached: it does not count " + name);
        }
        return Long.parseLong(value);
    }

    private <T> T await(CompletionStage<T> stage) throws FabricException {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            throw lost(e.getCause());
        }
    }

    /** Returns the exception for a request without reply. */
    FabricException lost(@Nullable Throwable why) {
        return new FabricException(
                "memcached at " + address + " did not reply: " + (why == null ? "" : why.getMessage()), why);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
