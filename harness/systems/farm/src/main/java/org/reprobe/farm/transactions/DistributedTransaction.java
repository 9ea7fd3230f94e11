package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.CommitAcknowledgement;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;

/**
 * A transaction over objects of several machines, as its coordinator sees it (FaRM 2014, section 3.4): the versions of what it has read, what it
 * writes, and how it commits. It is told what READs have brought, locks what it writes at the primaries, has the replicas log it, validates what it has
 * only read, has the replicas log that it commits, then the primaries write and unlock.
 *
 * <p>What the paper leaves open, and what is decided here ({@link CommitRules#CORRECTED}): PREPARE locks exclusively, since who READs an object that
 * another primary has not yet written would see it old after having seen the first one new. Validation fails where somebody has locked what was
 * read: of two transactions that write what the other reads both would commit. It has committed, and may say so, when all replicas have logged
 * COMMIT; and only then a primary is told, so that nobody has seen what could be lost. That is enough as long as primaries alone may fail: where
 * any machine may, as with {@code Membership}, it says so only when a primary has answered as well ({@link CommitRules#RECOVERABLE}), as in FaRM 2015 (section 4,
 * COMMIT-PRIMARY). Else a coordinator that fails together with the last replica of its objects takes along that it has committed.
 *
 * <p>For one thread, one transaction after the other. It never waits: it says whom it asks, and is told the answers.
 */
public final class DistributedTransaction {

    /** Where a transaction is. */
    public enum Phase {
        READ,
        /** Room is found for what the application allocates ({@code ObjectAllocations}): it asks, and says what it was told. */
        ALLOCATE,
        PREPARE,
        VALIDATE,
        COMMIT_REPLICAS,
        COMMIT_PRIMARIES,
        ABORT,
        OVER
    }

    /** How it asks a machine: {@link #answered} is told. */
    @FunctionalInterface
    public interface Asking {
        void ask(int machine, long[] words, int count) throws FabricException;

        /**
         * The own machine has logged what it is told as a replica.
         *
         * @return whether that is not safe yet: then {@link #answered} is to be told {@link CommitMessage#DONE} of the own machine once it is
         */
        default boolean isLogging(long[] words, int count) throws FabricException {
            return false;
        }

        /** Another phase begins, with what is asked next; {@link #hasCommitted} says already what it means. */
        default void begins(Phase next) {}
    }

    /** An object as the transaction has read it. */
    public static final class Copy {
        private final ObjectLayout object;
        private final MemorySegment payload;
        private int region;
        private long offset;
        private long version;
        private long becomes;
        private long incarnation;
        private boolean written;

        private Copy(ObjectLayout object) {
            this.object = object;
            this.payload = object.newPayload();
        }

        /** To be read, and to be changed by who says so ({@link DistributedTransaction#write}). */
        public MemorySegment payload() {
            return payload;
        }

        /** What it is once the transaction has committed, if it is allocated by it. */
        public long incarnation() {
            return incarnation;
        }

        /** The version that it gets when it is written. */
        long nextVersion() {
            return version + ObjectWriter.ONE_VERSION;
        }

        long address() {
            return Address.of(region, offset);
        }
    }

    private static final int SEQUENCE_BITS = 32;
    private static final int NOBODY = -1;

    private final long coordinator;
    private RegionCopies places;
    private final CommitRules rules;
    private final int ownMachine;
    private final @Nullable Participant own;
    private final CommitMessage.Builder message;
    private final boolean[] refused;
    private final List<Copy> copies = new ArrayList<>();
    private final List<Copy> spare = new ArrayList<>();

    private long configuration;
    private long sequence;
    private Phase phase = Phase.OVER;
    private int unanswered;
    private boolean committed;
    private LocalTransaction.@Nullable Abort cause;

    /**
     * A thread's.
     *
     * @param coordinator a number that no other transaction has that may be under way
     * @param machines that there are
     * @param maxWords of a message
     */
    public DistributedTransaction(
            long coordinator, int machines, RegionCopies places, CommitRules rules, int maxWords) {
        this(coordinator, machines, places, rules, maxWords, NOBODY, null);
    }

