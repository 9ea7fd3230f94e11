package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * Objects on several machines, clients whose transactions read and write some of them, and clients that READ objects
 * one after the other without a lock (FaRM 2014, sections 3.4 and 3.5). The history is strictly serializable, even if
 * all primaries fail in the end: transactions that were acknowledged or observed can be recovered from replicas, and
 * each completely or not at all. Locks remain only after a coordinator's death.
 *
 * <p>The paper has no recovery. Here, a transaction has committed if all replicas of its writes have logged it.
 */
final class DistributedTrial implements Trial {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(Long.BYTES, false);
    private static final int OBJECT_BYTES = OBJECT.bytes();
    private static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final long LOG_BYTES = 1 << 10;
    private static final int MAX_OBJECTS = 2;
    private static final int MAX_WORDS = DistributedTransaction.maxWords(OBJECT, MAX_OBJECTS, MAX_OBJECTS);
    private static final int NO_MACHINE = -1;
    private static final int MAX_BYTES = MAX_WORDS * Long.BYTES;

    private final Setting setting;
    private final List<Script> scripts;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    /**
     * Placement of objects and commit variant.
     *
     * @param machines number of machines, each with a region
     * @param objects number of objects, one per region in turn
     * @param replicas replicas per region, on the following machines
     * @param attempts number of aborts after which a client gives up, and of retries after a READ finds a lock
     * @param toleratesLocks true if locks of a dead coordinator may remain
     */
    record Setting(int machines, int objects, int replicas, CommitRules rules, int attempts, boolean toleratesLocks) {

        private int region(long object) {
            return (int) object % machines;
        }

        private long offset(long object) {
            return object / machines * OBJECT_BYTES;
        }

        private long logAt() {
            return (long) (objects + machines - 1) / machines * OBJECT_BYTES;
        }

        private long object(long address) {
            return Address.offsetOf(address) / OBJECT_BYTES * machines + Address.regionOf(address);
        }
    }

    sealed interface Script {}

    /** Transaction, which also reads the objects that it writes. */
    record Update(List<Long> reads, List<Long> writes) implements Script {
        private static final long VALUES_OF_A_CLIENT = 100;

