package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * Objects on several machines; clients whose transactions read and write some of them; clients that READ objects one
 * after the other without a lock (FaRM 2014, sections 3.4 and 3.5). The history must be strictly serializable, even if
 * all primaries fail in the end: replicas must have each acknowledged or observed transaction, completely or not at
 * all. An object may stay locked only if its coordinator has died.
 *
 * <p>The paper has no recovery. Here, a transaction has committed if all replicas of its writes have logged it.
 */
final class DistributedTrial implements Trial {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(Long.BYTES, false);
    private static final int OBJECT_BYTES = OBJECT.bytes();
    private static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final long LOG_BYTES = 1 << 10;
    private static final int USUAL_OBJECTS = 2;
    private static final int NO_MACHINE = -1;

    private final Setting setting;
    private final List<List<Script>> scripts;
    private final int maxWords;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    /**
     * Placement of objects and commit variant.
     *
     * @param homes region of each object; each machine has a region
     * @param replicas replicas of each region, on the next machines
     * @param attempts attempts of a transaction, and of a READ of a locked object
     * @param toleratesLocks true if locks of a dead coordinator may remain
     */
    record Setting(
            int machines, List<Integer> homes, int replicas, CommitRules rules, int attempts, boolean toleratesLocks) {

        Setting {
            homes = List.copyOf(homes);
        }

        /** Setting whose objects are distributed round-robin over the machines. */
        Setting(int machines, int objects, int replicas, CommitRules rules, int attempts, boolean toleratesLocks) {
            this(machines, roundRobin(machines, objects), replicas, rules, attempts, toleratesLocks);
        }

        static List<Integer> roundRobin(int machines, int objects) {
            return IntStream.range(0, objects)
                    .map(object -> object % machines)
                    .boxed()
                    .toList();
        }

        int objects() {
            return homes.size();
        }

        int region(long object) {
            return homes.get((int) object);
        }

        long offset(long object) {
            return Collections.frequency(homes.subList(0, (int) object), region(object)) * (long) OBJECT_BYTES;
        }

        /** Returns the bytes of a region, with room for the most objects that any region has. */
        long regionBytes() {
            return IntStream.range(0, machines)
                            .map(region -> Collections.frequency(homes, region))
                            .max()
                            .orElse(0)
                    * (long) OBJECT_BYTES;
        }

        private long logAt() {
            return regionBytes();
        }

        long object(long address) {
            for (int object = 0; object < homes.size(); object++) {
                if (Address.of(region(object), offset(object)) == address) {
                    return object;
                }
            }
            throw new IllegalStateException("no object has address " + address);
        }
    }

    sealed interface Script {}

    /** Transaction, which also reads the objects that it writes. */
    record Update(List<Long> reads, List<Long> writes) implements Script {
        private static final long VALUES_PER_TRANSACTION = 100;

        /** Returns all objects that it reads, in ascending order. */
        List<Long> objects() {
            return Stream.concat(reads.stream(), writes.stream())
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** Records the read of an object; a value that it writes is unique to the transaction's {@code number}. */
        void take(
                long object,
                DistributedTransaction.Copy copy,
                DistributedTransaction transaction,
                TransactionRecorder history,
                int number) {
            history.read(object, copy.payload().get(VALUE, 0));
            if (writes.contains(object)) {
                long value = VALUES_PER_TRANSACTION * (number + 1) + object;
                copy.payload().set(VALUE, 0, value);
                history.writes(object, value);
                transaction.write(copy);
            }
        }
    }

    /**
     * Transaction over objects of one machine, shipped there: the client is a thread of that machine, accesses its
     * memory directly and sends messages only to replicas.
     */
    record Shipped(Update update) implements Script {}

    /** Independent READs, one after the other. */
    record Reads(List<Long> objects) implements Script {}

    DistributedTrial(Setting setting, Script... scripts) {
        this(setting, Stream.of(scripts).map(List::of).toList());
    }

    /** @param scripts by client, in the order of execution */
    DistributedTrial(Setting setting, List<List<Script>> scripts) {
        this.setting = setting;
        this.scripts = List.copyOf(scripts);
        int maxObjects = Math.max(USUAL_OBJECTS, setting.objects());
        this.maxWords = DistributedTransaction.maxWords(OBJECT, maxObjects, maxObjects);
    }

    static Script update(List<Long> reads, Long... writes) {
        return new Update(reads, List.of(writes));
    }

    static Script shipped(List<Long> reads, Long... writes) {
        return new Shipped(new Update(reads, List.of(writes)));
    }

    static Script reads(Long... objects) {
        return new Reads(List.of(objects));
    }

    @Override
    public int clients() {
        return scripts.size();
    }

