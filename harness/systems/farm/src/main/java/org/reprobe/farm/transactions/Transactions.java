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
import org.reprobe.farm.commit.Votes;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.messages.Questions;
import org.reprobe.farm.messages.WordQuestions;
import org.reprobe.farm.transactions.DistributedTransaction.Phase;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/**
 * Transactions of a thread over objects of all machines (FaRM 2014, section 3.4). Each reads objects by concurrent one-sided READs, may
 * write some of them, and commits by messages ({@link DistributedTransaction}). An aborted transaction is retried after a random time with
 * the same objects until it commits. The thread also serves other threads' transactions for its machine ({@link Participant}).
 *
 * <p>If objects have parts ({@link TransactionParts}), these are read after all objects, and new parts are allocated before the commit.
 *
 * <p>A transaction whose objects are all on one other machine may be shipped there ({@link ShippedTransaction}); a slot of a thread there
 * runs it.
 *
 * <p>A request is a {@link CommitMessage}. Its reply is one word, or that of {@link ObjectAllocations} or of a {@link ShippedTransaction}.
 */
public final class Transactions implements WordQuestions, DistributedTransaction.Asking {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int ANSWER_BYTES = Long.BYTES;

    private static final int ANSWER_WORDS = 1;

    private static final int STAMP_BITS = 40;

    private static final long LOOK_NS = 5_000;

    /** Maximum messages to one machine per transaction: one as primary and one as replica. */
    private static final int MESSAGES_AT_ONCE = 2;

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
    private final long[] room = new long[ObjectAllocations.ANSWER_WORDS];
    private final BackOff backOff;
    private final Recovery.@Nullable OfThread recovery;
    /** Memory of the own machine's copies, by region. */
    private final List<MemorySegment> own;

    private RegionCopies places;
    private final TransactionSlot[] slots;
    /** Other machines' transactions, by deferred request; created on demand. */
    private final @Nullable TransactionSlot[] shipped;

    private final boolean[] servesShipped;

    private final Participant participant;
    private final int thread;
    private final int inFlight;
    private final long[] question;
    private final long[] served;

    private final int maxWords;
    /** Slot whose requests are being sent. */
    private TransactionSlot current;

    private Questions.@Nullable Asking asking;
    private long drawn;
    private long stamps;
    private long written;

