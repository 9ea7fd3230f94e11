package org.reprobe.trial;

import java.util.List;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Limits;
import org.reprobe.nessie.Rules;

/** All systems whose schedules can be explored. */
public final class CheckedSystems {
    /** Keys 0, 1 and 2 want the same two of three slots, key 1 the other way round; key 3 one of them and the third. */
    private static final int[][] PLACES = {{0, 1}, {1, 0}, {0, 1}, {1, 2}};

    private static final int SLOTS = 3;
    private static final Limits LIMITS = Limits.USUAL.withPauses(3);

    private CheckedSystems() {}

    /** In the order in which they are shown. */
    public static List<CheckedSystem> all() {
        return List.of(
                nessie("overwrite", "two clients write key 0, one reads it", 1, 3, "w0|w0|r0"),
                nessie(
                        "delete",
                        "a write and a delete of key 0, which is there; then both are read",
                        1,
                        Exploration.ALL,
                        "w0 r0|d0 r0"));
    }

    private static CheckedSystem nessie(String name, String title, int loaded, int switches, String script) {
        return new CheckedSystem(
                "nessie-" + name,
                title,
                false,
                LIMITS,
                switches,
                () -> new NessieTrial(Rules.CORRECTED, SLOTS, PLACES, loaded, Script.of(script)));
    }
}
