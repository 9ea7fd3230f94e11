package org.reprobe.farm.trials;

import static org.reprobe.farm.trials.RecoveryTrial.LEASE_NS;
import static org.reprobe.farm.trials.RecoveryTrial.LOG_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.MAX_BYTES;
import static org.reprobe.farm.trials.RecoveryTrial.MAX_WORDS;
import static org.reprobe.farm.trials.RecoveryTrial.OBJECT;
import static org.reprobe.farm.trials.RecoveryTrial.WORD;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
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
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.recovery.ConfigurationStore;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.recovery.Membership;
import org.reprobe.farm.transactions.Recovery;
import org.reprobe.farm.trials.RecoveryTrial.Setting;
import org.reprobe.remote.RequestLoop;

/**
 * Server part of a {@link RecoveryTrial} machine: participant of transactions and member of the configuration. Messages
 * to another machine are written to a mailbox there, over the previous message.
 */
final class RecoveryMachine implements RequestLoop.Handler, Membership.Machine, Recovery.Post, ConfigurationStore {
    private final Setting setting;
    private final Server server;
    private final int machine;
    private final List<MemorySegment> memories;
    private final MemorySegment memory;
    private final List<RemoteRegion> regions;
    /** Participants, one per thread. */
    private final List<Participant> participants;

    private final long[] words = new long[MAX_WORDS];
    private final List<Mail> mailOfConnection = new ArrayList<>();
    /** Connections by machine, the store's last; null for a machine that was down. */
    private final @Nullable Mail[] mails;

    private final long[] mailsSeen;
    private @Nullable Membership membership;

    /** Connection to another machine, and the last message to it. */
    private final class Mail {
        private final int to;
        private final MemorySegment local;
        private final QueuePair queuePair;
        private boolean underWay;
        private boolean unsent;
        private boolean lost;

        Mail(int to) throws FabricException {
            this.to = to;
            this.local = server.allocate(2 * setting.mailBytes());
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
            queuePair.write(0, 0, place, region.key(), (int) setting.mailBytes(), true);
            queuePair.doorbell();
        }

        void completed(Status status) throws FabricException {
            underWay = false;
            lost |= status != Status.SUCCESS;
            send();
        }
    }

    RecoveryMachine(
            Setting setting, Server server, int machine, List<MemorySegment> memories, List<RemoteRegion> regions) {
        this.setting = setting;
        this.server = server;
        this.machine = machine;
        this.memories = memories;
        this.memory = memories.get(machine);
        this.regions = regions;
        this.mails = new Mail[setting.machines() + 1];
        this.mailsSeen = new long[setting.machines()];
        List<MemorySegment> copies = IntStream.range(0, setting.machines())
                .mapToObj(region -> memory.asSlice(setting.copyAt(region), setting.regionBytes()))
                .toList();
        this.participants = IntStream.range(0, setting.threads())
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
            }
            RequestLoop.run(server, MAX_BYTES, Long.BYTES, this, mailOfConnection.size());
            ended = true;
        } finally {
            if (!ended) {
                memory.set(WORD, setting.runStateAt(), RecoveryTrial.FAILED);
            }
        }
    }

    /** Joins the configuration at the first start; a restarted machine only rejects messages. */
    private void join() throws FabricException {
        for (int other = 0; other < mails.length; other++) {
            if (other != machine) {
                connect(other);
            }
        }
        Membership.Plan plan = new Membership.Plan(
                setting.machines(), setting.machines(), setting.copies(), LEASE_NS, setting.renewals());
        MachineWords state = new MachineWords(memory, setting.wordsAt());
        participants.forEach(each -> each.repliesIn(Configuration.FIRST));
        membership = new Membership(machine, plan, this, this, this, state, server.nowNs());
        for (int other = 0; other < setting.machines(); other++) {
            mailsSeen[other] = messagesFrom(other);
            awaitMail(other);
            if (!setting.slow()) {
                server.watch(setting.machines() + other, memories.get(other), setting.runStateAt(), RecoveryTrial.RUNS);
            }
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

    private boolean timePasses() {
        for (int other = 0; other < setting.machines() && !setting.slow(); other++) {
            if (memories.get(other).get(WORD, setting.runStateAt()) >= RecoveryTrial.FAILED) {
                return true;
            }
        }
        return setting.slow();
    }

    @Override
    public void woken() throws FabricException {
        Membership own = membership;
        if (own == null) {
            return;
        }
        for (int from = server.changed(); from >= 0; from = server.changed()) {
            if (from >= setting.machines()) {
                continue; // a machine has failed: time passes from now on
            }
            mailsSeen[from] = messagesFrom(from);
            int count = (int) memory.get(WORD, setting.mailAt(from));
            long[] message = new long[count];
            MemorySegment.copy(memory, WORD, setting.mailAt(from) + Long.BYTES, message, 0, count);
            awaitMail(from);
            own.received(from, message, count, server.nowNs());
        }
        if (own.isDue(server.nowNs())) {
            own.tick(server.nowNs());
        }
    }

    @Override
    public void completed(int connection, Status status) throws FabricException {
        mailOfConnection.get(connection).completed(status);
    }

    @Override
    public void send(int to, long[] message, int count) throws FabricException {
        Mail mail = mails[to];
        if (mail != null) {
            mail.put(message, count);
        }
    }

    @Override
    public Configuration replace(Configuration known, Configuration next) throws FabricException {
        if (next.members() == known.members()) {
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
        memory.set(WORD, setting.committedAt(), committed.isCommitted(pending) ? pending : 0);
    }

    @Override
    public boolean hasDecided() {
        return true;
    }
}
