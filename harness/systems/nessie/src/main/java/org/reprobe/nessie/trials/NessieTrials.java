package org.reprobe.nessie.trials;

import static org.reprobe.explore.Exploration.ALL;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.nessie.Chains;
import org.reprobe.nessie.CleanUp;
import org.reprobe.nessie.CorrectedOperations;
import org.reprobe.nessie.EntryList;
import org.reprobe.nessie.FreeItems;
import org.reprobe.nessie.IndexEntry;
import org.reprobe.nessie.Item;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.RecoveryState;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerLink;
import org.reprobe.nessie.TableAccess;
import org.reprobe.nessie.TransactionalOperations;
import org.reprobe.remote.CuckooSearch;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.Configuration.At;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Configurations of small tables to explore. Public, because explorations load the class again. */
public final class NessieTrials implements Function<String, Trial> {
    /** Keys 0, 1 and 2 share two of three slots, key 1 in reverse order; key 3 has one of them and the third. */
    private static final int[][] PLACES = {{0, 1}, {1, 0}, {0, 1}, {1, 2}};

    /** Keys 0 and 1 fill the places of key 2; key 0 can move to slot 2. */
    private static final int[][] ROOM = {{0, 2}, {1, 0}, {0, 1}};

    /** Keys 0 and 1 fill the places of key 3; both can move to slot 2 only, from which key 2 can move to slot 3. */
    private static final int[][] CHAIN = {{0, 2}, {1, 2}, {2, 3}, {0, 1}};

    private static final int[][] PAIR = {{0, 1}, {1, 0}, {0, 1}};

    private static final int SLOTS = 3;
    private static final ExplorationLimits LIMITS = ExplorationLimits.USUAL.withPauses(3);

    /** Limits with faults: machines fail, connections break and links are cut, more than once. */
    private static final ExplorationLimits FAULTS =
            new ExplorationLimits(1, 2, 1, 2, ExplorationLimits.Tearing.ASCENDING, 5000, 6, 120);

    private static final String DELETE_AGAIN = "d0|r0 w0 w1 r0";
    private static final String DELETE_AGAIN_TITLE =
            "key 0 is present and deleted, while another client finds it gone, writes it, takes its other place, and reads it";

    private static final String REUSE = "w0 w0|r0 r0";
    private static final String REUSE_TITLE =
            "key 0 is present and written twice, so that its first item is used again; another client reads it twice";

    private static final String SLOW_READ = "w0 w1|r0";
    private static final String SLOW_READ_TITLE =
            "key 0 is present and written, then its first item is used again for key 1; another client reads key 0";

    private static final String MIGRATE = "w2|r0 r1";
    private static final String MIGRATE_TITLE =
            "keys 0 and 1 fill both places of key 2, which is written, so that key 0 moves, while keys 0 and 1 are read";

    private static final String FAULTS_SCRIPT = "w0 w0 r0|d0 r0 w0";
    private static final String FAULTS_TITLE =
            "key 0 is present; a client writes it twice and reads it, another deletes, reads and writes it";

    private static final String CHAIN_SCRIPT = "w3 r0|r0 d1";
    private static final String CHAIN_TITLE =
            "keys 0 to 2 leave no migration for key 3: the server moves a chain, while key 0 is read and deleted";

    private static final String RESIZE_SCRIPT = "w2 r0|w0 r2";
    private static final String RESIZE_TITLE =
            "keys 0 and 1 fill both places of key 2: the server makes the index table larger, and key 0 is written";

    private static final String COLLIDE = "w0|w1|w2 r0";
    private static final String COLLIDE_TITLE = "three clients write three keys with the same two places";

    private static final ConfigurationKind UNSERVED = kind("nessie", 0, false);

    /** Server that moves chains and cannot grow the index table. */
    private static final ConfigurationKind MOVES = kind("nessie-server", 0, true);

    /** Server that may double the index table. */
    private static final ConfigurationKind RESIZES = kind("nessie-resize", 0, true);

    /** Server, and fewer items than clients may need. */
    private static final ConfigurationKind FEW_ITEMS = kind("nessie-few-items", 0, true);

    private static final ConfigurationKind DIES = kind("nessie-dies", 1, true);

    private static final ConfigurationKind UNSERVED_BREAKS = kind("nessie-breaks", FAULTS);

