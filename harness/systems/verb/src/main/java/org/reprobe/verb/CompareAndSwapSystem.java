package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.SendQueue;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Scheme;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/**
 * Scheme {@code compare-and-swap}: clients that post batches of COMPARE_AND_SWAP, as long as the send queue, on
 * {@code table.records} words.
 */
public final class CompareAndSwapSystem implements SystemUnderTest {
    private static final int MAX_WORDS = 1 << 20;

    @Override
    public int position() {
        return 5;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme("compare-and-swap", "Compare-and-swap"));
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(FaultKeys.READ);
        keys.addAll(List.of("connection.send-queue", "connection.outstanding-reads", "table.records"));
        return keys;
    }

    @Override
    public void check(CellCheck cell) {
        RemoteSystems.checkAtomics(cell);
        FaultKeys.check(cell);
        long records = cell.settings().table().records();
        if (records > MAX_WORDS) {
            cell.reportProblem(
                    "%d records: compare-and-swap takes at most %d words of 8 bytes".formatted(records, MAX_WORDS),
                    "table.records",
                    "scheme");
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new CompareAndSwapDeployment(settings, repeat);
    }

    private static final class CompareAndSwapDeployment extends RemoteDeployment {
        CompareAndSwapDeployment(Settings settings, int repeat) {
            super(settings, repeat);
        }

        private int words() {
            return Math.toIntExact(settings().table().records());
        }

        private int batch() {
            return Math.max(1, settings().connection().sendQueue());
        }

        @Override
        public MemoryNeed memory() {
            long clients = clients();
            return new MemoryNeed(
                    (words() + clients * batch()) * Long.BYTES,
                    clientHeapBytes()
                            + clients
                                    * ((long) words() * Long.BYTES
                                            + SendQueue.powerOfTwo(batch()) * MemoryNeed.QUEUE_SLOT_BYTES));
        }

        private record Half(List<Served.Machine> machines, MemorySegment memory) implements ServerSide {

            @Override
            public @Nullable String verificationFailure(Counts all) {
                long successes = all.total(OperationCounts.Counter.CAS_SUCCESSES);
                long sum = 0;
                for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
                    sum += memory.get(ValueLayout.JAVA_LONG, at);
                }
                long unanswered = all.total(OperationCounts.Counter.CAS_UNANSWERED);
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
            MemorySegment memory = machine.allocate((long) words() * Long.BYTES);
            return new Half(List.of(new Served.Machine(machine.register(memory))), memory);
        }

        @Override
        public Workload clients(Served served, Settings.Measure measure, long runSeed) {
            return new CompareAndSwaps(
                    new CompareAndSwaps.Parameters(
                            served.region(),
                            words(),
                            batch(),
                            settings().connection().outstandingReads(),
                            operation -> Rng.at(runSeed, operation),
                            measure.warmUpNs(),
                            measure.durationNs(),
                            settings().conditions()),
                    clients());
        }
    }
}