    /** One whose own machine takes part, without messages. */
    public DistributedTransaction(
            long coordinator,
            int machines,
            RegionCopies places,
            CommitRules rules,
            int maxWords,
            int ownMachine,
            @Nullable Participant own) {
        this.coordinator = coordinator;
        this.places = places;
        this.rules = rules;
        this.ownMachine = ownMachine;
        this.own = own;
        this.message = new CommitMessage.Builder(maxWords);
        this.refused = new boolean[machines];
    }

    /** The longest message of a transaction that writes so many objects of a layout, and reads so many. */
    public static int maxWords(ObjectLayout object, int written, int read) {
        return CommitMessage.HEADER_WORDS
                + Math.max(
                        written * CommitMessage.objectWords(CommitMessage.PREPARE, object),
                        read * CommitMessage.OBJECT_WORDS);
    }

    /**
     * The longest message of one that replaces a part of each object that it writes by another, and reads those of all that it reads.
     *
     * @param part null where objects have none
     */
    public static int maxWords(ObjectLayout object, @Nullable ObjectLayout part, int written, int read) {
        if (part == null) {
            return maxWords(object, written, read);
        }
        int replaced = CommitMessage.objectWords(CommitMessage.PREPARE, object)
                + CommitMessage.writtenWords(CommitMessage.ALLOCATED, part)
                + CommitMessage.writtenWords(CommitMessage.FREED, part);
        return CommitMessage.HEADER_WORDS + Math.max(written * replaced, 2 * read * CommitMessage.OBJECT_WORDS);
    }

    /** Begins another one in a configuration, whose regions are at these places. */
    public void begin(long in, RegionCopies copies) {
        configuration = in;
        places = copies;
        begin();
    }

    /** Gives it up where it is: its configuration has ended, and what becomes of it is decided by {@code Votes}. */
    public void stop() {
        phase = Phase.OVER;
    }

    /** Whether others may know of it, so that it is not for itself to say what becomes of it. */
    public boolean isCommitting() {
        return phase != Phase.READ && phase != Phase.OVER && writes();
    }

    /** Begins another one. */
    public void begin() {
        spare.addAll(copies);
        copies.clear();
        sequence = (sequence + 1) & (1L << SEQUENCE_BITS) - 1;
        phase = Phase.READ;
        committed = false;
        cause = null;
        Arrays.fill(refused, false);
    }

    public Phase phase() {
        return phase;
    }

    /** Whether it may say that it has committed. */
    public boolean hasCommitted() {
        return committed;
    }

    /** Why it has aborted, or does so; null for one that has not. */
    public LocalTransaction.@Nullable Abort cause() {
        return cause;
    }

    /** Its number: no other one has it. */
    public long id() {
        return coordinator << SEQUENCE_BITS | sequence;
    }

