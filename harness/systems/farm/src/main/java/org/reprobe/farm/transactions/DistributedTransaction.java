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
 * Transaction over objects of several machines, at its coordinator (FaRM 2014, section 3.4). It reads objects, locks at
 * the primaries those that it writes, has the replicas log the writes, validates objects that it only read, and has the
 * replicas log the commit. Then the primaries write and unlock.
 *
 * <p>Decisions that the paper leaves open ({@link CommitRules#CORRECTED}): PREPARE locks exclusively. Otherwise a
 * reader could see one primary's new object and then another primary's old one. Validation fails if an object is
 * locked. Otherwise two transactions that each write an object read by the other would both commit. A commit is
 * acknowledged when all replicas have logged COMMIT. Primaries are notified only after that, so no reader sees a write
 * that could be lost. This suffices if only primaries may fail. If any machine may fail ({@code Membership}), the
 * commit is acknowledged after the first reply of a primary ({@link CommitRules#RECOVERABLE}), as in FaRM 2015 (section
 * 4, COMMIT-PRIMARY). Otherwise an acknowledged commit is lost if the coordinator and the last replica fail.
 *
 * <p>Single-threaded, one transaction after the other. It never waits: requests go to an {@link Sender}, replies to
 * {@link #replyReceived}.
 */
public final class DistributedTransaction {

    public enum Phase {
        READ,
        /** Allocation of objects ({@code ObjectAllocations}), which the caller performs. */
        ALLOCATE,
        PREPARE,
        VALIDATE,
        COMMIT_REPLICAS,
        COMMIT_PRIMARIES,
        ABORT,
        OVER
    }

    /** Sender of requests; replies go to {@link #replyReceived}. */
    @FunctionalInterface
    public interface Sender {
        void send(int machine, long[] words, int count) throws FabricException;

        /**
         * Returns true if a record of the own machine as a replica is not yet durable; its {@link CommitMessage#DONE}
         * then goes to {@link #replyReceived}.
         */
        default boolean isLogging(long[] words, int count) throws FabricException {
            return false;
        }

        /** Called at the beginning of a phase, before its requests; {@link #hasCommitted} is already up to date. */
        default void phaseBegins(Phase next) {}
    }

    public static final class Copy {
        private final ObjectLayout object;
        private final MemorySegment payload;
        private int region;
        private long offset;
        private long version;
        private long change;
        private long incarnation;
        private boolean written;

        private Copy(ObjectLayout object) {
            this.object = object;
            this.payload = object.newPayload();
        }

        /** Returns the payload; a change takes effect through {@link DistributedTransaction#write}. */
        public MemorySegment payload() {
            return payload;
        }

        /** Returns the incarnation after the commit, for an object that the transaction allocates. */
        public long incarnation() {
            return incarnation;
        }

        long nextVersion() {
            return version + ObjectWriter.ONE_VERSION;
        }

        long address() {
            return Address.of(region, offset);
        }
    }

    private static final int SEQUENCE_BITS = 32;
    /** Bits of the numbers of one configuration; later ones are never reached by a process of an earlier one. */
    private static final int CONFIGURATION_BITS = 24;

    private static final int NO_MACHINE = -1;

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
    private int pending;
    private boolean committed;
    private LocalTransaction.@Nullable Abort cause;

    /**
     * Creates a transaction whose own machine, if it takes part, gets messages as all others do; {@code coordinator} is
     * unique among concurrent transactions.
     */
    public DistributedTransaction(
            long coordinator, int machines, RegionCopies places, CommitRules rules, int maxWords) {
        this(coordinator, machines, places, rules, maxWords, NO_MACHINE, null);
    }

    /** Creates a transaction that calls its own machine's participant directly. */
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

    /** Returns the maximum words of a message that writes {@code written} objects and reads {@code read}. */
    public static int maxWords(ObjectLayout object, int written, int read) {
        return CommitMessage.HEADER_WORDS
                + Math.max(
                        written * CommitMessage.objectWords(CommitMessage.PREPARE, object),
                        read * CommitMessage.OBJECT_WORDS);
    }

    /** Returns the same if objects may have parts, which are read, and replaced for written objects. */
    public static int maxWords(ObjectLayout object, @Nullable ObjectLayout part, int written, int read) {
        if (part == null) {
            return maxWords(object, written, read);
        }
        int replaced = CommitMessage.objectWords(CommitMessage.PREPARE, object)
                + CommitMessage.writtenWords(CommitMessage.ALLOCATED, part)
                + CommitMessage.writtenWords(CommitMessage.FREED, part);
        return CommitMessage.HEADER_WORDS + Math.max(written * replaced, 2 * read * CommitMessage.OBJECT_WORDS);
    }

    /**
     * Continues the numbers of a coordinator whose former process failed, in the first configuration of the new one.
     * Logs and {@code Votes} still contain the former numbers. Each configuration adds 2^24 numbers, more than a
     * coordinator uses while its machine fails and joins again.
     */
    public void continueIn(long first) {
        if (first >>> (SEQUENCE_BITS - CONFIGURATION_BITS) > 0) {
            throw new IllegalStateException("a machine joins at most configuration "
                    + ((1L << (SEQUENCE_BITS - CONFIGURATION_BITS)) - 1) + ", not " + first);
        }
        sequence = first << CONFIGURATION_BITS;
    }

    /** Begins the next transaction in a configuration with these places of regions. */
    public void begin(long in, RegionCopies copies) {
        configuration = in;
        places = copies;
        begin();
    }

    /** Abandons the transaction because its configuration has ended; {@code Votes} decide its outcome. */
    public void stop() {
        phase = Phase.OVER;
    }

    /** Returns true if participants may have records of it, so that recovery decides its outcome. */
    public boolean isCommitting() {
        return phase != Phase.READ && phase != Phase.OVER && writes();
    }

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

    public boolean hasCommitted() {
        return committed;
    }

    public LocalTransaction.@Nullable Abort cause() {
        return cause;
    }

    public long id() {
        return coordinator << SEQUENCE_BITS | sequence;
    }

    /**
     * Adds the object at {@code at} of a READ's buffer; returns null if it must be read again because of a lock or
     * write.
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

    /** Reads an object of the own machine under concurrent locks and writes; returns null if it must be read again. */
    @Nullable
    public Copy readLocal(ObjectWriter reader, int region, long offset, MemorySegment memory) {
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
     * Adds an object from the result of a READ by a fat pointer; returns null if it must be read again or the
     * transaction aborts. If the object at that place is another one, the object that held the pointer has changed: the
     * transaction aborts ({@link #abandon}).
     */
    @Nullable
    public Copy read(ObjectLayout object, int region, long offset, long incarnation, MemorySegment buffer, long at) {
        if (ObjectLayout.isGone(ObjectLayout.version(buffer, at), incarnation, buffer, at)) {
            abandon(LocalTransaction.Abort.CHANGED);
            return null;
        }
        return read(object, region, offset, buffer, at);
    }

    @Nullable
    public Copy readLocal(ObjectWriter reader, int region, long offset, long incarnation, MemorySegment memory) {
        long version = reader.header(memory, offset);
        if (ObjectLayout.isGone(version, incarnation, memory, offset)) {
            abandon(LocalTransaction.Abort.CHANGED);
            return null;
        }
        Copy copy = readLocal(reader, region, offset, memory);
        boolean locked = (version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE;
        if (copy != null && (locked || copy.version != CommitMessage.version(version))) {
            // The incarnation checked may differ from the one read.
            copies.remove(copy);
            spare.add(copy);
            return null;
        }
        return copy;
    }

    /** Aborts a transaction that has locked and allocated nothing. */
    void abandon(LocalTransaction.Abort why) {
        cause = why;
        phase = Phase.OVER;
    }

    private Copy add(Copy copy, int region, long offset, long version) {
        copy.region = region;
        copy.offset = offset;
        copy.version = version & ~ObjectLayout.LOCK_MODE;
        copy.change = CommitMessage.UPDATED;
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

    public void write(Copy copy) {
        copy.written = true;
    }

    /** Writes the payload and gives the object a new incarnation, so that pointers to it become invalid. */
    public void renew(Copy copy) {
        copy.written = true;
        copy.change = CommitMessage.RENEWED;
    }

    /** Allocates an object at commit, at the place that {@code ObjectAllocations} has returned. */
    public Copy allocate(ObjectLayout object, long address, long incarnation, long version) {
        Copy copy = add(newCopy(object), Address.regionOf(address), Address.offsetOf(address), version);
        copy.change = CommitMessage.ALLOCATED;
        copy.incarnation = incarnation;
        copy.written = true;
        return copy;
    }

    void free(Copy copy) {
        copy.change = CommitMessage.FREED;
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

    /** Starts to commit; the phase becomes {@link Phase#OVER} after the last reply, by commit or abort. */
    public void commit(Sender sender) throws FabricException {
        if (writes()) {
            begin(Phase.PREPARE, sender);
        } else if (copies.size() > 1) {
            begin(Phase.VALIDATE, sender);
        } else {
            committed = true;
            phase = Phase.OVER;
        }
    }

    public void replyReceived(int machine, long reply, Sender sender) throws FabricException {
        if (reply != CommitMessage.DONE) {
            if (phase == Phase.PREPARE) {
                refused[machine] = true;
            }
            cause = phase == Phase.VALIDATE
                    ? LocalTransaction.Abort.INVALID
                    : reply == CommitMessage.LOCKED ? LocalTransaction.Abort.LOCKED : LocalTransaction.Abort.CHANGED;
        }
        committed |=
                phase == Phase.COMMIT_PRIMARIES && rules.acknowledgement() == CommitAcknowledgement.LOGGED_AND_WRITTEN;
        completeOne(sender);
    }

    private void completeOne(Sender sender) throws FabricException {
        if (--pending == 0) {
            begin(following(), sender);
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

    private void begin(Phase next, Sender sender) throws FabricException {
        phase = next;
        sender.phaseBegins(next);
        pending = 1; // prevents the phase from ending while requests are sent
        boolean logs = places.replicas() > 0;
        boolean prepares = rules.replication() == ReplicationMode.PREPARE_COMMIT;
        switch (next) {
            case PREPARE -> {
                sendToPrimaries(CommitMessage.PREPARE, sender);
                if (logs && prepares) {
                    sendToReplicas(CommitMessage.LOG_PREPARE, sender);
                }
            }
            case VALIDATE -> {
                sendToPrimaries(CommitMessage.VALIDATE, sender);
            }
            case COMMIT_REPLICAS -> {
                if (logs) {
                    sendToReplicas(prepares ? CommitMessage.LOG_COMMIT : CommitMessage.LOG_WRITES, sender);
                }
            }
            case COMMIT_PRIMARIES -> sendToPrimaries(CommitMessage.COMMIT, sender);
            case ABORT -> {
                sendToPrimaries(CommitMessage.ABORT, sender);
                if (logs && prepares) {
                    sendToReplicas(CommitMessage.LOG_ABORT, sender);
                }
            }
            case READ, ALLOCATE, OVER -> {
                return;
            }
        }
        completeOne(sender);
    }

    private void sendToPrimaries(int kind, Sender sender) throws FabricException {
        for (int machine = 0; machine < refused.length; machine++) {
            message.begin(kind, configuration, id());
            for (Copy copy : copies) {
                boolean meant = copy.written == (kind != CommitMessage.VALIDATE);
                if (meant && places.primary(copy.region) == machine) {
                    add(kind, copy);
                }
            }
            if (!message.isEmpty() && !refused[machine]) {
                sendTo(machine, kind, sender);
            }
        }
    }

    private void sendToReplicas(int kind, Sender sender) throws FabricException {
        for (int machine = 0; machine < refused.length; machine++) {
            message.begin(kind, configuration, id());
            for (Copy copy : copies) {
                if (copy.written && places.isReplica(machine, copy.region)) {
                    add(kind, copy);
                }
            }
            if (!message.isEmpty()) {
                sendTo(machine, kind, sender);
            }
        }
    }

    private void add(int kind, Copy copy) {
        if (!CommitMessage.hasPayload(kind)) {
            message.add(copy.address(), copy.version);
        } else if (copy.change == CommitMessage.ALLOCATED) {
            message.allocate(copy.address(), copy.version, copy.object, copy.payload, copy.incarnation);
        } else if (copy.change == CommitMessage.FREED) {
            message.free(copy.address(), copy.version);
        } else {
            message.add(copy.address(), copy.version | copy.change, copy.object, copy.payload);
        }
    }

    private void sendTo(int machine, int kind, Sender sender) throws FabricException {
        pending++;
        if (!CommitMessage.namesObjects(kind)) {
            message.begin(kind, configuration, id());
        }
        if (own != null && machine == ownMachine) {
            long reply = own.execute(message.words(), message.count());
            boolean logging = CommitMessage.isForReplica(kind) && reply == CommitMessage.DONE;
            if (!logging || !sender.isLogging(message.words(), message.count())) {
                replyReceived(machine, reply, sender);
            }
        } else {
            sender.send(machine, message.words(), message.count());
        }
    }
}
