package org.reprobe.farm.recovery;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.Recovery;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.system.EvictedException;

/** Part of a thread in its machine's {@link MachineRecovery}, run at each turn of its loop. */
final class ThreadRecovery implements Recovery.OfThread {
    private static final long LOOK_NS = 5_000;

    private final Client client;
    private final int self;
    private final MachineRecovery machine;
    private final RegionCopies all;
    private final Participant participant;
    private final @Nullable Leading leading;
    private @Nullable Membership membership;

    private Configuration configuration;
    private boolean stopped;

    /**
     * Membership of the machine, run by its first thread; {@code checksEviction} if processes share the store.
     *
     * @param folder folder of the machine's logs; null if they do not stay
     */
    record Leading(
            Membership.Plan plan,
            ConfigurationStore store,
            boolean checksEviction,
            @Nullable Path folder) {}

    /** @param leading null for all threads but the first */
    ThreadRecovery(
            Client client,
            int self,
            MachineRecovery machine,
            RegionCopies all,
            Participant participant,
            @Nullable Leading leading) {
        this.client = client;
        this.self = self;
        this.machine = machine;
        this.all = all;
        this.participant = participant;
        this.leading = leading;
        this.configuration = machine.configuration();
        participant.repliesIn(configuration.number());
    }

    @Override
    public long configuration() {
        return configuration.number();
    }

    @Override
    public RegionCopies places() {
        return configuration.copies(all);
    }

    @Override
    public boolean isActive() {
        client.accesses(Long.BYTES);
        return !stopped && machine.words().holds(configuration, client.nowNs());
    }

    @Override
    public boolean hasLease() {
        client.accesses(Long.BYTES);
        return machine.words().hasLease(client.nowNs());
    }

    @Override
    public boolean hasCommitted(long transaction) {
        return machine.decided().isCommitted(transaction);
    }

    @Override
    public long turn(Recovery.Post post, Consumer<Votes> stop, Consumer<Integer> evicted) throws FabricException {
        lead(post);
        if (machine.isEvicted()) {
            throw new EvictedException("machine " + self + " was evicted: its process did not run for longer"
                    + " than a lease, and other machines have taken over; use a longer lease (farm.lease-ms)");
        }
        follow(stop, evicted);
        lead(post); // this thread may have been the last to stop or to decide
        return client.nowNs() + LOOK_NS;
    }

    private void lead(Recovery.Post post) throws FabricException {
        if (leading == null) {
            return;
        }
        Membership led = membership;
        if (led == null) {
            led = new Membership(self, leading.plan(), leading.store(), machine, post, machine.words(), client.nowNs());
            membership = led;
            machine.begins(client.nowNs());
        }
        client.accesses(Long.BYTES);
        if (machine.words().state() != MachineWords.State.ACTIVE || led.isDue(client.nowNs())) {
            led.tick(client.nowNs());
        }
        if (leading.checksEviction() && led.checkEvicted(client.nowNs())) {
            machine.evicted();
        }
        machine.update(client.nowNs());
    }

    @Override
    public void received(int from, long[] words, int count) throws FabricException {
        Membership led = membership;
        if (led != null) {
            led.received(from, words, count, client.nowNs());
        }
    }

    private void follow(Consumer<Votes> stop, Consumer<Integer> evicted) throws FabricException {
        Configuration goal = machine.configuration();
        if (!goal.equals(configuration)) {
            Configuration before = configuration;
            configuration = goal;
            stopped = true;
            participant.repliesIn(goal.number());
            Votes votes = new Votes();
            participant.vote(votes);
            stop.accept(votes);
            before.all().stream().filter(other -> !goal.has(other)).forEach(evicted);
            if (leading != null && leading.folder() != null) {
                StoredConfiguration.write(leading.folder(), goal);
            }
            machine.hasStopped(goal, votes);
        }
        if (stopped && machine.isDecided(configuration)) {
            participant.decide(machine.decided());
            participant.awaitLog(); // logs of others, which already have the outcome, may be cleaned afterwards
            RegionCopies places = places();
            participant.takeOver(region -> places.primary(region) == self && all.primary(region) != self);
            stopped = false;
            machine.threadHasDecided(configuration);
        }
    }

    @Override
    public boolean mayLeave() {
        return leading == null || machine.othersHaveLeft();
    }

    @Override
    public void done(Counts counts) {
        if (leading == null) {
            machine.hasLeft();
        } else if (leading.checksEviction() && machine.stoppedNs() > 0) {
            counts.histogram(Recorded.EVICTED_NS).recordValue(machine.stoppedNs() - machine.beganNs());
            counts.histogram(Recorded.DECIDED_NS).recordValue(machine.decidedNs() - machine.beganNs());
            counts.histogram(Recorded.ACTIVE_NS).recordValue(machine.activeNs() - machine.beganNs());
        }
    }
}
