package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.testing.Costly;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.Script;

/** Updates of a bucket by threads of its machine, and lookups without a lock. */
@Costly(withinMinutes = 45)
class UpdatesTrialTest {
    private static final long SEED = Seeds.seed();

    @ParameterizedTest
    @CsvSource({"false, w0|r0 r1|w1", "false, w0|r0 r0|w0", "false, w0 w1|r0 r1", "true, w0|r0"})
    void noScheduleGoesWrong(boolean byWords, String script) throws Exception {
        Exploration exploration =
                new Exploration(new UpdatesTrial(byWords, Script.of(script)), ExplorationLimits.USUAL);
        assertThat(exploration.exhaustive(2, 3_000).counterexample()).isNull();
        assertThat(exploration.random(SEED, 500).counterexample())
                .as(Seeds.replay())
                .isNull();
    }
}
