package org.reprobe.farm.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;

/** Leases and changes of configuration to the nanosecond, with messages that all take the same time. */
class MembershipTest {
    private static final int MACHINES = 3;
    private static final long LEASE_NS = 1000;
    private static final long RENEWAL_NS = LEASE_NS / 5;
    private static final long DELAY_NS = 30;
    private static final long POLL_NS = 10;
    private static final long FAILURE_NS = 2090;
    private static final int MAX_STEPS = 20_000;

    private static final long COMMITTED = 5L << 32 | 7;
    private static final long ABORTED = 6L << 32 | 8;

    private record Sent(long atNs, long number, int from, int to, long[] words) {}

    /** Machines with the time, the messages in flight and the configuration store. */
    private static final class Cluster {
        final RegionCopies copies;
        final List<Node> nodes = new ArrayList<>();
        final PriorityQueue<Sent> inFlight =
                new PriorityQueue<>(Comparator.comparingLong(Sent::atNs).thenComparingLong(Sent::number));
        /** Time of the last delivery, by receiver and sender. */
        final long[][] receivedNs = new long[MACHINES][MACHINES];

        Configuration present = Configuration.first(MACHINES);
        IntPredicate isolated = _ -> false;
        IntPredicate reachesStore = _ -> true;
        boolean begun;
        int queries;
        long nowNs;
        private long sent;
        private int steps;

        Cluster(int replicas) {
            copies = RegionCopies.inOrder(MACHINES, 1, replicas);
            for (int machine = 0; machine < MACHINES; machine++) {
                nodes.add(new Node(this, machine));
            }
        }

        Node node(int machine) {
            return nodes.get(machine);
        }

        void runUntil(long endNs) throws FabricException {
            while (true) {
                long nextNs = inFlight.isEmpty() ? Long.MAX_VALUE : inFlight.peek().atNs;
                for (Node node : nodes) {
                    nextNs = Math.min(nextNs, node.nextNs());
                }
                if (nextNs > endNs) {
                    nowNs = endNs;
                    return;
                }
                assertThat(++steps).as("steps until %d ns", nextNs).isLessThan(MAX_STEPS);
                nowNs = Math.max(nowNs, nextNs);
                Sent first = inFlight.peek();
                if (first != null && first.atNs <= nowNs) {
                    deliver(inFlight.remove());
                } else {
                    for (Node node : nodes) {
                        node.tickIfDue();
                    }
                }
            }
        }

        private void deliver(Sent message) throws FabricException {
            boolean lost = node(message.from).failed || node(message.to).failed;
            if (!lost && !isolated.test(message.from) && !isolated.test(message.to)) {
                receivedNs[message.to][message.from] = nowNs;
                node(message.to).received(message.from, message.words);
                node(message.to).record();
            }
        }

        Configuration replace(int machine, Configuration known, Configuration next) throws FabricException {
            queries++;
            if (!reachesStore.test(machine)) {
                throw new UnreachableException("the store is unreachable");
            }
            present = begun ? present : known; // the first caller's, as in ZooKeeperWord
            begun = true;
            present = present.equals(known) ? next : present;
            return present;
        }
    }

    /** Machine whose threads take {@link #takesNs} to stop and to decide. */
    private static final class Node implements Membership.Machine {
        final Cluster cluster;
        final int self;
        final MachineWords words =
                new MachineWords(MemorySegment.ofArray(new long[(int) MachineWords.BYTES / Long.BYTES]), 0);
        Membership membership;

        @Nullable
        Rejoin rejoin;
        /** Configurations in which the restarted machine has begun to copy its regions. */
        final List<Configuration> copies = new ArrayList<>();

        final List<Configuration> prepared = new ArrayList<>();
        final Votes own = new Votes();
        /** Times at which the machine stopped, decided and became active again, by configuration. */
        final List<Long> stoppedNs = new ArrayList<>();

        final List<Long> decidedNs = new ArrayList<>();
        final List<Long> activeNs = new ArrayList<>();
        boolean failed;
        long takesNs;
        Votes decision = new Votes();
        private long polledNs;

