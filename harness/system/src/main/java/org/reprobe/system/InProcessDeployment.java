package org.reprobe.system;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;

/**
 * Run with server side and client side in this process, on an open fabric. The content that runs share is in memory
 * that the fabric can register, or null.
 *
 * @param clients transformation of the deployment's clients
 */
public record InProcessDeployment(
        Fabric fabric,
        Settings settings,
        Deployment deployment,
        @Nullable BuiltContent content,
        long runSeed,
        UnaryOperator<Workload> clients)
        implements DeployedRun.Processes {

    public InProcessDeployment(
            Fabric fabric, Settings settings, Deployment deployment, @Nullable BuiltContent content, long runSeed) {
        this(fabric, settings, deployment, content, runSeed, UnaryOperator.identity());
    }

    @Override
    public Kind kind() {
        return fabric.kind();
    }

    @Override
    public Served serve() throws FabricException {
        List<RegisteredMemory> machines = new ArrayList<>();
        for (int machine = 0; machine < fabric.servers(); machine++) {
            machines.add(fabric.memory(machine));
        }
        ServerSide servers = deployment.serve(0, machines, content);
        Served served = new Served(servers.machines(), servers);
        servers.exchangeRegions(served);
        return served;
    }

    @Override
    public List<Counts> runClients(Served served) throws FabricException, InterruptedException {
        Workload workload = clients.apply(deployment.clients(served, settings.measure(), runSeed));
        fabric.run(
                settings.clients().total() * deployment.coroutines(),
                workload,
                servers(served).programs());
        return List.of(workload.counts());
    }

    @Override
    public List<String> verificationFailures(Served served, Counts all) throws FabricException {
        String failure = servers(served).verificationFailure(all);
        return failure == null ? List.of() : List.of(failure);
    }

    private static ServerSide servers(Served served) {
        return Objects.requireNonNull(served.local());
    }
}
