package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.WordMap;

/**
 * A thread's part in transactions that others coordinate (FaRM 2014, section 3.4): where its machine has objects' primary copies it locks, validates,
 * writes and unlocks them, where it has replicas it logs. It answers each message at once.
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
    /** Which of {@link #prepared} is a coordinator's. */
    private final WordMap places = new WordMap();
    /** What coordinators have locked. */
    private final List<Prepared> prepared = new ArrayList<>();

    private final Costs costs;
    /** The number of the configuration whose messages it answers; 0 where there are none. */
    private long configuration;
    /** By coordinator: the last transaction of which it was told here that it commits; in configurations. */
    private final WordMap committed = new WordMap();

    /**
     * What it takes the CPU, besides messages.
     *
     * @param objectPs for an object that is locked or validated
     * @param updatePs for one that is written, for which no READ accepts it
     */
    public record Costs(long objectPs, long updatePs) {
        public static final Costs NONE = new Costs(0, 0);
    }

    /** What a transaction has locked here. */
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

    /**
     * A thread's.
     *
     * @param memories by region, those of its machine at least
     * @param log for what the machine has replicas of
     */
    public Participant(
            Requester cpu, List<MemorySegment> memories, ObjectsByAddress objects, CommitRules rules, ReplicaLog log) {
        this(cpu, memories, objects, rules, log, Costs.NONE, null);
    }

    /**
     * Participant whose machine may allocate and free objects.
     *
     * @param allocations of its machine; null where no transaction allocates or frees
     */
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

    /** Words of its log that were cleaned. */
    long cleanedWords() {
        return log.freedWords();
    }

    /** Answers messages of a configuration from now on, and no others. */
    public void answersIn(long number) {
        configuration = number;
    }

    /** Does what a {@link CommitMessage} says; the answer to it. */
    public long answer(long[] words, int count) {
        if (CommitMessage.configuration(words) != configuration) {
            return CommitMessage.REFUSED;
        }
        return act(words, count);
    }

    private long act(long[] words, int count) {
        int kind = CommitMessage.kind(words);
        if (configuration > 0 && tellsThatItCommits(kind)) {
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
            default -> throw new IllegalStateException("a message of no known kind: " + kind);
        };
    }

    private static boolean tellsThatItCommits(int kind) {
        return kind == CommitMessage.LOG_COMMIT || kind == CommitMessage.LOG_WRITES || kind == CommitMessage.COMMIT;
    }

    /** Adds what it knows of transactions. */
    public void vote(Votes votes) {
        prepared.forEach(each -> {
            if (each.transaction != Prepared.NOTHING) {
                votes.unfinished(each.transaction);
            }
        });
        log.forEachUndecided(votes::unfinished);
        committed.forEach((_, transaction) -> votes.committed(transaction));
    }

    /** Ends what is unfinished here: it is committed, or aborted and unlocked. */
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

    private void end(long transaction, Votes decided, int commit, int abort) {
        long[] words = {decided.isCommitted(transaction) ? commit : abort, transaction, 0};
        act(words, words.length);
    }

    /**
     * Its machine is the primary of more regions from now on: what its log says of them and was committed is written into memory, where they have been
     * as they were loaded. Nobody reads or writes there yet but other threads of the machine, by what their logs say.
     */
    public void takeOver(IntPredicate regions) {
        new LogReplay(log).forEachCommitted((address, version, words, at) -> {
            if (regions.test(Address.regionOf(address))) {
                ObjectWriter writer = writer(address);
                MemorySegment payload = MemorySegment.ofArray(words)
                        .asSlice((long) at * Long.BYTES, writer.layout().payloadBytes());
                redo(writer, memory(address), Address.offsetOf(address), version, payload);
            }
        });
    }

    /** Replaces a version by what was committed, unless a later one is there. */
    private void redo(ObjectWriter writer, MemorySegment memory, long at, long version, MemorySegment payload) {
        while (true) {
            cpu.spendCpu(costs.objectPs());
            long known = writer.header(memory, at);
            if ((known & ~ObjectLayout.LOCK_MODE) > version) {
                return;
            }
            if (writer.lock(memory, at, known)) { // else another thread is at it
                writer.update(memory, at, version, payload);
                return;
            }
        }
    }

    private ObjectWriter writer(long address) {
        ObjectLayout object = objects.at(Address.regionOf(address), Address.offsetOf(address));
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
        return Objects.requireNonNull(allocations, "nobody allocates or frees here");
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

    /** Unlocks the first objects of a PREPARE. */
    private void unlock(long[] words, int count) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < count; i++) {
            long address = words[at];
            ObjectWriter writer = writer(address);
            writer.unlock(memory(address), Address.offsetOf(address), CommitMessage.version(words[at + 1]));
            at += CommitMessage.writtenWords(words[at + 1], writer.layout());
        }
    }

    /** What a PREPARE would have allocated is free, after all. */
    private void giveBack(long[] words) {
        if (allocations == null) {
            return; // whoever gave room away takes it back
        }
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            if (CommitMessage.becomes(words[at + 1]) == CommitMessage.ALLOCATED) {
                allocations.isVoid(words[at]);
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

    /** Writes what was prepared, if it commits, and unlocks it. */
    private long end(long[] message, boolean commits) {
        Prepared locked = of(message);
        if (locked.transaction != CommitMessage.transaction(message)) {
            throw new IllegalStateException("a transaction ends that was not prepared");
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

    /** Writes one object, whose words in the PREPARE begin at {@code at}. */
    private void write(ObjectWriter writer, Prepared locked, int at) {
        long address = locked.words[at];
        long offset = Address.offsetOf(address);
        long version = CommitMessage.version(locked.words[at + 1]);
        long becomes = CommitMessage.becomes(locked.words[at + 1]);
        if (becomes == CommitMessage.FREED) {
            writer.free(memory(address), offset, version);
            allocations().freed(address);
            return;
        }
        if (becomes == CommitMessage.ALLOCATED) {
            writer.setIncarnation(
                    memory(address), offset, CommitMessage.incarnation(locked.words, at, writer.layout()));
        } else if (becomes == CommitMessage.RENEWED) {
            writer.setIncarnation(memory(address), offset, ObjectLayout.incarnation(memory(address), offset) + 1);
        }
        MemorySegment payload = locked.bytes.asSlice(
                (long) (at + CommitMessage.OBJECT_WORDS) * Long.BYTES,
                writer.layout().payloadBytes());
        writer.update(memory(address), offset, version, payload);
    }
}
