package org.reprobe.farm.recovery;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.Recovery;

/**
 * Leases of a machine and recovery after a failure. The 2014 paper leaves both open. This follows the outline of 2015
 * ("No compromises", sections 5.1 and 5.2), with the simplifications stated at {@link Votes} and below.
 *
 * <p><b>Leases.</b> The first member is the lease manager. Every fifth of a lease each other member requests a lease.
 * The reply grants it, counted from the request; the next request grants one to the manager, counted from the reply.
 * Each machine uses only its own clock, so clocks need equal rates but no synchronization. A machine without a lease
 * acknowledges no commit.
 *
 * <p><b>A new configuration.</b> If a manager receives nothing from a member for one lease, it replaces the
 * configuration in the {@link ConfigurationStore} by one without that member. If the manager is silent for one lease,
 * the second member does the same; the third does so after two leases, without both of them, and so on. The machine
 * that succeeds is the manager. It leads the members through the following stages; each begins when all members have
 * completed the one before.
 *
 * <ol>
 *   <li>{@link Stage#STOPPED}: the machine refuses messages of older configurations and has sent its {@link Votes}.
 *       Nothing changes before all members have stopped and the leases of evicted machines have expired. Until then an
 *       evicted machine may reply to requests, and its CPU need not check for eviction.
 *   <li>{@link Stage#DECIDED}: unfinished transactions are committed or aborted, locks are released, new primaries have
 *       replayed their logs. Machines reply to messages of the new configuration.
 *   <li>{@link Stage#ACTIVE}: transactions begin.
 * </ol>
 *
 * <p>Differences from 2015: members are not probed before the change, and backup managers are not chosen by hashing.
 * All transactions wait for recovery, not only those that the change affects. A machine is not evicted if a region
 * would lose its last copy: then all work stops. If that holds for each member, leases do not expire, because no
 * machine could take over.
 *
 * <p><b>A restarted machine</b> requests membership by {@link Rejoin}, after its former process has been evicted. The
 * manager replaces the configuration by one with the same members. When all have decided, all pass one more stage:
 *
 * <ol start="3">
 *   <li>{@link Stage#READY}: members have logged again what only a primary had, and have reset their connections to the
 *       restarted machine. It copies its regions from the primaries, which nothing changes meanwhile, and logs them.
 * </ol>
 *
 * <p>Then the manager replaces the configuration by one that contains the machine. The store accepts that only as long
 * as the configuration of the copies is the current one, so any other change voids them. If the machine is silent for
 * one lease, transactions continue without it. In 2015, transactions continue while regions are copied.
 *
 * <p>Each message carries the sender's full state, so only the last one matters. The class receives messages and the
 * time, and never waits. Single-threaded.
 */
public final class Membership {
    /** Header before votes: configuration, stage, sender's time, receiver's time of the message replied to. */
    public static final int HEADER_WORDS = 4;

    private static final int RENEWALS_PER_LEASE = 5;

    private static final int SILENT_LEASES = 4;

    private static final long NEVER = Long.MAX_VALUE;

    private static final int NONE = -1;
    /** Bits of a message's second word before the number of the machine that joins. */
    private static final int STAGE_BITS = 8;

    private final int self;
    private final Plan plan;
    private final ConfigurationStore store;
    private final Machine machine;
    private final Recovery.Post post;
    private final Words words;

    private Configuration configuration;
    private Stage stage = Stage.ACTIVE;
    /** Stage up to which the manager lets members proceed. */
    private Stage target = Stage.ACTIVE;
    /** Stage and votes of each machine; used by the manager. */
    private final Stage[] reached;

    private final @Nullable Votes[] votes;
    private Votes decided = new Votes();
    private boolean decides;

    // Indexed by machine.
    /** Time of its last message; later after a change of manager, which may have granted it a lease. */
    private final long[] receivedNs;
    /** Sender's time of its last message. */
    private final long[] sentNs;
    /** Own time of sending of the last message that it has replied to. */
    private final long[] grantedNs;

    private long beganNs;
    private long renewNs;
    private int renewals;
    /** Earliest time at which any machine is suspected. */
    private long notBeforeNs;

    /** Time of the last query to the store; shifted so that queries repeat once per lease. */
    private long checkedNs = Long.MIN_VALUE / 2;

