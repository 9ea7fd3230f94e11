package org.reprobe.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/**
 * Both halves of a run in this process, on a fabric that is open.
 *
 * @param content what the deployment's runs share, built in memory that the fabric can register; null when they share nothing
 * @param runSeed of the clients' choices
 */
record HalvesHere(
        Fabric fabric,
        Settings settings,
        Deployment deployment,
        @Nullable BuiltContent content,
        long runSeed) implements DeployedRun.Halves {

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
        ServerHalf servers = deployment.serve(0, machines, content);
        return new Served(servers.machines(), servers);
    }

    @Override
    public List<Counts> runClients(Served served) throws FabricException, InterruptedException {
        Workload clients = deployment.clients(served, settings.measure(), runSeed);
        fabric.run(
                settings.clients().total(),
                clients,
                Collections.singletonList(servers(served).program()));
        return List.of(clients.counts());
    }

    @Override
    public List<String> verificationFailures(Served served, Counts all) {
        String failure = servers(served).verificationFailure(all);
        return failure == null ? List.of() : List.of(failure);
    }

    private static ServerHalf servers(Served served) {
        return Objects.requireNonNull(served.here());
    }
}
