package org.reprobe.pilaf.trials;

import static org.reprobe.explore.Exploration.ALL;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafServer;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.CuckooSearch;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.Configuration.At;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Configurations of small tables to explore. Public, because explorations load the class again. */
public final class PilafTrials implements Function<String, Trial> {
    /** Keys 0 to 2 are at the places of key 3, each at its first; only key 0 can move elsewhere, to slot 3. */
    private static final int[][] PLACES = {{0, 1, 3}, {1, 0, 2}, {2, 0, 1}, {0, 1, 2}};

    private static final int SLOTS = 4;
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    /** Limits with faults: machines fail, connections break and links are cut, more than once. */
    private static final ExplorationLimits FAULTS =
            new ExplorationLimits(1, 2, 1, 2, ExplorationLimits.Tearing.ASCENDING, 2000, 6, 20);

    private static final ConfigurationKind ENOUGH_ITEMS = kind("pilaf");

    /** No more items than keys, so that a write may find no free item. */
    private static final ConfigurationKind FEW_ITEMS = kind("pilaf-few-items");

    /** Faults, with a server whose writes are observed word by word. */
    private static final ConfigurationKind BREAKS = kind("pilaf-breaks", FAULTS);

    private static final DerivedSystem DERIVED = new DerivedSystem(
            "pilaf",
            "clients read by themselves, a server writes and moves keys; items run out",
            150,
            List.of(ENOUGH_ITEMS, FEW_ITEMS, BREAKS),
            PilafTrials.class,
            List.of(PilafClient.class, PilafServer.class, PilafTable.class, CuckooSearch.class));

    private static ConfigurationKind kind(String name) {
        return kind(name, LIMITS);
    }

    private static ConfigurationKind kind(String name, ExplorationLimits limits) {
        return ConfigurationKind.ofKeysAndValues(name, 3, List.of(At.NOWHERE, At.PRIMARY), SLOTS, limits);
    }

    public static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        picked(
                                "reuse",
                                "key 0 is present and written twice, so that its first item is used again; another client reads it twice",
                                2,
                                1,
                                ALL,
                                "w0 w0|r0 r0"),
                        picked(
                                "delete",
                                "key 0 is present; it is deleted and written again while it is read",
                                3,
                                1,
                                ALL,
                                "d0 w0|r0 r0"),
                        picked(
                                "move",
                                "keys 0 to 2 fill the places of key 3: the server moves key 0 while keys 0 and 3 are read",
                                5,
                                3,
                                ALL,
                                "w3|r0 r3"),
                        apart(
                                "words",
                                "key 0 is present; it is written word by word while it is read",
                                LIMITS,
                                2,
                                1,
                                ALL,
                                "w0|r0 r0"),
                        apart(
                                "breaks",
                                "key 0 is present; a client writes and reads it, another deletes and writes it; any machine may fail"
                                        + " and connections break",
                                FAULTS,
                                3,
                                1,
                                1,
                                "w0 r0|d0 w0"),
                        apart(
                                "breaks-move",
                                "the server moves key 0 to make room, while it is read and deleted; any machine may fail and connections"
                                        + " break",
                                FAULTS,
                                5,
                                3,
                                1,
                                "w3 r0|r0 d0 r0"),
                        picked(
                                "two-writers",
                                "key 0 is present; a client writes it, another deletes it, both read it",
                                3,
                                1,
                                3,
                                "w0 r0|d0 r0")),
                List.of(DERIVED),
                null);
    }

    private static CheckedSystem picked(String name, String title, int items, int loaded, int switches, String script) {
        return new CheckedSystem(
                "pilaf-" + name,
                title,
                false,
                LIMITS,
                switches,
                () -> new PilafTrial(SLOTS, items, PLACES, loaded, false, Script.of(script)));
    }

    /** Creates a system whose server's words are written separately. */
    private static CheckedSystem apart(
            String name, String title, ExplorationLimits limits, int items, int loaded, int switches, String script) {
        return new CheckedSystem(
                "pilaf-" + name,
                title,
                false,
                limits,
                switches,
                () -> new PilafTrial(SLOTS, items, PLACES, loaded, true, Script.of(script)));
    }

    @Override
    public Trial apply(String text) {
        Configuration configuration = Objects.requireNonNull(Configuration.of(text, DERIVED.kinds()));
        return new PilafTrial(
                configuration.slots(),
                configuration.keys().size() + (configuration.kind().equals(FEW_ITEMS) ? 0 : 1),
                configuration.keys().stream()
                        .map(key -> key.places().stream()
                                .mapToInt(Integer::intValue)
                                .toArray())
                        .toArray(int[][]::new),
                configuration.loaded(),
                configuration.kind().limits().failures() > 0,
                Script.of(configuration.script()));
    }
}
