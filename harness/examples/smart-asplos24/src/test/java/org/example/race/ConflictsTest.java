package org.example.race;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConflictsTest {
    private static final long UNIT_NS = 1707;
    private static final long EPOCH_NS = 1_000_000;

    @Test
    void aFixedBackOffDoublesWithEachAttempt() {
        Conflicts conflicts = new Conflicts(0, 1);
        for (int attempt = 0; attempt < 30; attempt++) {
            long shortestNs = UNIT_NS << Math.min(attempt, 20);
            assertThat(conflicts.backOffNs(attempt, 0)).isBetween(shortestNs, shortestNs + UNIT_NS);
        }
    }

    @Test
    void theLimitFollowsTheShareOfFailuresInAnEpoch() {
        Conflicts conflicts = new Conflicts(EPOCH_NS, 1);
        assertThat(limitNs(conflicts, 1)).isEqualTo(UNIT_NS);
        // All attempts fail.
        assertThat(limitNs(conflicts, 2 + EPOCH_NS)).isEqualTo(2 * UNIT_NS);
        assertThat(limitNs(conflicts, 3 + 2 * EPOCH_NS)).isEqualTo(4 * UNIT_NS);
        // A third fails.
        conflicts.succeeded();
        conflicts.succeeded();
        assertThat(limitNs(conflicts, 4 + 3 * EPOCH_NS)).isEqualTo(4 * UNIT_NS);
        for (int i = 0; i < 20; i++) {
            conflicts.succeeded();
        }
        assertThat(limitNs(conflicts, 5 + 4 * EPOCH_NS)).isEqualTo(2 * UNIT_NS);
    }

    private static long limitNs(Conflicts conflicts, long nowNs) {
        long backOffNs = conflicts.backOffNs(20, nowNs);
        return Long.highestOneBit(backOffNs / UNIT_NS) * UNIT_NS;
    }
}
