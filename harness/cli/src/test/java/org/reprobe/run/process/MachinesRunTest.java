package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.TinyScenario;
import org.reprobe.run.zookeeper.OwnZooKeeper;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.Systems;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Seeds;

/** Machines in processes, of which some are killed or stopped; {@code check --fabric} runs for minutes. */
class MachinesRunTest {
    private static final long SEED = Seeds.seed();
    private static final MachinesTest TEST = ((MachinesTestable) Systems.of("farm-transactions")).machinesTest();

    private static MachinesRun run(
            MachinesTest test, String fabric, long durationMs, int machines, int kills, int stops) {
        return run(test, fabric, durationMs, machines, kills, stops, 0, 0, "");
    }

    private static MachinesRun run(
            MachinesTest test,
            String fabric,
            long durationMs,
            int machines,
            int kills,
            int stops,
            int restarts,
            int rejoins,
            String zookeeper) {
        CrashRun.Order order =
                new CrashRun.Order(fabric, test.scheme(), durationMs, machines, 1, kills, SEED, TinyScenario.HOME);
        return new MachinesRun(
                new MachinesRun.Wanted(order, stops, restarts, rejoins),
                test,
                new MachinesRun.Options(TinyScenario.NICS, zookeeper));
    }

    static List<Arguments> fabrics() {
        return NightlyCases.of(
                "MachinesRunTest.acknowledgedCommitsOutliveMachines",
                1,
                List.of(
                        Arguments.of("tcp", 3, 1, 0),
                        Arguments.of("tcp", 4, 0, 2),
                        Arguments.of("shm", 4, 2, 0),
                        Arguments.of("shm", 3, 0, 1)));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void acknowledgedCommitsOutliveMachines(String fabric, int machines, int kills, int stops) throws Exception {
        CrashRun.Result result =
                run(TEST, fabric, 4_000, machines, kills, stops).run();
        assertThat(result.wrong()).as("seed %d", SEED).isNull();
        assertThat(result.operations()).isPositive();
        assertThat(result.pending()).as("two of each thread").isLessThanOrEqualTo(2L * machines);
        // A busy machine may be considered failed, too, before its fault.
        long evicted = result.server().get("evicted although alive");
        assertThat(result.killed()).isLessThanOrEqualTo(kills);
        assertThat(result.killed() + evicted).isGreaterThanOrEqualTo(kills + stops);
        assertThat(result.server().get("maximum ms until all ran again")).isPositive();
    }

    static List<Arguments> restarts() {
        return NightlyCases.of(
                "MachinesRunTest.allMachinesRestartFromTheirLogFiles",
                1,
                List.of(
                        Arguments.of("tcp", 3, 4, 0),
                        Arguments.of("shm", 3, 0, 0),
                        Arguments.of("shm", 4, 0, 1),
                        Arguments.of("tcp", 4, 3, 0)));
    }

    /**
     * All machines are killed twice, some of them before, and all during their first restart. With four kills a run of
     * three machines follows that begins anew.
     */
    @ParameterizedTest
    @MethodSource("restarts")
    void allMachinesRestartFromTheirLogFiles(String fabric, int machines, int kills, int stops) throws Exception {
        CrashRun.Result result =
                run(TEST, fabric, 12_000, machines, kills, stops, 2, 0, "").run();
        assertThat(result.wrong()).as("seed %d", SEED).isNull();
        assertThat(result.operations()).isPositive();
        assertThat(result.server().get("restarts of all machines")).isEqualTo(2);
        assertThat(result.server().get("restarts interrupted by another kill")).isEqualTo(1);
        assertThat(result.server().get("objects restored from log files")).isPositive();
    }

    static List<Arguments> rejoins() {
        return NightlyCases.of(
                "MachinesRunTest.aKilledMachineReturns",
                1,
                List.of(
                        Arguments.of("tcp", 3, 1, 1),
                        Arguments.of("shm", 3, 1, 0),
                        Arguments.of("shm", 4, 2, 1),
                        Arguments.of("tcp", 4, 2, 0)));
    }

    /** Its new process joins the others; further machines are killed after that. */
    @ParameterizedTest
    @MethodSource("rejoins")
    void aKilledMachineReturns(String fabric, int machines, int rejoins, int kills) throws Exception {
        CrashRun.Result result = run(TEST, fabric, 14_000L * rejoins, machines, kills, 0, 0, rejoins, "")
                .run();
        assertThat(result.wrong()).as("seed %d", SEED).isNull();
        assertThat(result.operations()).isPositive();
        assertThat(result.server().get("machines that joined again")).isEqualTo(rejoins);
        assertThat(result.server().get("bytes that they copied")).isPositive();
        assertThat(result.killed()).isGreaterThanOrEqualTo(rejoins);
    }

    @Test
    @Nightly(besides = "replies to transactions outlive machines")
    void machinesConnectThroughARunningZooKeeper() throws Exception {
        try (OwnZooKeeper somebodys = OwnZooKeeper.start(InetAddress.getLoopbackAddress())) {
            CrashRun.Result result =
                    run(TEST, "tcp", 4_000, 3, 1, 0, 0, 0, somebodys.hosts()).run();
            assertThat(result.wrong()).as("seed %d", SEED).isNull();
            assertThat(result.server().get("maximum ms until all ran again")).isPositive();
        }
    }

    @Test
    @Nightly(besides = "ZooKeeperWordTest, which tries that without processes")
    void aZooKeeperThatDoesNotAnswerIsNamed() {
        assertThatThrownBy(() ->
                        run(TEST, "tcp", 4_000, 3, 0, 0, 0, 0, "127.0.0.1:1").run())
                .isInstanceOf(FabricException.class)
                .hasMessage("no reply from ZooKeeper at 127.0.0.1:1 within 10 s");
    }

    /** A history is compared with the keys' initial values; here they are given other ones. */
    @Test
    @Nightly(besides = "replies to transactions outlive machines")
    void unwrittenValuesAreDetected() throws Exception {
        MachinesTest other = new MachinesTest() {
            @Override
            public String condition() {
                return TEST.condition();
            }

            @Override
            public String scheme() {
                return TEST.scheme();
            }

            @Override
            public int mayFail(int machines) {
                return TEST.mayFail(machines);
            }

            @Override
            public int mayFailBeforeRestart(int machines) {
                return TEST.mayFailBeforeRestart(machines);
            }

            @Override
            public Map<String, Object> restartSettings() {
                return TEST.restartSettings();
            }

            @Override
            public void tear(Path logs, int machines, RandomGenerator random) throws IOException {
                TEST.tear(logs, machines, random);
            }

            @Override
            public Map<String, Object> settings(int machines) {
                return TEST.settings(machines);
            }

            @Override
            public Map<Long, Long> before(int machines) {
                Map<Long, Long> before = new HashMap<>(TEST.before(machines));
                before.put(7L, 5L);
                return before;
            }
        };
        CrashRun.Result result = run(other, "shm", 2_000, 3, 0, 0).run();
        assertThat(result.wrong())
                .contains("has written the value of key 7 that is read")
                .contains("reads 7 = 0");
    }

    @Test
    void impossibleSettingsAreReportedBeforeAnythingRuns() {
        assertThat(run(TEST, "shm", 60_000, 2, 1, 0).problem())
                .hasToString("--processes 2: with 2 machines none may fail: use 3 processes or more");
        assertThat(run(TEST, "shm", 30_000, 3, 3, 1).problem())
                .hasToString("--duration 30s: 3 kills, 1 stop take 4 runs of at least 8 s, since 1 of 3 machines may"
                        + " fail per run: at least 32 s");
        assertThat(run(TEST, "shm", 32_000, 3, 3, 1).problem()).isNull();
        assertThat(run(TEST, "shm", 16_000, 4, 4, 0).problem()).isNull();
        assertThat(run(TEST, "shm", 16_000, 4, 4, 0, 1, 0, "").problem())
                .hasToString("--duration 16s: 4 kills, 1 restart take 4 runs of at least 8 s, since 1 of 4 machines"
                        + " may fail per run: at least 32 s");
        assertThat(run(TEST, "shm", 16_000, 3, 0, 0, 2, 0, "").problem())
                .hasToString("--duration 16s: 2 restarts take 3 runs of at least 8 s, since 1 of 3 machines may fail"
                        + " per run: at least 24 s");
        assertThat(run(TEST, "shm", 25_000, 3, 1, 0, 0, 2, "").problem())
                .hasToString("--duration 25s: 1 kill, 2 rejoins take 2 runs of at least 13 s, since 1 of 3 machines"
                        + " may fail per run and one rejoin: at least 26 s");
        assertThat(run(TEST, "shm", 5_000, 3, 0, 0, 0, 1, "").problem())
                .hasToString("--duration 5s: 1 rejoin takes 1 run of at least 13 s, since 1 of 3 machines may fail per"
                        + " run and one rejoin: at least 13 s");
        assertThat(run(TEST, "shm", 60_000, 3, 0, 0, 1, 1, "").problem())
                .hasToString("--rejoins 1: machines do not join again in runs with restarts of all: use --rejoins"
                        + " without --restarts");
    }
}
