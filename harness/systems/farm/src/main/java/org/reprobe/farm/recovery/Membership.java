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
 * A machine's part in leases and in what happens when one ends. The paper of 2014 says nothing of it; this follows the outline of 2015 ("No compromises",
 * sections 5.1 and 5.2), and what is simpler here is said at {@link Votes} and below.
 *
 * <p><b>Leases.</b> The first member is their manager. Each other one asks for a lease every fifth of its time; the answer grants it, counted from when it was
 * asked for, and the next request grants one to the manager, counted from when it answered. Each end counts on its own clock, so clocks
 * need not agree, only run at the same rate. Who has none tells nobody that a transaction has committed.
 *
 * <p><b>A new configuration.</b> A manager that has heard nothing of a member for as long as a lease lasts replaces the configuration in the
 * {@link ConfigurationStore} by one without it; so does the first member behind the manager when it has heard nothing of that, the
 * second behind it after twice as long, without both of them, and so on. Who replaces it is or becomes the manager, and leads the others through
 * these stages, each of which begins when all have ended the one before:
 *
 * <ol>
 *   <li>{@link Stage#STOPPED}: nothing of an older configuration is accepted any more, and the machine has told what it knows ({@link Votes}). All
 *       members have stopped, and the leases of the others have ended, before anything changes: so whoever asks a machine that was evicted
 *       still asks it rightly until then, and its CPU need not look whether it was.
 *   <li>{@link Stage#DECIDED}: unfinished transactions are committed or aborted, locks are released, new primaries have replayed their logs. Messages of the new
 *       configuration are answered.
 *   <li>{@link Stage#ACTIVE}: transactions begin.
 * </ol>
 *
 * <p>What 2015 has and this has not: a probe of all members before the change, backup managers chosen by hashing, and recovery of
 * only those transactions that the change is about: here all wait for it. Nobody joins: a process that begins anew is another machine, whose
 * memory nobody asks for. Where some region would be left without a copy nobody is evicted, and all stands still; where that is so of each member leases are
 * for ever, since nobody could take over.
 *
 * <p>Each message has all that its sender has to say, so that of several only the last matters. It is told messages and the time, and never waits.
 * For one thread.
 */
public final class Membership {
    /** Of a message: configuration, stage, when it was sent, what of the receiver's it answers. Votes follow. */
    public static final int HEADER_WORDS = 4;

    private static final int RENEWALS_PER_LEASE = 5;

    /** For so many leases threads wait for a configuration to become active. */
    private static final int PATIENCE = 4;

    private static final long NEVER = Long.MAX_VALUE;

    private final int self;
    private final Plan plan;
    private final ConfigurationStore store;
    private final Machine machine;
    private final Recovery.Post post;
    private final Words words;

    private Configuration configuration;
    /** How far this machine is. */
    private Stage stage = Stage.ACTIVE;
    /** How far the manager says that all may go. */
    private Stage target = Stage.ACTIVE;
    /** By machine, as this one is the manager: how far it is, and what it knows. */
    private final Stage[] reached;

    private final @Nullable Votes[] votes;
    private Votes decided = new Votes();
    private boolean decides;

    // By machine.
    /** When something came of it last, or later by what it may have been promised. */
    private final long[] heardNs;
    /** When the last of its messages was sent that has come, by its clock. */
    private final long[] sentNs;
    /** When this machine had sent the last message that it has answered. */
    private final long[] grantedNs;

    private long beganNs;
    private long renewNs;
    private int renewals;
    /** No machine is suspected before. */
    private long notBeforeNs;

    /** When it may be said to have asked the store last whether it is a member. */
    private long askedNs = Long.MIN_VALUE / 2;

    private int vainTries;
    private boolean hasLease = true;
    private boolean evicted;

    /** How far a machine has come with a configuration. */
    enum Stage {
        BEGUN,
        STOPPED,
        DECIDED,
        ACTIVE;

        private static final List<Stage> ALL = List.of(values());

        private static Stage of(long word) {
            return ALL.get((int) word);
        }

        private long word() {
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
     * What all machines of a run know.
     *
     * @param copies of regions, when all machines take part
     * @param leaseNs how long a lease lasts
     * @param maxRenewals a machine asks for a new lease so often at most
     */
    public record Plan(int machines, int regions, RegionCopies copies, long leaseNs, int maxRenewals) {}

    /** What the machine's threads do when a configuration ends. */
    public interface Machine {
        /** Another configuration: nothing of an older one is accepted any more. */
        void stop(Configuration next);

        /** Whether all its threads have. */
        boolean hasStopped();

        /** What they know of transactions then. */
        Votes votes();

        /** Ends unfinished transactions, and takes over regions. */
        void decide(Configuration next, Votes committed);

        /** Whether all threads have. */
        boolean hasDecided();
    }

    /** A machine in the first configuration, whose leases begin now. */
    public Membership(
            int self,
            Plan plan,
            ConfigurationStore store,
            Machine machine,
            Recovery.Post post,
            MachineWords state,
            long nowNs) {
        this.self = self;
        this.plan = plan;
        this.store = store;
        this.machine = machine;
        this.post = post;
        this.words = new Words(state);
        this.configuration = Configuration.first(plan.machines());
        this.reached = new Stage[plan.machines()];
        this.votes = new Votes[plan.machines()];
        this.heardNs = filled(nowNs);
        this.sentNs = filled(nowNs);
        this.grantedNs = filled(nowNs);
        Arrays.fill(reached, Stage.ACTIVE);
        this.renewNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
        words.tell();
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

    /** Whether leases of this configuration end. */
    private boolean endsLeases() {
        return configuration.mayLoseOne(plan.copies(), plan.regions());
    }

    /** Until when others have promised that this machine stays a member. */
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

    /** Until when its threads may say that transactions have committed, or wait for that. */
    private long leaseUntilNs() {
        if (evicted) {
            return 0;
        }
        if (stage != Stage.ACTIVE) {
            return beganNs + PATIENCE * plan.leaseNs();
        }
        return endsLeases() ? grantedUntilNs() : NEVER;
    }

    /** When something is to be done though nothing has come; {@link Long#MAX_VALUE} for never. */
    public long nextNs() {
        if (evicted) {
            return NEVER;
        }
        long nextNs = hasLease ? leaseUntilNs() : NEVER;
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

    /** When the manager takes a member for gone, if it can be done without. */
    private long endNs(int other) {
        return isPossible(configuration.without(other))
                ? Math.max(heardNs[other] + plan.leaseNs(), notBeforeNs)
                : NEVER;
    }

    /** When this machine, not being the manager, takes it and those between for gone. */
    private long suspectNs() {
        long silentNs = configuration.rank(self) * plan.leaseNs();
        return isPossible(withoutThoseBefore())
                ? Math.max(heardNs[configuration.manager()] + silentNs, notBeforeNs)
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
        return vainTries <= plan.maxRenewals() && next.keeps(plan.copies(), plan.regions());
    }

    /** Whether there is something to do by now. */
    public boolean isDue(long nowNs) {
        return nowNs >= nextNs();
    }

    /** Time has passed, or threads have stopped or decided. */
    public void tick(long nowNs) throws FabricException {
        if (evicted) {
            return;
        }
        goOn(nowNs);
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

    private void replace(Configuration next, long nowNs) throws FabricException {
        Configuration present;
        try {
            present = store.replace(configuration, next);
        } catch (UnreachableException _) {
            vainTries++;
            notBeforeNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
            return;
        }
        if (present.number() > configuration.number()) {
            begin(present, nowNs);
        }
    }

    /** Another configuration has begun. */
    private void begin(Configuration next, long nowNs) throws FabricException {
        if (!next.has(self)) {
            evicted = true;
            noteLease(nowNs);
            return;
        }
        configuration = next;
        stage = Stage.BEGUN;
        target = Stage.STOPPED;
        decides = false;
        decided = new Votes();
        Arrays.fill(reached, Stage.BEGUN);
        Arrays.fill(votes, null);
        beganNs = nowNs;
        // Another manager may have promised members leases until its own had ended, so for a lease from then on.
        Arrays.fill(heardNs, nowNs);
        renewNs = nowNs + plan.leaseNs() / RENEWALS_PER_LEASE;
        hasLease = true;
        words.tell();
        machine.stop(next);
        if (isManager()) {
            sendAll(nowNs);
        }
        goOn(nowNs);
    }

    /**
     * Asks the store, where it has had no lease for long, whether it is still a member, once in a lease's time; whether it is none. Nobody tells who
     * was evicted.
     */
    boolean asksWhetherEvicted(long nowNs) throws FabricException {
        if (!evicted && !hasLease && nowNs - Math.max(leaseUntilNs(), askedNs) > PATIENCE * plan.leaseNs()) {
            askedNs = nowNs - (PATIENCE - 1) * plan.leaseNs();
            try {
                Configuration present = store.replace(configuration, configuration);
                if (present.number() > configuration.number()) {
                    begin(present, nowNs);
                }
            } catch (UnreachableException _) {
                return false; // who can't ask asks again
            }
        }
        return evicted;
    }

    /** A message of another machine has come: how far it is, or may go. */
    public void received(int from, long[] message, int count, long nowNs) throws FabricException {
        Configuration theirs = Configuration.of(message[0]);
        if (evicted || theirs.number() < configuration.number()) {
            return; // who is not told of it has no lease soon
        }
        if (theirs.number() > configuration.number()) {
            begin(theirs, nowNs);
            if (evicted) {
                return;
            }
        }
        heardNs[from] = Math.max(heardNs[from], nowNs);
        sentNs[from] = message[2];
        grantedNs[from] = Math.max(grantedNs[from], message[3]);
        Stage told = Stage.of(message[1]);
        if (isManager()) {
            if (told == Stage.STOPPED) {
                votes[from] = Votes.of(message, HEADER_WORDS, count - HEADER_WORDS);
            }
            boolean further = reached[from].isBehind(told);
            reached[from] = told;
            goOn(nowNs);
            if (!further || told == Stage.ACTIVE) {
                send(from, nowNs); // it asks for a lease
            }
        } else if (from == configuration.manager()) {
            if (told == Stage.DECIDED) {
                decided = Votes.of(message, HEADER_WORDS, count - HEADER_WORDS);
            }
            target = told.isBehind(target) ? target : told;
            goOn(nowNs);
        }
        noteLease(nowNs);
    }

    /** Goes as far as it may. */
    private void goOn(long nowNs) throws FabricException {
        boolean moved = true;
        while (moved && !evicted) {
            moved = step();
            if (moved && !isManager()) {
                send(configuration.manager(), nowNs);
            }
            if (isManager() && mayGoFurther()) {
                moved = true;
                target = target.following();
                if (target == Stage.DECIDED) {
                    decided = decide();
                }
                sendAll(nowNs);
            }
        }
    }

    /** Ends the next stage, if it can. */
    private boolean step() {
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
        } else if (stage == Stage.DECIDED && target == Stage.ACTIVE) {
            stage = Stage.ACTIVE;
        } else {
            return false;
        }
        reached[self] = stage;
        words.tell();
        return true;
    }

    private boolean mayGoFurther() {
        if (target == Stage.ACTIVE || stage != target) {
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
        Stage said = isManager() ? target : stage;
        Votes with = votesFor(said);
        long[] message = new long[HEADER_WORDS + with.words()];
        message[0] = configuration.word();
        message[1] = said.word();
        message[2] = nowNs;
        // A manager whose own lease has ended grants none: who takes its place does not know of it.
        message[3] = !isManager() || nowNs < grantedUntilNs() ? sentNs[to] : 0;
        with.put(message, HEADER_WORDS);
        post.send(to, message, message.length);
    }

    /** What goes with a stage: what a member knows, or what the manager has decided. */
    private Votes votesFor(Stage said) {
        Votes own = votes[self];
        if (isManager()) {
            return said == Stage.DECIDED ? decided : new Votes();
        }
        return said == Stage.STOPPED && own != null ? own : new Votes();
    }

    private void noteLease(long nowNs) {
        hasLease = nowNs < leaseUntilNs();
        words.tell();
    }

    /** What threads look at. */
    private final class Words {
        private final MachineWords state;

        Words(MachineWords state) {
            this.state = state;
        }

        void tell() {
            MachineWords.State now = evicted || !hasLease
                    ? MachineWords.State.OUT
                    : stage == Stage.ACTIVE ? MachineWords.State.ACTIVE : MachineWords.State.STOPPED;
            state.set(configuration, now, leaseUntilNs());
        }
    }
}