    private static final ConfigurationKind SERVED_BREAKS = kind("nessie-server-breaks", FAULTS);

    private static final ConfigurationKind RESIZES_BREAKS = kind("nessie-resize-breaks", FAULTS);

    /** Fewer items than clients may need and broken connections, so that the server must write lost notices. */
    private static final ConfigurationKind FEW_ITEMS_BREAKS = kind("nessie-few-items-breaks", FAULTS);

    static final List<ConfigurationKind> SERVED =
            List.of(DIES, MOVES, RESIZES, FEW_ITEMS, SERVED_BREAKS, RESIZES_BREAKS, FEW_ITEMS_BREAKS);
    static final List<ConfigurationKind> GROWING = List.of(RESIZES, RESIZES_BREAKS);
    static final List<ConfigurationKind> SHORT_OF_ITEMS = List.of(FEW_ITEMS, FEW_ITEMS_BREAKS);
    static final List<ConfigurationKind> BY_TRANSACTIONS =
            List.of(kind("rhtm", 0, false), kind("rhtm-dies", 1, false), kind("rhtm-breaks", FAULTS));

    private static final DerivedSystem CLIENTS_ALONE = new DerivedSystem(
            "nessie",
            "one to three clients of up to three operations each, without a server program",
            300,
            List.of(UNSERVED, UNSERVED_BREAKS),
            NessieTrials.class,
            List.of(
                    NessieClient.class,
                    CorrectedOperations.class,
                    TableAccess.class,
                    Item.class,
                    FreeItems.class,
                    EntryList.class,
                    IndexEntry.class));

    private static final DerivedSystem WITH_SERVER = new DerivedSystem(
            "nessie-server",
            "the same with a server that moves chains, resizes and cleans up; items run out; a client may die",
            200,
            SERVED,
            NessieTrials.class,
            List.of(
                    NessieClient.class,
                    CorrectedOperations.class,
                    TableAccess.class,
                    NessieServer.class,
                    CleanUp.class,
                    RecoveryState.class,
                    Chains.class,
                    ServerLink.class,
                    FreeItems.class,
                    EntryList.class,
                    CuckooSearch.class));

    private static final DerivedSystem WITH_TRANSACTIONS = new DerivedSystem(
            "rhtm",
            "Nessie by remote transactions; a client may die",
            150,
            BY_TRANSACTIONS,
            NessieTrials.class,
            List.of(TransactionalOperations.class));

    private static ConfigurationKind kind(String name, int crashes, boolean served) {
        // In each operation a blocked client calls the server after 32 attempts. The limits of attempts and steps
        // suffice for all of these, so a client that reaches them waits forever.
        ExplorationLimits limits = served
                ? new ExplorationLimits(crashes, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 5000, 3, 120)
                : new ExplorationLimits(crashes, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 2000, 3, 20);
        return kind(name, limits);
    }

    private static ConfigurationKind kind(String name, ExplorationLimits limits) {
        return ConfigurationKind.ofKeysAndValues(name, 2, List.of(At.values()), 0, limits);
    }

    public static SystemTrials all() {
        return new SystemTrials(picked(), List.of(CLIENTS_ALONE, WITH_SERVER, WITH_TRANSACTIONS), new RoundTripCosts());
    }

    @Override
    public Trial apply(String configuration) {
        return NessieTrial.of(Objects.requireNonNull(Configuration.of(
                configuration,
                Stream.of(CLIENTS_ALONE.kinds(), SERVED, BY_TRANSACTIONS)
                        .flatMap(List::stream)
                        .toList())));
    }

