package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * Both halves of a real fabric in one process. Of several servers the first is the clients' own machine, and has the server
 * program.
 */
public final class LocalFabric implements Fabric {
    private final String name;
    private final List<FabricServer> servers;
    private final Connector connector;

    /** Makes the clients' half. */
    @FunctionalInterface
    public interface Connector {
        FabricClients connect(Servers servers) throws FabricException;
    }

    public LocalFabric(String name, List<? extends FabricServer> servers, Connector connector) {
        this.name = name;
        this.servers = List.copyOf(servers);
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
    public int servers() {
        return servers.size();
    }

    @Override
    public FabricServer memory(int server) throws FabricException {
        Servers.check(server, servers.size());
        return servers.get(server);
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return servers.getFirst().allocate(bytes);
    }

    @Override
    public RemoteRegion register(MemorySegment memory) throws FabricException {
        return servers.getFirst().register(memory);
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        servers.getFirst().deregister(region);
    }

    @Override
    public void run(int clients, ClientProgram program, @Nullable ServerProgram serverProgram)
            throws FabricException, InterruptedException {
        List<String> endpoints = servers.stream().map(FabricServer::endpoint).toList();
        try (Serving serving =
                        serverProgram == null ? null : Serving.begin(servers.getFirst(), clients, serverProgram);
                FabricClients half = connector.connect(new Servers(endpoints, servers.size() > 1 ? 0 : Servers.NONE))) {
            half.run(FabricClients.Group.alone(clients), program);
            if (serving != null) {
                serving.await();
            }
        }
    }

    @Override
    public void close() {
        servers.forEach(FabricServer::close);
    }
}
