package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.Script;

/** Updates of a bucket by threads of its machine, and lookups without a lock. */
class UpdatesTrialTest {
    private static final long SEED = Seeds.seed();
    private static final String MANY = "w0|r0 r1|w0|r0|w1";

    @ParameterizedTest
    @CsvSource({"false, w0|r0 r1|w1", "false, w0|r0 r0|w0", "false, w0 w1|r0 r1", "true, w0|r0"})
    void everyScheduleIsCorrect(boolean byWords, String script) throws Exception {
        assertNothingGoesWrong(new UpdatesTrial(byWords, Script.of(script), false));
    }

    /** Two keys share a cell. */
    @ParameterizedTest
    @CsvSource({MANY, "w0|r0|w0|r0|w0", "w0 w0|r0|w0 w1|r1|w1"})
    void everyScheduleOfCombinedUpdatesIsCorrect(String script) throws Exception {
        assertNothingGoesWrong(new UpdatesTrial(false, Script.of(script), true));
    }

    /** READs may accept an object while a replica logs its update, but not while it is written. */
    @ParameterizedTest
    @CsvSource({"READABLE, w0|r0 r1|w1", "READABLE, w0|r0 r0|w0", "EXCLUSIVE, w0|r0 r1|w1", "EXCLUSIVE, w0|r0 r0|w0"})
    void everyScheduleOfReplicatedUpdatesIsCorrect(Locking locking, String script) throws Exception {
        assertNothingGoesWrong(new UpdatesTrial(2, false, Script.of(script), true, locking));
    }

    static Trial replicated(String script) {
        return new UpdatesTrial(2, false, Script.of(script), true, Locking.READABLE);
    }

    @Test
    void aReplicatedUpdateWithoutALockIsFound() throws Exception {
        SeededFaults fault = new SeededFaults("org.reprobe.farm.")
                .replacing(
                        "table.ShardUpdates",
                        "if (!update.writer.lock(memory, update.objectOffset(), version, mode)) {",
                        "if (false) {");
        Trial trial = (Trial) Objects.requireNonNull(fault.call(UpdatesTrialTest.class, "replicated", "w0 r0|r0|w1"));
        assertThat(new Exploration(trial, ExplorationLimits.USUAL)
                        .exhaustive(2, 100_000)
                        .counterexample())
                .isNotNull();
    }

    private static void assertNothingGoesWrong(UpdatesTrial trial) throws Exception {
        Exploration exploration = new Exploration(trial, ExplorationLimits.USUAL);
        assertThat(exploration.exhaustive(2, 3_000).counterexample()).isNull();
        assertThat(exploration.random(SEED, 500).counterexample())
                .as(Seeds.replay())
                .isNull();
    }

    static Trial combined(String script) {
        return new UpdatesTrial(false, Script.of(script), true);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("any key", CombiningFaults.anyKey(), 2, MANY),
                Arguments.of("answers early", CombiningFaults.answersEarly(), 2, "w0|r0|w0"),
                Arguments.of("takes late", CombiningFaults.takesLate(), 1, "w0|r0|w0|r0|w0"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultOfCombiningIsFound(String name, SeededFaults fault, int switches, String script) throws Exception {
        Trial trial = (Trial) Objects.requireNonNull(fault.call(UpdatesTrialTest.class, "combined", script));
        Exploration exploration = new Exploration(trial, ExplorationLimits.USUAL);
        assertThat(exploration.exhaustive(switches, 100_000).counterexample())
                .as(name)
                .isNotNull();
    }
}
