package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.WordMap;

/**
 * Participant of transactions that other threads coordinate (FaRM 2014, section 3.4): it locks, validates, writes and
 * unlocks objects whose primary is its machine, and logs writes for its machine's replicas. Each message gets an
 * immediate reply. Confined to one thread.
 */
public final class Participant {
    private final Requester cpu;
    private final List<MemorySegment> memories;
    private final ObjectsByAddress objects;
    private final Locking locking;
    private final Validation validation;
    private final ReplicaLog log;
    private final @Nullable ObjectAllocations allocations;
    private final List<ObjectWriter> writers = new ArrayList<>();
    /** Index in {@link #prepared}, by coordinator. */
    private final WordMap places = new WordMap();

    private final List<Prepared> prepared = new ArrayList<>();

    private final Costs costs;
    /** Number of the accepted configuration; 0 if configurations are not used. */
    private long configuration;
    /** Last transaction known here to commit, by coordinator; used with configurations. */
    private final WordMap committed = new WordMap();

    /** CPU times in ps to lock or validate an object, and to write one, during which READs reject it. */
    public record Costs(long objectPs, long updatePs) {
        public static final Costs NONE = new Costs(0, 0);
    }

    private static final class Prepared {
        private static final long NOTHING = -1;

        private long transaction = NOTHING;
        private long[] words = {};
        private MemorySegment bytes = MemorySegment.NULL;

        void keep(long of, long[] message, int count) {
            transaction = of;
            if (words.length < count) {
                words = Arrays.copyOf(message, count);
                bytes = MemorySegment.ofArray(words);
            } else {
                System.arraycopy(message, 0, words, 0, count);
            }
        }
    }

    /** Creates a participant; {@code memories} are by region, {@code log} is that of the machine's replicas. */
    public Participant(
            Requester cpu, List<MemorySegment> memories, ObjectsByAddress objects, CommitRules rules, ReplicaLog log) {
        this(cpu, memories, objects, rules, log, Costs.NONE, null);
    }

    /** Creates a participant; {@code allocations} is null if its machine's objects are not allocated or freed. */
    public Participant(
            Requester cpu,
            List<MemorySegment> memories,
            ObjectsByAddress objects,
            CommitRules rules,
            ReplicaLog log,
            Costs costs,
            @Nullable ObjectAllocations allocations) {
        this.costs = costs;
        this.allocations = allocations;
        this.cpu = cpu;
        this.memories = memories;
        this.objects = objects;
        this.locking = rules.locking();
        this.validation = rules.validation();
        this.log = log;
    }

    long cleanedWords() {
        return log.freedWords();
    }

    /** Accepts only messages of this configuration from now on. */
    public void repliesIn(long number) {
        configuration = number;
    }

    /** Executes a {@link CommitMessage} and returns the reply. */
    public long execute(long[] words, int count) {
        if (CommitMessage.configuration(words) != configuration) {
            return CommitMessage.REFUSED;
        }
        return act(words, count);
    }

    private long act(long[] words, int count) {
        int kind = CommitMessage.kind(words);
        if (configuration > 0 && reportsCommit(kind)) {
            long transaction = CommitMessage.transaction(words);
            committed.put(transaction >>> Integer.SIZE, transaction);
        }
        return switch (kind) {
            case CommitMessage.PREPARE -> prepare(words, count);
            case CommitMessage.VALIDATE -> validate(words);
            case CommitMessage.COMMIT -> end(words, true);
            case CommitMessage.ABORT -> end(words, false);
            case CommitMessage.LOG_PREPARE,
                    CommitMessage.LOG_COMMIT,
                    CommitMessage.LOG_WRITES,
                    CommitMessage.LOG_ABORT -> {
                log.append(words, count);
                yield CommitMessage.DONE;
            }
            default -> throw new IllegalStateException("unknown message kind " + kind);
        };
    }

    private static boolean reportsCommit(int kind) {
        return kind == CommitMessage.LOG_COMMIT || kind == CommitMessage.LOG_WRITES || kind == CommitMessage.COMMIT;
    }

    /** Adds the transactions known here to a vote. */
    public void vote(Votes votes) {
        prepared.forEach(each -> {
            if (each.transaction != Prepared.NOTHING) {
                votes.unfinished(each.transaction);
            }
        });
        log.forEachUndecided(votes::unfinished);
        committed.forEach((_, transaction) -> votes.committed(transaction));
    }