    /**
     * Creates a thread's transactions.
     *
     * @param thread index on the machine
     * @param memories by region; only the machine's own are required
     * @param readsAt offset in the machine's region of the buffer for READs, of {@link #readBytes}
     * @param logAt offset of the thread's log
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
        this.places = plan.replication().copies();
        LogStages stages = plan.replication().logs();
        long logBytes = plan.replication().logBytes();
        LogFile file = plan.replicated() ? stages.open(logBytes) : null;
        ReplicaLog log = new ReplicaLog(client, memory, logAt, logBytes, layouts, file);
        Participant.Costs costs = new Participant.Costs(localPs, plan.threads().updatePs(client));
        this.participant = new Participant(client, own, layouts, plan.rules(), log, costs, allocations);
        this.logging = new LoggingParticipant(participant, log, stages.device(machine), file, inFlight + maxServed());
        this.recovery = recovered == null ? null : recovered.of(client, machine, thread, participant);
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
        this.question = new long[mix.ships() ? ShippedTransaction.words(mix.reads()) : 0];
        this.slots = new TransactionSlot[inFlight];
        for (int i = 0; i < slots.length; i++) {
            long coordinator = ((long) thread * objects.machines() + machine) * slots.length + i + 1;
            slots[i] = newSlot(i, coordinator, new TransactionRecorder(history, (int) coordinator), parts);
        }
        this.current = slots[0];
        this.drawn = (long) client.index() << STAMP_BITS;
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
    private TransactionSlot served(int number) {
        int place = number - slots.length;
        TransactionSlot slot = shipped[place];
        if (slot == null) {
            long before = plan.coordinators() + ((long) thread * objects.machines() + machine) * shipped.length;
            TransactionRecorder nobody = new TransactionRecorder(HistoryRecorder.NONE, 0);
            slot = newSlot(number, before + place + 1, nobody, null);
            slot.served = true;
            shipped[place] = slot;
        }
        return slot;
    }

    private TransactionSlot slot(int number) {
        return number < slots.length ? slots[number] : served(number);
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
     * Returns the maximum words of a request.
     *
     * @param part null for objects without parts
     * @param recoveryWords maximum words of a recovery message; 0 if no machine may fail
     * @param ships true if transactions are shipped: adds one word, since the maximum length marks the reply to a shipped transaction
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
    public boolean survives() {
        return recovery != null;
    }

    @Override
    public long turn(Questions.Turn turn) throws FabricException {
        return recovery == null ? Long.MAX_VALUE : recovery.turn(turn::tell, votes -> stopAll(turn, votes), turn::lose);
    }

    @Override
    public void told(int from, long[] words, int count) throws FabricException {
        if (recovery != null) {
            recovery.received(from, words, count);
        }
    }

    private void stopAll(Questions.Turn turn, Votes votes) {
        for (TransactionSlot slot : slots) {
            if (turn.isBusy(slot.number)) {
                stop(slot);
                if (slot.committing) {
                    votes.unfinished(slot.transaction.id());
                }
                turn.wake(slot.number);
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
    public int readsAtOnce() {
        return mix.reads();
    }

    @Override
    public int maxServed() {
        int others = objects.machines() * inFlight;
        return (plan.replicated() ? MESSAGES_AT_ONCE * others : 0) + (mix.ships() ? others : 0);
    }

    @Override
    public int questionsAtOnce() {
        return plan.parts() == null ? 1 : Math.max(1, mix.written());
    }

    @Override
    public int answerBytes(int words) {
        if (isShippedAnswer(words)) {
            return ShippedTransaction.answerWords(mix.reads()) * Long.BYTES;
        }
        return words == CommitMessage.ALLOCATE_WORDS ? ObjectAllocations.ANSWER_WORDS * Long.BYTES : ANSWER_BYTES;
    }

    private boolean isShippedAnswer(int words) {
        return mix.ships() && words == maxWords;
    }

    @Override
    public int payloadBytes() {
        ObjectLayout part = plan.part();
        return mix.written() * (objects.layout().payloadBytes() + (part == null ? 0 : part.payloadBytes()));
    }

    @Override
    public boolean begin(int number, Questions.Asking asks) throws FabricException {
        TransactionSlot slot = slots[number];
        draw(slot);
        slot.beganNs = client.nowNs();
        slot.clear();
        if (mix.ships() && isElsewhere(slot)) {
            ship(slot, asks);
        } else {
            begin(slot, asks);
        }
        return slot.right;
    }

    private boolean isElsewhere(TransactionSlot slot) {
        int region = objects.region(slot.numbers[0]);
        for (long number : slot.numbers) {
            if (objects.region(number) != region) {
                return false;
            }
        }
        return places.primary(region) != machine;
    }

    private void ship(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        slot.shipped = true;
        slot.stopped = false;
        slot.clearPhases();
        slot.right = true;
        slot.trips = 1;
        slot.firstStamp = firstStamp() + stamps + 1;
        stamps += slot.writes ? mix.written() : 0;
        slot.history.begins();
        int count = ShippedTransaction.put(question, slot, mix.written());
        asks.ask(places.primary(objects.region(slot.numbers[0])), question, count);
    }

    private void takeShipped(TransactionSlot slot, MemorySegment answer, long at) {
        slot.committedNs = client.nowNs();
        ShippedTransaction.takeAnswer(answer, at, slot);
        for (int part = 0; part < slot.numbers.length; part++) {
            slot.right &= slot.stamps[part] != ObjectArray.TORN;
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
            } while (slot.numbers[i] >= objects.objects() || isAmong(slot.numbers, i));
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

    private static boolean isAmong(long[] numbers, int last) {
        for (int i = 0; i < last; i++) {
            if (numbers[i] == numbers[last]) {
                return true;
            }
        }
        return false;
    }

    private void begin(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        long nowNs = client.nowNs();
        slot.stopped = recovery != null && !recovery.isActive();
        slot.began = false;
        if (slot.stopped) {
            slot.committing = false;
            slot.told = false;
            slot.right = true;
            slot.attemptNs = nowNs;
            asks.waitFor(LOOK_NS);
            return;
        }
        slot.attemptNs = nowNs;
        slot.phaseBeganNs = nowNs;
        slot.clearPhases();
        slot.phase = Phase.READ;
        slot.askedIn = Phase.OVER;
        slot.told = false;
        slot.right = true;
        if (recovery == null) {
            slot.transaction.begin();
        } else {
            places = recovery.places();
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
        readAll(slot, asks);
    }

    /** Reads all objects not yet read: own ones directly, others by concurrent READs. */
    private void readAll(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        boolean asked = false;
        slot.reading = 1; // prevents a commit while READs are posted
        for (int part = 0; part < slot.copies.length; part++) {
            if (slot.wanted()[part] != null || slot.transaction.cause() != null) {
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
            asked = true;
            asks.read(
                    part,
                    primary,
                    plan.regions().get(primary),
                    plan.copyAt(primary, region) + Address.offsetOf(address),
                    bufferAt(slot, part),
                    (slot.partsRead == null ? objects.layout() : slot.partsRead.layout()).bytes());
        }
        slot.trips += asked ? 1 : 0;
        oneLessToRead(slot, asks);
    }

    private DistributedTransaction.@Nullable Copy readHere(TransactionSlot slot, int part) {
        int region = objects.region(slot.numbers[part]);
        return slot.partsRead == null
                ? slot.transaction.readHere(reader, region, objects.offset(slot.numbers[part]), own.get(region))
                : slot.partsRead.readHere(part);
    }

    private long bufferAt(TransactionSlot slot, int part) {
        return readsAt + ((long) slot.number * mix.reads() + part) * readBytes(objects.layout(), plan.part());
    }

    private void take(TransactionSlot slot, int part, DistributedTransaction.@Nullable Copy copy) {
        slot.wanted()[part] = copy;
        DistributedTransaction.Copy object = slot.copies[part];
        if (copy == null || object == null) {
            return;
        }
        if (slot.partsRead != null) {
            slot.right &= TransactionParts.fits(object.payload(), copy.payload(), slot.numbers[part]);
            return;
        }
        long stamp = ObjectArray.stamp(slot.stamped(object), slot.numbers[part]);
        slot.right &= stamp != ObjectArray.TORN;
        slot.stamps[part] = stamp;
        slot.history.read(slot.numbers[part], stamp);
    }

    @Override
    public boolean takeRead(int number, int part, Questions.Asking asks) throws FabricException {
        TransactionSlot slot = slots[number];
        if (slot.stopped) {
            return true;
        }
        if (slot.deadline.isInTime(slot.postedNs[part])) {
            take(slot, part, takeRead(slot, part, bufferAt(slot, part)));
        }
        oneLessToRead(slot, asks);
        return slot.right;
    }

    private DistributedTransaction.@Nullable Copy takeRead(TransactionSlot slot, int part, long at) {
        if (slot.partsRead != null) {
            return slot.partsRead.read(part, memory, at);
        }
        long object = slot.numbers[part];
        return slot.transaction.read(objects.layout(), objects.region(object), objects.offset(object), memory, at);
    }

    private void oneLessToRead(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        if (--slot.reading > 0) {
            return;
        }
        if (slot.transaction.cause() != null) {
            current = slot;
            goOn(slot, asks);
            return;
        }
        for (DistributedTransaction.Copy copy : slot.wanted()) {
            if (copy == null) {
                slot.retries++;
                asks.waitFor(backOff.nextNs());
                return;
            }
        }
        if (slot.parts == null) {
            commit(slot, asks);
        } else if (slot.partsRead == null) {
            slot.partsRead = slot.parts;
            readAll(slot, asks);
        } else {
            allocate(slot, slot.parts, asks);
        }
    }

    private void allocate(TransactionSlot slot, TransactionParts parts, Questions.Asking asks) throws FabricException {
        if (slot.writes && mix.written() > 0) {
            current = slot;
            asking = asks;
            begins(Phase.ALLOCATE);
            parts.allocate(this);
        }
        if (parts.haveRoom()) {
            commit(slot, asks);
        }
    }

    private void commit(TransactionSlot slot, Questions.Asking asks) throws FabricException {
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
        asking = asks;
        slot.transaction.commit(this);
        goOn(slot, asks);
    }

    @Override
    public void ask(int other, long[] words, int count) throws FabricException {
        TransactionSlot slot = current;
        if (slot.askedIn != slot.phase) {
            slot.askedIn = slot.phase;
            slot.trips++;
        }
        Questions.Asking asks = asking;
        if (asks == null) {
            throw new IllegalStateException("no transaction is in progress");
        }
        asks.ask(other, words, count);
    }

    @Override
    public void begins(Phase next) {
        TransactionSlot slot = current;
        long nowNs = client.nowNs();
        slot.spent(nowNs - slot.phaseBeganNs);
        slot.phaseBeganNs = nowNs;
        slot.phase = next;
        tell(slot);
    }

    /** Acknowledges a commit as soon as permitted. */
    private void tell(TransactionSlot slot) {
        if (slot.transaction.hasCommitted() && !slot.told && mayTell(slot)) {
            slot.told = true;
            slot.committedNs = client.nowNs();
            slot.history.ended(true);
            acknowledge(slot);
        }
    }

    /**
     * Returns true if a commit may be acknowledged. Read-only commits require a valid lease, since a later configuration may have
     * written the objects.
     */
    private boolean mayTell(TransactionSlot slot) {
        return slot.writes || recovery == null || recovery.hasLease();
    }

    /** Records acknowledged writes, which the survivors must have at the end. */
    private void acknowledge(TransactionSlot slot) {
        Recovery kept = plan.recovery();
        for (int part = 0; kept != null && slot.writes && part < mix.written(); part++) {
            DistributedTransaction.Copy copy = slot.copies[part];
            if (copy != null) {
                long number = slot.numbers[part];
                kept.acknowledged(number, copy.nextVersion(), ObjectArray.stamp(copy.payload(), number));
            }
        }
    }

    private void goOn(TransactionSlot slot, Questions.Asking asks) {
        tell(slot);
        if (slot.transaction.phase() != Phase.OVER) {
            return;
        }
        if (slot.phase != Phase.OVER) {
            begins(Phase.OVER); // no request was necessary
        }
        LocalTransaction.Abort cause = slot.transaction.cause();
        if (cause == null && !slot.told) {
            slot.stopped = true; // the machine has no lease
            slot.committing = false;
            asks.waitFor(LOOK_NS);
            return;
        }
        if (cause == null) {
            written += slot.writes && !slot.served ? mix.written() : 0;
            return;
        }
        slot.history.ended(false);
        slot.aborted(cause);
        asks.waitFor(backOff.nextNs(slot.abortsInAll++));
    }

    @Override
    public boolean resume(int number, Questions.Asking asks) throws FabricException {
        if (number >= slots.length && !servesShipped(number)) {
            awaitLog(logging.stillNs(number), asks);
            return true;
        }
        TransactionSlot slot = slot(number);
        if (slot.isLogging) {
            return resumeLogging(slot, asks);
        }
        if (slot.stopped) {
            return resolve(slot, asks);
        }
        if (slot.transaction.phase() == Phase.READ) {
            readAll(slot, asks);
        } else {
            slot.abortedNs += client.nowNs() - slot.attemptNs;
            begin(slot, asks);
        }
        return slot.right;
    }

    /** Resolves a stopped attempt after recovery, when none of its requests is in flight: it has committed, or is retried. */
    private boolean resolve(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        Recovery.OfThread recovered = recovery;
        if (recovered == null || !asks.isAlone() || !recovered.isActive()) {
            asks.waitFor(LOOK_NS);
            return true;
        }
        if (slot.committing && recovered.configuration() == slot.configuration) {
            asks.waitFor(LOOK_NS); // another machine has a newer configuration
            return true;
        }
        boolean committed = slot.committing && recovered.hasCommitted(slot.transaction.id());
        if (slot.told && slot.writes && !committed) {
            return false; // an acknowledged commit was lost
        }
        if (committed) {
            if (!slot.told) {
                slot.told = true;
                slot.committedNs = client.nowNs();
                slot.history.ended(true);
                acknowledge(slot);
            }
            written += mix.written();
            return slot.right;
        }
        if (slot.began) {
            slot.history.ended(false);
        }
        slot.abortedNs += client.nowNs() - slot.attemptNs;
        begin(slot, asks);
        return slot.right;
    }

    @Override
    public boolean takeAnswer(int number, int from, MemorySegment answer, long at, int bytes, Questions.Asking asks)
            throws FabricException {
        TransactionSlot slot = slot(number);
        if (slot.shipped) {
            if (bytes != answerBytes(maxWords)) {
                return false;
            }
            takeShipped(slot, answer, at);
            return slot.right;
        }
        long word = answer.get(WORD, at);
        if (slot.stopped || word == CommitMessage.REFUSED) {
            if (!slot.stopped) {
                stop(slot);
                asks.waitFor(LOOK_NS);
            }
            return bytes == ANSWER_BYTES;
        }
        current = slot;
        asking = asks;
        if (slot.phase == Phase.ALLOCATE && slot.parts != null) {
            slot.parts.allocated(from, answer, at);
            if (slot.parts.haveRoom()) {
                commit(slot, asks);
            }
            return bytes == answerBytes(CommitMessage.ALLOCATE_WORDS);
        }
        slot.transaction.answered(from, word, this);
        goOn(slot, asks);
        return bytes == ANSWER_BYTES;
    }

    /** Defers replies that wait for an SSD; allocations are logged only at commit. */
    @Override
    public boolean serves(long[] words, int count) {
        return isShip(words) || (logging.waits() && count != CommitMessage.ALLOCATE_WORDS);
    }

    private boolean isShip(long[] words) {
        return mix.ships() && CommitMessage.kind(words) == CommitMessage.SHIP;
    }

    @Override
    public void serve(int slot, long[] words, int count, Questions.Asking asks) throws FabricException {
        if (mix.ships()) {
            servesShipped[slot - slots.length] = isShip(words);
        }
        if (isShip(words)) {
            TransactionSlot ran = served(slot);
            ShippedTransaction.take(words, ran);
            ran.clear();
            begin(ran, asks);
            return;
        }
        served[slot] = logging.answer(words, count);
        awaitLog(logging.waitNs(slot, words, count, client.nowNs()), asks);
    }

    private static void awaitLog(long ns, Questions.Asking asks) {
        if (ns > 0) {
            asks.waitFor(ns);
        }
    }

    /** Waits only for a file; the simulated time of an SSD is not counted here. */
    @Override
    public boolean isLogging(long[] words, int count) throws FabricException {
        Questions.Asking asks = asking;
        if (!logging.isInFile() || asks == null) {
            return false;
        }
        long ns = logging.waitNs(current.number, words, count, client.nowNs());
        current.isLogging = ns > 0;
        awaitLog(ns, asks);
        return current.isLogging;
    }

    /** Continues a transaction after the own machine's log is durable. */
    private boolean resumeLogging(TransactionSlot slot, Questions.Asking asks) throws FabricException {
        long ns = logging.stillNs(slot.number);
        if (ns > 0) {
            asks.waitFor(ns);
            return true;
        }
        slot.isLogging = false;
        current = slot;
        asking = asks;
        slot.transaction.answered(machine, CommitMessage.DONE, this);
        goOn(slot, asks);
        return slot.right;
    }

    @Override
    public int served(int slot, long[] into) {
        if (servesShipped(slot)) {
            ShippedTransaction.answer(served(slot), into);
            return maxWords;
        }
        into[0] = served[slot];
        return ANSWER_WORDS;
    }

    @Override
    public void putAnswer(long[] words, int count, MemorySegment to, long at) throws FabricException {
        if (count == CommitMessage.ALLOCATE_WORDS && allocations != null) {
            allocations.allocate(CommitMessage.near(words), room);
            MemorySegment.copy(room, 0, to, WORD, at, room.length);
            return;
        }
        if (isShippedAnswer(count)) {
            MemorySegment.copy(words, 0, to, WORD, at, ShippedTransaction.answerWords(mix.reads()));
            return;
        }
        to.set(WORD, at, count == ANSWER_WORDS ? words[0] : logging.answer(words, count));
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
    public void done(Counts counts) throws FabricException {
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
    public void over(Counts counts) {
        counts.add(Counter.OBJECTS_WRITTEN, written);
    }
}
