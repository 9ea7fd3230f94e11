package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.farm.tao.TaoFaults;
import org.reprobe.testing.Seeds;

/** A head that is replaced must get another incarnation. */
class TaoTrialTest {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);
    private static final long SEED = Seeds.seed();
    private static final int MAX_SWITCHES = 2;

    private static @Nullable Counterexample found(Trial trial, int switches, long schedules) throws Exception {
        return new Exploration(trial, LIMITS).exhaustive(switches, schedules).counterexample();
    }

    static Trial newHead() {
        return FarmTrials.newHead();
    }

    static Trial twoHeads() {
        return FarmTrials.twoHeads();
    }

    private static Trial incarnationKept(String trial) throws Exception {
        return (Trial) Objects.requireNonNull(TaoFaults.incarnationKept().call(TaoTrialTest.class, trial));
    }

    static Stream<Arguments> faults() throws Exception {
        return Stream.of(
                Arguments.of("incarnation kept", incarnationKept("newHead")),
                Arguments.of("incarnation kept, two writers", incarnationKept("twoHeads")));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial) throws Exception {
        Counterexample found = null;
        for (int switches = 0; switches <= MAX_SWITCHES && found == null; switches++) {
            found = found(trial, switches, 20_000);
        }
        assertThat(found).as(fault).isNotNull();
        assertThat(found.violation()).as(fault).contains("No order of these operations explains");
    }

    static Stream<Arguments> right() {
        return Stream.of(
                Arguments.of("new head", FarmTrials.newHead()), Arguments.of("two writers", FarmTrials.twoHeads()));
    }

    @ParameterizedTest
    @MethodSource("right")
    void allResultsFollowFromSomeOrder(String name, Trial trial) throws Exception {
        Counterexample found = found(trial, MAX_SWITCHES, 500);
        assertThat(found).as("%s: %s", name, found).isNull();
        assertThat(new Exploration(trial, LIMITS).random(SEED, 100).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }
}
