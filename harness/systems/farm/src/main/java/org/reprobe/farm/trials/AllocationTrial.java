package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.ObjectAllocations;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.DistributedTransaction;
import org.reprobe.farm.transactions.DistributedTransaction.Copy;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.farm.transactions.PartArray;
import org.reprobe.farm.transactions.TransactionParts;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * Objects on different machines, each with a pointer to a separate part on its machine. Transactions write objects, for
 * which they allocate new parts and free the old ones; other clients READ an object and then its part without a lock
 * (FaRM 2014, sections 3.3 to 3.5). The history must be strictly serializable, and an accepted READ must be of the part
 * that the pointer refers to. In the end each object must have its part, and nothing else may be allocated.
 */
final class AllocationTrial implements Trial {
    private static final int ATTEMPTS = 2;
    /** READ attempts; a reader may conflict with two transactions. */
    private static final int READ_ATTEMPTS = 4;

    /** Free places of a machine at the start: one per client, and one more. */
    private static final int SPARE_PLACES = 3;

    private static final ObjectLayout OBJECT = ObjectLayout.inLines(2 * Long.BYTES + PartArray.POINTER_BYTES, false);
    private static final ObjectLayout PART = ObjectLayout.inLines(2 * Long.BYTES, false);
    private static final int PARTS_AT = OBJECT.bytes();
    private static final long LOG_AT = PARTS_AT + (1L + SPARE_PLACES) * PART.bytes();
    private static final long LOG_BYTES = 1 << 9;
    private static final int MAX_OBJECTS = 2;
    private static final int MAX_WORDS = DistributedTransaction.maxWords(OBJECT, PART, MAX_OBJECTS, MAX_OBJECTS);
    /** Result of a READ that accepted another object's part; never a stamp. */
    private static final long WRONG_PART = -7;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** Length of a request: the number of words, then the words. */
    private static final int REQUEST_BYTES = (1 + MAX_WORDS) * Long.BYTES;

    private static final int REPLY_BYTES = ObjectAllocations.REPLY_WORDS * Long.BYTES;

    private final PartArray array;
    private final List<Script> scripts;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();
    /** Free places by machine. */
    private final FixedAllocator[] places;

    sealed interface Script {}

    record Update(List<Long> objects) implements Script {}

    record Read(long object) implements Script {}

    /** @param objects number of objects, each on a machine of its own */
    AllocationTrial(int objects, Script... scripts) {
        this.array = new PartArray(new ObjectArray(OBJECT, objects, objects), PART, 1, 0);
        this.scripts = List.of(scripts);
        this.places = new FixedAllocator[objects];
        Arrays.setAll(places, _ -> places());
    }

    static Script update(Long... objects) {
        return new Update(List.of(objects));
    }

    static Script read(long object) {
        return new Read(object);
    }

    @Override
    public int clients() {
        return scripts.size();
    }

