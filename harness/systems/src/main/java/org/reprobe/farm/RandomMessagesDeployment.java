package org.reprobe.farm;

import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.farm.FarmReadsSystem.ReadSettings;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** One run of random reads by messages: each machine registers its part of the memory and its threads' rings. */
final class RandomMessagesDeployment extends RandomReadsDeployment {
    private static final int LINE_BYTES = 64;

    /** The fewest that a queue pair can be made for. */
    private static final int NO_READS = 1;

    /** What one core simulates takes about so many times as long as READs in the same virtual time. */
    private static final double TIMES_READS = 3;

    private final RingPlaces places;

    RandomMessagesDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.places = new RingPlaces(
                new RingLayout(own.ringBytes()),
                machines(),
                settings.clients().threads(),
                (own.memoryBytes() + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    }

    /** Places in the send queue to another machine: what may be under way there, and what tells how much was processed. */
    static int sendQueue(ReadSettings own) {
        return RingSender.WRITES * MessagingThread.maxWaiting(own.inFlight()) + 1;
    }

    @Override
    long regionBytes() {
        return places.from() + places.bytes();
    }

    @Override
    public MemoryNeed memory() {
        return new MemoryNeed(
                Math.multiplyExact(regionBytes(), (long) machines())
                        + clients() * 2L * MessagingThread.maxMessageBytes(own.readBytes()),
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), sendQueue(own)));
    }

    @Override
    public double simulationSeconds() {
        return TIMES_READS * super.simulationSeconds();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return new RandomMessages(
                new RandomMessages.Parameters(
                        served.regions(),
                        MachinesHalf.memories(served, machines()),
                        places,
                        this::thread,
                        truth,
                        own.readBytes(),
                        own.blocks(),
                        own.inFlight(),
                        this::options,
                        runSeed,
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }

    /** Simulated machines take turns with clients' numbers, real processes have some one after the other. */
    private RandomMessages.ThreadNumber thread(int client) {
        int threads = settings().clients().threads();
        return settings().isReal()
                ? new RandomMessages.ThreadNumber(client / threads, client % threads)
                : new RandomMessages.ThreadNumber(client % machines(), client / machines());
    }

    private ConnectionOptions options(int client) {
        return own.sharing(settings()).options(client, sendQueue(own), NO_READS);
    }
}
