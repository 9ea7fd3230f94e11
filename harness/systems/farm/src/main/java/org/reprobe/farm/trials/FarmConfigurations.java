package org.reprobe.farm.trials;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.recovery.Membership;
import org.reprobe.farm.table.Combining;
import org.reprobe.farm.table.TableSearch;
import org.reprobe.farm.table.TableWriter;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.Configuration.At;
import org.reprobe.trial.ConfigurationKind;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.Script.Step;

/**
 * Derived configurations of FaRM's protocols, and the trial that each configuration's text describes. Public, because
 * explorations load the class again.
 *
 * <p>Transactions: {@code farm-transactions:2/2/1,0,1:r0 w1|w0 l1} has 2 machines, 2 copies of each region and mode 1;
 * then the machine of each object, and the operations of each client. Reads and writes up to a READ without a lock
 * ({@code l}) are one transaction. In modes 1 and 2 clients are on no machine with objects, in modes 3 and 4 they are
 * threads of the machine of their first object. In modes 2 and 4 replicas get one message, when the transaction
 * commits.
 *
 * <p>Recovery: each machine has one client. In modes 1 and 3 a machine may fail, in modes 2 and 4 it may also be slow.
 * In modes 3 and 4 two threads per machine take part in other machines' transactions.
 *
 * <p>Tables: {@code farm-table:2/1/2,0p,1:w1|d0 r1} has 2 home buckets. The second number is one more than the number
 * of other keys in the first bucket; the third is 2 if inserts and updates are combined. Then follow the home of each
 * key and the operations of each client. All keys of {@code farm-updates} are in one bucket.
 */
public final class FarmConfigurations implements Function<String, Trial> {
    private static final int FIRST_LOCAL_MODE = 3;
    private static final int COMBINED = 2;
    private static final int ATTEMPTS = 2;
    private static final int RECOVERY_ATTEMPTS = 3;
    private static final int MODES = 4;
    private static final int MAX_MACHINES = 3;
    private static final int MAX_BUCKETS = 2;
    private static final int MAX_FILL = 4;