        /** Returns all objects that it reads, in ascending order. */
        List<Long> objects() {
            return Stream.concat(reads.stream(), writes.stream())
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** Records an object that was read; a written object gets a value that identifies the transaction. */
        void take(
                long object,
                DistributedTransaction.Copy copy,
                DistributedTransaction transaction,
                TransactionRecorder history,
                int client) {
            history.read(object, copy.payload().get(VALUE, 0));
            if (writes.contains(object)) {
                long value = VALUES_OF_A_CLIENT * (client + 1) + object;
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

    /** READs, one after the other and independent of each other. */
    record Reads(List<Long> objects) implements Script {}

    DistributedTrial(Setting setting, Script... scripts) {
        this.setting = setting;
        this.scripts = List.of(scripts);
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
        for (long object = 0; object < setting.objects; object++) {
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
        Participant participant = participant(server, machine);
        long[] words = new long[MAX_WORDS];
        RequestLoop.run(server, MAX_BYTES, Long.BYTES, new RequestLoop.Handler() {
            @Override
            public void answer(int connection, MemorySegment request, MemorySegment answer) {
                MemorySegment.copy(request, WORD, 0, words, 0, words.length);
                answer.set(WORD, 0, participant.answer(words, CommitMessage.words(words, OBJECT)));
            }

            @Override
            public void gone(List<Integer> connections) {
                // No recovery follows.
            }
        });
    }

    /** Returns a thread's participant; only the machine's server program receives messages for replicas. */
    private Participant participant(Requester cpu, int machine) {
        return new Participant(
                cpu,
                memories,
                (region, offset) -> OBJECT,
                setting.rules,
                new ReplicaLog(cpu, memories.get(machine), setting.logAt(), LOG_BYTES, (region, offset) -> OBJECT));
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        switch (scripts.get(client.index())) {
            case Update update -> {
                new Coordinator(client, history, NO_MACHINE).run(update);
                ended(client);
            }
            case Shipped shipped -> {
                int machine = setting.region(shipped.update.objects().getFirst());
                new Coordinator(client, history, machine).run(shipped.update);
                ended(client);
            }
            case Reads reads -> read(client, history, reads);
        }
    }

    private void ended(Client client) {
        client.accesses(Long.BYTES);
        memories.get(client.index() % setting.machines).set(WORD, endedAt(client.index()), 1);
    }

    /** Offset of the word in which a client marks its end, in its machine's memory. */
    private long endedAt(int client) {
        return setting.logAt() + LOG_BYTES + (long) client * Long.BYTES;
    }

    private boolean hasDied(int client) {
        return !(scripts.get(client) instanceof Reads)
                && memories.get(client % setting.machines).get(WORD, endedAt(client)) == 0;
    }

    private void read(Client client, HistoryRecorder history, Reads reads) throws FabricException {
        TrialReads oneSided = new TrialReads(client, regions, OBJECT_BYTES);
        MemorySegment payload = OBJECT.newPayload();
        for (long object : reads.objects) {
            int invocation = history.invoked(client.index(), Operation.READ, object, 0);
            boolean read = false;
            for (int i = 0; i < setting.attempts && !read; i++) {
                if (i > 0) {
                    client.pause(1);
                }
                MemorySegment brought = oneSided.read(setting.region(object), setting.offset(object), OBJECT);
                read = OBJECT.read(brought, 0, setting.offset(object), payload);
            }
            if (!read) {
                return; // without a reply
            }
            history.returned(invocation, payload.get(VALUE, 0));
        }
    }

    /** Client that executes transactions. It sends its requests one at a time: schedules vary what other clients do in between. */
    private final class Coordinator implements DistributedTransaction.Asking {
        private final Client client;
        private final TransactionRecorder history;
        private final DistributedTransaction transaction;
        private final TrialReads oneSided;
        private final int own;
        private final ObjectWriter reader;
        private final List<RequestLink> links = new ArrayList<>();
        private boolean told;

        /** @param own machine of the thread; {@link #NO_MACHINE} for a client without local objects */
        Coordinator(Client client, HistoryRecorder history, int own) throws FabricException {
            this.client = client;
            this.own = own;
            this.reader = new ObjectWriter(client, OBJECT);
            this.history = new TransactionRecorder(history, client.index());
            this.transaction = new DistributedTransaction(
                    client.index() + 1L,
                    setting.machines,
                    RegionCopies.inOrder(setting.machines, 1, setting.replicas),
                    setting.rules,
                    MAX_WORDS,
                    own,
                    own == NO_MACHINE ? null : participant(client, own));
            this.oneSided = new TrialReads(client, regions, OBJECT_BYTES);
            for (int machine = 0; machine < setting.machines; machine++) {
                links.add(new RequestLink(client, machine, MAX_BYTES, Long.BYTES));
            }
        }

        @Override
        public void ask(int machine, long[] words, int count) throws FabricException {
            tell();
            RequestLink link = links.get(machine);
            MemorySegment.copy(words, 0, link.request(), WORD, 0, count);
            long answer = link.ask(count * Long.BYTES).get(WORD, 0);
            transaction.answered(machine, answer, this);
        }

        /** Records the commit in the history as soon as it may be acknowledged. */
        private void tell() {
            if (transaction.hasCommitted() && !told) {
                told = true;
                history.ended(true);
            }
        }

        void run(Update update) throws FabricException {
            for (int attempt = 0; attempt < setting.attempts && !told; attempt++) {
                if (attempt > 0) {
                    client.pause(1);
                }
                history.begins();
                transaction.begin();
                if (readAll(update)) {
                    transaction.commit(this);
                    tell();
                }
                if (!told) {
                    history.ended(false);
                }
            }
        }

        private boolean readAll(Update update) throws FabricException {
            for (long object : update.objects()) {
                int region = setting.region(object);
                long offset = setting.offset(object);
                DistributedTransaction.Copy copy = region == own
                        ? transaction.readHere(reader, region, offset, memories.get(region))
                        : transaction.read(OBJECT, region, offset, oneSided.read(region, offset, OBJECT), 0);
                if (copy == null) {
                    return false;
                }
                update.take(object, copy, transaction, history, client.index());
            }
            return true;
        }
    }

    @Override
    public @Nullable String wrong(History history) {
        boolean died = IntStream.range(0, scripts.size()).anyMatch(this::hasDied);
        for (long object = 0; object < setting.objects; object++) {
            long header = memories.get(setting.region(object)).get(WORD, setting.offset(object));
            if ((header & ObjectLayout.LOCK_MODE) != 0 && !(died && setting.toleratesLocks)) {
                return "object " + object + " remains locked";
            }
        }
        List<Entry> told = TransactionHistory.of(history).transactions();
        StrictSerializabilityCheck check = new StrictSerializabilityCheck(before(setting.objects));
        if (check.check(new TransactionHistory(told)) instanceof Outcome.NotSerializable verdict) {
            return verdict.words();
        }
        if (setting.replicas == 0) {
            return null;
        }
        List<Entry> all =
                Stream.concat(told.stream(), Stream.of(recovered(told))).toList();
        return check.check(new TransactionHistory(all)) instanceof Outcome.NotSerializable verdict
                ? "When all primaries have failed and replicas have taken over (client " + scripts.size() + " reads): "
                        + verdict.words()
                : null;
    }

    static Map<Long, Long> before(int objects) {
        return LongStream.range(0, objects).boxed().collect(Collectors.toMap(object -> object, _ -> 0L));
    }

    /** Returns a final read of the values that replicas have logged. */
    private Entry recovered(List<Entry> told) {
        RegionCopies places = RegionCopies.inOrder(setting.machines, 1, setting.replicas);
        List<Map<Access, Long>> logged = new ArrayList<>();
        for (int machine = 0; machine < setting.machines; machine++) {
            logged.add(logged(machine));
        }
        Map<Long, Long> values = before(setting.objects);
        Map<Long, Long> versions = new HashMap<>();
        for (Entry transaction : told) {
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

    /** Returns the committed writes of a machine's log, by object and replaced version. */
    private Map<Access, Long> logged(int machine) {
        Map<Access, Long> committed = new HashMap<>();
        Map<Long, Map<Access, Long>> prepared = new HashMap<>();
        ReplicaLog.forEach(memories.get(machine), setting.logAt(), LOG_BYTES, words -> {
            long transaction = CommitMessage.transaction(words);
            switch (CommitMessage.kind(words)) {
                case CommitMessage.LOG_PREPARE -> prepared.put(transaction, writes(words));
                case CommitMessage.LOG_WRITES -> committed.putAll(writes(words));
                case CommitMessage.LOG_COMMIT -> committed.putAll(prepared.getOrDefault(transaction, Map.of()));
                default -> prepared.remove(transaction);
            }
        });
        return committed;
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
        long object = setting.object(Address.of(region, offset));
        return "object " + object + (offset % OBJECT_BYTES == 0 ? "" : " +" + offset % OBJECT_BYTES);
    }
}
