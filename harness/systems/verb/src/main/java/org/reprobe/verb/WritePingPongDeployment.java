package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Run of a ping-pong by WRITE, for which both sides register memory: clients run on the servers' machines. */
final class WritePingPongDeployment extends RemoteDeployment {
    private final VerbSettings verb;

    WritePingPongDeployment(Settings settings, int repeat, VerbSettings verb) {
        super(settings, repeat);
        this.verb = verb;
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    /** Returns the length of a machine's region: one buffer per client thread of the run. */
    private long regionBytes() {
        return clients() * verb.bufferBytes();
    }

    @Override
    public MemoryNeed memory() {
        int machines = settings().clients().machines();
        long pairs = (long) clients() - settings().clients().threads();
        return new MemoryNeed(machines * regionBytes() + 2 * pairs * verb.bufferBytes(), clientHeapBytes());
    }

    @Override
    public String codePath() {
        return super.codePath() + " " + verb.kind() + " " + verb.effectiveExchange();
    }

    private record Machines(List<Served.Machine> machines, int first, List<MemorySegment> memories)
            implements ServerSide {}

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        List<Served.Machine> served = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        for (RegisteredMemory machine : machines) {
            MemorySegment memory = machine.allocate(regionBytes());
            served.add(new Served.Machine(machine.register(memory)));
            memories.add(memory);
        }
        return new Machines(served, first, memories);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        if (!(served.local() instanceof Machines own)) {
            throw new IllegalStateException("clients without the memory of their machine");
        }
        VerbWorkload.Parameters plan = new VerbWorkload.Parameters(
                verb,
                settings().clients().machines(),
                1,
                true,
                served.region(),
                1,
                runSeed,
                measure.warmUpNs(),
                measure.durationNs(),
                settings().conditions());
        return new WritePingPong(settings(), plan, served.regions(), own.first(), own.memories());
    }
}
