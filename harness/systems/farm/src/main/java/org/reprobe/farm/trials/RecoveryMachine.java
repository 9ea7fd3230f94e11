package org.reprobe.farm.trials;

import static org.reprobe.farm.trials.RecoveryTrial.LEASE_NS;
import static org.reprobe.farm.trials.RecoveryTrial.LOG_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.MAX_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.MAX_WORDS;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.WORD;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.recovery.ConfigurationStore;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.recovery.Membership;
import org.reprobe.farm.recovery.Rejoin;
import org.reprobe.farm.transactions.Recovery;
import org.reprobe.farm.trials.RecoveryTrial.Setting;
import org.reprobe.remote.RequestLoop;

/**
 * Server part of a {@link RecoveryTrial} machine: participant of transactions and member of the configuration. Messages
 * to another machine are written to a mailbox there, over the previous message.
 */
final class RecoveryMachine
        implements RequestLoop.Handler, Membership.Machine, Rejoin.Machine, Recovery.Post, ConfigurationStore {
    private static final int MAX_REQUESTS = 6;

    private final Setting setting;
    private final boolean rejoins;
    private final Server server;
    private final int machine;
    private final List<MemorySegment> memories;
    private final MemorySegment memory;
    private final List<RemoteRegion> regions;
    /** Participants, one per thread. */
    private List<Participant> participants;

    private final long[] words = new long[MAX_WORDS];
    /** Connections that the machine has made, in order; null for those that only READ. */
    private final List<@Nullable Mail> mailOfConnection = new ArrayList<>();

    /** Connections by machine, the store's last; null for a machine that was down. */
    private final @Nullable Mail[] mails;

    private final long[] mailsSeen;
    private @Nullable Membership membership;
    private @Nullable Rejoin rejoin;
    /** Number of the machine's process, from 0. */
    private long process;

    /** Connection to another machine, and the last message to it. */
    private final class Mail {
        private final int to;
        /** Number of the connection, of all that the machine has made. */
        private final int number;

        private final MemorySegment local;
        private final QueuePair queuePair;
        private boolean underWay;
        private boolean unsent;
        private boolean lost;

        Mail(int to) throws FabricException {
            this.to = to;
            this.number = mailOfConnection.size();
            this.local = server.allocate(2 * setting.mailBytes());
            // No number of a former message, since the receiver waits for another number.
            local.set(
                    WORD, 2 * setting.mailBytes() - Long.BYTES, process << Integer.SIZE | (long) number << Short.SIZE);
            this.queuePair = server.connect(to, local, ConnectionOptions.oneSided(2, 1));
        }

        void put(long[] message, int count) throws FabricException {
            // A second buffer, since a WRITE in flight may still read the first.
            long at = setting.mailBytes();
            local.set(WORD, at, count);
            MemorySegment.copy(message, 0, local, WORD, at + Long.BYTES, count);
            long counted = at + setting.mailBytes() - Long.BYTES;
            local.set(WORD, counted, local.get(WORD, counted) + 1);
            unsent = true;
            send();
        }

        private void send() throws FabricException {
            if (underWay || !unsent || lost) {
                return;
            }
            unsent = false;
            underWay = true;
            MemorySegment.copy(local, setting.mailBytes(), local, 0, setting.mailBytes());
            RemoteRegion region = regions.get(to);
            long place = region.address() + setting.mailAt(machine);
            queuePair.write(number, 0, place, region.key(), (int) setting.mailBytes(), true);
            queuePair.doorbell();
        }

        void completed(Status status) throws FabricException {
            underWay = false;
            lost |= status != Status.SUCCESS;
            send();
        }
    }

    /** @param rejoins true if a restarted machine returns to the running configuration */
    RecoveryMachine(
            Setting setting,
            boolean rejoins,
            Server server,
            int machine,
            List<MemorySegment> memories,
            List<RemoteRegion> regions) {
        this.setting = setting;
        this.rejoins = rejoins;
        this.server = server;
        this.machine = machine;
        this.memories = memories;
        this.memory = memories.get(machine);
        this.regions = regions;
        this.mails = new Mail[setting.machines() + 1];
        this.mailsSeen = new long[setting.machines()];
        this.participants = participants();
    }

    private List<Participant> participants() {
        List<MemorySegment> copies = IntStream.range(0, setting.machines())
                .mapToObj(region -> memory.asSlice(setting.copyAt(region), setting.regionBytes()))
                .toList();
        return IntStream.range(0, setting.threads())
                .mapToObj(thread -> new Participant(
                        server,
                        copies,
                        (region, offset) -> OBJECT,
                        setting.rules(),
                        new ReplicaLog(server, memory, setting.logAt(thread), LOG_BYTES, (region, offset) -> OBJECT)))
                .toList();
    }

    void run() throws FabricException {
        boolean firstStart = memory.get(WORD, setting.runStateAt()) == 0;
        boolean ended = false;
        try {
            if (firstStart) {
                memory.set(WORD, setting.runStateAt(), RecoveryTrial.RUNS);
                join();
            } else if (rejoins) {
                rejoin();
            }
            RequestLoop.run(server, MAX_BYTES, Long.BYTES, this);
            ended = true;
        } finally {
            if (!ended) {
                memory.set(WORD, setting.runStateAt(), RecoveryTrial.FAILED);
            }
        }
    }

    @Override
    public int made() {
        return mailOfConnection.size();
    }

    /** Begins the first configuration. Unless it rejoins, a restarted machine only rejects messages. */
    private void join() throws FabricException {
        connect();
        participants.forEach(each -> each.repliesIn(Configuration.FIRST));
        membership = new Membership(machine, plan(), this, this, this, words(), server.nowNs());
        for (int other = 0; other < setting.machines(); other++) {
            awaitMail(other);
            awaitRunState(other);
        }
    }

    private void connect() throws FabricException {
        for (int other = 0; other < mails.length; other++) {
            if (other != machine) {
                connect(other);
            }
        }
    }

    private Membership.Plan plan() {
        return new Membership.Plan(
                setting.machines(), setting.machines(), setting.copies(), LEASE_NS, setting.renewals());
    }

    private MachineWords words() {
        return new MachineWords(memory, setting.wordsAt());
    }

    /**
     * Returns after a failure. The loaded objects replace the former ones only when regions are copied: other machines'
     * READs could not reach the memory of a new process before. Until then, a restart of all machines may need the
     * former process's log and configuration, which are in files.
     */
    private void rejoin() throws FabricException {
        process = memory.get(WORD, setting.restartsAt()) + 1;
        words().leave();
        memory.asSlice(setting.pendingAt()).fill((byte) 0);
        memory.set(WORD, setting.restartsAt(), process);
        memory.set(WORD, setting.endedAt(), 1); // its client has failed, too
        memory.set(WORD, setting.runStateAt(), RecoveryTrial.RESTARTED);
        connect();
        for (int other = 0; other < setting.machines(); other++) {
            awaitMail(other);
            awaitRunState(other);
        }
        awaitConfiguration();
        Rejoin returning =
                new Rejoin(machine, Configuration.first(setting.machines()), process, MAX_REQUESTS, this, this, this);
        rejoin = returning;
        request(returning);
    }

    private void request(Rejoin returning) throws FabricException {
        returning.request();
        memory.set(
                WORD, setting.runStateAt(), present().has(machine) ? RecoveryTrial.RESTARTED : RecoveryTrial.REJOINS);
        becomeMember(returning);
    }

    /** Watches the store instead of the time, so that schedules end. */
    private void awaitConfiguration() {
        server.watch(
                2 * setting.machines(),
                memories.get(setting.store()),
                RecoveryTrial.CONFIGURATION_AT,
                present().word());
    }

    /** Watches another machine's state: time passes only after a failure. */
    private void awaitRunState(int other) {
        if (!setting.slow()) {
            long seen = memories.get(other).get(WORD, setting.runStateAt());
            long usual = seen < RecoveryTrial.FAILED ? RecoveryTrial.RUNS : seen;
            server.watch(setting.machines() + other, memories.get(other), setting.runStateAt(), usual);
        }
    }

    private void connect(int other) throws FabricException {
        try {
            Mail mail = new Mail(other);
            mailOfConnection.add(mail);
            mails[other] = mail;
        } catch (UnreachableException _) {
            // The machine is down; restarted machines receive no mail.
        }
    }

    private long messagesFrom(int other) {
        return memory.get(WORD, setting.mailAt(other + 1) - Long.BYTES);
    }

    private void awaitMail(int other) {
        mailsSeen[other] = messagesFrom(other);
        server.watch(other, memory, setting.mailAt(other + 1) - Long.BYTES, mailsSeen[other]);
    }

    @Override
    public void handle(int connection, MemorySegment request, MemorySegment reply) {
        MemorySegment.copy(request, WORD, 0, words, 0, words.length);
        long coordinator = CommitMessage.transaction(words) >>> Integer.SIZE;
        Participant thread = participants.get((int) coordinator % setting.threads());
        reply.set(WORD, 0, thread.execute(words, CommitMessage.words(words, OBJECT)));
    }

    @Override
    public void gone(List<Integer> connections) {
        // Membership detects failures by leases.
    }

    @Override
    public long untilNs() {
        return membership == null || !timePasses() ? Long.MAX_VALUE : membership.nextNs();
    }

    /** Returns true if a machine may be slow, or one does not reply and must be evicted. */
    private boolean timePasses() {
        for (int other = 0; other < setting.machines() && !setting.slow(); other++) {
            long state = memories.get(other).get(WORD, setting.runStateAt());
            if (state >= RecoveryTrial.FAILED && state != RecoveryTrial.REJOINS) {
                return true;
            }
        }
        return setting.slow();
    }

    private Configuration present() {
        return Configuration.of(memories.get(setting.store()).get(WORD, RecoveryTrial.CONFIGURATION_AT));
    }

    @Override
    public void woken() throws FabricException {
        Rejoin returning = rejoin;
        if (membership == null && returning == null) {
            return;
        }
        for (int from = server.changed(); from >= 0; from = server.changed()) {
            if (from == 2 * setting.machines()) {
                awaitConfiguration();
                if (membership == null && returning != null) {
                    request(returning);
                }
                continue;
            }
            if (from >= setting.machines()) {
                awaitRunState(from - setting.machines()); // a machine has failed: time passes from now on
                continue;
            }
            int count = (int) memory.get(WORD, setting.mailAt(from));
            long[] message = new long[count];
            MemorySegment.copy(memory, WORD, setting.mailAt(from) + Long.BYTES, message, 0, count);
            awaitMail(from);
            if (membership == null && returning != null) {
                returning.received(from, message);
                becomeMember(returning);
            }
            Membership own = membership;
            if (own != null) {
                own.received(from, message, count, server.nowNs());
            }
        }
        Membership own = membership;
        if (own != null && own.isDue(server.nowNs())) {
            own.tick(server.nowNs());
        }
        boolean out = words().state() == MachineWords.State.OUT && !present().has(machine);
        if (rejoins && own != null && out) {
            memory.set(WORD, setting.runStateAt(), RecoveryTrial.GAVE_UP); // it was too slow; a run's process would end
        }
    }

    private void becomeMember(Rejoin returning) throws FabricException {
        Configuration joined = returning.joined();
        if (joined != null) {
            memory.set(WORD, setting.runStateAt(), RecoveryTrial.RUNS);
            membership = Membership.joined(joined, machine, plan(), this, this, this, words(), server.nowNs());
        } else if (!returning.mayRequest()) {
            memory.set(WORD, setting.runStateAt(), RecoveryTrial.GAVE_UP);
        }
    }

    @Override
    public void completed(long id, Status status) throws FabricException {
        Objects.requireNonNull(mailOfConnection.get((int) id)).completed(status);
    }

    @Override
    public void send(int to, long[] message, int count) throws FabricException {
        Mail mail = mails[to];
        if (membership == null && (mail == null || mail.lost)) {
            connect(to); // it may have restarted, too
            mail = mails[to];
        }
        if (mail != null) {
            mail.put(message, count);
        }
    }

    @Override
    public Configuration replace(Configuration known, Configuration next) throws FabricException {
        if (!rejoins && next.members() == known.members()) {
            throw new IllegalStateException("configuration " + next.number() + " has the members of the one before");
        }
        Mail store = mails[setting.store()];
        if (store == null || store.lost) {
            throw new UnreachableException("the store is unreachable");
        }
        RemoteRegion region = regions.get(setting.store());
        long place = region.address() + RecoveryTrial.CONFIGURATION_AT;
        store.queuePair.compareAndSwap(0, 0, place, region.key(), known.word(), next.word(), true);
        store.queuePair.doorbell();
        Completions completions = new Completions(1);
        store.queuePair.await(completions);
        if (completions.status(0) != Status.SUCCESS) {
            store.lost = true;
            throw new UnreachableException("the store is unreachable");
        }
        long before = store.local.get(WORD, 0);
        return before == known.word() ? next : Configuration.of(before);
    }

    @Override
    public void stop(Configuration next) {
        participants.forEach(each -> each.repliesIn(next.number()));
    }

    @Override
    public boolean hasStopped() {
        return true;
    }

    @Override
    public Votes votes() {
        Votes votes = new Votes();
        participants.forEach(each -> each.vote(votes));
        long pending = memory.get(WORD, setting.pendingAt());
        if (pending != 0) {
            votes.unfinished(pending);
        }
        return votes;
    }

    @Override
    public void decide(Configuration next, Votes committed) {
        for (Participant each : participants) {
            each.decide(committed);
        }
        RegionCopies copies = next.copies(setting.copies());
        // Reversed: replay must not depend on the order of the logs, so one with older versions may be the last.
        participants.reversed().forEach(each -> each.takeOver(region -> copies.primary(region) == machine));
        long pending = memory.get(WORD, setting.pendingAt());
        boolean earlier = memory.get(WORD, setting.committedAt()) == pending; // decided by an earlier recovery
        memory.set(WORD, setting.committedAt(), earlier || committed.isCommitted(pending) ? pending : 0);
    }

    @Override
    public void prepare(Configuration present, Configuration next) throws FabricException {
        for (int other : next.all()) {
            if (!present.has(other)) {
                connect(other);
            }
        }
        RegionCopies before = present.copies(setting.copies());
        RegionCopies after = next.copies(setting.copies());
        if (!logAgain(region -> after.isReplica(machine, region) && !before.isReplica(machine, region))) {
            throw new IllegalStateException("an object is locked or torn although no transaction is in progress");
        }
    }

    private boolean logAgain(IntPredicate regions) throws FabricException {
        boolean all = true;
        for (int object = 0; object < setting.objects(); object++) {
            if (regions.test(setting.region(object))) {
                long address = Address.of(setting.region(object), setting.offset(object));
                all &= participants.get(object % setting.threads()).logAgain(address);
            }
        }
        return all;
    }

    @Override
    public boolean isPrepared() {
        return true;
    }

    @Override
    public void copy(Configuration from) throws FabricException {
        boolean succeeded = copyAll(from);
        Objects.requireNonNull(rejoin).copied(from, succeeded);
    }

    private boolean copyAll(Configuration from) throws FabricException {
        memory.asSlice(0, setting.wordsAt()).fill((byte) 0); // also the logs
        participants = participants();
        RegionCopies before = from.copies(setting.copies());
        RegionCopies after = from.with(machine).copies(setting.copies());
        for (int object = 0; object < setting.objects(); object++) {
            int region = setting.region(object);
            boolean own = after.primary(region) == machine || after.isReplica(machine, region);
            if (own && !copy(before.primary(region), setting.copyAt(region) + setting.offset(object))) {
                return false;
            }
        }
        return logAgain(region -> after.isReplica(machine, region));
    }

    /** Copies an object, at the same place, from its primary; returns false if that is unreachable. */
    private boolean copy(int primary, long at) throws FabricException {
        MemorySegment local = server.allocate(OBJECT_BYTES);
        try {
            QueuePair reader = server.connect(primary, local, ConnectionOptions.oneSided(1, 1));
            mailOfConnection.add(null);
            RemoteRegion there = regions.get(primary);
            reader.read(0, 0, there.address() + at, there.key(), OBJECT_BYTES, true);
            reader.doorbell();
            Completions completions = new Completions(1);
            reader.await(completions);
            if (completions.status(0) != Status.SUCCESS) {
                return false;
            }
        } catch (UnreachableException _) {
            return false;
        }
        MemorySegment.copy(local, 0, memory, at, OBJECT_BYTES);
        return true;
    }

    @Override
    public boolean hasDecided() {
        return true;
    }
}
