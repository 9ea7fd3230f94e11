package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.FarmSystem.FarmSettings;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;

/** One run of lookups by messages: each machine has a shard and its threads' rings. */
final class FarmMessagesDeployment extends FarmDeployment {
    /** The fewest that a queue pair can be made for. */
    private static final int NO_READS = 1;

    /** What one core simulates takes about so many times as long as lookups by READs in the same virtual time. */
    private static final double TIMES_READS = 3;

    private final RingPlaces places;

    FarmMessagesDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, nic, repeat);
        this.places = new RingPlaces(
                new RingLayout(own.ringBytes()),
                table.machines(),
                settings.clients().threads(),
                table.regionBytes());
    }

    static int sendQueue(FarmSettings own) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()));
    }

    /** The longest message, with all keys of an operation. */
    static int maxMessageBytes(FarmSettings own, int valueBytes) {
        int together = own.keysPerGet();
        return MessagingThread.maxMessageBytes(
                together * own.keyBytes(), LookupQuestions.answerBytes(together, valueBytes));
    }

    @Override
    long moreBytes() {
        return places.from() + places.bytes() - table.regionBytes();
    }

    @Override
    public MemoryNeed memory() {
        long buffers = clients()
                * MessagingThread.localBytes(maxMessageBytes(own, table.layout().valueBytes()), places.layout());
        return new MemoryNeed(
                shardsBytes() + buffers,
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), sendQueue(own)));
    }

    @Override
    public double simulationSeconds() {
        return TIMES_READS * super.simulationSeconds();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return new Lookups(served, MachinesHalf.memories(served, table.regions()), measure, choice(runSeed), null);
    }

    /** The workload. */
    private final class Lookups implements WatchedLookups {
        private final Served served;
        private final List<MemorySegment> memories;
        private final Settings.Measure measure;
        private final LongUnaryOperator choice;
        private final MessagingThreads threads;

        Lookups(
                Served served,
                List<MemorySegment> memories,
                Settings.Measure measure,
                LongUnaryOperator choice,
                @Nullable Listener listener) {
            this.served = served;
            this.memories = memories;
            this.measure = measure;
            this.choice = choice;
            this.threads = new MessagingThreads(
                    new MessagingThreads.Parameters(
                            served.regions(),
                            IntStream.range(0, table.machines())
                                    .mapToObj(machine -> memories.get(machine * table.shards()))
                                    .toList(),
                            places,
                            client -> MessagingThreads.ThreadNumber.of(settings(), client),
                            (client, machine) -> new LookupQuestions(
                                    client,
                                    table,
                                    machine,
                                    memories,
                                    choice,
                                    localPs(),
                                    own.keysPerGet(),
                                    own.inFlight(),
                                    listener),
                            own.inFlight(),
                            client -> own.sharing(settings()).options(client, sendQueue(own), NO_READS),
                            measure.warmUpNs(),
                            measure.durationNs(),
                            settings().conditions()),
                    FarmMessagesDeployment.this.clients());
        }

        @Override
        public Counts counts() {
            return threads.counts();
        }

        @Override
        public void run(Client client) throws FabricException {
            threads.run(client);
        }

        @Override
        public long records() {
            return table.records();
        }

        @Override
        public long key(long ordinal) {
            return table.key(ordinal);
        }

        @Override
        public long value(long ordinal) {
            return ordinal;
        }

        @Override
        public Workload watchedBy(Listener listener) {
            return new Lookups(served, memories, measure, choice, listener);
        }
    }
}