    private static final ExplorationLimits TABLE = ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY);

    /** Transactions of several machines. */
    static final DerivedSystem TRANSACTIONS = new DerivedSystem(
            "farm-transactions",
            "one to three clients, whose transactions and READs are of up to four objects on up to three machines; one client or machine may fail",
            150,
            List.of(
                    machines("farm-transactions", FarmTrials.DISTRIBUTED),
                    machines("farm-transactions-dies", FarmTrials.DISTRIBUTED.withCrashes(1)),
                    machines("farm-recovery", FarmTrials.RECOVERY)),
            FarmConfigurations.class,
            List.of(
                    DistributedTransaction.class,
                    Participant.class,
                    ReplicaLog.class,
                    Membership.class,
                    MachineWords.class,
                    Votes.class));

    /** The table, and its combined updates. */
    static final DerivedSystem TABLES = new DerivedSystem(
            "farm-table",
            "one to three threads that insert, remove and look up at most four keys in one or two home buckets and their chains",
            123,
            List.of(
                    kind("farm-table", List.of(At.NOWHERE, At.PRIMARY), "wrd", fills(), TABLE),
                    kind("farm-table-held", List.of(At.NOWHERE, At.PRIMARY), "wrd", fills(), TABLE),
                    kind(
                            "farm-updates",
                            List.of(At.NOWHERE),
                            "wr",
                            List.of(List.of(1, 1, 1), List.of(1, 1, COMBINED)),
                            TABLE)),
            FarmConfigurations.class,
            List.of(TableWriter.class, TableSearch.class, Combining.class, LocalTransaction.class));

    private static final List<DerivedSystem> ALL = List.of(TRANSACTIONS, TABLES);

    private static ConfigurationKind machines(String name, ExplorationLimits limits) {
        List<List<Integer>> sizes = new ArrayList<>();
        for (int machines = 1; machines <= MAX_MACHINES; machines++) {
            for (int copies = 1; copies <= machines; copies++) {
                for (int mode = 1; mode <= MODES; mode++) {
                    if (copies > 1 || mode % 2 == 1) {
                        sizes.add(List.of(machines, copies, mode));
                    }
                }
            }
        }
        return kind(name, List.of(At.NOWHERE), "rwl", sizes, limits);
    }

    private static ConfigurationKind kind(
            String name, List<At> states, String verbs, List<List<Integer>> sizes, ExplorationLimits limits) {
        return new ConfigurationKind(name, 1, states, verbs, sizes, 0, limits);
    }

    private static List<List<Integer>> fills() {
        List<List<Integer>> sizes = new ArrayList<>();
        for (int buckets = 1; buckets <= MAX_BUCKETS; buckets++) {
            for (int fill = 1; fill <= MAX_FILL; fill++) {
                sizes.add(List.of(buckets, fill, 1));
                sizes.add(List.of(buckets, fill, COMBINED));
            }
        }
        return sizes;
    }

    @Override
    public Trial apply(String text) {
        Configuration configuration = Configuration.of(
                text, ALL.stream().flatMap(system -> system.kinds().stream()).toList());
        if (configuration == null) {
            return FarmTrials.all().systems().stream()
                    .filter(system -> system.name().equals(text))
                    .map(CheckedSystem::trial)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(text))
                    .get();
        }
        return switch (configuration.kind().name()) {
            case "farm-transactions", "farm-transactions-dies" -> transactions(configuration);
            case "farm-recovery" -> recovery(configuration);
            case "farm-table" -> table(configuration, TableWriter.Variant.CORRECTED);
            case "farm-table-held" -> table(configuration, TableWriter.Variant.HELD);
            default -> updates(configuration);
        };
    }

    private static List<Integer> homes(Configuration configuration) {
        return configuration.keys().stream().map(key -> key.places().getFirst()).toList();
    }

    private static Trial transactions(Configuration configuration) {
        int mode = configuration.sizes().getLast();
        CommitRules rules =
                mode % 2 == 0 ? CommitRules.CORRECTED.with(ReplicationMode.COMMIT_ONLY) : CommitRules.CORRECTED;
        return new DistributedTrial(
                new DistributedTrial.Setting(
                        configuration.sizes().get(0),
                        homes(configuration),
                        configuration.sizes().get(1) - 1,
                        rules,
                        ATTEMPTS,
                        true),
                scripts(configuration, mode >= FIRST_LOCAL_MODE));
    }

    private static Trial recovery(Configuration configuration) {
        int mode = configuration.sizes().getLast();
        return new RecoveryTrial(
                new RecoveryTrial.Setting(
                        configuration.sizes().get(0),
                        homes(configuration),
                        configuration.sizes().get(1) - 1,
                        mode >= FIRST_LOCAL_MODE ? 2 : 1,
                        1,
                        RECOVERY_ATTEMPTS,
                        mode % 2 == 0,
                        CommitRules.RECOVERABLE),
                scripts(configuration, false));
    }

    private static List<List<DistributedTrial.Script>> scripts(Configuration configuration, boolean ship) {
        List<List<DistributedTrial.Script>> clients = new ArrayList<>();
        for (String client : configuration.script().split("\\|", -1)) {
            List<DistributedTrial.Script> scripts = new ArrayList<>();
            Set<Long> reads = new TreeSet<>();
            Set<Long> writes = new TreeSet<>();
            for (String word : client.split(" ", -1)) {
                long object = Character.digit(word.charAt(1), 10);
                switch (word.charAt(0)) {
                    case 'r' -> reads.add(object);
                    case 'w' -> writes.add(object);
                    default -> {
                        addTransaction(scripts, reads, writes, ship);
                        scripts.add(DistributedTrial.reads(object));
                    }
                }
            }
            addTransaction(scripts, reads, writes, ship);
            clients.add(scripts);
        }
        return clients;
    }

    private static void addTransaction(
            List<DistributedTrial.Script> scripts, Set<Long> reads, Set<Long> writes, boolean ships) {
        if (!reads.isEmpty() || !writes.isEmpty()) {
            Long[] written = writes.toArray(Long[]::new);
            scripts.add(
                    ships
                            ? DistributedTrial.shipped(List.copyOf(reads), written)
                            : DistributedTrial.update(List.copyOf(reads), written));
        }
        reads.clear();
        writes.clear();
    }

    /** Keys of the configuration come first, then those that fill the first bucket. */
    private static Trial table(Configuration configuration, TableWriter.Variant variant) {
        int buckets = configuration.sizes().get(0);
        List<Integer> homes = new ArrayList<>(homes(configuration));
        List<List<Integer>> pairs = new ArrayList<>();
        for (int bucket = 0; bucket <= buckets; bucket++) {
            pairs.add(new ArrayList<>());
        }
        List<Integer> chainOf = new ArrayList<>();
        for (int i = 1; i < configuration.sizes().get(1); i++) {
            put(homes.size(), 0, buckets, pairs, chainOf);
            homes.add(0);
        }
        for (int key = 0; key < configuration.loaded(); key++) {
            put(key, homes.get(key), buckets, pairs, chainOf);
        }
        List<TableTrial.Script> scripts = new ArrayList<>();
        for (List<Step> client : Script.of(configuration.script()).clients()) {
            scripts.add(TableTrial.Script.writes(
                    client.stream().map(FarmConfigurations::action).toArray(TableTrial.Action[]::new)));
        }
        // The trial derives its home buckets from its keys: the last bucket is the home of an absent key.
        homes.add(buckets - 1);
        return new TableTrial(variant, configuration.sizes().getLast() == COMBINED, homes, chainOf, pairs, scripts);
    }

    /** Puts a key into the first with room of its home bucket, the next one and the home's chain. */
    private static void put(int key, int home, int buckets, List<List<Integer>> pairs, List<Integer> chainOf) {
        for (int place : List.of(home, home + 1)) {
            if (hasRoom(pairs.get(place))) {
                pairs.get(place).add(key);
                return;
            }
        }
        for (int block = 0; block < chainOf.size(); block++) {
            if (chainOf.get(block) == home && hasRoom(pairs.get(buckets + 1 + block))) {
                pairs.get(buckets + 1 + block).add(key);
                return;
            }
        }
        chainOf.add(home);
        pairs.add(new ArrayList<>(List.of(key)));
    }

    private static boolean hasRoom(List<Integer> slots) {
        return slots.size() < TableTrial.SLOTS;
    }

    private static TableTrial.Action action(Step step) {
        return switch (step.operation()) {
            case WRITE -> TableTrial.insert(step.key(), step.value());
            case DELETE -> TableTrial.remove(step.key());
            default -> new TableTrial.Action(TableTrial.Kind.LOOKUP, step.key(), 0);
        };
    }

    /** Clients with even numbers are threads of the bucket's machine; those with odd numbers do nothing. */
    private static Trial updates(Configuration configuration) {
        List<List<Step>> clients = new ArrayList<>();
        for (List<Step> client : Script.of(configuration.script()).clients()) {
            clients.add(client);
            clients.add(List.of());
        }
        return new UpdatesTrial(
                Math.max(2, configuration.keys().size()),
                false,
                new Script(clients),
                configuration.sizes().getLast() == COMBINED,
                null);
    }
}
