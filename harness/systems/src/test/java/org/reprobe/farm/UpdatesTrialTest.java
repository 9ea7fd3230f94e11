package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.Script;

/** Updates of a bucket by threads of its machine, and lookups without a lock. */
class UpdatesTrialTest {
    private static final long SEED = Seeds.seed();
    private static final String MANY = "w0|r0 r1|w0|r0|w1";

    @ParameterizedTest
    @CsvSource({"false, w0|r0 r1|w1", "false, w0|r0 r0|w0", "false, w0 w1|r0 r1", "true, w0|r0"})
    void noScheduleGoesWrong(boolean byWords, String script) throws Exception {
        assertNothingGoesWrong(new UpdatesTrial(byWords, Script.of(script), null));
    }

    /** Two keys share a cell. */
    @ParameterizedTest
    @CsvSource({MANY, "w0|r0|w0|r0|w0", "w0 w0|r0|w0 w1|r1|w1"})
    void noScheduleOfCombinedUpdatesGoesWrong(String script) throws Exception {
        assertNothingGoesWrong(new UpdatesTrial(false, Script.of(script), Combining.Fault.NONE));
    }

    private static void assertNothingGoesWrong(UpdatesTrial trial) throws Exception {
        Exploration exploration = new Exploration(trial, ExplorationLimits.USUAL);
        assertThat(exploration.exhaustive(2, 3_000).counterexample()).isNull();
        assertThat(exploration.random(SEED, 500).counterexample())
                .as(Seeds.replay())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"ANY_KEY, 2," + MANY, "ANSWERS_EARLY, 2, w0|r0|w0", "TAKES_LATE, 1, w0|r0|w0|r0|w0"})
    void aFaultOfCombiningIsFound(Combining.Fault fault, int switches, String script) throws Exception {
        UpdatesTrial trial = new UpdatesTrial(false, Script.of(script), fault);
        Exploration exploration = new Exploration(trial, ExplorationLimits.USUAL);
        assertThat(exploration.exhaustive(switches, 100_000).counterexample()).isNotNull();
    }
}
