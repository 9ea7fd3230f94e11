package org.reprobe.system;

import java.io.IOException;
import java.util.List;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;

/** One run of a deployment: the same steps wherever its servers and its clients are. */
public final class DeployedRun {
    private DeployedRun() {}

    /** The halves of a run, in this process or in others. */
    public interface Halves {

        /** The kind of numbers that a run gives there. */
        Kind kind();

        /** Has every server allocate, fill and register its memory, and starts the server program if there is one. */
        Served serve() throws FabricException, IOException, InterruptedException;

        /** Runs all clients to their end; the counts of each process that has some, for the caller to add up. */
        List<Counts> runClients(Served served) throws FabricException, IOException, InterruptedException;

        /** Compares all clients' counts with the memory of every server; what contradicts them. */
        List<String> verificationFailures(Served served, Counts all)
                throws FabricException, IOException, InterruptedException;
    }

    /**
     * Runs a deployment once.
     *
     * @param settings those that the deployment was made from
     * @throws FabricException when it could not be run to its end; in words
     * @throws IOException when a process was lost; in words
     */
    public static RunOutcome of(Settings settings, Deployment deployment, Halves halves)
            throws FabricException, IOException, InterruptedException {
        return of(settings, deployment, halves, halves.serve());
    }

    /** Runs the clients of a deployment whose servers are prepared. */
    public static RunOutcome of(Settings settings, Deployment deployment, Halves halves, Served served)
            throws FabricException, IOException, InterruptedException {
        List<Counts> counted = halves.runClients(served);
        Counts all = counted.getFirst();
        counted.subList(1, counted.size()).forEach(all::add);
        List<String> failures = halves.verificationFailures(served, all);
        RunOutcome outcome =
                deployment.outcome(halves.kind(), all, served, failures.isEmpty() ? null : failures.getFirst());
        return WrongAnswers.judge(settings, all, outcome);
    }
}