    @Override
    public int servers() {
        return setting.machines;
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memories.clear();
        regions.clear();
        for (int machine = 0; machine < setting.machines; machine++) {
            MemorySegment memory = fabric.memory(machine).allocate(endedAt(scripts.size()));
            memories.add(memory);
            regions.add(fabric.memory(machine).register(memory));
        }
        for (long object = 0; object < setting.objects(); object++) {
            OBJECT.write(
                    memories.get(setting.region(object)),
                    setting.offset(object),
                    ObjectWriter.ONE_VERSION,
                    1,
                    OBJECT.newPayload());
        }
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return IntStream.range(0, setting.machines)
                .<ServerProgram>mapToObj(machine -> server -> serve(server, machine))
                .toList();
    }

    private void serve(Server server, int machine) throws FabricException {
        Participant participant = participant(server, machine, 0);
        long[] words = new long[maxWords];
        RequestLoop.run(server, maxWords * Long.BYTES, Long.BYTES, new RequestLoop.Handler() {
            @Override
            public void handle(int connection, MemorySegment request, MemorySegment reply) {
                MemorySegment.copy(request, WORD, 0, words, 0, words.length);
                reply.set(WORD, 0, participant.execute(words, CommitMessage.words(words, OBJECT)));
            }

            @Override
            public void gone(List<Integer> connections) {
                // No recovery follows.
            }
        });
    }

    /**
     * Returns a participant with its own log: of a machine's server program, thread 0, or of a client on the machine.
     */
    private Participant participant(Requester cpu, int machine, int thread) {
        return new Participant(
                cpu,
                memories,
                (region, offset) -> OBJECT,
                setting.rules,
                new ReplicaLog(cpu, memories.get(machine), logAt(thread), LOG_BYTES, (region, offset) -> OBJECT));
    }

    private long logAt(int thread) {
        return setting.logAt() + thread * LOG_BYTES;
    }

    /** Returns the logs per machine: that of its server program and, if clients are on machines, one per client. */
    private int logs() {
        return scripts.stream().anyMatch(own -> machine(own) != NO_MACHINE) ? 1 + scripts.size() : 1;
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        List<Script> own = scripts.get(client.index());
        TrialReads oneSided = new TrialReads(client, regions, OBJECT_BYTES);
        Coordinator coordinator = writes(own) ? new Coordinator(client, history, machine(own), oneSided) : null;
        for (Script script : own) {
            switch (script) {
                case Update update -> Objects.requireNonNull(coordinator).run(update);
                case Shipped shipped -> Objects.requireNonNull(coordinator).run(shipped.update);
                case Reads reads -> read(client, history, reads, oneSided);
            }
        }
        if (coordinator != null) {
            markEnded(client);
        }
    }

    private static boolean writes(List<Script> scripts) {
        return scripts.stream().anyMatch(script -> !(script instanceof Reads));
    }

    /** Returns the machine of which a client is a thread; {@link #NO_MACHINE} if its transactions are not shipped. */
    private int machine(List<Script> own) {
        for (Script script : own) {
            if (script instanceof Shipped shipped) {
                return setting.region(shipped.update.objects().getFirst());
            }
        }
        return NO_MACHINE;
    }

    private void markEnded(Client client) {
        client.accesses(Long.BYTES);
        memories.get(client.index() % setting.machines).set(WORD, endedAt(client.index()), 1);
    }

    /** Returns the offset of the word in which a client marks its end, in the memory of one machine. */
    private long endedAt(int client) {
        return logAt(logs()) + (long) client * Long.BYTES;
    }

    private boolean hasDied(int client) {
        return writes(scripts.get(client))
                && memories.get(client % setting.machines).get(WORD, endedAt(client)) == 0;
    }

    private void read(Client client, HistoryRecorder history, Reads reads, TrialReads oneSided) throws FabricException {
        MemorySegment payload = OBJECT.newPayload();
        for (long object : reads.objects) {
            int invocation = history.invoked(client.index(), Operation.READ, object, 0);
            boolean read = false;
            for (int i = 0; i < setting.attempts && !read; i++) {
                if (i > 0) {
                    client.pause(1);
                }
                MemorySegment buffer = oneSided.read(setting.region(object), setting.offset(object), OBJECT);
                read = OBJECT.read(buffer, 0, setting.offset(object), payload);
            }
            if (!read) {
                return; // without a result
            }
            history.returned(invocation, payload.get(VALUE, 0));
        }
    }

    /** Client that executes transactions and sends its requests one at a time, so that other clients run in between. */
    private final class Coordinator implements DistributedTransaction.Sender {
        private final Client client;
        private final TransactionRecorder history;
        private final DistributedTransaction transaction;
        private final TrialReads oneSided;
        private final int own;
        private final ObjectWriter reader;
        private final List<RequestLink> links = new ArrayList<>();
        private int updates;
        private boolean acknowledged;