    /** Commits or aborts all unfinished transactions and unlocks their objects. */
    public void decide(Votes decided) {
        List<Long> undecided = new ArrayList<>();
        log.forEachUndecided(undecided::add);
        for (long transaction : undecided) {
            end(transaction, decided, CommitMessage.LOG_COMMIT, CommitMessage.LOG_ABORT);
        }
        for (Prepared each : prepared) {
            if (each.transaction != Prepared.NOTHING) {
                end(each.transaction, decided, CommitMessage.COMMIT, CommitMessage.ABORT);
            }
        }
    }

    /** Waits until all records of the log are durable. */
    public void awaitLog() throws FabricException {
        log.awaitSafe();
    }

    private void end(long transaction, Votes decided, int commit, int abort) {
        long[] words = {decided.isCommitted(transaction) ? commit : abort, transaction, 0};
        act(words, words.length);
    }

    /**
     * Makes the machine the primary of more regions: committed writes in the log are applied to memory, which holds the
     * loaded state. At this time only threads of the machine access the regions, to apply their logs.
     */
    public void takeOver(IntPredicate regions) {
        new LogReplay(log::forEach, objects, _ -> false).forEachCommitted((address, version, words, at) -> {
            if (regions.test(Address.regionOf(address))) {
                ObjectWriter writer = writer(address);
                MemorySegment payload = MemorySegment.ofArray(words)
                        .asSlice((long) at * Long.BYTES, writer.layout().payloadBytes());
                redo(writer, memory(address), Address.offsetOf(address), version, payload);
            }
        });
    }

    /** Writes a committed payload unless the object has a later version. */
    private void redo(ObjectWriter writer, MemorySegment memory, long at, long version, MemorySegment payload) {
        while (true) {
            cpu.spendCpu(costs.objectPs());
            long known = writer.header(memory, at);
            if ((known & ~ObjectLayout.LOCK_MODE) > version) {
                return;
            }
            if (writer.lock(memory, at, known)) { // otherwise another thread is writing it
                writer.update(memory, at, version, payload);
                return;
            }
        }
    }