        Node(Cluster cluster, int self) {
            this.cluster = cluster;
            this.self = self;
            this.membership = new Membership(self, plan(), this::replace, this, this::post, words, 0);
        }

        private Membership.Plan plan() {
            return new Membership.Plan(MACHINES, MACHINES, cluster.copies, LEASE_NS, 1_000);
        }

        private Configuration replace(Configuration known, Configuration next) throws FabricException {
            return cluster.replace(self, known, next);
        }

        private void post(int to, long[] message, int count) {
            cluster.inFlight.add(
                    new Sent(cluster.nowNs + DELAY_NS, ++cluster.sent, self, to, Arrays.copyOf(message, count)));
        }

        /** Starts another process of the machine, which requests membership. */
        Rejoin restart(long process) {
            failed = false;
            polledNs = cluster.nowNs;
            Rejoin returning = new Rejoin(
                    self, Configuration.first(MACHINES), process, 1_000, this::replace, copies::add, this::post);
            rejoin = returning;
            return returning;
        }

        void received(int from, long[] message) throws FabricException {
            Rejoin returning = rejoin;
            if (returning != null) {
                returning.received(from, message);
                joinIfAdded(returning);
            }
            if (rejoin == null) {
                membership.received(from, message, message.length, cluster.nowNs);
            }
        }

        private void joinIfAdded(Rejoin returning) throws FabricException {
            Configuration joined = returning.joined();
            if (joined != null) {
                rejoin = null;
                membership =
                        Membership.joined(joined, self, plan(), this::replace, this, this::post, words, cluster.nowNs);
            }
        }

        long nextNs() {
            if (rejoin != null && !failed) {
                return polledNs + RENEWAL_NS;
            }
            return failed
                    ? Long.MAX_VALUE
                    : Math.min(
                            membership.nextNs(),
                            words.state() == MachineWords.State.STOPPED ? polledNs + POLL_NS : Long.MAX_VALUE);
        }

        void tickIfDue() throws FabricException {
            if (cluster.nowNs >= nextNs()) {
                polledNs = cluster.nowNs;
                Rejoin returning = rejoin;
                if (returning == null) {
                    membership.tick(cluster.nowNs);
                } else {
                    returning.request();
                    joinIfAdded(returning);
                }
                record();
            }
        }

        void record() {
            if (words.state() == MachineWords.State.ACTIVE && activeNs.size() < decidedNs.size()) {
                activeNs.add(cluster.nowNs);
            }
        }

        @Override
        public void stop(Configuration next) {
            stoppedNs.add(cluster.nowNs);
            polledNs = cluster.nowNs;
        }

        @Override
        public boolean hasStopped() {
            return cluster.nowNs >= stoppedNs.getLast() + takesNs;
        }

        @Override
        public Votes votes() {
            return own;
        }

        @Override
        public void decide(Configuration next, Votes committed) {
            decision = committed;
            decidedNs.add(cluster.nowNs);
        }

        @Override
        public void prepare(Configuration present, Configuration next) {
            prepared.add(next);
        }

        @Override
        public boolean isPrepared() {
            return true;
        }

        @Override
        public boolean hasDecided() {
            return cluster.nowNs >= decidedNs.getLast() + takesNs;
        }

        void assertLeaseUntil(long untilNs) {
            assertThat(words.hasLease(untilNs - 1))
                    .as("lease of machine %d at %d ns", self, cluster.nowNs)
                    .isTrue();
            assertThat(words.hasLease(untilNs))
                    .as("lease of machine %d at %d ns", self, cluster.nowNs)
                    .isFalse();
        }

        void assertIs(MachineWords.State state, Configuration configuration) {
            assertThat(words.state())
                    .as("machine %d at %d ns", self, cluster.nowNs)
                    .isEqualTo(state);
            assertThat(words.configuration()).isEqualTo(configuration);
            assertThat(membership.configuration()).isEqualTo(configuration);
            assertThat(words.holds(configuration, cluster.nowNs)).isEqualTo(state == MachineWords.State.ACTIVE);
            assertThat(words.holds(configuration.without(0), cluster.nowNs)).isFalse();
        }
    }

