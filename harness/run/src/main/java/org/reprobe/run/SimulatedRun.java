package org.reprobe.run;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.Deployment;
import org.reprobe.system.InProcessDeployment;
import org.reprobe.system.PredictedRun;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;

/** Execution of one run of one cell in this process, on the simulated card. */
public final class SimulatedRun {
    /** Share by which operations that begin in an interval may exceed those completed in it. */
    private static final double BY_CHANCE = 0.02;

    private SimulatedRun() {}

    /** Runs a cell once; {@code runSeed} is for the clients' choices and the simulated card's jitter. */
    public static RunOutcome run(
            Settings settings, NicProfile nic, @Nullable BuiltContent content, int repeat, long runSeed)
            throws InterruptedException {
        return run(settings, nic, Systems.of(settings.scheme()).deployment(settings, nic, repeat), content, runSeed);
    }

    static RunOutcome run(Settings settings, NicProfile nic, Run run, @Nullable BuiltContent content, long runSeed)
            throws InterruptedException {
        return switch (run) {
            case PredictedRun predicted -> predicted.predicted();
            case Deployment deployment -> deployed(settings, nic, deployment, content, runSeed);
            case ProgramRun _ -> throw new IllegalArgumentException("programs are not simulated");
        };
    }

    private static RunOutcome deployed(
            Settings settings, NicProfile nic, Deployment deployment, @Nullable BuiltContent content, long runSeed)
            throws InterruptedException {
        FaultPlan faults = FaultPlan.of(settings, deployment.clientsServe(), runSeed);
        try (Fabric fabric = Fabrics.simulated(settings, nic, deployment, faults, runSeed)) {
            RunOutcome outcome = DeployedRun.of(
                    settings, deployment, new InProcessDeployment(fabric, settings, deployment, content, runSeed));
            return checked(settings, nic, deployment, outcome.with(faults.metrics(outcome.series())));
        } catch (FabricException | IOException | IllegalArgumentException e) {
            return RunOutcome.failed(Kind.SIMULATED, e.getMessage());
        }
    }

    /** Returns the outcome; invalid if clients received more from a single server than its link carries. */
    private static RunOutcome checked(Settings settings, NicProfile nic, Deployment deployment, RunOutcome outcome) {
        if (!outcome.valid() || deployment.clientsServe()) {
            return outcome; // a machine's own memory is read without a link
        }
        Map<String, Double> metrics = outcome.metrics();
        double bytesPerS = Math.max(
                metrics.getOrDefault(Metrics.PAYLOAD, 0.0),
                metrics.getOrDefault(Metrics.MATCHES, 0.0) * settings.table().meanRecordBytes());
        int directions = settings.workload().writes() > 0 ? 2 : 1;
        double mostPerS = directions * nic.link().bytesPerSecond();
        return bytesPerS <= mostPerS * (1 + BY_CHANCE)
                ? outcome
                : outcome.invalid(String.format(
                        Locale.ROOT,
                        "%.4g bytes/s of payload are more than the link of %s carries (%.4g bytes/s): an interval of %.4g ms is too"
                                + " short for operations that take %.4g ms; use a longer measure.duration-ms",
                        bytesPerS,
                        settings.nic(),
                        mostPerS,
                        metrics.getOrDefault(Metrics.DURATION, 0.0) / 1e6,
                        metrics.getOrDefault(Metrics.LATENCY + ".mean", 0.0) / 1e6));
    }
}
