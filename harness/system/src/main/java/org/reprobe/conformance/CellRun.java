package org.reprobe.conformance;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.Miniature;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.Deployment;
import org.reprobe.system.InProcessDeployment;
import org.reprobe.system.PredictedRun;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.Workload;

/** Run of a deployment on the simulated card. */
final class CellRun {
    private CellRun() {}

    /** Builds the content and runs the deployment; throws a {@link RefusedException} if the table is impossible. */
    static RunOutcome run(Run run, Settings settings, NicProfile nic, long seed, UnaryOperator<Workload> clients)
            throws RefusedException, InterruptedException {
        return switch (run) {
            case PredictedRun predicted -> predicted.predicted();
            case Deployment deployment -> run(deployment, settings, nic, seed, clients);
            case ProgramRun _ -> throw new IllegalArgumentException("programs are not simulated");
        };
    }

    private static RunOutcome run(
            Deployment deployment, Settings settings, NicProfile nic, long seed, UnaryOperator<Workload> clients)
            throws RefusedException, InterruptedException {
        Content content = SharedContent.of(deployment);
        if (content == null) {
            return run(deployment, settings, nic, seed, clients, null);
        }
        content.check();
        try (BuiltContent built = content.build(Content.Builder.anew(1))) {
            return run(deployment, settings, nic, seed, clients, built);
        }
    }

    private static RunOutcome run(
            Deployment deployment,
            Settings settings,
            NicProfile nic,
            long seed,
            UnaryOperator<Workload> clients,
            @Nullable BuiltContent content)
            throws RefusedException, InterruptedException {
        int machines = settings.clients().machines();
        Placement placement = deployment.clientsServe()
                ? Placement.together(machines)
                : new Placement(deployment.servers(), deployment.serverThreads(), machines, deployment.coroutines());
        Miniature miniature = new Miniature(deployment.memoryScale(), 1);
        try (Fabric fabric = new SimFabric(nic, placement, miniature, seed)) {
            InProcessDeployment sides = new InProcessDeployment(fabric, settings, deployment, content, seed, clients);
            return DeployedRun.of(settings, deployment, sides, serve(sides));
        } catch (FabricException | IOException e) {
            return RunOutcome.failed(Kind.SIMULATED, e.getMessage());
        }
    }

    private static Served serve(InProcessDeployment sides) throws RefusedException {
        try {
            return sides.serve();
        } catch (FabricException e) {
            throw new RefusedException(e.getMessage(), e);
        }
    }
}