    /**
     * Takes what a READ of an object has brought.
     *
     * @param buffer where it was brought to
     * @param at where in it
     * @return null when it must be read again, since somebody writes it, or has locked it
     */
    @Nullable
    public Copy read(ObjectLayout object, int region, long offset, MemorySegment buffer, long at) {
        long version = ObjectLayout.version(buffer, at);
        if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE) {
            return null;
        }
        Copy copy = newCopy(object);
        if (!object.read(buffer, at, offset, copy.payload)) {
            spare.add(copy);
            return null;
        }
        return add(copy, region, offset, version);
    }

    /**
     * Takes an object of the own machine's, which others may lock and write meanwhile.
     *
     * @return null when it must be read again
     */
    @Nullable
    public Copy readHere(ObjectWriter reader, int region, long offset, MemorySegment memory) {
        long version = reader.header(memory, offset);
        if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE) {
            return null;
        }
        Copy copy = newCopy(reader.layout());
        if (!reader.read(memory, offset, version, copy.payload)) {
            spare.add(copy);
            return null;
        }
        return add(copy, region, offset, version);
    }

    /**
     * Takes what a READ by a fat pointer has brought. Where that is not, or no longer, the object that was meant, whoever has the pointer has changed
     * since it was read: the transaction aborts ({@link #giveUp}).
     *
     * @return null when it must be read again, and when the transaction aborts
     */
    @Nullable
    public Copy read(ObjectLayout object, int region, long offset, long incarnation, MemorySegment buffer, long at) {
        if (ObjectLayout.isGone(ObjectLayout.version(buffer, at), incarnation, buffer, at)) {
            giveUp(LocalTransaction.Abort.CHANGED);
            return null;
        }
        return read(object, region, offset, buffer, at);
    }

    /** The same, of the own machine's memory. */
    @Nullable
    public Copy readHere(ObjectWriter reader, int region, long offset, long incarnation, MemorySegment memory) {
        long version = reader.header(memory, offset);
        if (ObjectLayout.isGone(version, incarnation, memory, offset)) {
            giveUp(LocalTransaction.Abort.CHANGED);
            return null;
        }
        Copy copy = readHere(reader, region, offset, memory);
        boolean locked = (version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE;
        if (copy != null && (locked || copy.version != CommitMessage.version(version))) {
            // What was looked at was perhaps not this incarnation.
            copies.remove(copy);
            spare.add(copy);
            return null;
        }
        return copy;
    }

    /** Aborts before it has locked or allocated anything. */
    void giveUp(LocalTransaction.Abort why) {
        cause = why;
        phase = Phase.OVER;
    }

    private Copy add(Copy copy, int region, long offset, long version) {
        copy.region = region;
        copy.offset = offset;
        copy.version = version & ~ObjectLayout.LOCK_MODE;
        copy.becomes = CommitMessage.UPDATED;
        copy.written = false;
        copies.add(copy);
        return copy;
    }

    private Copy newCopy(ObjectLayout object) {
        for (int i = spare.size() - 1; i >= 0; i--) {
            if (spare.get(i).object.equals(object)) {
                return spare.remove(i);
            }
        }
        return new Copy(object);
    }

    /** Its copy of an object, if it has read it; else null. */
    @Nullable
    Copy known(int region, long offset) {
        for (Copy copy : copies) {
            if (copy.region == region && copy.offset == offset) {
                return copy;
            }
        }
        return null;
    }

    /** Has an object get the payload that its copy has when the transaction commits. */
    public void write(Copy copy) {
        copy.written = true;
    }

    /** The same, and gives the object another incarnation: whoever has a pointer to it finds that out. */
    public void renew(Copy copy) {
        copy.written = true;
        copy.becomes = CommitMessage.RENEWED;
    }

    /** Has a place be an object of the payload that its copy has then, as {@code ObjectAllocations} has answered. */
    public Copy allocate(ObjectLayout object, long address, long incarnation, long version) {
        Copy copy = add(newCopy(object), Address.regionOf(address), Address.offsetOf(address), version);
        copy.becomes = CommitMessage.ALLOCATED;
        copy.incarnation = incarnation;
        copy.written = true;
        return copy;
    }

    /** Has an object be freed. */
    void free(Copy copy) {
        copy.becomes = CommitMessage.FREED;
        copy.written = true;
    }

    private boolean writes() {
        for (Copy copy : copies) {
            if (copy.written) {
                return true;
            }
        }
        return false;
    }

    /** Commits, or aborts: it is {@link Phase#OVER} when all answers have come that it asks for. */
    public void commit(Asking asking) throws FabricException {
        if (writes()) {
            begin(Phase.PREPARE, asking);
        } else if (copies.size() > 1) {
            begin(Phase.VALIDATE, asking);
        } else {
            committed = true;
            phase = Phase.OVER;
        }
    }

    /** A machine has answered. */
    public void answered(int machine, long answer, Asking asking) throws FabricException {
        if (answer != CommitMessage.DONE) {
            if (phase == Phase.PREPARE) {
                refused[machine] = true;
            }
            cause = phase == Phase.VALIDATE
                    ? LocalTransaction.Abort.INVALID
                    : answer == CommitMessage.LOCKED ? LocalTransaction.Abort.LOCKED : LocalTransaction.Abort.CHANGED;
        }
        committed |=
                phase == Phase.COMMIT_PRIMARIES && rules.acknowledgement() == CommitAcknowledgement.LOGGED_AND_WRITTEN;
        oneLess(asking);
    }

    private void oneLess(Asking asking) throws FabricException {
        if (--unanswered == 0) {
            begin(following(), asking);
        }
    }

    private Phase following() {
        return switch (phase) {
            case PREPARE -> cause != null ? Phase.ABORT : Phase.VALIDATE;
            case VALIDATE -> {
                if (cause != null) {
                    yield writes() ? Phase.ABORT : Phase.OVER;
                }
                committed = !writes();
                yield writes() ? Phase.COMMIT_REPLICAS : Phase.OVER;
            }
            case COMMIT_REPLICAS -> {
                committed |= places.replicas() > 0 && rules.acknowledgement() == CommitAcknowledgement.LOGGED;
                yield Phase.COMMIT_PRIMARIES;
            }
            case COMMIT_PRIMARIES -> {
                committed = true;
                yield Phase.OVER;
            }
            case READ, ALLOCATE, ABORT, OVER -> Phase.OVER;
        };
    }

    private void begin(Phase next, Asking asking) throws FabricException {
        phase = next;
        asking.begins(next);
        unanswered = 1; // so that it does not end while it asks
        boolean logs = places.replicas() > 0;
        boolean prepares = rules.replication() == ReplicationMode.PREPARE_COMMIT;
        switch (next) {
            case PREPARE -> {
                askPrimaries(CommitMessage.PREPARE, asking);
                if (logs && prepares) {
                    askReplicas(CommitMessage.LOG_PREPARE, asking);
                }
            }
            case VALIDATE -> {
                askPrimaries(CommitMessage.VALIDATE, asking);
            }
            case COMMIT_REPLICAS -> {
                if (logs) {
                    askReplicas(prepares ? CommitMessage.LOG_COMMIT : CommitMessage.LOG_WRITES, asking);
                }
            }
            case COMMIT_PRIMARIES -> askPrimaries(CommitMessage.COMMIT, asking);
            case ABORT -> {
                askPrimaries(CommitMessage.ABORT, asking);
                if (logs && prepares) {
                    askReplicas(CommitMessage.LOG_ABORT, asking);
                }
            }
            case READ, ALLOCATE, OVER -> {
                return;
            }
        }
        oneLess(asking);
    }

    private void askPrimaries(int kind, Asking asking) throws FabricException {
        for (int machine = 0; machine < refused.length; machine++) {
            message.begin(kind, configuration, id());
            for (Copy copy : copies) {
                boolean meant = copy.written == (kind != CommitMessage.VALIDATE);
                if (meant && places.primary(copy.region) == machine) {
                    add(kind, copy);
                }
            }
            if (!message.isEmpty() && !refused[machine]) {
                ask(machine, kind, asking);
            }
        }
    }

    private void askReplicas(int kind, Asking asking) throws FabricException {
        for (int machine = 0; machine < refused.length; machine++) {
            message.begin(kind, configuration, id());
            for (Copy copy : copies) {
                if (copy.written && places.isReplica(machine, copy.region)) {
                    add(kind, copy);
                }
            }
            if (!message.isEmpty()) {
                ask(machine, kind, asking);
            }
        }
    }

    private void add(int kind, Copy copy) {
        if (!CommitMessage.hasPayload(kind)) {
            message.add(copy.address(), copy.version);
        } else if (copy.becomes == CommitMessage.ALLOCATED) {
            message.allocate(copy.address(), copy.version, copy.object, copy.payload, copy.incarnation);
        } else if (copy.becomes == CommitMessage.FREED) {
            message.free(copy.address(), copy.version);
        } else {
            message.add(copy.address(), copy.version | copy.becomes, copy.object, copy.payload);
        }
    }

    private void ask(int machine, int kind, Asking asking) throws FabricException {
        unanswered++;
        if (!CommitMessage.namesObjects(kind)) {
            message.begin(kind, configuration, id());
        }
        if (own != null && machine == ownMachine) {
            long answer = own.answer(message.words(), message.count());
            boolean logging = CommitMessage.isForReplica(kind) && answer == CommitMessage.DONE;
            if (!logging || !asking.isLogging(message.words(), message.count())) {
                answered(machine, answer, asking);
            }
        } else {
            asking.ask(machine, message.words(), message.count());
        }
    }
}