    @Override
    public int servers() {
        return array.objects().machines();
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    private static ObjectLayout layoutAt(int region, long offset) {
        return offset < PARTS_AT ? OBJECT : PART;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memories.clear();
        regions.clear();
        for (int machine = 0; machine < servers(); machine++) {
            MemorySegment memory = fabric.memory(machine).allocate(LOG_AT + LOG_BYTES);
            memories.add(memory);
            regions.add(fabric.memory(machine).register(memory));
            array.put(memory, machine, PARTS_AT);
        }
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return IntStream.range(0, servers())
                .<ServerProgram>mapToObj(machine -> server -> serve(server, machine))
                .toList();
    }

    /** Returns a machine's places, the last of which is in use by its object's part. */
    private static FixedAllocator places() {
        FixedAllocator places = new FixedAllocator(LongStream.rangeClosed(0, SPARE_PLACES)
                .map(place -> PARTS_AT + (SPARE_PLACES - place) * PART.bytes())
                .toArray());
        places.allocateNear(0, 0);
        return places;
    }

    private void serve(Server server, int machine) throws FabricException {
        places[machine] = places();
        ObjectAllocations allocations = new ObjectAllocations(server, memories, machine, PART, places[machine], 0);
        Participant participant = new Participant(
                server,
                memories,
                AllocationTrial::layoutAt,
                CommitRules.CORRECTED,
                new ReplicaLog(server, memories.get(machine), LOG_AT, LOG_BYTES, AllocationTrial::layoutAt),
                Participant.Costs.NONE,
                allocations);
        long[] words = new long[MAX_WORDS];
        RequestLoop.run(server, REQUEST_BYTES, REPLY_BYTES, new RequestLoop.Handler() {
            @Override
            public void handle(int connection, MemorySegment request, MemorySegment reply) throws FabricException {
                int count = (int) request.get(WORD, 0);
                MemorySegment.copy(request, WORD, Long.BYTES, words, 0, count);
                if (CommitMessage.kind(words) == CommitMessage.ALLOCATE) {
                    long[] allocated = new long[ObjectAllocations.REPLY_WORDS];
                    allocations.allocate(CommitMessage.near(words), allocated);
                    MemorySegment.copy(allocated, 0, reply, WORD, 0, allocated.length);
                } else {
                    reply.set(WORD, 0, participant.execute(words, count));
                }
            }

            @Override
            public void gone(List<Integer> connections) {
                // No machine fails.
            }
        });
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        switch (scripts.get(client.index())) {
            case Update update -> new Coordinator(client, history, update.objects).run();
            case Read read -> read(client, history, read.object);
        }
    }

    /**
     * READs an object and its part without a lock; the result is the object's stamp, or {@link #WRONG_PART} if the part
     * has another stamp.
     */
    private void read(Client client, HistoryRecorder history, long object) throws FabricException {
        TrialReads oneSided = reads(client);
        MemorySegment payload = OBJECT.newPayload();
        MemorySegment part = PART.newPayload();
        int invocation = history.invoked(client.index(), Operation.READ, object, 0);
        for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
            if (attempt > 0) {
                client.pause(1);
            }
            long offset = array.objects().offset(object);
            if (OBJECT.read(oneSided.read(array.objects().region(object), offset, OBJECT), 0, offset, payload)
                    && readPart(oneSided, payload, part)) {
                long stamp = ObjectArray.stamp(PartArray.withoutPointer(payload), object);
                history.returned(invocation, TransactionParts.fits(payload, part, object) ? stamp : WRONG_PART);
                return;
            }
        }
    }

    private TrialReads reads(Client client) throws FabricException {
        return new TrialReads(client, regions, Math.max(OBJECT.bytes(), PART.bytes()));
    }

    private boolean readPart(TrialReads oneSided, MemorySegment payload, MemorySegment part) throws FabricException {
        long at = array.address(payload);
        MemorySegment buffer = oneSided.read(Address.regionOf(at), Address.offsetOf(at), PART);
        boolean gone = ObjectLayout.isGone(ObjectLayout.version(buffer, 0), array.incarnation(payload), buffer, 0);
        return !gone && PART.read(buffer, 0, Address.offsetOf(at), part);
    }

    /** Client that executes transactions and sends its requests one at a time. */
    private final class Coordinator implements DistributedTransaction.Sender {
        private final Client client;
        private final List<Long> numbers;
        private final TransactionRecorder history;
        private final DistributedTransaction transaction;
        private final @Nullable Copy[] copies;
        private final TransactionParts parts;
        private final TrialReads oneSided;
        private final List<RequestLink> links = new ArrayList<>();
        private boolean acknowledged;

