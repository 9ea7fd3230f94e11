package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.memory.OffHeap;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RunOutcome;

/** Predicted memory of runs against their actual memory. */
class UnitMemoryTest {
    private static final long MIB = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private RunPlan plan(String settings) throws Exception {
        Path file = Files.writeString(
                dir.resolve("s.yaml"),
                "title: S\nmeasure: {repeats: 1, warm-up-ms: 0.01, duration-ms: 0.05}\n"
                        + settings.replace("; ", "\n"));
        return RunPlan.of(
                List.of(new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))),
                TinyScenario.NICS);
    }

    private static RunOutcome run(RunPlan.Unit unit, @Nullable BuiltContent content) throws InterruptedException {
        return SimulatedRun.run(unit.settings(), unit.nic(), unit.deployment(), content, unit.runSeed());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scheme: linear-fixed; clients: {threads: 3}; table: {records: 4096}",
                "scheme: linear-variable; load-factor: 0.9; clients: {threads: 7}; table: {records: 4096, storage: heap, record-bytes: 64}",
                "scheme: linear-variable-unconstrained; connection: {send-queue: latency}; clients: {threads: 2}; table: {records: 4096}",
                "scheme: cuckoo-sequential; clients: {machines: 2, threads: 3}; table: {records: 4096}",
                "scheme: cuckoo-parallel; connection: {send-queue: 8}; clients: {threads: 3}; table: {records: 4096}",
                "scheme: hopscotch; clients: {threads: 3}; table: {records: 4096}",
                "scheme: hopscotch-chained; clients: {threads: 3}; table: {records: 4096}",
                "scheme: nessie; workload: {writes: 0.5}; clients: {threads: 3}; table: {records: 100000, record-bytes: 64}",
                "scheme: nessie; nessie: {growth: 4, spare-items: 64}; clients: {threads: 5}; table: {records: 50000, record-bytes: 16}; workload: {writes: 0.5}",
                "scheme: pilaf; workload: {writes: 0.5}; clients: {threads: 3}; table: {records: 60000, record-bytes: 40}",
                "scheme: find-or-put; clients: {machines: 3, threads: 2}; table: {records: 100000}; workload: {writes: 0.5}",
                "scheme: find-or-put; find-or-put: {chunk-buckets: adaptive}; clients: {machines: 2, threads: 2}; table: {records: 100000}",
                "scheme: farm-reads; farm-reads: {read-bytes: 1000, in-flight: 3, memory-bytes: 100000}; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm-messages; farm-reads: {read-bytes: 1000, in-flight: 3, memory-bytes: 100000}; clients: {machines: 3, threads: 2}",
                "scheme: farm; table: {records: 30000, record-bytes: 48}; load-factor: 0.9; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm-two-sided; farm: {keys-per-get: 3}; table: {records: 30000, record-bytes: 48, storage: heap}; load-factor: 0.9; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm; workload: {writes: 0.5}; farm: {in-flight: 3}; table: {records: 30000, record-bytes: 48}; load-factor: 0.9; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm-transactions; workload: {writes: 0.5}; farm: {in-flight: 3, replicas: 1}; table: {records: 30000, record-bytes: 48}; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm-tao; workload: {writes: 0.2}; farm: {in-flight: 3, replicas: 1, ring-bytes: 9024}; table: {records: 3000}; clients: {machines: 3, threads: 2}",
                "nic: connectx3-farm; scheme: farm-transactions; transactions: {part-bytes: 200}; workload: {writes: 0.5}; farm: {in-flight: 3}; table: {records: 30000, record-bytes: 48}; clients: {machines: 3, threads: 2}",
                "scheme: compare-and-swap; connection: {send-queue: 100}; clients: {threads: 3}; table: {records: 70000}",
                "scheme: verb; verb: {kind: write, bytes: 100000}; clients: {threads: 3}",
                "scheme: verb; verb: {kind: send, bytes: 5000, exchange: reply}; clients: {threads: 3}",
                "scheme: verb; verb: {kind: send, bytes: 5000, queue-pairs: 2, in-flight: 4}; clients: {threads: 3}",
                "scheme: verb; verb: {kind: write, bytes: 5000, exchange: ping-pong}; clients: {machines: 3, threads: 2}",
                "scheme: verb; verb: {kind: fetch-and-add, in-flight: 100, addresses: random, region-bytes: 100000}; clients: {threads: 3}"
            })
    void offHeapMemoryIsPredictedExactly(String settings) throws Exception {
        RunPlan.Unit unit = plan(settings).units().getFirst();
        UnitMemory foretold = UnitMemory.of(unit);
        Content shared = unit.content();
        long allocated;
        RunOutcome outcome;
        if (shared == null) {
            long before = OffHeap.allocatedBytes();
            outcome = run(unit, null);
            allocated = OffHeap.allocatedBytes() - before;
        } else {
            try (BuiltContent content = shared.build(Content.Builder.anew(1))) {
                assertThat(foretold.contentBytes()).isGreaterThanOrEqualTo(content.bytes());
                long before = OffHeap.allocatedBytes();
                outcome = run(unit, content);
                allocated = OffHeap.allocatedBytes() - before;
            }
        }
        assertThat(outcome.metrics()).as(String.valueOf(outcome.problem())).isNotEmpty();
        assertThat(foretold.ownBytes()).isEqualTo(allocated);
    }

    /** Regression: 8 Mi records took 2.8 GiB under --max-memory 256Mi, and a dry run printed 0. */
    @Test
    void noSystemIsRunBeyondTheBudget() throws Exception {
        for (String settings : List.of(
                "scheme: nessie; table: {records: 8388608, record-bytes: 64}; load-factor: 0.4",
                "scheme: pilaf; table: {records: 8388608, record-bytes: 64}; load-factor: 0.4",
                "scheme: find-or-put; table: {records: 134217728}; load-factor: 0.4",
                "scheme: nessie; table: {records: 8388608, record-bytes: 64}; load-factor: 0.4; fabric: shm",
                "scheme: linear-fixed; table: {records: 4096}; clients: {machines: 1024, threads: 64}")) {
            RunPlan plan = plan(settings);
            assertThat(plan.refusals(256 * MIB).values())
                    .as(settings)
                    .singleElement()
                    .asString()
                    .contains("of memory (", "the limit is 256 MiB");
        }
        RunPlan fits = plan("scheme: verb; clients: {threads: 2}");
        assertThat(fits.refusals(256 * MIB)).isEmpty();
        long bytes = RunPlan.memoryBytes().applyAsLong(fits.units().getFirst());
        assertThat(bytes).isPositive();
    }
}