    /**
     * Logs the present version of an object, of which the machine becomes a replica while no transaction runs. Returns
     * false if the object is locked or torn, because it was copied from a primary that has continued.
     */
    public boolean logAgain(long address) throws FabricException {
        ObjectLayout object = objects.at(address);
        MemorySegment payload = object.newPayload();
        long at = Address.offsetOf(address);
        long version = ObjectLayout.version(memory(address), at);
        if ((version & ObjectLayout.LOCK_MODE) != 0 || !object.read(memory(address), at, at, payload)) {
            return false;
        }
        CommitMessage.Builder record = new CommitMessage.Builder(
                CommitMessage.HEADER_WORDS + CommitMessage.objectWords(CommitMessage.LOG_WRITES, object));
        record.begin(CommitMessage.LOG_WRITES, 0);
        record.add(address, version - ObjectWriter.ONE_VERSION, object, payload);
        try {
            log.append(record.words(), record.count());
        } catch (ReplicaLog.FullException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
        return true;
    }

    private ObjectWriter writer(long address) {
        ObjectLayout object = objects.at(address);
        for (ObjectWriter each : writers) {
            if (each.layout().equals(object)) {
                return each;
            }
        }
        ObjectWriter writer = new ObjectWriter(cpu, object, costs.updatePs());
        writers.add(writer);
        return writer;
    }

    private ObjectAllocations allocations() {
        return Objects.requireNonNull(allocations, "this participant does not allocate or free objects");
    }

    private MemorySegment memory(long address) {
        return memories.get(Address.regionOf(address));
    }

    private Prepared of(long[] message) {
        long coordinator = CommitMessage.transaction(message) >>> Integer.SIZE;
        long place = places.get(coordinator);
        if (place == WordMap.NONE) {
            place = prepared.size();
            places.put(coordinator, place);
            prepared.add(new Prepared());
        }
        return prepared.get((int) place);
    }

    private long prepare(long[] words, int count) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            long address = words[at];
            ObjectWriter writer = writer(address);
            long offset = Address.offsetOf(address);
            cpu.spendCpu(costs.objectPs());
            long version = CommitMessage.version(words[at + 1]);
            long mode = locking == Locking.READABLE ? ObjectLayout.READABLE : ObjectLayout.EXCLUSIVE;
            if (!writer.lock(memory(address), offset, version, mode)) {
                boolean others = (writer.header(memory(address), offset) & ObjectLayout.LOCK_MODE) != 0;
                unlock(words, i);
                giveBack(words);
                return others ? CommitMessage.LOCKED : CommitMessage.CHANGED;
            }
            at += CommitMessage.writtenWords(words[at + 1], writer.layout());
        }
        of(words).keep(CommitMessage.transaction(words), words, count);
        return CommitMessage.DONE;
    }

    private void unlock(long[] words, int count) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < count; i++) {
            long address = words[at];
            ObjectWriter writer = writer(address);
            writer.unlock(memory(address), Address.offsetOf(address), CommitMessage.version(words[at + 1]));
            at += CommitMessage.writtenWords(words[at + 1], writer.layout());
        }
    }

    /** Returns places that an unsuccessful PREPARE would have allocated. */
    private void giveBack(long[] words) {
        if (allocations == null) {
            return; // the allocating thread returns them
        }
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            if (CommitMessage.change(words[at + 1]) == CommitMessage.ALLOCATED) {
                allocations.aborted(words[at]);
            }
            at += CommitMessage.writtenWords(words[at + 1], writer(words[at]).layout());
        }
    }

    private long validate(long[] words) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            long address = words[at];
            cpu.spendCpu(costs.objectPs());
            long header = writer(address).header(memory(address), Address.offsetOf(address));
            boolean ignoresLock = validation == Validation.VERSIONS;
            if ((ignoresLock ? header & ~ObjectLayout.LOCK_MODE : header) != words[at + 1]) {
                return (header & ObjectLayout.LOCK_MODE) != 0 ? CommitMessage.LOCKED : CommitMessage.CHANGED;
            }
            at += CommitMessage.OBJECT_WORDS;
        }
        return CommitMessage.DONE;
    }

    /** Ends a prepared transaction: writes its objects if it commits, and unlocks them. */
    private long end(long[] message, boolean commits) {
        Prepared locked = of(message);
        if (locked.transaction != CommitMessage.transaction(message)) {
            throw new IllegalStateException("an unprepared transaction was committed or aborted");
        }
        locked.transaction = Prepared.NOTHING;
        long[] words = locked.words;
        if (!commits) {
            unlock(words, CommitMessage.objects(words));
            giveBack(words);
            return CommitMessage.DONE;
        }
        if (locking == Locking.READABLE) {
            int at = CommitMessage.HEADER_WORDS;
            for (int i = 0; i < CommitMessage.objects(words); i++) {
                ObjectWriter writer = writer(words[at]);
                writer.lockExclusively(
                        memory(words[at]), Address.offsetOf(words[at]), CommitMessage.version(words[at + 1]));
                at += CommitMessage.writtenWords(words[at + 1], writer.layout());
            }
        }
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            long address = words[at];
            ObjectWriter writer = writer(address);
            write(writer, locked, at);
            at += CommitMessage.writtenWords(words[at + 1], writer.layout());
        }
        return CommitMessage.DONE;
    }

    /** Writes an object, which begins at {@code at} of the PREPARE. */
    private void write(ObjectWriter writer, Prepared locked, int at) {
        long address = locked.words[at];
        long offset = Address.offsetOf(address);
        long version = CommitMessage.version(locked.words[at + 1]);
        long change = CommitMessage.change(locked.words[at + 1]);
        if (change == CommitMessage.FREED) {
            writer.free(memory(address), offset, version);
            allocations().freed(address);
            return;
        }
        if (change == CommitMessage.ALLOCATED) {
            writer.setIncarnation(
                    memory(address), offset, CommitMessage.incarnation(locked.words, at, writer.layout()));
        } else if (change == CommitMessage.RENEWED) {
            writer.setIncarnation(memory(address), offset, ObjectLayout.incarnation(memory(address), offset) + 1);
        }
        MemorySegment payload = locked.bytes.asSlice(
                (long) (at + CommitMessage.OBJECT_WORDS) * Long.BYTES,
                writer.layout().payloadBytes());
        writer.update(memory(address), offset, version, payload);
    }
}
