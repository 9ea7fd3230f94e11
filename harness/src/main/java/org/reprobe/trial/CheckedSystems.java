package org.reprobe.trial;

import static org.reprobe.explore.Exploration.ALL;

import java.util.List;
import java.util.function.Supplier;
import org.reprobe.explore.Limits;
import org.reprobe.explore.Trial;
import org.reprobe.nessie.Rules;

/** All systems whose schedules can be explored. */
public final class CheckedSystems {
    /** Keys 0, 1 and 2 want the same two of three slots, key 1 the other way round; key 3 one of them and the third. */
    private static final int[][] PLACES = {{0, 1}, {1, 0}, {0, 1}, {1, 2}};

    private static final int SLOTS = 3;
    private static final Limits LIMITS = Limits.USUAL.withPauses(3);

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
            "keys 0 and 1 fill both places of key 2, which is written while key 0 is read";

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
                nessie("migrate", MIGRATE_TITLE, 2, ALL, MIGRATE),
                nessie("collide", COLLIDE_TITLE, 0, 3, COLLIDE),
                nessie("reuse", REUSE_TITLE, 1, 3, REUSE),
                nessie("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ),
                rhtm("delete-again", DELETE_AGAIN_TITLE, 1, DELETE_AGAIN),
                rhtm("migrate", MIGRATE_TITLE, 2, MIGRATE),
                rhtm("collide", COLLIDE_TITLE, 0, COLLIDE),
                rhtm("reuse", REUSE_TITLE, 1, REUSE),
                rhtm("slow-read", SLOW_READ_TITLE, 1, SLOW_READ),
                new CheckedSystem(
                        "nessie-rhtm-dies",
                        "key 0 is there; a client writes it, another reads it twice, and either may die at any step",
                        false,
                        LIMITS.withCrashes(1),
                        ALL,
                        () -> new NessieTrial(Rules.RHTM, SLOTS, PLACES, 1, Script.of("w0|r0 r0"))),
                printed("delete-again", DELETE_AGAIN_TITLE, 1, ALL, DELETE_AGAIN),
                printed("reuse", REUSE_TITLE, 1, ALL, REUSE),
                printed("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ),
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
        return nessie("nessie-" + name, title, Rules.CORRECTED, loaded, switches, script);
    }

    private static CheckedSystem findOrPut(String name, String title, Limits limits, Supplier<Trial> trial) {
        return new CheckedSystem("find-or-put-" + name, title, false, limits, ALL, trial);
    }

    private static CheckedSystem rhtm(String name, String title, int loaded, String script) {
        return nessie("nessie-rhtm-" + name, title, Rules.RHTM, loaded, ALL, script);
    }

    private static CheckedSystem printed(String name, String title, int loaded, int switches, String script) {
        return nessie("nessie-printed-" + name, title, Rules.PRINTED, loaded, switches, script);
    }

    private static CheckedSystem nessie(
            String name, String title, Rules rules, int loaded, int switches, String script) {
        return new CheckedSystem(
                name,
                title,
                rules == Rules.PRINTED,
                LIMITS,
                switches,
                () -> new NessieTrial(rules, SLOTS, PLACES, loaded, Script.of(script)));
    }
}
