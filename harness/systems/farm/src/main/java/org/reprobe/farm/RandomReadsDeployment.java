package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.FarmReadsSystem.ReadSettings;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.reads.RandomBlocks;
import org.reprobe.farm.reads.RandomReads;
import org.reprobe.farm.reads.ReadableMemory;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Deployment of random reads: each machine registers memory, and its threads read that of other machines. */
sealed class RandomReadsDeployment extends RemoteDeployment permits RandomMessagesDeployment, RandomSendsDeployment {
    private static final double FILLED_BYTES_PER_S = 1e9;

    /** Time to simulate messages, relative to READs in the same virtual time. */
    static final double TIMES_READS = 3;

    final ReadSettings own;
    final ReadableMemory truth;
    private final NicProfile nic;

    RandomReadsDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, repeat);
        this.nic = nic;
        this.own = settings.section(ReadSettings.class);
        this.truth = new ReadableMemory(settings.tableSeed(repeat));
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    @Override
    public double memoryScale() {
        return own.memoryScale();
    }

    final int machines() {
        return settings().clients().machines();
    }

    long regionBytes() {
        return own.memoryBytes();
    }

    @Override
    public MemoryNeed memory() {
        long clients = clients();
        return new MemoryNeed(
                Math.multiplyExact(regionBytes(), (long) machines())
                        + clients * RandomReads.localBytes(own.inFlight(), own.readBytes()),
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), own.inFlight()));
    }

    @Override
    public double simulationSeconds() {
        return SimulationTime.seconds(settings(), nic, own.inFlight())
                + own.memoryBytes() * machines() / FILLED_BYTES_PER_S;
    }

    @Override
    public String codePath() {
        return settings().scheme();
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        List<Served.Machine> served = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        for (RegisteredMemory machine : machines) {
            MemorySegment memory = machine.allocate(regionBytes());
            truth.fill(first + served.size(), memory.asSlice(0, own.memoryBytes()));
            served.add(new Served.Machine(machine.register(memory)));
            memories.add(memory);
        }
        return new FarmServerSide(served, first, memories);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return new RandomReads(
                new RandomReads.Parameters(
                        served.regions(),
                        truth,
                        own.readBytes(),
                        own.blocks(),
                        own.inFlight(),
                        this::options,
                        own.twoWay(),
                        runSeed,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }

    /** Returns the requests of threads that exchange messages instead. */
    final MessagingThreads.Workload blocks(List<MemorySegment> memories, long runSeed) {
        return (client, thread) -> new RandomBlocks(
                client,
                truth,
                own.readBytes(),
                own.blocks(),
                thread.machine(),
                machines(),
                memories.get(thread.machine()),
                own.inFlight(),
                runSeed);
    }

    private ConnectionOptions options(int client) {
        if (own.twoWay()) {
            return new ConnectionOptions(own.inFlight(), settings().connection().outstandingReads());
        }
        return own.sharing(settings())
                .options(client, own.inFlight(), settings().connection().outstandingReads());
    }
}