    private int failedAttempts;
    private boolean hasLease = true;
    private boolean evicted;

    /** Machine that copies regions in this configuration; {@link #NONE} for none. */
    private int joining = NONE;
    /** Number of its process, which distinguishes it from former ones; used by the manager as all of the following. */
    private long joiningProcess;

    private boolean joiningHasCopied;
    private long joiningSeenNs;
    /** Machine that joins in the next configuration, once this one is active. */
    private int requesting = NONE;

    private long requestingProcess;
    private boolean prepares;

    enum Stage {
        BEGUN,
        STOPPED,
        DECIDED,
        READY,
        ACTIVE;

        private static final List<Stage> ALL = List.of(values());

        private static Stage of(long word) {
            return ALL.get((int) word);
        }

        long word() {
            return ALL.indexOf(this);
        }

        private Stage following() {
            return of(word() + 1);
        }

        boolean isBehind(Stage other) {
            return compareTo(other) < 0;
        }
    }

    /**
     * Parameters that all machines of a run share; {@code copies} are those with all machines as members, and
     * {@code maxRenewals} limits a machine's lease requests.
     */
    public record Plan(int machines, int regions, RegionCopies copies, long leaseNs, int maxRenewals) {}

    public interface Machine {
        /** Begins another configuration: threads refuse messages of older ones. */
        void stop(Configuration next);

        boolean hasStopped();

        Votes votes();

        /** Finishes unfinished transactions and takes over regions. */
        void decide(Configuration next, Votes committed);

        boolean hasDecided();

        /**
         * Prepares for configuration {@code next}, which adds a restarted machine to {@code present}: logs the objects
         * of regions of which the machine becomes a replica, and resets its connections to the restarted machine.
         */
        void prepare(Configuration present, Configuration next) throws FabricException;

        boolean isPrepared();
    }

    /** Creates the membership of a machine in the first configuration. */
    public Membership(
            int self,
            Plan plan,
            ConfigurationStore store,
            Machine machine,
            Recovery.Post post,
            MachineWords state,
            long nowNs) {
        this(self, plan, store, machine, post, state, nowNs, nowNs);
        words.publish();
    }

    /** @param grantedNs time of the leases that other machines have granted and received at the start */
    private Membership(
            int self,
            Plan plan,
            ConfigurationStore store,
            Machine machine,
            Recovery.Post post,
            MachineWords state,
            long nowNs,
            long grantedNs) {
        this.self = self;
        this.plan = plan;
        this.store = store;
        this.machine = machine;
        this.post = post;
        this.words = new Words(state);
        this.configuration = Configuration.first(plan.machines());
        this.reached = new Stage[plan.machines()];
        this.votes = new Votes[plan.machines()];
        this.receivedNs = filled(nowNs);
        this.sentNs = filled(grantedNs);
        this.grantedNs = filled(grantedNs);
        Arrays.fill(reached, Stage.ACTIVE);
        this.renewNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
    }

    /** Returns the membership of a restarted machine, which begins its first configuration ({@link Rejoin}). */
    public static Membership joined(
            Configuration joined,
            int self,
            Plan plan,
            ConfigurationStore store,
            Machine machine,
            Recovery.Post post,
            MachineWords state,
            long nowNs)
            throws FabricException {
        Membership membership = new Membership(self, plan, store, machine, post, state, nowNs, 0);
        membership.begin(joined, nowNs);
        membership.sendAll(nowNs); // the manager may have failed before it notified the others
        return membership;
    }

    private long[] filled(long ns) {
        long[] all = new long[plan.machines()];
        Arrays.fill(all, ns);
        return all;
    }

    Configuration configuration() {
        return configuration;
    }

    private boolean isManager() {
        return configuration.manager() == self;
    }

    private boolean endsLeases() {
        return configuration.mayLoseOne(plan.copies(), plan.regions());
    }

    /** Returns the time until which other machines have promised not to evict this one. */
    private long grantedUntilNs() {
        if (!isManager()) {
            return grantedNs[configuration.manager()] + plan.leaseNs();
        }
        long untilNs = NEVER;
        for (int other : configuration.all()) {
            if (other != self) {
                untilNs = Math.min(untilNs, grantedNs[other] + plan.leaseNs());
            }
        }
        return untilNs;
    }

