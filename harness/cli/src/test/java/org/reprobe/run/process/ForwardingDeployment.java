package org.reprobe.run.process;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Wrapper of a deployment, of which a subclass changes a part. */
class ForwardingDeployment implements Deployment {
    private final Deployment to;

    ForwardingDeployment(Deployment to) {
        this.to = to;
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        return to.serve(first, machines, content);
    }

    @Override
    public MemoryNeed memory() {
        return to.memory();
    }

    @Override
    public double simulationSeconds() {
        return to.simulationSeconds();
    }

    @Override
    public String codePath() {
        return to.codePath();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) throws FabricException {
        return to.clients(served, measure, runSeed);
    }

    @Override
    public Counts counts() {
        return to.counts();
    }

    @Override
    public RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure) {
        return to.outcome(kind, all, served, verificationFailure);
    }
}