        Coordinator(Client client, HistoryRecorder history, List<Long> numbers) throws FabricException {
            this.client = client;
            this.numbers = numbers;
            this.history = new TransactionRecorder(history, client.index());
            this.transaction = new DistributedTransaction(
                    client.index() + 1L,
                    servers(),
                    RegionCopies.inOrder(servers(), 1, 0),
                    CommitRules.CORRECTED,
                    MAX_WORDS);
            this.copies = new @Nullable Copy[numbers.size()];
            this.parts = new TransactionParts(
                    new TransactionParts.Shared(array, List.of()), transaction, copies, numbers.size(), null);
            this.oneSided = reads(client);
            for (int machine = 0; machine < servers(); machine++) {
                links.add(new RequestLink(client, machine, REQUEST_BYTES, REPLY_BYTES));
            }
        }

        @Override
        public void send(int machine, long[] words, int count) throws FabricException {
            acknowledge();
            RequestLink link = links.get(machine);
            link.request().set(WORD, 0, count);
            MemorySegment.copy(words, 0, link.request(), WORD, Long.BYTES, count);
            MemorySegment reply = link.call((1 + count) * Long.BYTES);
            if (CommitMessage.kind(words) == CommitMessage.ALLOCATE) {
                parts.allocated(machine, reply, 0);
            } else {
                transaction.replyReceived(machine, reply.get(WORD, 0), this);
            }
        }

        private void acknowledge() {
            if (transaction.hasCommitted() && !acknowledged) {
                acknowledged = true;
                history.ended(true);
            }
        }

        void run() throws FabricException {
            for (int attempt = 0; attempt < ATTEMPTS && !acknowledged; attempt++) {
                if (attempt > 0) {
                    client.pause(1);
                }
                history.begins();
                transaction.begin();
                parts.begin();
                if (readAll()) {
                    parts.allocate(this);
                    writeAll(100L * (client.index() + 1) + attempt);
                    transaction.commit(this);
                    acknowledge();
                }
                if (!acknowledged) {
                    history.ended(false);
                }
            }
        }

        private boolean readAll() throws FabricException {
            for (int i = 0; i < copies.length; i++) {
                long number = numbers.get(i);
                int region = array.objects().region(number);
                long offset = array.objects().offset(number);
                Copy copy = transaction.read(OBJECT, region, offset, oneSided.read(region, offset, OBJECT), 0);
                copies[i] = copy;
                if (copy == null) {
                    return false;
                }
                history.read(number, ObjectArray.stamp(PartArray.withoutPointer(copy.payload()), number));
                long at = parts.address(i);
                parts.copies()[i] = parts.read(i, oneSided.read(Address.regionOf(at), Address.offsetOf(at), PART), 0);
                if (parts.copies()[i] == null) {
                    return false;
                }
            }
            return true;
        }

        private void writeAll(long stamp) {
            for (int i = 0; i < copies.length; i++) {
                Copy copy = copies[i];
                if (copy != null) {
                    long number = numbers.get(i);
                    ObjectArray.put(PartArray.withoutPointer(copy.payload()), number, stamp);
                    history.writes(number, stamp);
                    transaction.write(copy);
                    parts.replace(i, number, stamp);
                }
            }
        }
    }

    @Override
    public @Nullable String violation(History history) {
        if (history.events().stream()
                .anyMatch(event -> event.operation() == Operation.READ && event.result() == WRONG_PART)) {
            return "a READ through an object's pointer was accepted, but returned another object's part";
        }
        for (int machine = 0; machine < servers(); machine++) {
            String failure = array.failure(machine, memories.get(machine), 1L + SPARE_PLACES - places[machine].count());
            if (failure != null) {
                return failure;
            }
        }
        Map<Long, Long> before = new HashMap<>();
        for (long object = 0; object < array.objects().objects(); object++) {
            before.put(object, ObjectArray.LOADED);
        }
        return new StrictSerializabilityCheck(before).check(TransactionHistory.of(history))
                        instanceof Outcome.NotSerializable verdict
                ? verdict.words()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        if (offset < PARTS_AT) {
            return "object " + region + (offset == 0 ? "" : " +" + offset);
        }
        long at = offset - PARTS_AT;
        return "place " + at / PART.bytes() + " of machine " + region
                + (at % PART.bytes() == 0 ? "" : " +" + at % PART.bytes());
    }
}