    /** Returns the time until which threads may acknowledge commits or wait for recovery. */
    private long leaseUntilNs() {
        if (evicted) {
            return 0;
        }
        if (stage != Stage.ACTIVE) {
            return beganNs + SILENT_LEASES * plan.leaseNs();
        }
        return endsLeases() ? grantedUntilNs() : NEVER;
    }

    /** Returns the time of the next action without a message; {@link Long#MAX_VALUE} for never. */
    public long nextNs() {
        if (evicted) {
            return NEVER;
        }
        long nextNs = hasLease ? leaseUntilNs() : NEVER;
        if (joining != NONE && isManager()) {
            nextNs = Math.min(nextNs, joiningSeenNs + plan.leaseNs());
        }
        if (endsLeases()) {
            if (!isManager()) {
                return Math.min(nextNs, Math.min(renewNs(), suspectNs()));
            }
            for (int other : configuration.all()) {
                nextNs = other == self ? nextNs : Math.min(nextNs, endNs(other));
            }
        }
        return nextNs;
    }

    private long renewNs() {
        return renewals < plan.maxRenewals() ? renewNs : NEVER;
    }

    /** Returns the time when the manager evicts a member, if that is possible. */
    private long endNs(int other) {
        return isPossible(configuration.without(other))
                ? Math.max(receivedNs[other] + plan.leaseNs(), notBeforeNs)
                : NEVER;
    }

    /** Returns the time when this machine evicts the manager and all members between them. */
    private long suspectNs() {
        long silentNs = configuration.rank(self) * plan.leaseNs();
        return isPossible(withoutThoseBefore())
                ? Math.max(receivedNs[configuration.manager()] + silentNs, notBeforeNs)
                : NEVER;
    }

    private Configuration withoutThoseBefore() {
        Configuration next = configuration;
        for (int other : configuration.all()) {
            next = other < self ? next.without(other) : next;
        }
        return next.numbered(configuration.number() + 1);
    }

    private boolean isPossible(Configuration next) {
        return failedAttempts <= plan.maxRenewals() && next.keeps(plan.copies(), plan.regions());
    }

    public boolean isDue(long nowNs) {
        return nowNs >= nextNs();
    }

    /** Acts on the passage of time, or on threads that have stopped or finished recovery. */
    public void tick(long nowNs) throws FabricException {
        if (evicted) {
            return;
        }
        if (joining != NONE && isManager() && nowNs >= joiningSeenNs + plan.leaseNs()) {
            joining = NONE; // it has failed, so this configuration becomes active
        }
        proceed(nowNs);
        if (endsLeases()) {
            if (isManager()) {
                suspectMembers(nowNs);
            } else if (nowNs >= suspectNs()) {
                replace(withoutThoseBefore(), nowNs);
            } else if (nowNs >= renewNs()) {
                renewals++;
                renewNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
                send(configuration.manager(), nowNs);
            }
        }
        noteLease(nowNs);
    }

    private void suspectMembers(long nowNs) throws FabricException {
        Configuration next = configuration;
        for (int other : configuration.all()) {
            if (other != self && nowNs >= endNs(other) && isPossible(next.without(other))) {
                next = next.without(other);
            }
        }
        if (!next.equals(configuration)) {
            replace(next.numbered(configuration.number() + 1), nowNs);
        }
    }

    /** Replaces the configuration in the store unless another has; begins the one that is stored then. */
    private void replace(Configuration next, long nowNs) throws FabricException {
        replace(next, NONE, nowNs);
    }

    /** Replaces the configuration by one in which machine {@code copies} may copy its regions. */
    private void replace(Configuration next, int copies, long nowNs) throws FabricException {
        Configuration present;
        try {
            present = store.replace(configuration, next);
        } catch (UnreachableException _) {
            failedAttempts++;
            notBeforeNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
            return;
        }
        if (present.number() > configuration.number()) {
            begin(present, present.equals(next) ? copies : NONE, nowNs);
        }
    }

    private void begin(Configuration next, long nowNs) throws FabricException {
        begin(next, NONE, nowNs);
    }

