package org.reprobe.farm;

import java.util.List;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.SystemTrials;

/** Small rings of messages whose schedules are explored. */
final class FarmTrials {
    private FarmTrials() {}

    static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        ring("ring", "a ring of 8 words, through which 4 messages of 1 and 2 words go", 8, 2, 1, 2, 1),
                        ring(
                                "ring-smallest",
                                "a ring of 6 words, which has room for a message of 1 word",
                                6,
                                1,
                                1,
                                1,
                                1),
                        new CheckedSystem(
                                "farm-exchange",
                                "two threads that send each other 3 messages, by rings that have room for 2",
                                false,
                                ExplorationLimits.USUAL,
                                2,
                                () -> new ExchangeTrial(6, 3)),
                        new CheckedSystem(
                                "farm-ring-any-order",
                                "messages through a ring, by a card whose WRITEs may land from the end: verbs promise no order within one",
                                true,
                                ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY),
                                3,
                                () -> new RingTrial(8, 2, 1, 2))),
                List.of(),
                null);
    }

    private static CheckedSystem ring(String name, String title, int ringWords, int... messageWords) {
        return new CheckedSystem(
                "farm-" + name, title, false, ExplorationLimits.USUAL, 3, () -> new RingTrial(ringWords, messageWords));
    }
}