    /** A member's lease counts from its request, the manager's from its reply to the request before the last. */
    @Test
    void leasesAreRenewedEveryFifthOfTheirTime() throws Exception {
        Cluster cluster = new Cluster(2);
        Configuration first = Configuration.first(MACHINES);
        for (long ns = 15; ns < 4 * LEASE_NS; ns += 5) {
            cluster.runUntil(ns);
            long granted = Math.max(0, ns - 2 * DELAY_NS) / RENEWAL_NS;
            long received = Math.max(0, ns - DELAY_NS) / RENEWAL_NS;
            for (int member = 1; member < MACHINES; member++) {
                cluster.node(member).assertLeaseUntil(granted * RENEWAL_NS + LEASE_NS);
            }
            cluster.node(0).assertLeaseUntil(LEASE_NS + (received < 2 ? 0 : (received - 1) * RENEWAL_NS + DELAY_NS));
            cluster.nodes.forEach(node -> node.assertIs(MachineWords.State.ACTIVE, first));
        }
        assertThat(cluster.queries).isZero();
        assertThat(cluster.nodes).allSatisfy(node -> {
            assertThat(node.stoppedNs).isEmpty();
            assertThat(node.words.changes()).isEqualTo(1);
        });
    }

    /** The manager evicts a member one lease after its last message; each stage takes a message and its reply. */
    @ParameterizedTest
    @ValueSource(longs = {0, 45})
    void theManagerEvictsASilentMember(long takesNs) throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.node(1).takesNs = takesNs;
        cluster.node(0).own.unfinished(COMMITTED);
        cluster.node(0).own.unfinished(ABORTED);
        cluster.node(1).own.add(Votes.of(new long[] {~COMMITTED}, 0, 1));
        cluster.runUntil(FAILURE_NS);
        cluster.node(2).failed = true;
        long evictedNs = cluster.receivedNs[0][2] + LEASE_NS;
        cluster.runUntil(evictedNs - 1);
        cluster.node(0).assertIs(MachineWords.State.OUT, Configuration.first(MACHINES));
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, Configuration.first(MACHINES));
        // The manager's own lease ended when it received the last request, so its reply granted none.
        cluster.node(1).assertLeaseUntil(evictedNs - 2 * RENEWAL_NS - DELAY_NS + LEASE_NS);
        cluster.runUntil(evictedNs + 1);
        Configuration next = new Configuration(2, 0b011);
        cluster.node(0).assertIs(MachineWords.State.STOPPED, next);
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, Configuration.first(MACHINES));
        cluster.runUntil(evictedNs + LEASE_NS);
        // A poll each 10 ns notices that threads have stopped or decided.
        long workNs = Math.ceilDiv(takesNs, POLL_NS) * POLL_NS;
        long secondNs = evictedNs + 2 * DELAY_NS + workNs;
        long thirdNs = secondNs + 2 * DELAY_NS + workNs;
        assertThat(cluster.node(0).stoppedNs).containsExactly(evictedNs);
        assertThat(cluster.node(1).stoppedNs).containsExactly(evictedNs + DELAY_NS);
        assertThat(cluster.node(0).decidedNs).containsExactly(secondNs);
        assertThat(cluster.node(1).decidedNs).containsExactly(secondNs + DELAY_NS);
        assertThat(cluster.node(0).activeNs).containsExactly(thirdNs);
        assertThat(cluster.node(1).activeNs).containsExactly(thirdNs + DELAY_NS);
        for (int survivor = 0; survivor < 2; survivor++) {
            cluster.node(survivor).assertIs(MachineWords.State.ACTIVE, next);
            assertThat(cluster.node(survivor).decision.isCommitted(COMMITTED)).isTrue();
            assertThat(cluster.node(survivor).decision.isCommitted(ABORTED)).isFalse();
        }
        assertThat(cluster.queries).isEqualTo(1);
    }

    /** A silent manager is evicted after one lease by the second member, with it after two by the third. */
    @ParameterizedTest
    @CsvSource({"1, 0b110, 1", "2, 0b100, 2"})
    void theNextMemberEvictsASilentManager(int failed, String members, int leases) throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        IntStream.range(0, failed).forEach(machine -> cluster.node(machine).failed = true);
        long evictedNs = cluster.receivedNs[failed][0] + leases * LEASE_NS;
        cluster.runUntil(evictedNs - 1);
        assertThat(cluster.present).isEqualTo(Configuration.first(MACHINES));
        cluster.runUntil(evictedNs + 4 * LEASE_NS);
        Configuration next = new Configuration(2, Integer.parseInt(members.substring(2), 2));
        assertThat(cluster.present).isEqualTo(next);
        assertThat(cluster.node(failed).stoppedNs).containsExactly(evictedNs);
        if (failed == MACHINES - 1) { // no message is necessary
            assertThat(cluster.node(failed).activeNs).containsExactly(evictedNs);
        }
        for (int survivor = failed; survivor < MACHINES; survivor++) {
            cluster.node(survivor).assertIs(MachineWords.State.ACTIVE, next);
            assertThat(cluster.node(survivor).stoppedNs).hasSize(1);
        }
    }

    /** After a second failure the last machine has all regions and needs no lease. */
    @Test
    void machinesFailOneAfterTheOther() throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        cluster.node(2).failed = true;
        cluster.runUntil(FAILURE_NS + 3 * LEASE_NS);
        // Renewals continue from the change of configuration.
        long began = cluster.node(1).stoppedNs.getFirst();
        long granted = (cluster.nowNs - 2 * DELAY_NS - began) / RENEWAL_NS;
        cluster.node(1).assertLeaseUntil(began + granted * RENEWAL_NS + LEASE_NS);
        cluster.node(0).failed = true;
        long evictedNs = cluster.receivedNs[1][0] + LEASE_NS;
        cluster.runUntil(evictedNs - 1);
        assertThat(cluster.present.number()).isEqualTo(2);
        cluster.runUntil(evictedNs + LEASE_NS);
        assertThat(cluster.node(1).stoppedNs.getLast()).isEqualTo(evictedNs);
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, new Configuration(3, 0b010));
        assertThat(cluster.node(1).words.hasLease(Long.MAX_VALUE - 1)).isTrue();
        assertThat(cluster.node(1).membership.nextNs()).isEqualTo(Long.MAX_VALUE);
        cluster.runUntil(cluster.nowNs + 10 * LEASE_NS);
        assertThat(cluster.present.number()).isEqualTo(3);
    }

    /** Machines with the last copy of a region keep their leases, and none is evicted. */
    @Test
    void machinesWithTheLastCopyAreNotEvicted() throws Exception {
        Cluster cluster = new Cluster(1);
        cluster.runUntil(FAILURE_NS);
        cluster.node(2).failed = true;
        cluster.runUntil(FAILURE_NS + 3 * LEASE_NS);
        Configuration next = new Configuration(2, 0b011);
        for (int survivor = 0; survivor < 2; survivor++) {
            cluster.node(survivor).assertIs(MachineWords.State.ACTIVE, next);
            assertThat(cluster.node(survivor).words.hasLease(Long.MAX_VALUE - 1))
                    .isTrue();
            assertThat(cluster.node(survivor).membership.nextNs()).isEqualTo(Long.MAX_VALUE);
            cluster.node(survivor).membership.tick(cluster.nowNs);
        }
        assertThat(cluster.inFlight).as("no lease is requested").isEmpty();
        cluster.node(0).failed = true;
        cluster.runUntil(FAILURE_NS + 20 * LEASE_NS);
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, next);
    }

    /** A member without connections has no lease when the others evict it, and is out once it suspects them. */
    @Test
    void anIsolatedMemberLosesItsLeaseAndIsEvicted() throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        cluster.isolated = machine -> machine == 2;
        Node lost = cluster.node(2);
        long leaseNs = FAILURE_NS / RENEWAL_NS * RENEWAL_NS + LEASE_NS;
        lost.assertLeaseUntil(leaseNs);
        cluster.runUntil(leaseNs - 1);
        lost.assertIs(MachineWords.State.ACTIVE, Configuration.first(MACHINES));
        cluster.runUntil(leaseNs);
        lost.assertIs(MachineWords.State.OUT, Configuration.first(MACHINES));
        assertThat(cluster.present.number()).isEqualTo(1);
        long suspectsNs = cluster.receivedNs[2][0] + 2 * LEASE_NS;
        cluster.runUntil(suspectsNs - 1);
        assertThat(cluster.queries).isEqualTo(1);
        cluster.runUntil(suspectsNs);
        assertThat(cluster.queries).isEqualTo(2);
        lost.assertIs(MachineWords.State.OUT, Configuration.first(MACHINES));
        assertThat(lost.membership.checkEvicted(suspectsNs)).isTrue();
        assertThat(lost.membership.nextNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(lost.stoppedNs).isEmpty();
        cluster.isolated = _ -> false;
        cluster.runUntil(suspectsNs + 5 * LEASE_NS);
        lost.assertIs(MachineWords.State.OUT, Configuration.first(MACHINES));
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, new Configuration(2, 0b011));
        assertThat(cluster.queries).isEqualTo(2);
    }

    /** An isolated manager and the other members evict each other; one that reaches the store wins. */
    @ParameterizedTest
    @CsvSource({"true, 1", "false, 6"})
    void anIsolatedManagerOrTheOthersAreEvicted(boolean reaches, int members) throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        cluster.isolated = machine -> machine == 0;
        cluster.reachesStore = machine -> machine != 0 || reaches;
        long evictsNs = cluster.receivedNs[0][1] + LEASE_NS;
        long evictedNs = cluster.receivedNs[1][0] + LEASE_NS;
        cluster.runUntil(evictsNs - 1);
        cluster.node(0).assertIs(MachineWords.State.OUT, Configuration.first(MACHINES));
        assertThat(cluster.queries).isZero();
        cluster.runUntil(evictedNs + 3 * LEASE_NS);
        cluster.reachesStore = _ -> true;
        cluster.runUntil(evictedNs + 4 * LEASE_NS);
        Configuration next = new Configuration(2, members);
        assertThat(cluster.present).isEqualTo(next);
        for (Node node : cluster.nodes) {
            boolean member = next.has(node.self);
            node.assertIs(
                    member ? MachineWords.State.ACTIVE : MachineWords.State.OUT,
                    member ? next : Configuration.first(MACHINES));
            assertThat(node.membership.checkEvicted(cluster.nowNs)).isNotEqualTo(member);
        }
    }

    /** A machine that can evict no other queries the store once it has been without a lease for four. */
    @Test
    void aMachineThatCanEvictNoOtherQueriesTheStore() throws Exception {
        Cluster cluster = new Cluster(1);
        cluster.runUntil(FAILURE_NS);
        cluster.isolated = machine -> machine == 2;
        Node lost = cluster.node(2);
        long leaseNs = FAILURE_NS / RENEWAL_NS * RENEWAL_NS + LEASE_NS;
        cluster.reachesStore = _ -> false;
        cluster.runUntil(leaseNs + 4 * LEASE_NS);
        int before = cluster.queries;
        assertThat(lost.membership.checkEvicted(leaseNs + 4 * LEASE_NS)).isFalse();
        assertThat(cluster.queries).isEqualTo(before);
        // The store is unreachable, then has the same configuration, then another one; once per lease.
        for (int query = 0; query < 3; query++) {
            long ns = leaseNs + (4 + query) * LEASE_NS + 1 + query;
            cluster.reachesStore = query == 0 ? _ -> false : _ -> true;
            cluster.present = query < 2 ? cluster.present : new Configuration(2, 0b011);
            assertThat(lost.membership.checkEvicted(ns - 1)).isFalse();
            assertThat(lost.membership.checkEvicted(ns)).isEqualTo(query == 2);
            assertThat(lost.membership.checkEvicted(ns)).isEqualTo(query == 2);
            assertThat(cluster.queries).isEqualTo(before + query + 1);
        }
    }

    /** A machine that does not reach the store tries again after a fifth of a lease. */
    @Test
    void anUnreachableStoreIsTriedAgain() throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        cluster.node(2).failed = true;
        cluster.reachesStore = _ -> false;
        long evictedNs = cluster.receivedNs[0][2] + LEASE_NS;
        cluster.runUntil(evictedNs + 3 * RENEWAL_NS - 1);
        assertThat(cluster.queries).isEqualTo(3);
        cluster.reachesStore = _ -> true;
        cluster.runUntil(evictedNs + 3 * RENEWAL_NS);
        assertThat(cluster.present).isEqualTo(new Configuration(2, 0b011));
        assertThat(cluster.node(0).stoppedNs).containsExactly(evictedNs + 3 * RENEWAL_NS);
    }

    /** All stop until the machine has copied its regions; then a configuration with it begins. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aRestartedMachineJoinsOnceItHasCopied(int machine) throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.runUntil(FAILURE_NS);
        Node returning = cluster.node(machine);
        returning.failed = true;
        cluster.runUntil(FAILURE_NS + 3 * LEASE_NS);
        Rejoin rejoin = returning.restart(1);
        cluster.runUntil(cluster.nowNs + 3 * LEASE_NS);
        Configuration without = Configuration.first(MACHINES).without(machine).numbered(3);
        assertThat(returning.copies).containsExactly(without);
        cluster.nodes.stream().filter(node -> node != returning).forEach(node -> {
            node.assertIs(MachineWords.State.STOPPED, without);
            assertThat(node.prepared)
                    .containsExactly(Configuration.first(MACHINES).numbered(4));
        });
        rejoin.copied(without, true);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        cluster.nodes.forEach(node -> node.assertIs(
                MachineWords.State.ACTIVE, Configuration.first(MACHINES).numbered(4)));
    }

    /** Members continue without it after one lease; its next process is the one that joins. */
    @Test
    void aMachineThatFailsWhileItCopiesStaysOut() throws Exception {
        Cluster cluster = new Cluster(2);
        Node returning = cluster.node(2);
        returning.failed = true;
        cluster.runUntil(3 * LEASE_NS);
        Rejoin former = returning.restart(1);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        Configuration without = new Configuration(3, 0b011);
        assertThat(returning.copies).containsExactly(without);
        returning.failed = true;
        cluster.runUntil(cluster.nowNs + 2 * LEASE_NS);
        cluster.node(0).assertIs(MachineWords.State.ACTIVE, without);
        cluster.node(1).assertIs(MachineWords.State.ACTIVE, without);
        Rejoin next = returning.restart(2);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        former.copied(without, true);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        assertThat(cluster.present).isEqualTo(without.numbered(4));
        next.copied(cluster.present, true);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        cluster.nodes.forEach(node -> node.assertIs(
                MachineWords.State.ACTIVE, Configuration.first(MACHINES).numbered(5)));
    }

    /**
     * Its first request came before any other access to the store, which then began with a configuration of no member.
     */
    @Test
    void aProcessThatStartsBeforeItsMachineIsEvictedJoins() throws Exception {
        Cluster cluster = new Cluster(2);
        cluster.node(1).failed = true;
        Rejoin rejoin = cluster.node(1).restart(1);
        cluster.runUntil(3 * LEASE_NS);
        assertThat(cluster.node(1).copies).containsExactly(new Configuration(3, 0b101));
        rejoin.copied(cluster.present, true);
        cluster.runUntil(cluster.nowNs + LEASE_NS);
        assertThat(cluster.present).isEqualTo(Configuration.first(MACHINES).numbered(4));
    }
}
