package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/** Both halves of a real fabric in one process. */
public final class LocalFabric implements Fabric {
    private final String name;
    private final FabricServer server;
    private final Connector connector;

    /** Makes the clients' half for an endpoint. */
    @FunctionalInterface
    public interface Connector {
        FabricClients connect(String endpoint) throws FabricException;
    }

    public LocalFabric(String name, FabricServer server, Connector connector) {
        this.name = name;
        this.server = server;
        this.connector = connector;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Kind kind() {
        return Kind.MEASURED;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return server.allocate(bytes);
    }

    @Override
    public RemoteRegion register(MemorySegment memory) throws FabricException {
        return server.register(memory);
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        server.deregister(region);
    }

    @Override
    public void run(int clients, ClientProgram program, @Nullable ServerProgram serverProgram)
            throws FabricException, InterruptedException {
        @Nullable FutureTask<@Nullable Void> serving = null;
        CountDownLatch started = new CountDownLatch(serverProgram == null ? 0 : 1);
        if (serverProgram != null) {
            serving = new FutureTask<>(() -> {
                try {
                    server.serve(clients, here -> {
                        started.countDown();
                        serverProgram.run(here);
                    });
                } finally {
                    started.countDown();
                }
                return null;
            });
            Thread.ofPlatform().name("server").daemon().start(serving);
        }
        try (FabricClients half = connector.connect(server.endpoint())) {
            started.await(); // a server program is for connections made from its start on
            half.run(FabricClients.Crew.alone(clients), program);
            if (serving != null) {
                serving.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FabricException cause) {
                throw cause;
            }
            throw new FabricException("the server program failed: " + e.getCause(), e);
        } finally {
            if (serving != null) {
                serving.cancel(true);
            }
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
