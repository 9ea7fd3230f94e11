package org.reprobe.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.OwnRun;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** One run of programs, which have neither a half nor memory here. */
final class CommandDeployment implements Deployment {
    private final OwnRun run;

    CommandDeployment(Settings settings, int repeat) {
        this.run = new CommandRun(settings, repeat);
    }

    @Override
    public OwnRun ownRun() {
        return run;
    }

    @Override
    public MemoryNeed memory() {
        return MemoryNeed.NONE;
    }

    @Override
    public double simulationSeconds() {
        return 0;
    }

    @Override
    public String codePath() {
        return CommandSystem.SCHEME;
    }

    @Override
    public ServerHalf serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content) {
        throw hasNoHalves();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        throw hasNoHalves();
    }

    @Override
    public Counts counts() {
        throw hasNoHalves();
    }

    @Override
    public RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure) {
        throw hasNoHalves();
    }

    private static IllegalStateException hasNoHalves() {
        return new IllegalStateException("programs run by themselves: see ownRun");
    }
}
