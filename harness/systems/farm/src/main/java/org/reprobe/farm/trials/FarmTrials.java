package org.reprobe.farm.trials;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.table.TableWriter;
import org.reprobe.farm.tao.TaoOperation;
import org.reprobe.farm.tao.TaoOperations;
import org.reprobe.farm.trials.ObjectTrial.Rules;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.Script;
import org.reprobe.trial.SystemTrials;

/** Explored configurations of FaRM: small rings of messages, lock-free objects, tables and transactions. */
public final class FarmTrials {
    static final ExplorationLimits DISTRIBUTED = ExplorationLimits.USUAL.withTearing(Tearing.NONE);
    static final int DISTRIBUTED_SWITCHES = 2;

    /** Limits with one machine failure; the watching client pauses as long as other clients make changes. */
    static final ExplorationLimits RECOVERY = DISTRIBUTED.withFailures(1).withPauses(1000);

    /** Limits with a failure of a machine that rejoins, and another failure. */
    static final ExplorationLimits REJOINING = RECOVERY.withFailures(2);

    private static final CommitRules RIGHT_RECOVERY = CommitRules.RECOVERABLE;

    /**
     * Printed commit of single-machine transactions: one message to replicas, and READs accept the locked objects until
     * all have replied.
     */
    static final CommitRules DUAL_MODE =
            CommitRules.CORRECTED.with(ReplicationMode.COMMIT_ONLY).with(CommitRules.Locking.READABLE);

    private FarmTrials() {}

