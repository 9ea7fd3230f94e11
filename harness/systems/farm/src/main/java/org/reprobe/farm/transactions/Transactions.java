package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.LogFile;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.LoggingParticipant;
import org.reprobe.farm.commit.ObjectAllocations;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.RestoredObjects;
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.messages.WordRequests;
import org.reprobe.farm.transactions.DistributedTransaction.Phase;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/**
 * Transactions of a thread over objects of all machines (FaRM 2014, section 3.4). Each reads objects by concurrent
 * one-sided READs, may write some of them, and commits by messages ({@link DistributedTransaction}). An aborted
 * transaction is retried after a random time with the same objects until it commits. The thread also serves other
 * threads' transactions for its machine ({@link Participant}).
 *
 * <p>If objects have parts ({@link TransactionParts}), these are read after all objects, and new parts are allocated
 * before the commit.
 *
 * <p>A transaction whose objects are all on one other machine may be shipped there ({@link ShippedTransaction}); a slot
 * of a thread there runs it.
 *
 * <p>A request is a {@link CommitMessage}. Its reply is one word, or that of {@link ObjectAllocations} or of a
 * {@link ShippedTransaction}.
 */
public final class Transactions implements WordRequests, DistributedTransaction.Sender {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int REPLY_BYTES = Long.BYTES;

    private static final int REPLY_WORDS = 1;

    private static final int STAMP_BITS = 40;
    /** Bits of the stamps of one process of a machine. */
    private static final int PROCESS_SHIFT = 32;

    private static final long POLL_NS = 5_000;

    /** Maximum messages to one machine per transaction: one as primary and one as replica. */
    private static final int MAX_REQUESTS = 2;

    private final Client client;
    private final TransactionsPlan plan;
    private final TransactionsPlan.Mix mix;
    private final ObjectArray objects;
    private final int machine;
    private final MemorySegment memory;
    private final long readsAt;
    private final long localPs;
    private final ObjectWriter reader;
    private final LoggingParticipant logging;
    private final @Nullable ObjectAllocations allocations;
    private final long[] replyWords = new long[ObjectAllocations.REPLY_WORDS];
    private final BackOff backOff;
    private final Recovery.@Nullable OfThread recovery;
    /** Memory of the own machine's copies, by region. */
    private final List<MemorySegment> own;

    /** True if this process replaces a killed one, whose numbers of transactions and stamps must not recur. */
    private final boolean restarted;

    private RegionCopies places;
    private final TransactionSlot[] slots;
    /** Other machines' transactions, by deferred request; created on demand. */
    private final @Nullable TransactionSlot[] shipped;

    private final boolean[] servesShipped;

    private final Participant participant;
    private final int thread;
    private final int inFlight;
    private final long[] requestWords;
    private final long[] served;

    private final int maxWords;
    /** Slot whose requests are being sent. */
    private TransactionSlot current;

    private RemoteRequests.@Nullable Sender currentSender;
    private long drawn;
    private long stamps;
    private long written;

