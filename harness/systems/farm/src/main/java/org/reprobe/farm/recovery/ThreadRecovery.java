package org.reprobe.farm.recovery;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RunEndedException;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.transactions.Recovery;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.system.EvictedException;
import org.reprobe.system.RunContext;

/** Part of a thread in its machine's {@link MachineRecovery}, run at each turn of its loop. */
final class ThreadRecovery implements Recovery.OfThread {
    private static final long LOOK_NS = 5_000;
    /** Requests of a restarted machine per lease. */
    private static final int REQUESTS_PER_LEASE = 5;

    private final Client client;
    private final int self;
    private final int thread;
    private final RunRecovery run;
    private final MachineRecovery machine;
    private final RegionCopies all;
    private final Participant participant;
    private final @Nullable Leading leading;
    private @Nullable Membership membership;

    private Configuration configuration;
    private boolean stopped;

    /** Number of the process to which this thread has connected, by machine. */
    private final int[] processes;
    /** True if this thread has connected to the machine since its eviction. */
    private final boolean[] reconnected;

    /** Configuration with a restarted machine for which this thread has prepared or prepares. */
    private @Nullable Configuration prepares;
    /** Configuration from which this thread, whose machine has restarted, has copied or copies. */
    private @Nullable Configuration copies;
    /** Objects that are left to copy; null if none. */
    private @Nullable CopiedShare copied;
    /** Objects that are left to log; null if none. */
    private @Nullable CopiedShare logged;

