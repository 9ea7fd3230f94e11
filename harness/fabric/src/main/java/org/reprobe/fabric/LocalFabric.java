package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/** Servers and clients of a real-time fabric in one process. Server 0 is on the clients' machine. */
public final class LocalFabric implements Fabric {
    private final String name;
    private final List<FabricServer> servers;
    private final Connector connector;

    /** Factory of the fabric's client side. */
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
    public boolean writesLandInOrder() {
        return servers.getFirst().writesLandInOrder();
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        servers.getFirst().deregister(region);
    }

    @Override
    public void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        List<String> endpoints = servers.stream().map(FabricServer::endpoint).toList();
        FabricClients.Group group = FabricClients.Group.alone(clients);
        try (FabricClients half = connector.connect(new Servers(endpoints, servers.size() > 1 ? 0 : Servers.NONE))) {
            if (programs.stream().allMatch(Objects::isNull)) {
                half.run(group, program);
            } else {
                run(half, group, program, programs);
            }
        }
    }

    /** Runs programs and clients. The first failure of a program or client ends the run and is rethrown. */
    private void run(
            FabricClients half,
            FabricClients.Group group,
            ClientProgram program,
            List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Serving> servings = new ArrayList<>();
        try {
            for (int server = 0; server < programs.size(); server++) {
                ServerProgram serverProgram = programs.get(server);
                if (serverProgram != null) {
                    servings.add(
                            Serving.begin(memory(server), group.total(), serverProgram, Peers.of(half, server), why -> {
                                failure.compareAndSet(null, why);
                                half.fail(why);
                            }));
                }
            }
            half.run(group, client -> {
                Throwable before = failure.get();
                if (before != null) {
                    half.fail(before); // the program failed before there were clients to stop
                    return;
                }
                try {
                    program.run(client);
                } catch (Throwable e) {
                    half.fail(e); // records this cause before the server program fails by the lost connections
                    throw e;
                }
            });
            for (Serving serving : servings) {
                serving.await();
            }
        } finally {
            servings.forEach(Serving::close);
        }
    }

    @Override
    public void close() {
        servers.forEach(FabricServer::close);
    }
}
