package org.example.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.example.race.RaceSettings.Avoidance;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.testing.Project;

class ConflictsTest {
    private static final long UNIT_NS = 1707;
    private static final long EPOCH_NS = 1_000_000;
    private static final int COROUTINES = 8;

    /** Time of the last failed attempt. */
    private long nowNs = 1;

    @Test
    void aFixedBackOffDoublesWithEachAttempt() {
        Conflicts conflicts = new Conflicts(Avoidance.BACK_OFF, EPOCH_NS, 1);
        for (int attempt = 0; attempt < 30; attempt++) {
            long shortestNs = UNIT_NS << Math.min(attempt, 20);
            assertThat(conflicts.backOffNs(attempt, 2 * EPOCH_NS * attempt))
                    .isBetween(shortestNs, shortestNs + UNIT_NS);
        }
    }

    @Test
    void theLimitFollowsTheShareOfFailuresInAnEpoch() throws Exception {
        Conflicts conflicts = new Conflicts(Avoidance.DYNAMIC, EPOCH_NS, 1);
        assertThat(limitNs(conflicts)).isEqualTo(UNIT_NS);
        // All attempts fail.
        assertThat(limitNs(conflicts)).isEqualTo(2 * UNIT_NS);
        assertThat(limitNs(conflicts)).isEqualTo(4 * UNIT_NS);
        // A third fails.
        succeed(conflicts, 2);
        assertThat(limitNs(conflicts)).isEqualTo(4 * UNIT_NS);
        succeed(conflicts, 20);
        assertThat(limitNs(conflicts)).isEqualTo(2 * UNIT_NS);
    }

    @Test
    void theNumberOfWritingCoroutinesIsHalvedBeforeTheBackOffDoubles() throws Exception {
        Conflicts conflicts = new Conflicts(Avoidance.COROUTINES, EPOCH_NS, 1);
        limitNs(conflicts);
        assertThat(writing(conflicts)).isEqualTo(COROUTINES);
        limitNs(conflicts); // most of these writes have succeeded, so nothing changes
        for (int coroutines = 32; coroutines > 2; coroutines /= 2) {
            assertThat(limitNs(conflicts)).isEqualTo(UNIT_NS);
        }
        assertThat(writing(conflicts)).isEqualTo(4);
        limitNs(conflicts);
        limitNs(conflicts);
        limitNs(conflicts);
        assertThat(limitNs(conflicts)).isEqualTo(2 * UNIT_NS);
        assertThat(writing(conflicts)).isEqualTo(1);
        limitNs(conflicts);
        succeed(conflicts, 20);
        assertThat(limitNs(conflicts)).isEqualTo(2 * UNIT_NS);
        assertThat(writing(conflicts)).isEqualTo(2);
    }

    /** Returns the limit of the back-off after the first failed attempt of the next epoch. */
    private long limitNs(Conflicts conflicts) {
        nowNs += 1 + EPOCH_NS;
        long backOffNs = conflicts.backOffNs(20, nowNs);
        return Long.highestOneBit(backOffNs / UNIT_NS) * UNIT_NS;
    }

    private static void succeed(Conflicts conflicts, int writes) throws Exception {
        run(1, client -> {
            for (int i = 0; i < writes; i++) {
                conflicts.begin(client);
                conflicts.end(client);
            }
        });
    }

    /** Returns how many coroutines write at the same time; they begin in the order of their numbers. */
    private static int writing(Conflicts conflicts) throws Exception {
        List<Integer> began = new ArrayList<>();
        int[] now = new int[1];
        int[] most = new int[1];
        run(COROUTINES, client -> {
            client.pause(1 + client.index());
            conflicts.begin(client);
            began.add(client.index());
            most[0] = Math.max(most[0], ++now[0]);
            client.pause(100);
            now[0]--;
            conflicts.end(client);
        });
        assertThat(began).isSorted().hasSize(COROUTINES);
        return most[0];
    }

    private static void run(int coroutines, org.reprobe.fabric.ClientProgram program) throws Exception {
        var nic = NicProfiles.load(Project.path("scenarios/nics"), "connectx6-200g");
        try (SimFabric fabric = new SimFabric(nic, new Placement(1, 1, 1, coroutines), 1)) {
            fabric.run(coroutines, program);
        }
    }
}