    private @Nullable Rejoin rejoin;
    private Recovery.@Nullable Post post;
    private long requestNs;
    /** Configuration of the copy that was reported last. */
    private @Nullable Configuration reportedCopy;

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
            int thread,
            MachineRecovery machine,
            RunRecovery run,
            Participant participant,
            @Nullable Leading leading) {
        this.client = client;
        this.self = self;
        this.thread = thread;
        this.machine = machine;
        this.run = run;
        this.all = run.copies();
        this.processes = new int[run.regions().size()];
        this.reconnected = new boolean[processes.length];
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
    public long turn(RemoteRequests.Iteration iteration, Consumer<Votes> stop) throws FabricException {
        lead(iteration::sendOneWay);
        if (machine.isEvicted()) {
            throw new EvictedException("machine " + self + " was evicted: its process did not run for longer"
                    + " than a lease, and other machines have taken over; use a longer lease (farm.lease-ms)");
        }
        reconnect(iteration);
        follow(iteration, stop);
        prepare();
        copy(iteration);
        lead(iteration::sendOneWay); // this thread may have been the last to stop or to decide
        return client.nowNs() + LOOK_NS;
    }

    private void lead(Recovery.Post post) throws FabricException {
        if (leading == null) {
            return;
        }
        if (configuration.isOutside() && !rejoins(post)) {
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

    /** Lets the restarted machine join; returns true once it is a member. */
    private boolean rejoins(Recovery.Post post) throws FabricException {
        Leading own = leading;
        if (own == null || membership != null) {
            return membership != null;
        }
        long nowNs = client.nowNs();
        Rejoin returning = rejoin;
        if (returning == null) {
            returning = new Rejoin(
                    self,
                    Configuration.first(own.plan().machines()),
                    run.process(),
                    Integer.MAX_VALUE,
                    own.store(),
                    from -> machine.copy(from, client.nowNs()),
                    post);
            rejoin = returning;
            this.post = post;
            machine.begins(nowNs);
        }
        if (nowNs - machine.beganNs() > run.durationNs()) {
            throw new FabricException(
                    "machine " + self + " was restarted and has not joined before the end of the run");
        }
        Configuration from = machine.copying();
        if (from != null && !from.equals(reportedCopy) && machine.haveCopied()) {
            reportedCopy = from;
            returning.copied(from, machine.haveAllCopied());
        }
        if (nowNs >= requestNs) {
            requestNs = nowNs + own.plan().leaseNs() / REQUESTS_PER_LEASE;
            returning.request();
        }
        becomeMember(returning);
        return membership != null;
    }

    private void becomeMember(Rejoin returning) throws FabricException {
        Leading own = leading;
        Recovery.Post sender = post;
        Configuration joined = returning.joined();
        if (own != null && sender != null && joined != null) {
            long nowNs = client.nowNs();
            run.restarts().joined().joined(machine.copiedBytes(), machine.copyNs());
            membership =
                    Membership.joined(joined, self, own.plan(), own.store(), machine, sender, machine.words(), nowNs);
        }
    }

    @Override
    public void received(int from, long[] words, int count) throws FabricException {
        Rejoin returning = rejoin;
        if (membership == null && returning != null) {
            returning.received(from, Arrays.copyOf(words, count));
            becomeMember(returning);
        }
        Membership led = membership;
        if (led != null) {
            led.received(from, words, count, client.nowNs());
        }
    }

    /** Connects to new processes of machines that are not members. */
    private void reconnect(RemoteRequests.Iteration iteration) throws FabricException {
        for (Map.Entry<Integer, RunContext.NewProcess> each :
                run.restarts().processes().entrySet()) {
            if (processes[each.getKey()] < each.getValue().number() && !configuration.has(each.getKey())) {
                connect(each.getKey(), each.getValue(), iteration);
            }
        }
    }

    private void connect(int other, RunContext.NewProcess process, RemoteRequests.Iteration iteration)
            throws FabricException {
        try {
            if (!iteration.reconnect(other, process.region())) {
                return; // tried again in the next iteration
            }
            run.regions().set(other, process.region());
            reconnected[other] = true;
        } catch (RunEndedException e) {
            throw e;
        } catch (FabricException _) {
            // The new process has ended, too.
        }
        processes[other] = process.number();
    }

    /** Prepares for the configuration with a restarted machine: logs objects that only a primary has. */
    private void prepare() throws FabricException {
        Configuration next = machine.preparing();
        if (next == null || stopped || next.number() != configuration.number() + 1) {
            return;
        }
        CopiedShare rest = logged;
        if (!next.equals(prepares)) {
            for (int other : next.all()) {
                if (!configuration.has(other) && !reconnected[other]) {
                    return;
                }
            }
            prepares = next;
            RegionCopies before = places();
            RegionCopies after = next.copies(all);
            rest = run.share(thread, region -> after.isReplica(self, region) && !before.isReplica(self, region));
            logged = rest;
        }
        if (rest == null) {
            return;
        }
        switch (rest.log(participant)) {
            case FAILED ->
                throw new IllegalStateException("an object is locked or torn although no transaction is in progress");
            case ENDED -> {
                logged = null;
                machine.threadHasPrepared(next);
            }
            case UNFINISHED -> {}
        }
    }

    /** Copies and logs this thread's share of the regions of its machine, which has restarted. */
    private void copy(RemoteRequests.Iteration iteration) throws FabricException {
        Configuration from = machine.copying();
        if (!configuration.isOutside() || from == null) {
            return;
        }
        RegionCopies after = from.with(self).copies(all);
        if (!from.equals(copies)) {
            if (iteration.copies().inFlight() > 0) {
                return; // READs of a void copy may still land
            }
            copies = from;
            copied = run.share(thread, region -> after.primary(region) == self || after.isReplica(self, region));
            logged = run.share(thread, region -> after.isReplica(self, region));
        }
        CopiedShare toCopy = copied;
        CopiedShare toLog = logged;
        if (toCopy == null || toLog == null) {
            return;
        }
        for (int other : from.all()) {
            if (!iteration.copies().isConnected(other)) {
                return; // its thread connects soon; if it has failed, so has the copy
            }
        }
        if (!toCopy.copy(iteration.copies(), from.copies(all), run, self)) {
            return;
        }
        CopiedShare.Progress progress = toLog.log(participant);
        if (progress != CopiedShare.Progress.UNFINISHED) {
            copied = null;
            logged = null;
            machine.threadHasCopied(from, progress == CopiedShare.Progress.ENDED, toCopy.copiedBytes(), client.nowNs());
        }
    }

    private void follow(RemoteRequests.Iteration iteration, Consumer<Votes> stop) throws FabricException {
        Configuration goal = machine.configuration();
        if (!goal.equals(configuration)) {
            Configuration before = configuration;
            configuration = goal;
            stopped = true;
            participant.repliesIn(goal.number());
            Votes votes = new Votes();
            participant.vote(votes);
            stop.accept(votes);
            for (int other = 0; other < processes.length; other++) {
                if (before.has(other) && !goal.has(other)) {
                    reconnected[other] = false;
                    iteration.exclude(other);
                } else if (!before.has(other) && goal.has(other)) {
                    iteration.admit(other);
                }
            }
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
        } else if (leading.checksEviction() && machine.stoppedNs() > 0 && run.process() == 0) {
            counts.histogram(Recorded.EVICTED_NS).recordValue(machine.stoppedNs() - machine.beganNs());
            counts.histogram(Recorded.DECIDED_NS).recordValue(machine.decidedNs() - machine.beganNs());
            counts.histogram(Recorded.ACTIVE_NS).recordValue(machine.activeNs() - machine.beganNs());
        }
    }
}
