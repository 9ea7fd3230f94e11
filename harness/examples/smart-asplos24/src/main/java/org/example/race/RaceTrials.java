package org.example.race;

import java.util.List;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Small RACE tables whose schedules are explored. */
final class RaceTrials {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    private static final String INSERT_READ = "d0 r1 r1|w1|w1";
    private static final String INSERT_READ_TITLE =
            "key 0 is there; a client deletes it and reads key 1 twice, while two others insert that, one of them before and one after";

    private RaceTrials() {}

    /** All of them. */
    static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        race(
                                "insert",
                                "key 0 is there and deleted, so that two clients that insert key 1 take different slots; all read it",
                                1,
                                2,
                                "d0 r1|w1 r1|w1"),
                        race("insert-read", INSERT_READ_TITLE, 1, 3, INSERT_READ),
                        race(
                                "overwrite",
                                "key 0 is there; two clients write it, a third reads it twice",
                                1,
                                2,
                                "w0|w0|r0 r0"),
                        race(
                                "reuse",
                                "key 0 is there and written three times, so that its first block is used again; another client reads it"
                                        + " twice",
                                1,
                                Exploration.ALL,
                                "w0 w0 w0|r0 r0"),
                        race(
                                "delete",
                                "key 0 is there; a client deletes and writes it, another writes and reads it",
                                1,
                                2,
                                "d0 w0|w0 r0"),
                        race(
                                "delete-insert",
                                "key 0 is there and deleted; a client inserts key 1 and deletes it, another inserts it",
                                1,
                                2,
                                "d0 r1|w1 d1|w1"),
                        race(
                                "two-keys",
                                "keys 0 and 1 have the same slots and fingerprint: key 0 is deleted and written, key 1 written, both are read",
                                1,
                                2,
                                "d0 w0 r0|w1 r1"),
                        new CheckedSystem(
                                "race-dies",
                                "key 0 is there and deleted, two clients insert key 1 and one reads it; any may die at any step",
                                false,
                                LIMITS.withCrashes(1),
                                2,
                                () -> trial(RaceRules.CORRECTED, 1, "d0 r1|w1|w1")),
                        new CheckedSystem(
                                "race-breaks",
                                "key 0 is there; a client writes and reads it, another deletes and writes it; connections break",
                                false,
                                LIMITS.withBreaks(1),
                                1,
                                () -> trial(RaceRules.CORRECTED, 1, "w0 r0|d0 w0")),
                        new CheckedSystem(
                                "race-printed-insert-read",
                                INSERT_READ_TITLE,
                                true,
                                LIMITS,
                                3,
                                () -> trial(RaceRules.PRINTED, 1, INSERT_READ))),
                List.of(),
                null);
    }

    private static CheckedSystem race(String name, String title, int loaded, int switches, String script) {
        return new CheckedSystem(
                "race-" + name, title, false, LIMITS, switches, () -> trial(RaceRules.CORRECTED, loaded, script));
    }

    private static RaceTrial trial(RaceRules rules, int loaded, String script) {
        return new RaceTrial(rules, 1, 2, 2, loaded, Script.of(script));
    }
}
