package org.example.race;

import java.util.List;
import java.util.function.Supplier;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

final class RaceTrials {
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    private static final String INSERT_READ = "d0 r1 r1|w1|w1";
    private static final String INSERT_READ_TITLE =
            "key 0 is present; a client deletes it and reads key 1 twice, while two others insert that, one of them before and one after";

    /** Blocks per client: one more than the writes of its script. */
    private static final int SPLIT_BLOCKS = 3;

    private RaceTrials() {}

    static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        race(
                                "insert",
                                "key 0 is present and deleted, so that two clients that insert key 1 take different slots; all read it",
                                1,
                                2,
                                "d0 r1|w1 r1|w1"),
                        race("insert-read", INSERT_READ_TITLE, 1, 3, INSERT_READ),
                        race(
                                "overwrite",
                                "key 0 is present; two clients write it, a third reads it twice",
                                1,
                                2,
                                "w0|w0|r0 r0"),
                        race(
                                "reuse",
                                "key 0 is present and written three times, so that its first block is used again; another client reads it"
                                        + " twice",
                                1,
                                Exploration.ALL,
                                "w0 w0 w0|r0 r0"),
                        race(
                                "delete",
                                "key 0 is present; a client deletes and writes it, another writes and reads it",
                                1,
                                2,
                                "d0 w0|w0 r0"),
                        race(
                                "delete-insert",
                                "key 0 is present and deleted; a client inserts key 1 and deletes it, another inserts it",
                                1,
                                2,
                                "d0 r1|w1 d1|w1"),
                        race(
                                "two-keys",
                                "keys 0 and 1 have the same slots and fingerprint: key 0 is deleted and written, key 1 written, both are read",
                                1,
                                2,
                                "d0 w0 r0|w1 r1"),
                        split(
                                "split",
                                "keys 0 to 2 fill the table: an insert of key 3 splits it, while others read and update what is moved",
                                split(0, 1, 4, 3, "w3|r1 r0 r1|w1 r1")),
                        split(
                                "split-delete",
                                "the same, while another deletes, inserts and reads what is moved, and a third deletes what stays",
                                split(0, 1, 4, 3, "w3|d1 w1 r1|d0 r1")),
                        split(
                                "split-insert",
                                "keys 0 and 1 are there: three clients insert keys 2 to 4, so that one splits the table; each reads",
                                split(0, 1, 5, 2, "w2 r3|w3 r2|w4 r3")),
                        split(
                                "split-same",
                                "keys 0 to 2 fill the table: two clients insert key 3 and read it, a third writes what stays",
                                split(0, 2, 4, 3, "w3 r3|w3 r3|w2")),
                        split(
                                "split-two",
                                "keys 0 to 5 fill two subtables: two clients split one each, another reads what is moved",
                                split(1, 2, 8, 6, "w6 r6|w7 r7|r2 r3")),
                        split(
                                "split-again",
                                "keys 0 to 2 fill the table: a client inserts keys 4 and 6, for which it is split twice, another key 3",
                                split(0, 2, 7, 3, "w4 w6 r6|w3 r2")),
                        new CheckedSystem(
                                "race-dies",
                                "key 0 is present and deleted, two clients insert key 1 and one reads it; any may die at any step",
                                false,
                                LIMITS.withCrashes(1),
                                2,
                                () -> trial(RaceRules.CORRECTED, 1, "d0 r1|w1|w1")),
                        new CheckedSystem(
                                "race-breaks",
                                "key 0 is present; a client writes and reads it, another deletes and writes it; connections break",
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

    private static CheckedSystem split(String name, String title, Supplier<Trial> trial) {
        return new CheckedSystem("race-" + name, title, false, LIMITS.withPauses(10), 1, trial);
    }

    private static Supplier<Trial> split(int depth, int maxDepth, int keys, int loaded, String script) {
        return () -> RaceTrial.splitting(depth, maxDepth, SPLIT_BLOCKS, keys, loaded, Script.of(script));
    }

    private static RaceTrial trial(RaceRules rules, int loaded, String script) {
        return new RaceTrial(rules, 1, 2, 2, loaded, Script.of(script));
    }
}
