package org.reprobe.trial;

import static org.reprobe.explore.Exploration.ALL;

import java.util.List;
import java.util.function.Supplier;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.nessie.Rules;

/** All systems whose schedules can be explored. */
public final class CheckedSystems {
    /** Keys 0, 1 and 2 want the same two of three slots, key 1 the other way round; key 3 one of them and the third. */
    private static final int[][] PLACES = {{0, 1}, {1, 0}, {0, 1}, {1, 2}};

    /** Keys 0 and 1 fill the places of key 2; key 0 can go to slot 2. */
    private static final int[][] ROOM = {{0, 2}, {1, 0}, {0, 1}};

    /** Keys 0 and 1 fill the places of key 3; both can go to slot 2 only, where key 2 is, which can go to slot 3. */
    private static final int[][] CHAIN = {{0, 2}, {1, 2}, {2, 3}, {0, 1}};

    /** All that there is in two slots. */
    private static final int[][] PAIR = {{0, 1}, {1, 0}, {0, 1}};

    /** Pilaf's: keys 0 to 2 stand at the places of key 3, each at its first; only key 0 can go anywhere else, to slot 3. */
    private static final int[][] THREE_PLACES = {{0, 1, 3}, {1, 0, 2}, {2, 0, 1}, {0, 1, 2}};

    private static final int SLOTS = 3;
    private static final int PILAF_SLOTS = 4;
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    private static final String DELETE_AGAIN = "d0|r0 w0 w1 r0";
    private static final String DELETE_AGAIN_TITLE =
            "key 0 is there and deleted, while another client finds it gone, writes it, takes its other place, and reads it";

    private static final String REUSE = "w0 w0|r0 r0";
    private static final String REUSE_TITLE =
            "key 0 is there and written twice, so that its first item is used again; another client reads it twice";

    private static final String SLOW_READ = "w0 w1|r0";
    private static final String SLOW_READ_TITLE =
            "key 0 is there and written, then its first item is used again for key 1; another client reads key 0";

    private static final String MIGRATE = "w2|r0 r1";
    private static final String MIGRATE_TITLE =
            "keys 0 and 1 fill both places of key 2, which is written, so that key 0 moves, while keys 0 and 1 are read";

    private static final String COLLIDE = "w0|w1|w2 r0";
    private static final String COLLIDE_TITLE = "three clients write three keys with the same two places";

    private CheckedSystems() {}