    private void begin(Configuration next, int copies, long nowNs) throws FabricException {
        if (!next.has(self)) {
            evicted = true;
            noteLease(nowNs);
            return;
        }
        for (int other : next.all()) {
            if (!configuration.has(other)) {
                sentNs[other] = 0; // of a former process, whose clock may have been another
            }
        }
        configuration = next;
        joining = copies;
        joiningProcess = requestingProcess;
        joiningHasCopied = false;
        joiningSeenNs = nowNs;
        requesting = NONE;
        prepares = false;
        stage = Stage.BEGUN;
        target = Stage.STOPPED;
        decides = false;
        decided = new Votes();
        Arrays.fill(reached, Stage.BEGUN);
        Arrays.fill(votes, null);
        beganNs = nowNs;
        // Another manager may have granted leases until its own expired: up to one lease from now.
        Arrays.fill(receivedNs, nowNs);
        renewNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
        hasLease = true;
        words.publish();
        machine.stop(next);
        if (isManager()) {
            sendAll(nowNs);
        }
        proceed(nowNs);
    }

    /** Queries the store for eviction, once per lease time without a lease: evicted machines get no message. */
    boolean checkEvicted(long nowNs) throws FabricException {
        if (!evicted && !hasLease && nowNs - Math.max(leaseUntilNs(), checkedNs) > SILENT_LEASES * plan.leaseNs()) {
            checkedNs = nowNs - (SILENT_LEASES - 1) * plan.leaseNs();
            try {
                Configuration present = store.replace(configuration, configuration);
                if (present.number() > configuration.number()) {
                    begin(present, nowNs);
                }
            } catch (UnreachableException _) {
                return false; // retried one lease later
            }
        }
        return evicted;
    }

    /** Receives a message: the stage of a member, or the manager's target. */
    public void received(int from, long[] message, int count, long nowNs) throws FabricException {
        Configuration received = Configuration.of(message[0]);
        if (evicted || received.number() < configuration.number()) {
            return; // the sender learns of the new configuration when its lease expires
        }
        if (received.number() > configuration.number()) {
            begin(received, nowNs);
            if (evicted) {
                return;
            }
        }
        Stage stage = stage(message);
        if (!configuration.has(from)) {
            requested(from, stage == Stage.READY, message[2], nowNs);
            return;
        }
        receivedNs[from] = Math.max(receivedNs[from], nowNs);
        sentNs[from] = message[2];
        grantedNs[from] = Math.max(grantedNs[from], message[3]);
        if (isManager()) {
            if (stage == Stage.STOPPED) {
                votes[from] = Votes.of(message, HEADER_WORDS, count - HEADER_WORDS);
            }
            boolean further = reached[from].isBehind(stage);
            reached[from] = stage;
            proceed(nowNs);
            if (!further || stage == Stage.ACTIVE) {
                send(from, nowNs); // the reply grants the lease
            }
        } else if (from == configuration.manager()) {
            if (stage == Stage.DECIDED) {
                decided = Votes.of(message, HEADER_WORDS, count - HEADER_WORDS);
            }
            if (stage == Stage.READY) {
                joining = (int) (message[1] >>> STAGE_BITS);
                beganNs = nowNs; // the manager waits for a machine that copies
            }
            target = stage.isBehind(target) ? target : stage;
            proceed(nowNs);
        }
        noteLease(nowNs);
    }

    /** Returns the stage in a message; before its number is that of a machine that joins. */
    static Stage stage(long[] message) {
        return Stage.of(message[1] & (1 << STAGE_BITS) - 1);
    }

    /** Receives a restarted machine's request for membership, or its report that it has copied its regions. */
    private void requested(int from, boolean hasCopied, long process, long nowNs) throws FabricException {
        if (!isManager()) {
            return; // it repeats the request
        }
        if (from == joining && process == joiningProcess) {
            joiningSeenNs = nowNs;
            joiningHasCopied |= hasCopied;
            beganNs = nowNs;
            if (stage == Stage.READY) {
                sendAll(nowNs);
                send(from, nowNs);
            }
        } else if (hasCopied) {
            send(from, nowNs); // too late, so its copies are void
        } else {
            joining = from == joining ? NONE : joining; // its process has failed
            requesting = from;
            requestingProcess = process;
        }
        proceed(nowNs);
        noteLease(nowNs);
    }