    private static List<CheckedSystem> picked() {
        return List.of(
                nessie("overwrite", "key 0 is present; two clients write it, one reads it", 1, 3, "w0|w0|r0"),
                nessie(
                        "delete",
                        "key 0 is present; a client writes it, another deletes it, both read it",
                        1,
                        ALL,
                        "w0 r0|d0 r0"),
                nessie("delete-again", DELETE_AGAIN_TITLE, 1, ALL, DELETE_AGAIN),
                nessie("migrate", MIGRATE_TITLE, Rules.CORRECTED, ROOM, 2, ALL, MIGRATE),
                nessie("collide", COLLIDE_TITLE, 0, 3, COLLIDE),
                nessie("reuse", REUSE_TITLE, 1, 3, REUSE),
                nessie("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ),
                served("chain", CHAIN_TITLE, LIMITS, 2, CHAIN, 4, 4, 3, CHAIN_SCRIPT),
                served("resize", RESIZE_TITLE, LIMITS, 2, PAIR, 2, 4, 2, RESIZE_SCRIPT),
                served(
                        "dies",
                        "key 0 is present; clients write, delete and read it, and one may die at any step",
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
                        "key 0 is present; a client writes it, another reads it twice, and either may die at any step",
                        false,
                        LIMITS.withCrashes(1),
                        ALL,
                        () -> new NessieTrial(Rules.RHTM, SLOTS, 0, PLACES, 1, false, Script.of("w0|r0 r0"))),
                nessie("rhtm-naive-migrate", MIGRATE_TITLE, Rules.RHTM_NAIVE, ROOM, 2, ALL, MIGRATE),
                nessie("rhtm-naive-reuse", REUSE_TITLE, Rules.RHTM_NAIVE, PLACES, 1, ALL, REUSE),
                nessie("rhtm-naive-slow-read", SLOW_READ_TITLE, Rules.RHTM_NAIVE, PLACES, 1, ALL, SLOW_READ),
                cutOff("nessie-breaks", FAULTS_TITLE, Rules.CORRECTED, PLACES, SLOTS, 0, 1, FAULTS_SCRIPT),
                cutOff("nessie-breaks-migrating", MIGRATE_TITLE, Rules.CORRECTED, ROOM, SLOTS, 0, 2, "w2 r0|w0 r1"),
                cutOff("nessie-server-breaks", FAULTS_TITLE, Rules.CORRECTED, PLACES, SLOTS, SLOTS, 1, FAULTS_SCRIPT),
                cutOff("nessie-server-breaks-chain", CHAIN_TITLE, Rules.CORRECTED, CHAIN, 4, 4, 3, CHAIN_SCRIPT),
                cutOff("nessie-server-breaks-resize", RESIZE_TITLE, Rules.CORRECTED, PAIR, 2, 4, 2, RESIZE_SCRIPT),
                cutOff("nessie-rhtm-breaks", FAULTS_TITLE, Rules.RHTM, PLACES, SLOTS, 0, 1, FAULTS_SCRIPT),
                cutOff("nessie-rhtm-breaks-migrating", MIGRATE_TITLE, Rules.RHTM, ROOM, SLOTS, 0, 2, "w2 r0|w0 r1"),
                cutOff("nessie-rhtm-naive-breaks", FAULTS_TITLE, Rules.RHTM_NAIVE, PLACES, SLOTS, 0, 1, FAULTS_SCRIPT),
                printed("delete-again", DELETE_AGAIN_TITLE, 1, ALL, DELETE_AGAIN),
                printed("reuse", REUSE_TITLE, 1, ALL, REUSE),
                printed("slow-read", SLOW_READ_TITLE, 1, ALL, SLOW_READ));
    }

    private static CheckedSystem nessie(String name, String title, int loaded, int switches, String script) {
        return nessie(name, title, Rules.CORRECTED, PLACES, loaded, switches, script);
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
                () -> new NessieTrial(rules, SLOTS, 0, places, loaded, false, Script.of(script)));
    }

    /** Creates a system in which machines may fail and connections break. */
    private static CheckedSystem cutOff(
            String name,
            String title,
            Rules rules,
            int[][] places,
            int slots,
            int maxSlots,
            int loaded,
            String script) {
        return new CheckedSystem(
                name,
                title + "; any machine may fail and connections break",
                false,
                FAULTS,
                maxSlots > 0 ? 0 : 1, // with a server there are too many
                () -> new NessieTrial(rules, slots, maxSlots, places, loaded, true, Script.of(script)));
    }

    private static CheckedSystem served(
            String name,
            String title,
            ExplorationLimits limits,
            int switches,
            int[][] places,
            int slots,
            int maxSlots,
            int loaded,
            String script) {
        return new CheckedSystem(
                "nessie-server-" + name,
                title,
                false,
                limits,
                switches,
                () -> new NessieTrial(Rules.CORRECTED, slots, maxSlots, places, loaded, false, Script.of(script)));
    }
}
