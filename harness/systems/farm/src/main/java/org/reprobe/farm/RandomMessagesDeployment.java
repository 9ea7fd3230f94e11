package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.FarmReadsSystem.ReadSettings;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.messages.Messages;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Deployment of random reads by messages: each machine registers its part of the memory and its threads' rings. */
final class RandomMessagesDeployment extends RandomReadsDeployment {
    /** Minimum number of outstanding READs of a queue pair. */
    private static final int NO_READS = 1;

    private static final double PS_PER_NS = 1e3;

    private final MemoryMap map;
    private final RingAddresses places;

    RandomMessagesDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, nic, repeat);
        this.map = new MemoryMap(settings.clients().threads());
        map.lines(own.memoryBytes());
        this.places = RingAddresses.in(map, new RingLayout(own.ringBytes()), machines());
    }

    static int sendQueue(ReadSettings own) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()));
    }

    static int maxMessageBytes(ReadSettings own) {
        return MessagingThread.maxMessageBytes(Long.BYTES, own.readBytes());
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        MessagingChecks.requireOrder(machines, FarmReadsSystem.ASSUME_IN_ORDER, own.assumeInOrder());
        return super.serve(first, machines, content);
    }

    @Override
    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {
        if (own.pollNs() > 0 && all.durationNs() > 0) {
            metrics.put(
                    Metrics.POLLING, all.total(Counter.POLL_PS) / (PS_PER_NS * all.durationNs() * (double) clients()));
        }
    }

    @Override
    protected List<String> warnings() {
        return MessagingChecks.warnings(settings(), FarmReadsSystem.ASSUME_IN_ORDER, own.assumeInOrder());
    }

    @Override
    long regionBytes() {
        return map.bytes();
    }

    @Override
    public MemoryNeed memory() {
        return new MemoryNeed(
                Math.multiplyExact(regionBytes(), (long) machines())
                        + clients() * MessagingThread.localBytes(maxMessageBytes(own), places.layout()),
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), sendQueue(own)));
    }

    @Override
    public double simulationSeconds() {
        return TIMES_READS * super.simulationSeconds();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        List<MemorySegment> memories = FarmServerSide.memories(served, machines());
        return MessagingThreads.of(
                settings(),
                measure,
                new Messages.Rings(
                        places,
                        memories,
                        served.regions(),
                        this::options,
                        own.assumeInOrder(),
                        Math.round(own.pollNs() * PS_PER_NS)),
                own.inFlight(),
                blocks(memories, runSeed));
    }

    private ConnectionOptions options(int client) {
        return own.sharing(settings()).options(client, sendQueue(own), NO_READS);
    }
}