    private void proceed(long nowNs) throws FabricException {
        boolean moved = true;
        while (moved && !evicted) {
            moved = step();
            if (moved && (!isManager() || stage == Stage.READY)) {
                send(isManager() ? joining : configuration.manager(), nowNs);
            }
            if (isManager() && mayAdvance()) {
                moved = true;
                target = target == Stage.DECIDED && joining == NONE ? Stage.ACTIVE : target.following();
                if (target == Stage.DECIDED) {
                    decided = decide();
                }
                sendAll(nowNs);
            }
            if (isManager()) {
                moved |= letJoin(nowNs);
            }
        }
    }

    /**
     * Adds the machine that has copied its regions to the configuration, or lets the next one copy; returns true if
     * another configuration has begun.
     */
    private boolean letJoin(long nowNs) throws FabricException {
        Configuration before = configuration;
        if (joining != NONE && joiningHasCopied && target == Stage.READY && haveReached()) {
            replace(configuration.with(joining), nowNs);
        } else if (requesting != NONE && stage == Stage.ACTIVE) {
            replace(configuration.numbered(configuration.number() + 1), requesting, nowNs);
        }
        return !configuration.equals(before);
    }

    private boolean step() throws FabricException {
        if (stage == Stage.BEGUN && machine.hasStopped()) {
            votes[self] = machine.votes();
            stage = Stage.STOPPED;
        } else if (stage == Stage.STOPPED && !target.isBehind(Stage.DECIDED)) {
            if (!decides) {
                decides = true;
                machine.decide(configuration, decided);
            }
            if (!machine.hasDecided()) {
                return false;
            }
            stage = Stage.DECIDED;
        } else if (stage == Stage.DECIDED && target == Stage.READY) {
            if (!prepares) {
                prepares = true;
                machine.prepare(configuration, configuration.with(joining));
            }
            if (!machine.isPrepared()) {
                return false;
            }
            stage = Stage.READY;
        } else if (!stage.isBehind(Stage.DECIDED) && stage != target && target == Stage.ACTIVE) {
            stage = Stage.ACTIVE;
        } else {
            return false;
        }
        reached[self] = stage;
        words.publish();
        return true;
    }

    private boolean mayAdvance() {
        if (target == Stage.READY) {
            return joining == NONE; // nothing but the machine that joins is waited for
        }
        return target != Stage.ACTIVE && haveReached();
    }

    private boolean haveReached() {
        if (stage != target) {
            return false;
        }
        for (int other : configuration.all()) {
            if (reached[other].isBehind(target)) {
                return false;
            }
        }
        return true;
    }

    private Votes decide() {
        Votes all = new Votes();
        for (Votes each : votes) {
            if (each != null) {
                all.add(each);
            }
        }
        return all.decided();
    }

    private void sendAll(long nowNs) throws FabricException {
        for (int other : configuration.all()) {
            if (other != self) {
                send(other, nowNs);
            }
        }
    }

    private void send(int to, long nowNs) throws FabricException {
        Stage reported = isManager() ? target : stage;
        Votes with = votesFor(reported);
        long[] message = new long[HEADER_WORDS + with.words()];
        message[0] = configuration.word();
        message[1] = reported.word() | (reported == Stage.READY ? (long) joining << STAGE_BITS : 0);
        message[2] = nowNs;
        // A manager grants no lease after its own has expired, since its successor would not respect it.
        message[3] = to == joining ? joiningProcess : !isManager() || nowNs < grantedUntilNs() ? sentNs[to] : 0;
        with.put(message, HEADER_WORDS);
        post.send(to, message, message.length);
    }

    /** Returns the votes sent with a stage: a member's own, or the manager's decision. */
    private Votes votesFor(Stage reported) {
        Votes own = votes[self];
        if (isManager()) {
            return reported == Stage.DECIDED ? decided : new Votes();
        }
        return reported == Stage.STOPPED && own != null ? own : new Votes();
    }

    private void noteLease(long nowNs) {
        hasLease = nowNs < leaseUntilNs();
        words.publish();
    }

    private final class Words {
        private final MachineWords state;

        Words(MachineWords state) {
            this.state = state;
        }

        void publish() {
            MachineWords.State now = evicted || !hasLease
                    ? MachineWords.State.OUT
                    : stage == Stage.ACTIVE ? MachineWords.State.ACTIVE : MachineWords.State.STOPPED;
            state.set(configuration, now, leaseUntilNs());
        }
    }
}
