package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.Counts;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.InProcessDeployment;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Workload;
import org.reprobe.testing.Project;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DeployedRunTest {
    private static final Path NICS = Project.folder().resolve("scenarios/nics");

    @TempDir
    Path dir;

    private RunPlan.Unit unit(String scheme, int durationMs) throws Exception {
        return unit(scheme, durationMs, "full");
    }

    private RunPlan.Unit unit(String scheme, int durationMs, String ratePerS) throws Exception {
        return unit(scheme, durationMs, ratePerS, "");
    }

    private RunPlan.Unit unit(String scheme, int durationMs, String ratePerS, String more) throws Exception {
        Path file = Files.writeString(dir.resolve("tiny.yaml"), """
                title: tiny
                scheme: %s
                table: {records: 2000, record-bytes: 16}
                clients: {machines: 1, threads: 2}
                workload: {writes: 0.5}
                load: {rate-per-s: %s}
                measure: {warm-up-ms: 0.1, duration-ms: %d, repeats: 1}
                """.formatted(scheme, ratePerS, durationMs) + more);
        return RunPlan.of(List.of(new ScenarioReader(NICS).read(file, ScenarioReader.Options.of(Scale.QUICK))), NICS)
                .units()
                .getFirst();
    }

    private static InProcessDeployment halves(Fabric fabric, RunPlan.Unit unit) {
        return new InProcessDeployment(fabric, unit.settings(), unit.deployment(), null, unit.runSeed());
    }

    @ParameterizedTest
    @CsvSource({"sim, nessie, 1, SIMULATED", "shm, nessie, 500, MEASURED", "tcp, pilaf, 500, MEASURED"})
    void bothHalvesRunInThisProcessOnAnyFabric(String name, String scheme, int durationMs, Kind kind) throws Exception {
        RunPlan.Unit unit = unit(scheme, durationMs);
        try (Fabric fabric = Fabrics.open(name, unit.nic(), unit.runSeed())) {
            RunOutcome outcome = DeployedRun.of(unit.settings(), unit.deployment(), halves(fabric, unit));
            assertThat(outcome.problem()).isNull();
            assertThat(outcome.kind()).isEqualTo(kind);
            assertThat(outcome.metrics().get(Metrics.LOOKUPS)).isPositive();
        }
    }

    /** Halves of one process, counted as if they were in two. */
    private record Twice(InProcessDeployment here, List<String> failures) implements DeployedRun.Processes {
        @Override
        public Kind kind() {
            return here.kind();
        }

        @Override
        public Served serve() throws FabricException {
            return here.serve();
        }

        @Override
        public List<Counts> runClients(Served served) throws FabricException, InterruptedException {
            Counts counts = here.runClients(served).getFirst();
            Counts others = here.deployment().counts();
            others.add(counts);
            return List.of(counts, others);
        }

        @Override
        public List<String> verificationFailures(Served served, Counts all) {
            return failures;
        }
    }

    private static RunOutcome run(RunPlan.Unit unit, boolean twice, List<String> failures) throws Exception {
        try (Fabric fabric = Fabrics.open("sim", unit.nic(), 1)) {
            InProcessDeployment here = halves(fabric, unit);
            return DeployedRun.of(unit.settings(), unit.deployment(), twice ? new Twice(here, failures) : here);
        }
    }

    @Test
    void countsOfAllProcessesAddUp() throws Exception {
        RunPlan.Unit unit = unit("nessie", 1);
        double once = run(unit, false, List.of()).metrics().getOrDefault(Metrics.LOOKUPS, 0.0);
        assertThat(once).isPositive();
        assertThat(run(unit, true, List.of()).metrics()).containsEntry(Metrics.LOOKUPS, 2 * once);
    }

    @Test
    void aServersVerificationFailureFailsTheRun() throws Exception {
        RunOutcome outcome = run(unit("nessie", 1), true, List.of("a word is missing", "another one is"));
        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem()).isEqualTo("a word is missing");
    }

    /** Halves of one process, one of whose clients got a wrong answer. */
    private record Mistaken(InProcessDeployment here) implements DeployedRun.Processes {
        @Override
        public Kind kind() {
            return here.kind();
        }

        @Override
        public Served serve() throws FabricException {
            return here.serve();
        }

        /** Passes counts through the bytes that processes exchange. */
        @Override
        public List<Counts> runClients(Served served) throws FabricException, IOException, InterruptedException {
            Counts counts = here.runClients(served).getFirst();
            counts.wrongAnswer(() -> "client 1's operation 17 read key 7 and did not find it");
            counts.wrongAnswer(() -> "another one");
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            counts.write(new DataOutputStream(bytes));
            Counts others = here.deployment().counts();
            others.add(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
            return List.of(here.deployment().counts(), others);
        }

        @Override
        public List<String> verificationFailures(Served served, Counts all) throws FabricException {
            return here.verificationFailures(served, all);
        }
    }

    private static RunOutcome mistaken(RunPlan.Unit unit) throws Exception {
        try (Fabric fabric = Fabrics.open("sim", unit.nic(), 1)) {
            return DeployedRun.of(unit.settings(), unit.deployment(), new Mistaken(halves(fabric, unit)));
        }
    }

    /** The failure has the seed, the operation and a command that explores the protocol. */
    @ParameterizedTest
    @CsvSource({"nessie, nessie", "pilaf, pilaf"})
    void aWrongAnswerOfACorrectProtocolFailsTheRun(String scheme, String explored) throws Exception {
        RunOutcome outcome = mistaken(unit(scheme, 1));
        assertThat(outcome.valid()).isFalse();
        assertThat(outcome.problem())
                .matches(
                        "2 of \\d+ operations got a wrong answer, the first with seed 1: client 1's operation 17 read key 7"
                                + " and did not find it; \\./run\\.sh check --system " + explored
                                + " explores the protocol");
        assertThat(outcome.metrics()).containsEntry(Metrics.WRONG_ANSWERS, 2.0);
        assertThat(outcome.warnings()).isEmpty();
    }

    /** {@code check} refutes Nessie as printed: its wrong answers are a finding. */
    @Test
    void wrongAnswersOfAKnownFaultyProtocolAreCountedAndExplained() throws Exception {
        RunPlan.Unit printed = unit("nessie", 1, "full", "nessie: {rules: printed}\n");
        RunOutcome outcome = mistaken(printed);
        assertThat(outcome.valid()).isTrue();
        assertThat(outcome.problem()).isNull();
        assertThat(outcome.metrics()).containsEntry(Metrics.WRONG_ANSWERS, 2.0);
        assertThat(outcome.warnings())
                .anySatisfy(warning -> assertThat(warning)
                        .contains(
                                "2 of ",
                                "seed 1: client 1's operation 17 read key 7",
                                "nessie.rules: printed has a known fault",
                                "./run.sh check --system nessie-printed"));
        assertThat(run(printed, false, List.of()).metrics()).containsEntry(Metrics.WRONG_ANSWERS, 0.0);
        assertThat(run(printed, true, List.of("a word is missing")).valid())
                .as("what else is wrong fails the run")
                .isFalse();
        assertThat(run(unit("nessie", 1), false, List.of()).metrics()).doesNotContainKey(Metrics.WRONG_ANSWERS);
    }

    /** Runs lookups that write; with {@code leavesALock} the first client finally locks a record for ever. */
    private RunOutcome lookups(String name, RunPlan.Unit unit, boolean leavesALock) throws Exception {
        Content content = Objects.requireNonNull(unit.content());
        try (Fabric fabric = Fabrics.open(name, unit.nic(), unit.runSeed());
                BuiltContent table =
                        content.build(new Content.Builder(1, (bytes, _) -> allocate(fabric, bytes), null, _ -> {}))) {
            AtomicReference<RemoteRegion> locks = new AtomicReference<>();
            InProcessDeployment halves = new InProcessDeployment(
                    fabric,
                    unit.settings(),
                    unit.deployment(),
                    table,
                    unit.runSeed(),
                    workload -> leavesALock ? new LeavingALock(workload, locks::get) : workload);
            Served served = halves.serve();
            locks.set(served.machines().getFirst().regions().getLast());
            return DeployedRun.of(unit.settings(), unit.deployment(), halves, served);
        }
    }

    private static MemorySegment allocate(Fabric fabric, long bytes) {
        try {
            return fabric.allocate(bytes);
        } catch (FabricException e) {
            throw new AssertionError(e);
        }
    }

    private record LeavingALock(Workload workload, Supplier<RemoteRegion> locks) implements Workload {
        @Override
        public void run(Client client) throws FabricException {
            workload.run(client);
            if (client.index() == 0) {
                MemorySegment local = client.allocate(Long.BYTES);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                RemoteRegion region = locks.get();
                queuePair.compareAndSwap(0, 0, region.address(), region.key(), 0, 1, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
            }
        }

        @Override
        public Counts counts() {
            return workload.counts();
        }
    }

    /** Regression: the clients of a process ended with the last of its samples, leaving locks of other lookups. */
    @ParameterizedTest
    @CsvSource({"sim, 1, full", "sim, 1, 1e6", "shm, 100, full", "shm, 100, 1e4"})
    void clientsThatWriteLeaveNothingLocked(String name, int durationMs, String ratePerS) throws Exception {
        RunPlan.Unit unit = unit("linear-variable", durationMs, ratePerS);
        String locked = "all clients have ended, and records are still locked: 1";
        String problem = lookups(name, unit, false).problem();
        if (name.equals("sim")) {
            assertThat(problem).isNull();
        } else {
            // In real time a busy machine may be too slow for the load, which is a problem of its own.
            assertThat(problem).isNotEqualTo(locked);
        }
        assertThat(lookups(name, unit, true).problem()).isEqualTo(locked);
    }
}
