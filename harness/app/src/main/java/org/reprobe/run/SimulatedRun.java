package org.reprobe.run;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.Deployment;
import org.reprobe.system.HalvesHere;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;

/** One run of one cell in this process, on the simulated card. */
public final class SimulatedRun {
    private SimulatedRun() {}

    /**
     * Runs a cell once.
     *
     * @param content what the deployment's runs share, built; null when they share nothing
     * @param repeat of the cell: each draws its own keys
     * @param runSeed of the clients' choices and the simulated card's jitter
     */
    public static RunOutcome run(
            Settings settings, NicProfile nic, @Nullable BuiltContent content, int repeat, long runSeed)
            throws InterruptedException {
        return run(settings, nic, Systems.of(settings.scheme()).deployment(settings, nic, repeat), content, runSeed);
    }

    /** Runs a deployment made from some settings. */
    static RunOutcome run(
            Settings settings, NicProfile nic, Deployment deployment, @Nullable BuiltContent content, long runSeed)
            throws InterruptedException {
        RunOutcome predicted = deployment.predicted();
        if (predicted != null) {
            return predicted;
        }
        FaultPlan faults = FaultPlan.of(settings, deployment.clientsServe(), runSeed);
        try (Fabric fabric = Fabrics.simulated(settings, nic, deployment, faults, runSeed)) {
            RunOutcome outcome = DeployedRun.of(
                    settings, deployment, new HalvesHere(fabric, settings, deployment, content, runSeed));
            return outcome.with(faults.metrics(outcome.series()));
        } catch (FabricException | IOException | IllegalArgumentException e) {
            return RunOutcome.failed(Kind.SIMULATED, e.getMessage());
        }
    }
}