        /** @param own machine of which the client is a thread; {@link #NO_MACHINE} if it accesses no memory directly */
        Coordinator(Client client, HistoryRecorder history, int own, TrialReads oneSided) throws FabricException {
            this.client = client;
            this.own = own;
            this.reader = new ObjectWriter(client, OBJECT);
            this.history = new TransactionRecorder(history, client.index());
            this.transaction = new DistributedTransaction(
                    client.index() + 1L,
                    setting.machines,
                    RegionCopies.inOrder(setting.machines, 1, setting.replicas),
                    setting.rules,
                    maxWords,
                    own,
                    own == NO_MACHINE ? null : participant(client, own, 1 + client.index()));
            this.oneSided = oneSided;
            for (int machine = 0; machine < setting.machines; machine++) {
                links.add(new RequestLink(client, machine, maxWords * Long.BYTES, Long.BYTES));
            }
        }

        @Override
        public void send(int machine, long[] words, int count) throws FabricException {
            acknowledge();
            RequestLink link = links.get(machine);
            MemorySegment.copy(words, 0, link.request(), WORD, 0, count);
            long reply = link.call(count * Long.BYTES).get(WORD, 0);
            transaction.replyReceived(machine, reply, this);
        }

        /** Records the commit in the history as soon as it may be acknowledged. */
        private void acknowledge() {
            if (transaction.hasCommitted() && !acknowledged) {
                acknowledged = true;
                history.ended(true);
            }
        }

        void run(Update update) throws FabricException {
            acknowledged = false;
            for (int attempt = 0; attempt < setting.attempts && !acknowledged; attempt++) {
                if (attempt > 0) {
                    client.pause(1);
                }
                history.begins();
                transaction.begin();
                if (readAll(update)) {
                    transaction.commit(this);
                    acknowledge();
                }
                if (!acknowledged) {
                    history.ended(false);
                }
            }
            updates++;
        }

        private boolean readAll(Update update) throws FabricException {
            for (long object : update.objects()) {
                int region = setting.region(object);
                long offset = setting.offset(object);
                DistributedTransaction.Copy copy = region == own
                        ? transaction.readLocal(reader, region, offset, memories.get(region))
                        : transaction.read(OBJECT, region, offset, oneSided.read(region, offset, OBJECT), 0);
                if (copy == null) {
                    return false;
                }
                update.take(object, copy, transaction, history, client.index() + updates * scripts.size());
            }
            return true;
        }
    }

    @Override
    public @Nullable String violation(History history) {
        boolean died = IntStream.range(0, scripts.size()).anyMatch(this::hasDied);
        for (long object = 0; object < setting.objects(); object++) {
            long header = memories.get(setting.region(object)).get(WORD, setting.offset(object));
            if ((header & ObjectLayout.LOCK_MODE) != 0 && !(died && setting.toleratesLocks)) {
                return "object " + object + " remains locked";
            }
        }
        String refused = died ? null : Refusals.unjustified(history);
        if (refused != null) {
            return refused;
        }
        if (!died && hasUndecided()) {
            return "a replica's log has a PREPARE without the outcome of its transaction";
        }
        List<Entry> acknowledged = TransactionHistory.of(history).transactions();
        List<Entry> withLast = new ArrayList<>(acknowledged);
        String torn = addLast(withLast);
        if (torn != null) {
            return torn;
        }
        StrictSerializabilityCheck check = new StrictSerializabilityCheck(initialValues(setting.objects()));
        if (check.check(new TransactionHistory(withLast)) instanceof Outcome.NotSerializable verdict) {
            return verdict.words();
        }
        if (setting.replicas == 0) {
            return null;
        }
        List<Entry> all = Stream.concat(acknowledged.stream(), Stream.of(recovered(acknowledged)))
                .toList();
        return check.check(new TransactionHistory(all)) instanceof Outcome.NotSerializable verdict
                ? "When all primaries have failed and replicas have taken over (read by client " + scripts.size()
                        + "): " + verdict.words()
                : null;
    }

    /** Adds a final read of all unlocked objects; returns an error if one is torn, else null. */
    private @Nullable String addLast(List<Entry> acknowledged) {
        List<Access> reads = new ArrayList<>();
        MemorySegment payload = OBJECT.newPayload();
        for (long object = 0; object < setting.objects(); object++) {
            MemorySegment memory = memories.get(setting.region(object));
            long at = setting.offset(object);
            if ((ObjectLayout.version(memory, at) & ObjectLayout.LOCK_MODE) == 0) {
                if (!OBJECT.read(memory, at, at, payload)) {
                    return "object " + object + " is torn in the end";
                }
                reads.add(new Access(object, payload.get(VALUE, 0)));
            }
        }
        acknowledged.add(new Entry(scripts.size(), 0, reads, List.of(), Long.MAX_VALUE - 1, Long.MAX_VALUE - 1));
        return null;
    }

