package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.SendQueue;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Run of clients whose requests use the memory of one server, or its program's RECEIVEs. */
final class VerbDeployment extends RemoteDeployment {
    /** Requests in flight of a thread beyond which the card, not the latency, limits the rate. */
    private static final int MAX_SPEED_UP = 32;

    private final VerbSettings verb;
    private final boolean countsAsWrite;

    VerbDeployment(Settings settings, int repeat, VerbSettings verb, boolean countsAsWrite) {
        super(settings, repeat);
        this.verb = verb;
        this.countsAsWrite = countsAsWrite;
    }

    @Override
    public MemoryNeed memory() {
        long clients = clients();
        long ofServer = verb.kind() == VerbSettings.Kind.SEND ? verb.queuePairs() * SendReceiver.bufferBytes(verb) : 0;
        long seen = verb.kind() == VerbSettings.Kind.COMPARE_AND_SWAP ? LastValues.heapBytes(verb.places()) : 0;
        long slots = verb.queuePairs() * (long) SendQueue.powerOfTwo(VerbWorkload.sendQueue(verb));
        return new MemoryNeed(
                verb.memoryBytes() + clients * (verb.localBytes() + ofServer),
                clientHeapBytes() + clients * (seen + slots * MemoryNeed.QUEUE_SLOT_BYTES));
    }

    @Override
    public double simulationSeconds() {
        return super.simulationSeconds() * Math.min(verb.requests(), MAX_SPEED_UP);
    }

    @Override
    public String codePath() {
        return super.codePath() + " " + verb.kind() + " " + verb.effectiveExchange();
    }

    private record Half(
            List<Served.Machine> machines, @Nullable ServerProgram program, MemorySegment memory, boolean adds)
            implements ServerSide {

        @Override
        public @Nullable String verificationFailure(Counts all) {
            if (!adds) {
                return null;
            }
            long successes = all.total(Counter.CAS_SUCCESSES);
            long sum = 0;
            for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
                sum += memory.get(ValueLayout.JAVA_LONG, at);
            }
            long unanswered = all.total(Counter.CAS_UNANSWERED);
            return sum >= successes && sum <= successes + unanswered
                    ? null
                    : "the words add up to " + sum + ", but clients have incremented them " + successes + " times"
                            + (unanswered == 0 ? "" : ", and " + unanswered + " more at most");
        }
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        RegisteredMemory machine = machines.getFirst();
        MemorySegment memory = machine.allocate(verb.memoryBytes());
        if (verb.places() > 1) {
            memory.fill((byte) 0); // pages that were never written share one page of zeros
        }
        ServerProgram program =
                verb.kind() == VerbSettings.Kind.SEND ? server -> new SendReceiver(verb, server).run() : null;
        return new Half(
                List.of(new Served.Machine(machine.register(memory))),
                program,
                memory,
                verb.kind().isAtomic());
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return new VerbWorkload(
                new VerbWorkload.Parameters(
                        verb,
                        settings().clients().machines(),
                        settings().isReal() ? 1 : verb.sharing(),
                        countsAsWrite,
                        served.region(),
                        settings().connection().outstandingReads(),
                        runSeed,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }
}
