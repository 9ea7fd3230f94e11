package org.reprobe.longrun;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.check.Event;
import org.reprobe.check.Operation;
import org.reprobe.run.TinyScenario;
import org.reprobe.testing.Seeds;

/** Real processes, of which one is killed; minutes of it are {@code check --fabric}. */
class LongRunTest {
    private static final long SEED = Seeds.seed();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    @Test
    void historiesWithAKilledProcessAreLinearizableAndTheDeadClientIsRefused() throws Exception {
        LongRun.Plan plan = new LongRun.Plan("shm", 2_000, 2, 2, 1, SEED, TinyScenario.HOME);
        LongRun.Outcome outcome = new LongRun(plan, () -> false).run();
        assertThat(outcome.wrong()).as("seed %d", SEED).isNull();
        assertThat(outcome.killed()).isEqualTo(1);
        assertThat(outcome.server().deaths()).as("both clients of the process").isEqualTo(2);
        assertThat(outcome.server().revocations()).isPositive();
        assertThat(outcome.operations()).isGreaterThan(100);
        assertThat(outcome.pending()).isLessThanOrEqualTo(2);
    }

    @Test
    void aLogHoldsWhatHadNoAnswerWhenItsWriterWasGone() throws Exception {
        Path file = dir.resolve("log");
        try (Arena arena = Arena.ofConfined()) {
            EventLog log = EventLog.create(file, 3, arena);
            int write = log.invoked(7, Operation.WRITE, 3, 70);
            log.returned(write, Event.DONE);
            log.invoked(7, Operation.READ, 3, 0);
        }
        assertThat(EventLog.read(file))
                .extracting(Event::words)
                .containsExactly("write(3, 70) -> done", "read(3) -> ?");
        assertThat(EventLog.read(file)).allMatch(event -> event.client() == 7 && event.invoked() < event.returned());
    }
}
