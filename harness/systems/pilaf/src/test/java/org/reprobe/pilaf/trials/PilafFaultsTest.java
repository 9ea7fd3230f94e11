package org.reprobe.pilaf.trials;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.AssumedOutcomes;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.Script;

/** Requests without a reply. */
class PilafFaultsTest {
    private static final long SEED = Seeds.seed();
    private static final ExplorationLimits BREAKS =
            ExplorationLimits.USUAL.withPauses(3).withBreaks(1);

    private static PilafTrial trial(AssumedOutcomes.Takes takes) {
        int[][] places = {{0, 1, 2}};
        return new PilafTrial(4, 3, places, 1, false, Script.of("w0 r0|d0 r0")) {
            @Override
            protected KeyValueClient connect(Client client) throws FabricException {
                return new AssumedOutcomes(super.connect(client), client, takes);
            }
        };
    }

    /** The server may not have executed it, or may execute it twice, with another client's request in between. */
    @ParameterizedTest
    @EnumSource(AssumedOutcomes.Takes.class)
    void aRequestWithoutAnswerIsNeitherDoneNorToBeRepeated(AssumedOutcomes.Takes takes) throws Exception {
        Exploration exploration = new Exploration(trial(takes), BREAKS);
        Counterexample found = exploration.random(SEED, 20_000).counterexample();
        assertThat(found).as("seed %d", SEED).isNotNull();
        assertThat(found.violation()).contains("No order of these operations explains");
        assertThat(exploration.replay(found.schedule()).violation()).isEqualTo(found.violation());
    }
}