    public static SystemTrials all() {
        return new SystemTrials(
                List.of(
                        ring("ring", "a ring of 8 words, through which 4 messages of 1 and 2 words go", 8, 2, 1, 2, 1),
                        ring("ring-smallest", "a ring of 6 words with space for one message of 1 word", 6, 1, 1, 1, 1),
                        new CheckedSystem(
                                "farm-ring-overtaken",
                                "messages through a ring, by a card that lands the words of a WRITE in order, but may land a later WRITE before an earlier one",
                                false,
                                ExplorationLimits.USUAL.withTearing(Tearing.OVERTAKING),
                                3,
                                () -> new RingTrial(8, 2, 1, 1, 2)),
                        new CheckedSystem(
                                "farm-exchange",
                                "two threads that send each other 3 messages through rings with space for 2",
                                false,
                                ExplorationLimits.USUAL,
                                2,
                                () -> new ExchangeTrial(6, 3)),
                        new CheckedSystem(
                                "farm-ring-any-order",
                                "messages through a ring, by a card whose WRITEs may land in any order: verbs guarantee none within one",
                                true,
                                ExplorationLimits.USUAL.withTearing(Tearing.FROM_BOTH_ENDS),
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
                                "an object whose line versions have 2 bits, changed 4 times, and a READ, repeated if it takes as long as these changes",
                                false,
                                2,
                                Rules.PRINTED.wrapping(2, true)),
                        object(
                                "object-reuse",
                                "an object of 3 lines that is freed and replaced by another, and a READ through a pointer to the first",
                                false,
                                3,
                                Rules.PRINTED.reusing(ObjectTrial.Reuse.CHECKED)),
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
                                "w0|r0"),
                        combined(
                                "updates-combined",
                                "a key that two threads update, combined if concurrent, another that shares its cell, and lookups",
                                "w0|r0 r1|w0|r0|w1"),
                        replicated(
                                "updates-replicated",
                                "a key that two threads update after a replica has logged it, and READs that accept it until then",
                                CommitRules.Locking.READABLE),
                        replicated(
                                "updates-exclusive",
                                "the same with READs that do not accept it while the replica logs",
                                CommitRules.Locking.EXCLUSIVE),
                        readByLines(
                                "inserts-combined",
                                "inserts of a key by two threads and an update by a third, combined if concurrent, and lookups",
                                2,
                                FarmTrials::combinedInserts),
                        readByLines(
                                "transaction",
                                "a transaction that writes two objects, and READs of one after the other",
                                2,
                                () -> twoObjects(LocalTransaction.CommitOrder.STRICT)),
                        readByLines(
                                "transaction-read-set",
                                "a transaction that reads an object and writes another, one that writes what it reads, and READs",
                                2,
                                () -> readSet(LocalTransaction.CommitOrder.STRICT)),
                        readByLines(
                                "transaction-read-set-held",
                                "the same, where the read set stays locked until all writes are done, as it does while replicas log",
                                2,
                                () -> readSet(LocalTransaction.CommitOrder.HELD)),
                        printed(
                                "transaction-as-printed",
                                "the same, where the read set is validated before the write set is locked against READs, as printed",
                                2,
                                () -> readSet(LocalTransaction.CommitOrder.PRINTED)),
                        readByLines(
                                "transactions",
                                "two transactions, each of which writes what the other reads",
                                3,
                                () -> writeSkew(LocalTransaction.CommitOrder.STRICT)),
                        readByLines(
                                "table-insert",
                                "a table of 3 buckets with H = 4, an insert that displaces a pair, and lookups of it by READs",
                                2,
                                () -> displacement(TableWriter.Variant.CORRECTED)),
                        readByLines(
                                "table-insert-held",
                                "the same insert, whose buckets stay locked until replicas have replied, and lookups",
                                2,
                                () -> displacement(TableWriter.Variant.HELD)),
                        readByLines(
                                "table-remove",
                                "a bucket and its chain of two blocks, a remove, and lookups of the chain's last pair by READs",
                                2,
                                () -> twoBlocks(TableWriter.Variant.CORRECTED)),
                        printed(
                                "table-remove-as-printed",
                                "the same, where only the last block gets another incarnation, as printed",
                                2,
                                () -> twoBlocks(TableWriter.Variant.PRINTED)),
                        readByLines(
                                "table-remove-neighbour",
                                "a remove whose slot is filled from the chain of the bucket before, and lookups of the pair by READs",
                                2,
                                () -> neighboursChain(TableWriter.Variant.CORRECTED)),
                        readByLines(
                                "table-two-writers",
                                "two threads that insert one key, of which one removes another and inserts one more, and lookups by READs",
                                2,
                                () -> twoWriters(TableWriter.Variant.CORRECTED)),
                        readByLines(
                                "table-displaced",
                                "an insert that displaces a pair while another thread removes it, and a lookup of it by READs",
                                2,
                                () -> displacedAndRemoved(TableWriter.Variant.CORRECTED)),
                        distributed(
                                "distributed",
                                "two transactions over objects of two machines, each of which writes what the other reads",
                                false,
                                0,
                                () -> skew(CommitRules.CORRECTED)),
                        distributed(
                                "distributed-as-printed",
                                "the same, where validation checks versions and not locks, as printed",
                                true,
                                0,
                                () -> skew(CommitRules.PRINTED)),
                        distributed(
                                "distributed-reads",
                                "a transaction that writes replicated objects of two machines, and READs of both in turn; a client may die",
                                false,
                                1,
                                () -> writeBoth(CommitRules.CORRECTED)),
                        distributed(
                                "distributed-commit-only",
                                "the same, where replicas receive the writes at commit only",
                                false,
                                1,
                                () -> writeBoth(CommitRules.CORRECTED.with(ReplicationMode.COMMIT_ONLY))),
                        distributed(
                                "distributed-replicas",
                                "a transaction that writes an object with two replicas, and READs; a client may die, and its locks remain",
                                false,
                                1,
                                () -> twoReplicas(CommitRules.CORRECTED, true)),
                        distributed(
                                "distributed-lock-left",
                                "a transaction whose client dies: the paper does not print how its locks are released",
                                true,
                                1,
                                () -> twoReplicas(CommitRules.CORRECTED, false)),
                        distributed(
                                "shipped",
                                "two transactions, each of which writes what the other reads, on one machine; one was shipped there",
                                false,
                                0,
                                () -> shippedSkew(CommitRules.CORRECTED)),
                        distributed(
                                "shipped-dual-mode",
                                "a shipped transaction whose locks admit READs until a replica has replied, and READs; a client may die",
                                false,
                                1,
                                () -> shippedBoth(DUAL_MODE)),
                        distributed(
                                "shipped-as-printed",
                                "the same with an object that it only reads, which another writes while the replica logs",
                                true,
                                0,
                                () -> shippedReader(DUAL_MODE)),
                        lists(
                                "tao-list",
                                "an edge added to a list with a full head, and reads of its count and, by a cached pointer, newest edges",
                                () -> newHead()),
                        lists(
                                "tao-list-two-writers",
                                "two edges that are added to a list whose head is full, by two clients, and reads of both its blocks",
                                () -> twoHeads()),
                        distributed(
                                "allocate",
                                "two transactions that write an object and replace its part, and READs of both",
                                false,
                                0,
                                () -> replaced()),
                        distributed(
                                "allocate-both",
                                "the same on two machines, where one transaction writes both objects, and one the second",
                                false,
                                0,
                                () -> replacedOnBoth()),
                        recovery(
                                "recovery",
                                "a transaction that writes objects of two machines, and READs; a machine fails, and the other takes over",
                                () -> written(RIGHT_RECOVERY)),
                        recovery(
                                "recovery-slow",
                                "a transaction and a READ; a machine fails or is slow and declared failed, and the other takes over",
                                () -> slow(RIGHT_RECOVERY)),
                        recovery(
                                "restart",
                                "transactions with two replicas; a machine fails, and all lose power and restart from their logs",
                                () -> restart(RIGHT_RECOVERY)),
                        new CheckedSystem(
                                "farm-rejoin",
                                "transactions; a machine fails, restarts and rejoins, and another may fail afterwards",
                                false,
                                REJOINING,
                                0,
                                () -> rejoin(RIGHT_RECOVERY))),
                List.of(FarmConfigurations.TRANSACTIONS, FarmConfigurations.TABLES),
                null);
    }

    private static CheckedSystem ring(String name, String title, int ringWords, int... messageWords) {
        return new CheckedSystem(
                "farm-" + name, title, false, ExplorationLimits.USUAL, 3, () -> new RingTrial(ringWords, messageWords));
    }

    private static CheckedSystem updates(String name, String title, boolean byWords, String script) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                false,
                ExplorationLimits.USUAL,
                3,
                () -> new UpdatesTrial(byWords, Script.of(script), false));
    }

    private static CheckedSystem combined(String name, String title, String script) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                false,
                ExplorationLimits.USUAL,
                3,
                () -> new UpdatesTrial(false, Script.of(script), true));
    }

    private static CheckedSystem replicated(String name, String title, CommitRules.Locking locking) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                false,
                ExplorationLimits.USUAL,
                3,
                () -> new UpdatesTrial(2, false, Script.of("w0|r0 r0|w0|r1|r0 w1"), true, locking));
    }

    /** Creates a system whose READs may take lines or words in either order. */
    private static CheckedSystem object(String name, String title, boolean printed, int switches, Rules rules) {
        return new CheckedSystem(
                "farm-" + name,
                title,
                printed,
                ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY),
                switches,
                () -> new ObjectTrial(rules));
    }

    /** Creates a system whose READs may take lines in either order. */
    private static CheckedSystem readByLines(String name, String title, int switches, Supplier<Trial> trial) {
        return new CheckedSystem(
                "farm-" + name, title, false, ExplorationLimits.USUAL.withTearing(Tearing.EITHER_WAY), switches, trial);
    }

    /** Creates a system whose READs are atomic, as each object has one line. */
    private static CheckedSystem distributed(
            String name, String title, boolean printed, int crashes, Supplier<Trial> trial) {
        return new CheckedSystem(
                "farm-" + name, title, printed, DISTRIBUTED.withCrashes(crashes), DISTRIBUTED_SWITCHES, trial);
    }

    private static CheckedSystem lists(String name, String title, Supplier<Trial> trial) {
        return readByLines(name, title, DISTRIBUTED_SWITCHES, trial);
    }

    private static CheckedSystem recovery(String name, String title, Supplier<Trial> trial) {
        return new CheckedSystem("farm-" + name, title, false, RECOVERY, 0, trial);
    }

    private static CheckedSystem printed(String name, String title, int switches, Supplier<Trial> trial) {
        CheckedSystem system = readByLines(name, title, switches, trial);
        return new CheckedSystem(system.name(), title, true, system.limits(), switches, trial);
    }

    /** Write skew over two machines with one object each. */
    static Trial skew(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(2, 2, 0, rules, 2, true),
                DistributedTrial.update(List.of(0L), 1L),
                DistributedTrial.update(List.of(1L), 0L));
    }

    /** Writes to both machines, each with an object and a replica of the other. */
    static Trial writeBoth(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(2, 2, 1, rules, 2, true),
                DistributedTrial.update(List.of(), 0L, 1L),
                DistributedTrial.reads(0L, 1L));
    }

    /** Write skew of two objects on one machine, to which one of the transactions was shipped. */
    static Trial shippedSkew(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(1, 2, 0, rules, 2, true),
                DistributedTrial.shipped(List.of(0L), 1L),
                DistributedTrial.update(List.of(1L), 0L));
    }

    /** Shipped writes of two of three objects on the first machine, with replicas on the other. */
    static Trial shippedBoth(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(2, 3, 1, rules, 2, true),
                DistributedTrial.shipped(List.of(), 0L, 2L),
                DistributedTrial.reads(0L, 2L));
    }

    /** Write to a transaction's read set while its replicas log. */
    static Trial shippedReader(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(2, 3, 1, rules, 1, true),
                DistributedTrial.shipped(List.of(0L), 2L),
                DistributedTrial.shipped(List.of(), 0L),
                DistributedTrial.reads(0L, 2L));
    }

    /** Writes of an object with two replicas. */
    static Trial twoReplicas(CommitRules rules, boolean toleratesLocks) {
        return new DistributedTrial(
                new DistributedTrial.Setting(3, 1, 2, rules, 1, toleratesLocks),
                DistributedTrial.update(List.of(), 0L),
                DistributedTrial.reads(0L, 0L));
    }

    /** Writes on two machines, each with a copy of the other's object; one of them may fail. */
    static Trial written(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, false, rules),
                DistributedTrial.update(List.of(), 0L, 1L),
                DistributedTrial.reads(0L, 1L));
    }

    /** Write skew over two machines, one of which may fail. */
    static Trial recoveredSkew(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, false, rules),
                DistributedTrial.update(List.of(0L), 1L),
                DistributedTrial.update(List.of(1L), 0L));
    }

    /** Writes on machines that may be slow. */
    static Trial slow(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 0, 3, true, rules),
                DistributedTrial.reads(1L),
                DistributedTrial.update(List.of(), 0L));
    }

    /** Larger variant of {@link #slow} with lease renewals. */
    static Trial slowWrites(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, true, rules),
                DistributedTrial.update(List.of(), 0L, 1L),
                DistributedTrial.reads(0L, 1L));
    }

    /** Writes on three machines, of which any may be slow. */
    static Trial threeMachines(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(3, 2, 1, 1, 3, true, rules),
                DistributedTrial.update(List.of(0L), 1L),
                DistributedTrial.update(List.of(1L), 0L),
                DistributedTrial.update(List.of(0L, 1L)));
    }

    /** Writes on three machines with all copies, one of which may fail before all lose power. */
    static Trial restart(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(3, 2, 2, 1, 3, false, rules),
                List.of(
                        List.of(DistributedTrial.update(List.of(), 0L, 1L)),
                        List.of(DistributedTrial.update(List.of(0L), 1L), DistributedTrial.update(List.of(), 0L))),
                true);
    }

    /** Writes and READs on two machines. One that has failed rejoins, and a client of it writes and reads. */
    static Trial rejoin(CommitRules rules) {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, false, rules),
                List.of(List.of(DistributedTrial.update(List.of(), 0L, 1L)), List.of(DistributedTrial.reads(0L, 1L))),
                false,
                List.of(DistributedTrial.update(List.of(), 0L, 1L), DistributedTrial.reads(0L)));
    }

    static Trial oneObject(CommitRules rules) {
        return new DistributedTrial(
                new DistributedTrial.Setting(1, 1, 0, rules, 2, true),
                DistributedTrial.update(List.of(), 0L),
                DistributedTrial.update(List.of(), 0L));
    }

    /** Read of a counted new edge by a client whose cached pointer leads to the former head. */
    static Trial newHead() {
        return new TaoTrial(
                TaoOperations.HEAD_ONLY,
                List.of(
                        List.of(TaoOperation.ASSOC_ADD),
                        List.of(TaoOperation.ASSOC_COUNT, TaoOperation.ASSOC_RANGE, TaoOperation.ASSOC_RANGE)));
    }

    static Trial twoHeads() {
        return new TaoTrial(
                Integer.MAX_VALUE,
                List.of(
                        List.of(TaoOperation.ASSOC_ADD),
                        List.of(TaoOperation.ASSOC_ADD, TaoOperation.ASSOC_COUNT),
                        List.of(TaoOperation.ASSOC_RANGE, TaoOperation.ASSOC_COUNT)));
    }

    static Trial replaced() {
        return new AllocationTrial(1, AllocationTrial.read(0), AllocationTrial.update(0L), AllocationTrial.update(0L));
    }

    /** Replacement of parts on two machines, one of which may reject a transaction. */
    static Trial replacedOnBoth() {
        return new AllocationTrial(
                2, AllocationTrial.read(1), AllocationTrial.update(0L, 1L), AllocationTrial.update(1L));
    }

    static Trial twoObjects(LocalTransaction.CommitOrder commit) {
        return new TransactionTrial(commit, TransactionTrial.update(0, 0, 1), TransactionTrial.reads(0, 1, 0));
    }

    static Trial readSet(LocalTransaction.CommitOrder commit) {
        return new TransactionTrial(
                commit, TransactionTrial.update(0, 1), TransactionTrial.update(0, 0), TransactionTrial.reads(0, 1));
    }

    static Trial sameObject(LocalTransaction.CommitOrder commit) {
        return new TransactionTrial(commit, TransactionTrial.update(0, 0), TransactionTrial.update(0, 0));
    }

    static Trial writeSkew(LocalTransaction.CommitOrder commit) {
        return new TransactionTrial(commit, TransactionTrial.update(0, 1), TransactionTrial.update(1, 0));
    }

    /** Insert of key 4 into bucket 1, which displaces key 2, at home there, to bucket 2. */
    static Trial displacement(TableWriter.Variant variant) {
        return new TableTrial(
                variant,
                List.of(0, 0, 1, 1, 0),
                0,
                List.of(List.of(0, 1), List.of(2, 3), List.of()),
                TableTrial.Script.writes(TableTrial.insert(4, 40)),
                TableTrial.Script.lookups(2, 4));
    }

    static Trial displacedAndRemoved(TableWriter.Variant variant) {
        return new TableTrial(
                variant,
                List.of(0, 0, 1, 1, 0),
                0,
                List.of(List.of(0, 1), List.of(2, 3), List.of()),
                TableTrial.Script.writes(TableTrial.insert(4, 40)),
                TableTrial.Script.writes(TableTrial.remove(2)),
                TableTrial.Script.lookups(2));
    }

    /** Remove of key 0, whose slot is filled by the last key 7; key 6 keeps its slot. */
    static Trial twoBlocks(TableWriter.Variant variant) {
        return new TableTrial(
                variant,
                List.of(0, 0, 0, 0, 0, 0, 0, 0),
                0,
                List.of(List.of(0, 1), List.of(2, 3), List.of(4, 5), List.of(6, 7)),
                TableTrial.Script.writes(TableTrial.remove(0)),
                TableTrial.Script.lookups(7, 6));
    }

    /** Remove of key 2 from bucket 1, whose slot is filled by key 5 from the chain of bucket 0. */
    static Trial neighboursChain(TableWriter.Variant variant) {
        return new TableTrial(
                variant,
                List.of(0, 0, 1, 1, 0, 0),
                0,
                List.of(List.of(0, 1), List.of(2, 3), List.of(), List.of(4, 5)),
                TableTrial.Script.writes(TableTrial.remove(2)),
                TableTrial.Script.lookups(5, 4));
    }

    /** Inserts of absent key 2 and operations of key 1, which shares its cell. */
    static Trial combinedInserts() {
        return combinedInserts(
                TableTrial.Script.writes(TableTrial.insert(2, 21), TableTrial.update(1, 11)),
                TableTrial.Script.writes(TableTrial.update(2, 22)),
                TableTrial.Script.lookups(2, 1));
    }

    static Trial combinedInserts(TableTrial.Script... others) {
        List<TableTrial.Script> all = new ArrayList<>(List.of(others));
        all.addFirst(TableTrial.Script.writes(TableTrial.insert(2, 20)));
        return new TableTrial(
                TableWriter.Variant.CORRECTED,
                true,
                List.of(0, 0, 0),
                0,
                List.of(List.of(0, 1), List.of()),
                all.toArray(TableTrial.Script[]::new));
    }

    /** Inserts of key 3; the first one goes to bucket 1, unless key 0 has left bucket 0. */
    static Trial twoWriters(TableWriter.Variant variant) {
        return new TableTrial(
                variant,
                List.of(0, 0, 0, 0, 0),
                0,
                List.of(List.of(0, 1), List.of(2)),
                TableTrial.Script.writes(TableTrial.insert(3, 30)),
                TableTrial.Script.writes(TableTrial.remove(0), TableTrial.insert(3, 31)),
                TableTrial.Script.lookups(3));
    }
}