    /** In the order in which they are shown. */
    public static List<CheckedSystem> all() {
        return List.of(
                nessie("overwrite", "key 0 is there; two clients write it, one reads it", 1, 3, "w0|w0|r0"),
                nessie(
                        "delete",
                        "key 0 is there; a client writes it, another deletes it, both read it",
                        1,
                        ALL,
                        "w0 r0|d0 r0"),
                nessie("delete-again", DELETE_AGAIN_TITLE, 1, ALL, DELETE_AGAIN),
                nessie("migrate", MIGRATE_TITLE, Rules.CORRECTED, ROOM, 2, ALL, MIGRATE),
                nessie("collide", COLLIDE_TITLE, 0, 3, COLLIDE),
                nessie("reuse", REUSE_TITLE, 1, 3, REUSE),
                nessie("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ),
                served(
                        "chain",
                        "keys 0 to 2 leave no migration for key 3: the server moves a chain, while key 0 is read and deleted",
                        LIMITS,
                        2,
                        CHAIN,
                        4,
                        4,
                        3,
                        "w3 r0|r0 d1"),
                served(
                        "resize",
                        "keys 0 and 1 fill both places of key 2: the server makes the index table larger, and key 0 is written",
                        LIMITS,
                        2,
                        PAIR,
                        2,
                        4,
                        2,
                        "w2 r0|w0 r2"),
                served(
                        "dies",
                        "key 0 is there; clients write, delete and read it, and one may die at any step",
                        LIMITS.withCrashes(1),
                        2,
                        PLACES,
                        SLOTS,
                        SLOTS,
                        1,
                        "w0|d0 r0"),
                served(
                        "dies-migrating",
                        "keys 0 and 1 fill both places of key 2; one may die at any step while key 2 is written and 0 read",
                        LIMITS.withCrashes(1),
                        2,
                        ROOM,
                        SLOTS,
                        SLOTS,
                        2,
                        "w2|r0 w0"),
                rhtm("delete-again", DELETE_AGAIN_TITLE, 1, DELETE_AGAIN),
                nessie("rhtm-migrate", MIGRATE_TITLE, Rules.RHTM, ROOM, 2, ALL, MIGRATE),
                rhtm("collide", COLLIDE_TITLE, 0, COLLIDE),
                rhtm("reuse", REUSE_TITLE, 1, REUSE),
                rhtm("slow-read", SLOW_READ_TITLE, 1, SLOW_READ),
                new CheckedSystem(
                        "nessie-rhtm-dies",
                        "key 0 is there; a client writes it, another reads it twice, and either may die at any step",
                        false,
                        LIMITS.withCrashes(1),
                        ALL,
                        () -> new NessieTrial(Rules.RHTM, SLOTS, 0, PLACES, 1, Script.of("w0|r0 r0"))),
                printed("delete-again", DELETE_AGAIN_TITLE, 1, ALL, DELETE_AGAIN),
                printed("reuse", REUSE_TITLE, 1, ALL, REUSE),
                printed("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ),
                pilaf(
                        "reuse",
                        "key 0 is there and written twice, so that its first item is used again; another client reads it twice",
                        2,
                        1,
                        ALL,
                        REUSE),
                pilaf(
                        "delete",
                        "key 0 is there; it is deleted and written again while it is read",
                        3,
                        1,
                        ALL,
                        "d0 w0|r0 r0"),
                pilaf(
                        "move",
                        "keys 0 to 2 fill the places of key 3: the server moves key 0 while keys 0 and 3 are read",
                        5,
                        3,
                        ALL,
                        "w3|r0 r3"),
                pilaf(
                        "two-writers",
                        "key 0 is there; a client writes it, another deletes it, both read it",
                        3,
                        1,
                        3,
                        "w0 r0|d0 r0"),
                findOrPut(
                        "same",
                        "three processes put the same two keys, in chunks of two of four buckets",
                        LIMITS,
                        () -> new FindOrPutTrial(1, 4, 2, 2, Script.of("f0 f1|f1 f0|f0"))),
                findOrPut(
                        "full",
                        "three processes put three keys into two buckets",
                        LIMITS,
                        () -> new FindOrPutTrial(1, 2, 1, 2, Script.of("f0 f1|f1 f2|f2"))),
                findOrPut(
                        "local",
                        "three processes on two machines, which access their own machine's buckets by the CPU",
                        LIMITS,
                        () -> new FindOrPutTrial(2, 4, 2, 2, Script.of("f0 f1|f1 f0|f0"))),
                findOrPut(
                        "dies",
                        "two processes put the same two keys, and either may die at any step",
                        LIMITS.withCrashes(1),
                        () -> new FindOrPutTrial(1, 4, 2, 2, Script.of("f0 f1|f1 f0"))));
    }

    private static CheckedSystem nessie(String name, String title, int loaded, int switches, String script) {
        return nessie(name, title, Rules.CORRECTED, PLACES, loaded, switches, script);
    }

    private static CheckedSystem pilaf(String name, String title, int items, int loaded, int switches, String script) {
        return new CheckedSystem(
                "pilaf-" + name,
                title,
                false,
                LIMITS,
                switches,
                () -> new PilafTrial(PILAF_SLOTS, items, THREE_PLACES, loaded, Script.of(script)));
    }

    private static CheckedSystem findOrPut(String name, String title, ExplorationLimits limits, Supplier<Trial> trial) {
        return new CheckedSystem("find-or-put-" + name, title, false, limits, ALL, trial);
    }

    private static CheckedSystem rhtm(String name, String title, int loaded, String script) {
        return nessie("rhtm-" + name, title, Rules.RHTM, PLACES, loaded, ALL, script);
    }

    private static CheckedSystem printed(String name, String title, int loaded, int switches, String script) {
        return nessie("printed-" + name, title, Rules.PRINTED, PLACES, loaded, switches, script);
    }

    private static CheckedSystem nessie(
            String name, String title, Rules rules, int[][] places, int loaded, int switches, String script) {
        return new CheckedSystem(
                "nessie-" + name,
                title,
                rules == Rules.PRINTED,
                LIMITS,
                switches,
                () -> new NessieTrial(rules, SLOTS, 0, places, loaded, Script.of(script)));
    }

    /** With a server program. */
    private static CheckedSystem served(
            String name,
            String title,
            ExplorationLimits limits,
            int switches,
            int[][] places,
            int slots,
            int mostSlots,
            int loaded,
            String script) {
        return new CheckedSystem(
                "nessie-server-" + name,
                title,
                false,
                limits,
                switches,
                () -> new NessieTrial(Rules.CORRECTED, slots, mostSlots, places, loaded, Script.of(script)));
    }
}
