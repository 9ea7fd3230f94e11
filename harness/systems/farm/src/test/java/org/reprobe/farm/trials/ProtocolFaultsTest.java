package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.farm.transactions.AllocationFaults;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.SystemTrials;

/**
 * Faults of the kinds that were seeded by hand into FaRM's transactions, local reads, logs and recovery, each with the
 * configuration that finds it.
 */
class ProtocolFaultsTest {
    private static final long SEED = Seeds.seed();
    private static final int ALWAYS = 3;
    private static final long SCHEDULES = 1_500;
    private static final long RANDOM_SCHEDULES = 4_000;

    private static final String NO_ORDER = "explain";
    private static final String LOCKED = "remains locked";

    /**
     * A fault.
     *
     * @param trial the configuration that finds it
     * @param wrong what is wrong there
     */
    private record Fault(String name, SeededFaults seeded, String trial, String wrong) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    static List<Fault> faults() {
        return NightlyCases.of(
                "ProtocolFaultsTest.aFaultIsFound",
                ALWAYS,
                List.of(
                        new Fault(
                                "a read is validated against the version of another object",
                                seeded().replacing(
                                                "commit.Participant",
                                                "header & ~ObjectLayout.LOCK_MODE : header) != words[at + 1]) {",
                                                "header & ~ObjectLayout.LOCK_MODE : header)"
                                                        + " != words[CommitMessage.HEADER_WORDS + 1]) {"),
                                "farm-transactions:1/1/1,0,0:w0 l1 r0 r1|r0",
                                "though no other transaction was under way"),
                        new Fault(
                                "a ring has room for a frame of any length",
                                seeded().replacing(
                                                "messages.RingLayout",
                                                "return tail + frameBytes - head <= bytes;",
                                                "return tail + HEADER_BYTES - head <= bytes;"),
                                "farm-ring",
                                ""),
                        new Fault(
                                "a read of the own memory ignores the lock",
                                seeded().replacing(
                                                "transactions.DistributedTransaction",
                                                "if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE) { return null; }"
                                                        + " Copy copy = newCopy(reader.layout());",
                                                "Copy copy = newCopy(reader.layout());"),
                                "farm-transactions:1/1/3,0,0:w0 w1|l0 r1",
                                NO_ORDER),
                        new Fault(
                                "what was locked stays locked after a refusal",
                                seeded().without("commit.Participant", "unlock(words, i);"),
                                "farm-transactions:2/1/1,0,0,0:w0 w1 w2|w1",
                                LOCKED),
                        new Fault(
                                "a write keeps the version",
                                seeded().replacing(
                                                "memory.ObjectWriter",
                                                "long next = version + versionStep; cpu.spendCpu(stepPs);",
                                                "long next = version; cpu.spendCpu(stepPs);"),
                                "farm-transactions:1/1/1,0:w0|w0|l0",
                                NO_ORDER),
                        new Fault(
                                "a log is cleaned of what replicas have not applied",
                                seeded().without("commit.ReplicaLog", "keep(position, count);"),
                                "farm-recovery:2/2/1,0,1:w0 l1 w0|w1 w0",
                                NO_ORDER),
                        new Fault(
                                "the locks of a dead coordinator stay when machines recover",
                                seeded().without(
                                                "commit.Participant",
                                                "end(each.transaction, decided, CommitMessage.COMMIT, CommitMessage.ABORT);"),
                                "farm-recovery:2/2/1,0,1:w0 w1|l0 l1",
                                LOCKED),
                        new Fault(
                                "a vote is lost",
                                seeded().without(
                                                "commit.Participant",
                                                "committed.forEach((_, transaction) -> votes.committed(transaction));"),
                                "farm-recovery:2/2/1,0,1:w0 w1|l0 l1",
                                ""),
                        new Fault(
                                "an insert is visible before its transaction is validated",
                                seeded().replacing(
                                                "commit.LocalTransaction",
                                                "lock(false); lockExclusively(); validate();",
                                                "lock(false); lockExclusively(); writeAll(); validate();"),
                                "farm-table:1/3/1,0p,0:w1|d0 w1|r1",
                                ""),
                        new Fault(
                                "an object is freed before the transaction commits",
                                AllocationFaults.FREES_AT_PREPARE.seeded(),
                                "farm-allocate-both",
                                ""),
                        new Fault(
                                "a message is served twice",
                                seeded().replacing(
                                                "messages.Messages",
                                                "handler.received(machine, received, bytes);",
                                                "handler.received(machine, received, bytes);"
                                                        + " handler.received(machine, received, bytes);"),
                                "farm-exchange",
                                "was received with wrong content"),
                        new Fault(
                                "an older version of a log replaces a newer one",
                                seeded().replacing(
                                                "commit.Participant",
                                                "if ((known & ~ObjectLayout.LOCK_MODE) > version) {",
                                                "if (false) {"),
                                "farm-recovery:2/2/3,0,1:w0 l1 w0|w1 w0",
                                NO_ORDER),
                        new Fault(
                                "replicas do not learn of an abort",
                                seeded().without(
                                                "transactions.DistributedTransaction",
                                                "sendToReplicas(CommitMessage.LOG_ABORT, sender);"),
                                "farm-transactions:2/2/1,0,0,1:w0 w1 w2|w0 w2|l1",
                                "without the outcome of its transaction"),
                        new Fault(
                                "a manager begins the same configuration again",
                                seeded().replacing(
                                                "recovery.Membership",
                                                "if (!next.equals(configuration)) {",
                                                "if (true) {"),
                                "farm-recovery:2/2/2,0,1:l1|w0",
                                "has the members of the one before")));
    }

    static Trial trial(String configuration) {
        return new FarmConfigurations().apply(configuration);
    }

    private static ExplorationLimits limits(String configuration) {
        SystemTrials all = FarmTrials.all();
        CheckedSystem derived = all.configuration(configuration);
        return derived != null
                ? derived.limits()
                : all.systems().stream()
                        .filter(system -> system.name().equals(configuration))
                        .findFirst()
                        .orElseThrow()
                        .limits();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(Fault fault) throws Exception {
        Trial trial =
                (Trial) Objects.requireNonNull(fault.seeded().call(ProtocolFaultsTest.class, "trial", fault.trial()));
        Exploration exploration = Exploration.asFound(trial, limits(fault.trial()), () -> false);
        Counterexample found = exploration.exhaustive(1, SCHEDULES).counterexample();
        found = found != null
                ? found
                : exploration.random(SEED, RANDOM_SCHEDULES).counterexample();
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.violation()).as(fault.name()).contains(fault.wrong());
    }
}