    /** Returns the initial value of each object. */
    static Map<Long, Long> initialValues(int objects) {
        return LongStream.range(0, objects).boxed().collect(Collectors.toMap(object -> object, _ -> 0L));
    }

    /** Returns a final read of the values that replicas recover from their logs. */
    private Entry recovered(List<Entry> acknowledged) {
        RegionCopies places = RegionCopies.inOrder(setting.machines, 1, setting.replicas);
        List<Map<Access, Long>> logged = new ArrayList<>();
        for (int machine = 0; machine < setting.machines; machine++) {
            logged.add(logged(machine));
        }
        Map<Long, Long> values = initialValues(setting.objects());
        Map<Long, Long> versions = new HashMap<>();
        for (Entry transaction : acknowledged) {
            boolean everywhere = transaction.writes().stream()
                    .allMatch(write -> IntStream.range(0, setting.replicas)
                            .allMatch(i -> logged.get(places.replica(setting.region(write.key()), i))
                                    .containsKey(write)));
            if (!everywhere) {
                continue;
            }
            for (Access write : transaction.writes()) {
                long version = logged.get(places.replica(setting.region(write.key()), 0))
                        .getOrDefault(write, 0L);
                if (version > versions.getOrDefault(write.key(), -1L)) {
                    versions.put(write.key(), version);
                    values.put(write.key(), write.value());
                }
            }
        }
        List<Access> reads = values.entrySet().stream()
                .map(each -> new Access(each.getKey(), each.getValue()))
                .toList();
        return new Entry(scripts.size(), 0, reads, List.of(), Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
    }

    /** Returns the committed writes in a machine's logs, with the version that each has replaced. */
    private Map<Access, Long> logged(int machine) {
        Map<Access, Long> committed = new HashMap<>();
        for (int thread = 0; thread < logs(); thread++) {
            addLogged(machine, thread, committed);
        }
        return committed;
    }

    private void addLogged(int machine, int thread, Map<Access, Long> committed) {
        Map<Long, Map<Access, Long>> prepared = new HashMap<>();
        ReplicaLog.forEach(memories.get(machine), logAt(thread), LOG_BYTES, words -> {
            long transaction = CommitMessage.transaction(words);
            switch (CommitMessage.kind(words)) {
                case CommitMessage.LOG_PREPARE -> prepared.put(transaction, writes(words));
                case CommitMessage.LOG_WRITES -> committed.putAll(writes(words));
                case CommitMessage.LOG_COMMIT -> committed.putAll(prepared.getOrDefault(transaction, Map.of()));
                default -> prepared.remove(transaction);
            }
        });
    }

    /** Returns true if a log contains a transaction that has neither committed nor aborted there. */
    private boolean hasUndecided() {
        Set<Long> undecided = new HashSet<>();
        for (MemorySegment memory : memories) {
            for (int thread = 0; thread < logs() && undecided.isEmpty(); thread++) {
                ReplicaLog.forEach(memory, logAt(thread), LOG_BYTES, words -> {
                    switch (CommitMessage.kind(words)) {
                        case CommitMessage.LOG_PREPARE -> undecided.add(CommitMessage.transaction(words));
                        case CommitMessage.LOG_COMMIT, CommitMessage.LOG_ABORT ->
                            undecided.remove(CommitMessage.transaction(words));
                        default -> {}
                    }
                });
            }
        }
        return !undecided.isEmpty();
    }

    private Map<Access, Long> writes(long[] words) {
        Map<Access, Long> writes = new HashMap<>();
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            long value = words[at + CommitMessage.OBJECT_WORDS];
            writes.put(new Access(setting.object(words[at]), value), words[at + 1]);
            at += CommitMessage.objectWords(CommitMessage.LOG_WRITES, OBJECT);
        }
        return writes;
    }

    @Override
    public String place(int region, long offset) {
        if (offset >= endedAt(0)) {
            return "end of client " + (offset - endedAt(0)) / Long.BYTES;
        }
        if (offset >= setting.logAt()) {
            return "log of machine " + region + " +" + (offset - setting.logAt());
        }
        long object = setting.object(Address.of(region, offset / OBJECT_BYTES * OBJECT_BYTES));
        return "object " + object + (offset % OBJECT_BYTES == 0 ? "" : " +" + offset % OBJECT_BYTES);
    }
}
