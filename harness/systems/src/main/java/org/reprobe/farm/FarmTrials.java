package org.reprobe.farm;

import java.util.List;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.farm.ObjectTrial.Rules;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Small rings of messages, and objects that are read without a lock, whose schedules are explored. */
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
                                () -> new RingTrial(8, 2, 1, 2)),
                        object(
                                "object",
                                "an object of 3 lines that is changed twice, and a READ without a lock that takes lines",
                                false,
                                3,
                                Rules.PRINTED),
                        object(
                                "object-both-ends",
                                "an object of 2 lines with versions at both ends, where a READ takes words",
                                false,
                                2,
                                Rules.PRINTED.byWords(true)),
                        object(
                                "object-by-words",
                                "an object of 2 lines with versions at their starts, as printed, where a READ takes words",
                                true,
                                2,
                                Rules.PRINTED.byWords(false)),
                        object(
                                "object-wraps",
                                "an object whose line versions have 2 bits, changed 4 times; a READ that takes as long is made again",
                                false,
                                2,
                                Rules.PRINTED.wrapping(2, true)),
                        object(
                                "object-reuse",
                                "an object of 3 lines that is freed, and another that is put in its place; a READ by a pointer to the first",
                                false,
                                3,
                                Rules.PRINTED.reusing(ObjectTrial.Reuse.TOLD)),
                        epochs(
                                "epochs",
                                "an object that is freed and whose memory is used for a larger one after an epoch; 2 READs by a cached pointer",
                                true),
                        epochs(
                                "epochs-root",
                                "the same, where the pointer is taken from a root object and then cached",
                                false),
                        updates(
                                "updates",
                                "two keys in a bucket that two threads update, and lookups of both",
                                false,
                                "w0|r0 r1|w1"),
                        updates(
                                "updates-of-a-key",
                                "a key that two threads update, and two lookups of it",
                                false,
                                "w0|r0 r0|w0"),
                        updates(
                                "updates-by-words",
                                "a key that is updated, and a lookup by a READ that takes words",
                                true,
                                "w0|r0")),
                List.of(),
                null);
    }

    private static CheckedSystem ring(String name, String title, int ringWords, int... messageWords) {
        return new CheckedSystem(
                "farm-" + name, title, false, ExplorationLimits.USUAL, 3, () -> new RingTrial(ringWords, messageWords));
    }

    private static CheckedSystem epochs(String name, String title, boolean cached) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                false,
                ExplorationLimits.USUAL,
                2,
                () -> new EpochTrial(EpochTrial.Fault.NONE, cached));
    }

    private static CheckedSystem updates(String name, String title, boolean byWords, String script) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                false,
                ExplorationLimits.USUAL,
                3,
                () -> new UpdatesTrial(byWords, Script.of(script)));
    }

    /** A READ may take its lines or words in either order. */
    private static CheckedSystem object(String name, String title, boolean printed, int switches, Rules rules) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                printed,
                ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY),
                switches,
                () -> new ObjectTrial(rules));
    }
}