    /**
     * Creates the transactions of a thread.
     *
     * @param memories by region; only the machine's own are required
     * @param readsAt offset in the machine's region of the buffer for READs, of {@link #readBytes}
     */
    public Transactions(
            Client client,
            TransactionsPlan plan,
            int machine,
            int thread,
            List<MemorySegment> memories,
            long readsAt,
            long logAt,
            HistoryRecorder history)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.mix = plan.mix();
        this.inFlight = plan.threads().inFlight();
        this.objects = plan.objects();
        this.machine = machine;
        this.thread = thread;
        this.memory = memories.get(machine);
        this.readsAt = readsAt;
        this.localPs = plan.threads().localPs(client);
        ObjectLayout object = objects.layout();
        this.reader = new ObjectWriter(client, object);
        ObjectsByAddress layouts =
                plan.parts() == null ? (_, _) -> object : plan.parts().array();
        TransactionParts.OwnMachine parts = plan.parts() == null
                ? null
                : TransactionParts.OwnMachine.of(plan.parts(), client, machine, thread, memories, localPs);
        this.allocations = parts == null ? null : parts.allocations();
        Recovery recovered = plan.recovery();
        this.own = recovered == null ? memories : recovered.copies(machine, memory);
        int process = recovered == null ? 0 : recovered.process();
        this.restarted = process > 0;
        this.places = plan.replication().copies();
        LogStages stages = plan.replication().logs();
        long logBytes = plan.replication().logBytes();
        LogFile file = plan.replicated() ? stages.open(machine, thread, logBytes) : null;
        ReplicaLog log = new ReplicaLog(client, memory, logAt, logBytes, layouts, file);
        Participant.Costs costs = new Participant.Costs(localPs, plan.threads().updatePs(client));
        this.participant = new Participant(client, own, layouts, plan.rules(), log, costs, allocations);
        this.logging = new LoggingParticipant(participant, log, stages.device(machine), file, inFlight + maxServed());
        this.backOff = plan.threads().backOff(client);
        this.maxWords = maxWords(
                object,
                plan.part(),
                mix.written(),
                mix.reads(),
                recovered == null ? 0 : recovered.maxWords(plan.coordinators()),
                mix.ships());
        this.served = new long[inFlight + maxServed()];
        this.shipped = new TransactionSlot[mix.ships() ? maxServed() : 0];
        this.servesShipped = new boolean[shipped.length];
        this.requestWords = new long[mix.ships() ? ShippedTransaction.words(mix.reads()) : 0];
        this.slots = new TransactionSlot[inFlight];
        for (int i = 0; i < slots.length; i++) {
            long coordinator = ((long) thread * objects.machines() + machine) * slots.length + i + 1;
            slots[i] = newSlot(i, coordinator, new TransactionRecorder(history, (int) coordinator), parts);
        }
        if (restarted) {
            stamps = (long) process << PROCESS_SHIFT; // greater than those of former processes
        } else if (stages.restored() != null) {
            continueFrom(stages.restored());
        }
        // Afterwards, since the participant then refuses messages without a configuration.
        this.recovery = recovered == null ? null : recovered.of(client, machine, thread, participant);
        this.current = slots[0];
        this.drawn = (long) client.index() << STAMP_BITS;
    }

    /** Logs this thread's part of the restored objects, and continues the numbers of stamps. */
    private void continueFrom(RestoredObjects restored) throws FabricException {
        CommitMessage.Builder message = new CommitMessage.Builder(maxWords);
        restored.forEach((_, _, payload) -> stamps = Math.max(stamps, payload.get(WORD, 0) & (1L << STAMP_BITS) - 1));
        restored.forEachLoggedBy(places, machine, thread, plan.threads().threads(), (address, replaced, payload) -> {
            message.begin(CommitMessage.LOG_WRITES, 0);
            message.add(address, replaced, objects.layout(), payload);
            long reply = logging.execute(message.words(), message.count());
            if (reply != CommitMessage.DONE) {
                throw new FabricException("a restored object was not logged again: reply " + reply);
            }
        });
        participant.awaitLog(); // before any transaction begins: when all threads run, earlier logs may be deleted
    }

    private TransactionSlot newSlot(
            int number, long coordinator, TransactionRecorder history, TransactionParts.@Nullable OwnMachine parts) {
        DistributedTransaction transaction = new DistributedTransaction(
                coordinator,
                objects.machines(),
                plan.replication().copies(),
                plan.rules(),
                maxWords,
                machine,
                participant);
        return new TransactionSlot(number, client, plan, transaction, history, parts);
    }

    /** Returns the slot that runs another machine's transaction; the other machine records the history. */
    private TransactionSlot servedSlot(int number) {
        int place = number - slots.length;
        TransactionSlot slot = shipped[place];
        if (slot == null) {
            long before = plan.coordinators() + ((long) thread * objects.machines() + machine) * shipped.length;
            TransactionRecorder unrecorded = new TransactionRecorder(HistoryRecorder.NONE, 0);
            slot = newSlot(number, before + place + 1, unrecorded, null);
            slot.served = true;
            shipped[place] = slot;
        }
        return slot;
    }

    private TransactionSlot slot(int number) {
        return number < slots.length ? slots[number] : servedSlot(number);
    }

    private boolean servesShipped(int number) {
        return servesShipped.length > 0 && servesShipped[number - slots.length];
    }

    public static long readBytes(ObjectLayout object, @Nullable ObjectLayout part, int reads, int inFlight) {
        return (long) inFlight * reads * readBytes(object, part);
    }

    /** Returns the bytes of a READ, rounded up to cache lines. */
    private static long readBytes(ObjectLayout object, @Nullable ObjectLayout part) {
        int bytes = part == null ? object.bytes() : Math.max(object.bytes(), part.bytes());
        return Math.ceilDiv(bytes, ObjectLayout.LINE_BYTES) * (long) ObjectLayout.LINE_BYTES;
    }

    /**
     * Returns the maximum words of a request. Without parts {@code part} is null, without failures
     * {@code recoveryWords} is 0. Shipping adds one word, since the maximum length marks the reply to a shipped
     * transaction.
     */
    public static int maxWords(
            ObjectLayout object,
            @Nullable ObjectLayout part,
            int written,
            int reads,
            int recoveryWords,
            boolean ships) {
        int words = DistributedTransaction.maxWords(object, part, written, reads);
        if (ships) {
            words = 1 + Math.max(words, ShippedTransaction.words(reads));
        }
        return Math.max(words, recoveryWords);
    }

    @Override
    public int maxWords() {
        return maxWords;
    }

    @Override
    public boolean toleratesLoss() {
        return recovery != null;
    }

    @Override
    public long beginIteration(RemoteRequests.Iteration iteration) throws FabricException {
        return recovery == null ? Long.MAX_VALUE : recovery.turn(iteration, votes -> stopAll(iteration, votes));
    }

    @Override
    public void oneWayReceived(int from, long[] words, int count) throws FabricException {
        if (recovery != null) {
            recovery.received(from, words, count);
        }
    }

    private void stopAll(RemoteRequests.Iteration iteration, Votes votes) {
        for (TransactionSlot slot : slots) {
            if (iteration.isBusy(slot.number)) {
                stop(slot);
                if (slot.committing) {
                    votes.unfinished(slot.transaction.id());
                }
                iteration.wake(slot.number);
            }
        }
    }

    private static void stop(TransactionSlot slot) {
        if (!slot.stopped) {
            slot.stopped = true;
            slot.committing = slot.transaction.isCommitting();
            slot.transaction.stop();
        }
    }

    @Override
    public int maxReads() {
        return mix.reads();
    }

    @Override
    public int maxServed() {
        int others = objects.machines() * inFlight;
        return (plan.replicated() ? MAX_REQUESTS * others : 0) + (mix.ships() ? others : 0);
    }

    @Override
    public int maxRequests() {
        return plan.parts() == null ? 1 : Math.max(1, mix.written());
    }

    @Override
    public int replyBytes(int words) {
        if (isShippedReply(words)) {
            return ShippedTransaction.replyWords(mix.reads()) * Long.BYTES;
        }
        return words == CommitMessage.ALLOCATE_WORDS ? ObjectAllocations.REPLY_WORDS * Long.BYTES : REPLY_BYTES;
    }

    private boolean isShippedReply(int words) {
        return mix.ships() && words == maxWords;
    }

    @Override
    public int payloadBytes() {
        ObjectLayout part = plan.part();
        return mix.written() * (objects.layout().payloadBytes() + (part == null ? 0 : part.payloadBytes()));
    }

    @Override
    public boolean begin(int number, RemoteRequests.Sender sender) throws FabricException {
        TransactionSlot slot = slots[number];
        draw(slot);
        slot.beganNs = client.nowNs();
        slot.clear();
        if (mix.ships() && isRemote(slot)) {
            ship(slot, sender);
        } else {
            begin(slot, sender);
        }
        return slot.correct;
    }

    private boolean isRemote(TransactionSlot slot) {
        int region = objects.region(slot.numbers[0]);
        for (long number : slot.numbers) {
            if (objects.region(number) != region) {
                return false;
            }
        }
        return places.primary(region) != machine;
    }

    private void ship(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        slot.shipped = true;
        slot.stopped = false;
        slot.clearPhases();
        slot.correct = true;
        slot.trips = 1;
        slot.firstStamp = firstStamp() + stamps + 1;
        stamps += slot.writes ? mix.written() : 0;
        slot.history.begins();
        int count = ShippedTransaction.put(requestWords, slot, mix.written());
        sender.sendRequest(places.primary(objects.region(slot.numbers[0])), requestWords, count);
    }

    private void shippedReplyReceived(TransactionSlot slot, MemorySegment reply, long at) {
        slot.committedNs = client.nowNs();
        ShippedTransaction.decodeReply(reply, at, slot);
        for (int part = 0; part < slot.numbers.length; part++) {
            slot.correct &= slot.stamps[part] != ObjectArray.TORN;
            slot.history.read(slot.numbers[part], slot.stamps[part]);
        }
        for (int part = 0; slot.writes && part < mix.written(); part++) {
            slot.history.writes(slot.numbers[part], slot.firstStamp + part);
        }
        slot.history.ended(true);
        written += slot.writes ? mix.written() : 0;
    }

    /** Returns a lower bound of the thread's stamps. */
    private long firstStamp() {
        return (long) (client.index() + 1) << STAMP_BITS;
    }

    /** Draws distinct objects; the first ones are written. */
    private void draw(TransactionSlot slot) {
        slot.writes = Rng.unit(mix.coin().applyAsLong(drawn)) < mix.writes();
        slot.remote = false;
        for (int i = 0; i < slot.numbers.length; i++) {
            do {
                slot.numbers[i] = choose(slot, i);
            } while (slot.numbers[i] >= objects.objects() || contains(slot.numbers, i));
            slot.remote |= objects.region(slot.numbers[i]) != machine;
        }
    }

    /** Returns a random object; with {@code oneMachine} the nearest one on the machine of the first object. */
    private long choose(TransactionSlot slot, int part) {
        long number = mix.choice().applyAsLong(drawn++);
        return part == 0 || !mix.oneMachine()
                ? number
                : number - objects.region(number) + objects.region(slot.numbers[0]);
    }

    private static boolean contains(long[] numbers, int last) {
        for (int i = 0; i < last; i++) {
            if (numbers[i] == numbers[last]) {
                return true;
            }
        }
        return false;
    }

    private void begin(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        long nowNs = client.nowNs();
        slot.stopped = recovery != null && !recovery.isActive();
        slot.began = false;
        if (slot.stopped) {
            slot.committing = false;
            slot.acknowledged = false;
            slot.correct = true;
            slot.attemptNs = nowNs;
            sender.waitFor(POLL_NS);
            return;
        }
        slot.attemptNs = nowNs;
        slot.phaseBeganNs = nowNs;
        slot.clearPhases();
        slot.phase = Phase.READ;
        slot.askedIn = Phase.OVER;
        slot.acknowledged = false;
        slot.correct = true;
        if (recovery == null) {
            slot.transaction.begin();
        } else {
            places = recovery.places();
            if (restarted && !slot.continues) {
                slot.continues = true;
                slot.transaction.continueIn(recovery.configuration());
            }
            slot.configuration = recovery.configuration();
            slot.transaction.begin(recovery.configuration(), places);
        }
        slot.began = true;
        slot.history.begins();
        Arrays.fill(slot.copies, null);
        slot.partsRead = null;
        if (slot.parts != null) {
            slot.parts.begin();
        }
        readAll(slot, sender);
    }

    /** Reads all objects not yet read: own ones directly, others by concurrent READs. */
    private void readAll(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        boolean requestWords = false;
        slot.reading = 1; // prevents a commit while READs are posted
        for (int part = 0; part < slot.copies.length; part++) {
            if (slot.pendingCopies()[part] != null || slot.transaction.cause() != null) {
                continue;
            }
            long address = slot.address(part);
            int region = Address.regionOf(address);
            int primary = places.primary(region);
            if (primary == machine) {
                client.spendCpu(localPs);
                take(slot, part, readHere(slot, part));
                continue;
            }
            client.spendCpu(client.cpuCosts().operationPs());
            slot.reading++;
            slot.postedNs[part] = client.nowNs();
            requestWords = true;
            sender.read(
                    part,
                    primary,
                    plan.regions().get(primary),
                    plan.copyAt(primary, region) + Address.offsetOf(address),
                    bufferAt(slot, part),
                    (slot.partsRead == null ? objects.layout() : slot.partsRead.layout()).bytes());
        }
        slot.trips += requestWords ? 1 : 0;
        readTaken(slot, sender);
    }

    private DistributedTransaction.@Nullable Copy readHere(TransactionSlot slot, int part) {
        int region = objects.region(slot.numbers[part]);
        return slot.partsRead == null
                ? slot.transaction.readLocal(reader, region, objects.offset(slot.numbers[part]), own.get(region))
                : slot.partsRead.readLocal(part);
    }

    private long bufferAt(TransactionSlot slot, int part) {
        return readsAt + ((long) slot.number * mix.reads() + part) * readBytes(objects.layout(), plan.part());
    }

    private void take(TransactionSlot slot, int part, DistributedTransaction.@Nullable Copy copy) {
        slot.pendingCopies()[part] = copy;
        DistributedTransaction.Copy object = slot.copies[part];
        if (copy == null || object == null) {
            return;
        }
        if (slot.partsRead != null) {
            slot.correct &= TransactionParts.fits(object.payload(), copy.payload(), slot.numbers[part]);
            return;
        }
        long stamp = ObjectArray.stamp(slot.stamped(object), slot.numbers[part]);
        slot.correct &= stamp != ObjectArray.TORN;
        slot.stamps[part] = stamp;
        slot.history.read(slot.numbers[part], stamp);
    }

    @Override
    public boolean readCompleted(int number, int part, RemoteRequests.Sender sender) throws FabricException {
        TransactionSlot slot = slots[number];
        if (slot.stopped) {
            return true;
        }
        if (slot.deadline.isInTime(slot.postedNs[part])) {
            take(slot, part, readCompleted(slot, part, bufferAt(slot, part)));
        }
        readTaken(slot, sender);
        return slot.correct;
    }

    private DistributedTransaction.@Nullable Copy readCompleted(TransactionSlot slot, int part, long at) {
        if (slot.partsRead != null) {
            return slot.partsRead.read(part, memory, at);
        }
        long object = slot.numbers[part];
        return slot.transaction.read(objects.layout(), objects.region(object), objects.offset(object), memory, at);
    }

    private void readTaken(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        if (--slot.reading > 0) {
            return;
        }
        if (slot.transaction.cause() != null) {
            current = slot;
            proceed(slot, sender);
            return;
        }
        for (DistributedTransaction.Copy copy : slot.pendingCopies()) {
            if (copy == null) {
                slot.retries++;
                sender.waitFor(backOff.nextNs());
                return;
            }
        }
        if (slot.parts == null) {
            commit(slot, sender);
        } else if (slot.partsRead == null) {
            slot.partsRead = slot.parts;
            readAll(slot, sender);
        } else {
            allocate(slot, slot.parts, sender);
        }
    }

    private void allocate(TransactionSlot slot, TransactionParts parts, RemoteRequests.Sender sender)
            throws FabricException {
        if (slot.writes && mix.written() > 0) {
            current = slot;
            currentSender = sender;
            phaseBegins(Phase.ALLOCATE);
            parts.allocate(this);
        }
        if (parts.haveRoom()) {
            commit(slot, sender);
        }
    }

    private void commit(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        for (int part = 0; slot.writes && part < mix.written(); part++) {
            DistributedTransaction.Copy copy = slot.copies[part];
            if (copy != null) {
                long stamp = slot.served ? slot.firstStamp + part : firstStamp() | ++stamps;
                ObjectArray.put(slot.stamped(copy), slot.numbers[part], stamp);
                slot.history.writes(slot.numbers[part], stamp);
                slot.transaction.write(copy);
                if (slot.parts != null) {
                    slot.parts.replace(part, slot.numbers[part], stamp);
                }
            }
        }
        current = slot;
        currentSender = sender;
        slot.transaction.commit(this);
        proceed(slot, sender);
    }

    @Override
    public void send(int other, long[] words, int count) throws FabricException {
        TransactionSlot slot = current;
        if (slot.askedIn != slot.phase) {
            slot.askedIn = slot.phase;
            slot.trips++;
        }
        RemoteRequests.Sender sender = currentSender;
        if (sender == null) {
            throw new IllegalStateException("no transaction is in progress");
        }
        sender.sendRequest(other, words, count);
    }

    @Override
    public void phaseBegins(Phase next) {
        TransactionSlot slot = current;
        long nowNs = client.nowNs();
        slot.addPhase(nowNs - slot.phaseBeganNs);
        slot.phaseBeganNs = nowNs;
        slot.phase = next;
        acknowledgeCommit(slot);
    }

    /** Acknowledges a commit as soon as permitted. */
    private void acknowledgeCommit(TransactionSlot slot) {
        if (slot.transaction.hasCommitted() && !slot.acknowledged && mayAcknowledge(slot)) {
            slot.acknowledged = true;
            slot.committedNs = client.nowNs();
            slot.history.ended(true);
            recordWrites(slot);
        }
    }

    /**
     * Returns true if a commit may be acknowledged. Read-only commits require a valid lease, since a later
     * configuration may have written the objects.
     */
    private boolean mayAcknowledge(TransactionSlot slot) {
        return slot.writes || recovery == null || recovery.hasLease();
    }

    /** Records acknowledged writes, which the survivors must have at the end. */
    private void recordWrites(TransactionSlot slot) {
        Recovery kept = plan.recovery();
        for (int part = 0; kept != null && slot.writes && part < mix.written(); part++) {
            DistributedTransaction.Copy copy = slot.copies[part];
            if (copy != null) {
                long number = slot.numbers[part];
                kept.acknowledged(number, copy.nextVersion(), ObjectArray.stamp(copy.payload(), number));
            }
        }
    }

    private void proceed(TransactionSlot slot, RemoteRequests.Sender sender) {
        acknowledgeCommit(slot);
        if (slot.transaction.phase() != Phase.OVER) {
            return;
        }
        if (slot.phase != Phase.OVER) {
            phaseBegins(Phase.OVER); // no request was necessary
        }
        LocalTransaction.Abort cause = slot.transaction.cause();
        if (cause == null && !slot.acknowledged) {
            slot.stopped = true; // the machine has no lease
            slot.committing = false;
            sender.waitFor(POLL_NS);
            return;
        }
        if (cause == null) {
            written += slot.writes && !slot.served ? mix.written() : 0;
            return;
        }
        slot.history.ended(false);
        slot.began = false;
        slot.aborted(cause);
        sender.waitFor(backOff.nextNs(slot.consecutiveAborts++));
    }

    @Override
    public boolean resume(int number, RemoteRequests.Sender sender) throws FabricException {
        if (number >= slots.length && !servesShipped(number)) {
            awaitLog(logging.stillNs(number), sender);
            return true;
        }
        TransactionSlot slot = slot(number);
        if (slot.isLogging) {
            return resumeLogging(slot, sender);
        }
        if (slot.stopped) {
            return resolve(slot, sender);
        }
        if (slot.transaction.phase() == Phase.READ) {
            readAll(slot, sender);
        } else {
            slot.abortedNs += client.nowNs() - slot.attemptNs;
            begin(slot, sender);
        }
        return slot.correct;
    }

    /** Resolves a stopped attempt after recovery, with no request in flight: it has committed, or is retried. */
    private boolean resolve(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        Recovery.OfThread recovered = recovery;
        if (recovered == null || !sender.isLastInFlight() || !recovered.isActive()) {
            sender.waitFor(POLL_NS);
            return true;
        }
        if (slot.committing && recovered.configuration() == slot.configuration) {
            sender.waitFor(POLL_NS); // another machine has a newer configuration
            return true;
        }
        boolean committed = slot.committing && recovered.hasCommitted(slot.transaction.id());
        if (slot.acknowledged && slot.writes && !committed) {
            return false; // an acknowledged commit was lost
        }
        if (committed) {
            if (!slot.acknowledged) {
                slot.acknowledged = true;
                slot.committedNs = client.nowNs();
                slot.history.ended(true);
                recordWrites(slot);
            }
            written += mix.written();
            return slot.correct;
        }
        if (slot.began) {
            slot.history.ended(false);
        }
        slot.abortedNs += client.nowNs() - slot.attemptNs;
        begin(slot, sender);
        return slot.correct;
    }

    @Override
    public boolean replyReceived(
            int number, int from, MemorySegment reply, long at, int bytes, RemoteRequests.Sender sender)
            throws FabricException {
        TransactionSlot slot = slot(number);
        if (slot.shipped) {
            if (bytes != replyBytes(maxWords)) {
                return false;
            }
            shippedReplyReceived(slot, reply, at);
            return slot.correct;
        }
        long word = reply.get(WORD, at);
        if (slot.stopped || word == CommitMessage.REFUSED) {
            if (!slot.stopped) {
                stop(slot);
                sender.waitFor(POLL_NS);
            }
            return bytes == REPLY_BYTES;
        }
        current = slot;
        currentSender = sender;
        if (slot.phase == Phase.ALLOCATE && slot.parts != null) {
            slot.parts.allocated(from, reply, at);
            if (slot.parts.haveRoom()) {
                commit(slot, sender);
            }
            return bytes == replyBytes(CommitMessage.ALLOCATE_WORDS);
        }
        slot.transaction.replyReceived(from, word, this);
        proceed(slot, sender);
        return bytes == REPLY_BYTES;
    }

    /** Defers replies that wait for an SSD; allocations are logged only at commit. */
    @Override
    public boolean isDeferred(long[] words, int count) {
        return isShip(words) || (logging.waits() && count != CommitMessage.ALLOCATE_WORDS);
    }

    private boolean isShip(long[] words) {
        return mix.ships() && CommitMessage.kind(words) == CommitMessage.SHIP;
    }

    @Override
    public void serve(int slot, long[] words, int count, RemoteRequests.Sender sender) throws FabricException {
        if (mix.ships()) {
            servesShipped[slot - slots.length] = isShip(words);
        }
        if (isShip(words)) {
            TransactionSlot ran = servedSlot(slot);
            ShippedTransaction.take(words, ran);
            ran.clear();
            begin(ran, sender);
            return;
        }
        served[slot] = logging.execute(words, count);
        awaitLog(logging.waitNs(slot, words, count, client.nowNs()), sender);
    }

    private static void awaitLog(long ns, RemoteRequests.Sender sender) {
        if (ns > 0) {
            sender.waitFor(ns);
        }
    }

    /** Waits only for a file; the simulated time of an SSD is not counted here. */
    @Override
    public boolean isLogging(long[] words, int count) throws FabricException {
        RemoteRequests.Sender sender = currentSender;
        if (!logging.isInFile() || sender == null) {
            return false;
        }
        long ns = logging.waitNs(current.number, words, count, client.nowNs());
        current.isLogging = ns > 0;
        awaitLog(ns, sender);
        return current.isLogging;
    }

    /** Continues a transaction after the own machine's log is durable. */
    private boolean resumeLogging(TransactionSlot slot, RemoteRequests.Sender sender) throws FabricException {
        long ns = logging.stillNs(slot.number);
        if (ns > 0) {
            sender.waitFor(ns);
            return true;
        }
        slot.isLogging = false;
        current = slot;
        currentSender = sender;
        slot.transaction.replyReceived(machine, CommitMessage.DONE, this);
        proceed(slot, sender);
        return slot.correct;
    }

    @Override
    public int servedWords(int slot, long[] into) {
        if (servesShipped(slot)) {
            ShippedTransaction.encodeReply(servedSlot(slot), into);
            return maxWords;
        }
        into[0] = served[slot];
        return REPLY_WORDS;
    }

    @Override
    public void encodeReply(long[] words, int count, MemorySegment to, long at) throws FabricException {
        if (count == CommitMessage.ALLOCATE_WORDS && allocations != null) {
            allocations.allocate(CommitMessage.near(words), replyWords);
            MemorySegment.copy(replyWords, 0, to, WORD, at, replyWords.length);
            return;
        }
        if (isShippedReply(count)) {
            MemorySegment.copy(words, 0, to, WORD, at, ShippedTransaction.replyWords(mix.reads()));
            return;
        }
        to.set(WORD, at, count == REPLY_WORDS ? words[0] : logging.execute(words, count));
    }

    @Override
    public void count(Counts counts, int number, long latencyNs) {
        TransactionSlot slot = slots[number];
        slot.count(counts);
        logging.count(counts);
        if (slot.writes) {
            counts.add(Counter.PAYLOAD_BYTES, payloadBytes());
        }
        if (slot.parts != null) {
            counts.add(Counter.ALLOCATIONS, slot.parts.allocations());
            counts.add(Counter.ALLOCATION_MESSAGES, slot.parts.messages());
        }
    }

    @Override
    public boolean mayLeave() {
        return recovery == null || recovery.mayLeave();
    }

    @Override
    public void addFinalChecks(Counts counts) throws FabricException {
        logging.check(counts);
        if (recovery != null) {
            recovery.done(counts);
        }
    }

    @Override
    public void close() {
        logging.close();
    }

    @Override
    public void addTotals(Counts counts) {
        counts.add(Counter.OBJECTS_WRITTEN, written);
    }
}
