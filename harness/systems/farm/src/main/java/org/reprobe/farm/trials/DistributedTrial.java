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
 * Objects on a few machines, clients whose transactions read and write some of them, and clients that READ one after the other without a lock
 * (FaRM 2014, sections 3.4 and 3.5). Whatever clients were told is strictly serializable, and stays so when all primaries fail in the end: a
 * transaction that was told to have committed, or that somebody has seen, can be had from the replicas. Of one transaction all is there or nothing.
 * Locks stay only where a coordinator has died.
 *
 * <p>Recovery is not in the paper: here, a transaction is taken to have committed when all replicas of all that it writes have logged that.
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
     * Where objects are, and how transactions commit.
     *
     * @param machines each has a region
     * @param objects one in the region of each of the first machines; further ones follow there
     * @param replicas of each region, on the machines that follow
     * @param attempts after so many aborts a client gives up; so many times whoever finds an object locked looks again
     * @param toleratesLocks whether locks may stay of a coordinator that has died
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

    /** What a client does. */
    sealed interface Script {}

    /** A transaction, which reads what it writes as well. */
    record Update(List<Long> reads, List<Long> writes) implements Script {
        private static final long VALUES_OF_A_CLIENT = 100;

        /** All that it reads, ascending. */
        List<Long> objects() {
            return Stream.concat(reads.stream(), writes.stream())
                    .distinct()
                    .sorted()
                    .toList();
        }

        /** Takes an object as it was read; one that it writes gets a value that tells who has written it. */
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
     * The same of objects of one machine, to which it was shipped: the client is a thread there, which reads and commits in its own memory and asks nobody but
     * replicas.
     */
    record Shipped(Update update) implements Script {}

    /** READs one after the other, each by itself. */
    record Reads(List<Long> objects) implements Script {}

    DistributedTrial(Setting setting, Script... scripts) {
        this.setting = setting;
        this.scripts = List.of(scripts);
    }

    /** A transaction that reads some objects and writes others. */
    static Script update(List<Long> reads, Long... writes) {
        return new Update(reads, List.of(writes));
    }

    /** The same, run where its objects are, which is one machine. */
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
                // Nothing is recovered.
            }
        });
    }

    /** A thread's on a machine, whose server's program alone is told what replicas are. */
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

    /** Where a client says that it has ended, in the memory of its machine. */
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
                return; // without an answer
            }
            history.returned(invocation, payload.get(VALUE, 0));
        }
    }

    /**
     * A client that runs transactions. It asks one machine after the other: in which order others are asked, and what happens between, schedules vary by
     * the other client's steps.
     */
    private final class Coordinator implements DistributedTransaction.Asking {
        private final Client client;
        private final TransactionRecorder history;
        private final DistributedTransaction transaction;
        private final TrialReads oneSided;
        private final int own;
        private final ObjectWriter reader;
        private final List<RequestLink> links = new ArrayList<>();
        private boolean told;

        /** @param own the machine whose thread it is; {@link #NO_MACHINE} for a client that asks all */
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

        /** Tells the application that the transaction has committed, as soon as it may. */
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
                return "object " + object + " is locked for ever";
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

    /** What objects have at first. */
    static Map<Long, Long> before(int objects) {
        return LongStream.range(0, objects).boxed().collect(Collectors.toMap(object -> object, _ -> 0L));
    }

    /** What somebody reads in the end of what replicas have logged. */
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

    /** What a machine's log says of committed writes, and the versions that they replaced. */
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
