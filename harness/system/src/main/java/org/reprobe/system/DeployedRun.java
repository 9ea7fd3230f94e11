package org.reprobe.system;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;

/** Run of a deployment. The steps are the same wherever servers and clients are. */
public final class DeployedRun {
    private DeployedRun() {}

    public interface Processes {

        Kind kind();

        Served serve() throws FabricException, IOException, InterruptedException;

        List<Counts> runClients(Served served) throws FabricException, IOException, InterruptedException;

        /** Returns the contradictions between the counts of all clients and the servers' memory. */
        List<String> verificationFailures(Served served, Counts all)
                throws FabricException, IOException, InterruptedException;
    }

    /** Runs a deployment once. Throws an {@link IOException} if a process was lost. */
    public static RunOutcome of(Settings settings, Deployment deployment, Processes processes)
            throws FabricException, IOException, InterruptedException {
        return of(settings, deployment, processes, processes.serve());
    }

    /** Runs the clients of a deployment whose servers are prepared. */
    public static RunOutcome of(Settings settings, Deployment deployment, Processes processes, Served served)
            throws FabricException, IOException, InterruptedException {
        List<Counts> counted = processes.runClients(served);
        Counts all = counted.getFirst();
        counted.subList(1, counted.size()).forEach(all::add);
        List<String> failures = processes.verificationFailures(served, all);
        RunOutcome outcome =
                deployment.outcome(processes.kind(), all, served, failures.isEmpty() ? null : failures.getFirst());
        return WrongAnswers.judge(settings, all, withWorstWindows(settings, all, outcome));
    }

    private static RunOutcome withWorstWindows(Settings settings, Counts all, RunOutcome outcome) {
        long windowNs = settings.conditions().windowNs();
        if (windowNs == 0 || outcome.metrics().isEmpty()) {
            return outcome;
        }
        Map<String, Double> worst = new LinkedHashMap<>();
        all.series().putWorstWindows(worst, windowNs, all.durationNs());
        return outcome.with(worst);
    }
}
