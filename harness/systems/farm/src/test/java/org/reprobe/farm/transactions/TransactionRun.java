package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.check.History;
import org.reprobe.check.Recording;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingThreads;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.RunContext;
import org.reprobe.system.SharedWord;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

/** Run of transactions of many threads on few objects, so that they conflict. */
final class TransactionRun implements AutoCloseable {
    static final int IN_FLIGHT = 3;
    static final long LEASE_NS = 100_000;

    private static final long SEED = Seeds.seed();
    private static final long LONG_READ_NS = 1_000_000_000;
    private static final long BACK_OFF_NS = 5_000;
    private static final int LOG_BYTES = 4096;

    /** Transactions that run at the machine of their objects. */
    enum Shipping {
        NOTHING,
        /** Transactions whose objects happen to be on one machine. */
        SOME,
        ALL
    }

    /** Further conditions of a run. */
    record Conditions(long backOffNs, int partBytes, Map<Integer, Long> crashesNs, Shipping shipping, LogStages logs) {
        static final Conditions USUAL = new Conditions(BACK_OFF_NS, 0, Map.of(), Shipping.NOTHING, LogStages.NONE);
    }

    record Plan(
            int objects,
            int reads,
            int written,
            double writes,
            int replicas,
            CommitRules rules,
            Conditions conditions) {
        Plan(int objects, int reads, int written, int replicas, CommitRules rules) {
            this(objects, reads, written, 0.8, replicas, rules, Conditions.USUAL);
        }

        private Plan with(Conditions others) {
            return new Plan(objects, reads, written, writes, replicas, rules, others);
        }

        Plan readingOnly() {
            return new Plan(objects, reads, written, 0, replicas, rules, conditions);
        }

        Plan shipping(Shipping shipping) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, now.crashesNs, shipping, now.logs));
        }

        Plan withBackOff(long ns) {
            Conditions now = conditions;
            return with(new Conditions(ns, now.partBytes, now.crashesNs, now.shipping, now.logs));
        }

        Plan withParts(int bytes) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, bytes, now.crashesNs, now.shipping, now.logs));
        }

        Plan withCrashes(Map<Integer, Long> crashesNs) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, crashesNs, now.shipping, now.logs));
        }

        Plan logging(LogStages stages) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, now.crashesNs, now.shipping, stages));
        }

        boolean survives() {
            return !conditions.crashesNs.isEmpty();
        }
    }

    /**
     * Machines of a run.
     *
     * @param threads threads per machine; few on real fabrics, whose threads share few cores
     * @param logBytes length of a thread's log; usually of few objects, so that it is cleaned
     * @param seed seed of objects and waits
     * @param exact true if the sample begins without a warm-up and has exactly the given length
     * @param faults faults besides the plan's crashes
     * @param word configuration store as of separate processes; null if it is a field
     * @param choice objects by number of the draw; null for random ones
     */
    record Cluster(
            int machines,
            int threads,
            int ringBytes,
            int logBytes,
            long leaseNs,
            long seed,
            boolean exact,
            List<Fault> faults,
            @Nullable SharedWord word,
            @Nullable LongUnaryOperator choice) {
        static Cluster usual(String fabric) {
            boolean simulated = fabric.equals("sim");
            return new Cluster(
                    simulated ? 3 : 2,
                    simulated ? 2 : 1,
                    4096,
                    LOG_BYTES,
                    LEASE_NS,
                    SEED,
                    false,
                    List.of(),
                    null,
                    null);
        }

        /** Returns few machines whose runs are always the same. */
        static Cluster small(int machines, int threads) {
            return new Cluster(machines, threads, 1024, LOG_BYTES, LEASE_NS / 2, 1, true, List.of(), null, null);
        }

        Cluster withLogs(int bytes) {
            return new Cluster(machines, threads, ringBytes, bytes, leaseNs, seed, exact, faults, word, choice);
        }

        Cluster with(Fault fault) {
            return new Cluster(
                    machines, threads, ringBytes, logBytes, leaseNs, seed, exact, List.of(fault), word, choice);
        }

        Cluster with(SharedWord store) {
            return new Cluster(machines, threads, ringBytes, logBytes, leaseNs, seed, exact, faults, store, choice);
        }

        Cluster choosing(LongUnaryOperator objects) {
            return new Cluster(machines, threads, ringBytes, logBytes, leaseNs, seed, exact, faults, word, objects);
        }
    }

    final Plan plan;
    final Fabric fabric;
    final ObjectArray objects;
    final @Nullable PartArray parts;
    final List<List<SlabAllocator>> slabs = new ArrayList<>();
    final List<MemorySegment> memories = new ArrayList<>();
    final List<Recording> recordings = Collections.synchronizedList(new ArrayList<>());
    final Counts counts;
    final @Nullable RunRecovery recovery;
    private final RingAddresses places;
    private final MemoryMap.PerThread reads;
    private final MemoryMap.PerThread logs;
    private final List<RemoteRegion> regions = new ArrayList<>();
    private final Cluster cluster;
    private final int machines;
    private final int threads;

    TransactionRun(String fabric, Plan plan, long durationNs) throws Exception {
        this(fabric, plan, Cluster.usual(fabric), durationNs);
    }

    TransactionRun(String name, Plan plan, Cluster cluster, long durationNs) throws Exception {
        this.plan = plan;
        this.cluster = cluster;
        machines = cluster.machines;
        threads = cluster.threads;
        fabric = FarmFabrics.open(name, machines);
        if (fabric instanceof SimFabric sim) {
            List<Fault> faults = new ArrayList<>(cluster.faults);
            plan.conditions.crashesNs.forEach((machine, atNs) ->
                    faults.add(new Fault.Crash(new Fault.Machine(true, machine), atNs, Long.MAX_VALUE, true)));
            sim.withFaults(faults, new RetransmissionTimes(20_000));
        }
        objects = new ObjectArray(ObjectLayout.inLines(64, !name.equals("sim")), machines, plan.objects);
        parts = plan.conditions.partBytes == 0
                ? null
                : PartArray.of(objects, plan.conditions.partBytes, threads, (long) machines * IN_FLIGHT * plan.written);
        MemoryMap map = new MemoryMap(threads);
        map.lines(parts == null ? objects.bytes() : parts.bytes());
        places = RingAddresses.in(map, new RingLayout(cluster.ringBytes), machines);
        reads = map.perThread(
                Transactions.readBytes(objects.layout(), parts == null ? null : parts.layout(), plan.reads, IN_FLIGHT));
        logs = map.perThread(cluster.logBytes);
        long copiesAt = map.lines(plan.survives() ? RunRecovery.bytes(objects, plan.replicas) : 0);
        for (int machine = 0; machine < machines; machine++) {
            memories.add(fabric.memory(machine).allocate(map.bytes()));
            if (parts == null) {
                objects.load(machine, memories.get(machine));
            } else {
                slabs.add(parts.load(machine, memories.get(machine)));
            }
            if (plan.survives()) {
                RunRecovery.load(objects, copies(), copiesAt, machine, memories.get(machine));
            }
            regions.add(fabric.memory(machine).register(memories.get(machine)));
        }
        recovery = plan.survives()
                ? new RunRecovery(
                        objects,
                        copies(),
                        memories,
                        regions,
                        copiesAt,
                        threads,
                        cluster.leaseNs,
                        durationNs,
                        new RunContext(cluster.word, RunContext.NONE.histories(), RunContext.NONE.restarts()),
                        null)
                : null;
        counts = run(durationNs);
    }

    private Counts run(long durationNs) throws Exception {
        TransactionsPlan parameters = new TransactionsPlan(
                objects,
                regions,
                new TransactionsPlan.Mix(
                        cluster.choice == null
                                ? number -> Math.unsignedMultiplyHigh(Rng.at(cluster.seed, number), plan.objects)
                                : cluster.choice,
                        number -> Rng.at(~cluster.seed, number),
                        plan.reads,
                        plan.written,
                        plan.writes,
                        plan.conditions.shipping == Shipping.ALL,
                        plan.conditions.shipping != Shipping.NOTHING),
                plan.rules,
                new ThreadPlan(
                        threads, IN_FLIGHT, 100_000, 400_000, plan.conditions.backOffNs, LONG_READ_NS, cluster.seed),
                new Replication(copies(), plan.rules.replication(), cluster.logBytes, plan.conditions.logs),
                recovery,
                parts == null ? null : new TransactionParts.Shared(parts, slabs));
        int sendQueue = MessagingThread.sendQueue(IN_FLIGHT, places.layout()) + IN_FLIGHT * plan.reads;
        return new RingThreads(fabric, places, memories, regions, threads, plan.survives(), cluster.exact)
                .run(
                        IN_FLIGHT,
                        sendQueue,
                        IN_FLIGHT,
                        durationNs,
                        (client, thread) -> transactions(client, thread, parameters));
    }

    private RemoteRequests transactions(
            Client client, MessagingThreads.ThreadNumber thread, TransactionsPlan parameters) throws FabricException {
        Recording recording = new Recording(client::nowNs);
        recordings.add(recording);
        return new Transactions(
                client,
                parameters,
                thread.machine(),
                thread.thread(),
                memories,
                reads.at(thread.thread()),
                logs.at(thread.thread()),
                recording);
    }

    List<Entry> history() {
        return TransactionHistory.of(
                        History.of(recordings.stream().map(Recording::history).toList()))
                .transactions();
    }

    /** Checks the order of transactions, and the final state as the result of the last of them. */
    Outcome outcome() {
        Map<Long, Long> before = new HashMap<>();
        for (long number = 0; number < plan.objects; number++) {
            before.put(number, ObjectArray.LOADED);
        }
        List<Entry> all = new ArrayList<>(history());
        all.addAll(finalState());
        return new StrictSerializabilityCheck(before, 1_000_000).check(new TransactionHistory(all));
    }

    /** Returns reads of all objects at the end; for surviving machines one for each. */
    private List<Entry> finalState() {
        Recording recording = new Recording(() -> Long.MAX_VALUE - 1);
        int reader = machines * threads * IN_FLIGHT + 1;
        for (int machine = 0; machine < machines; machine++) {
            if (recovery == null) {
                recordState(machine, new TransactionRecorder(recording, reader + machine));
            } else if (hasSurvived(machine)) {
                recovery.recordState(machine, memories.get(machine), recording, reader + machine);
            }
        }
        return TransactionHistory.of(recording.history()).transactions();
    }

    private void recordState(int machine, TransactionRecorder recorder) {
        recorder.begins();
        MemorySegment payload = objects.layout().newPayload();
        for (long number = machine; number < plan.objects; number += machines) {
            long at = objects.offset(number);
            objects.layout().read(memories.get(machine), at, at, payload);
            MemorySegment stamped = parts == null ? payload : PartArray.withoutPointer(payload);
            recorder.read(number, ObjectArray.stamp(stamped, number));
        }
        recorder.ended(true);
    }

    boolean hasSurvived(int machine) {
        return !plan.conditions.crashesNs.containsKey(machine);
    }

    /** Returns transactions that the logs of running machines contain without their outcome. */
    Set<Long> undecided() {
        Set<Long> undecided = new HashSet<>();
        for (int machine = 0; machine < machines; machine++) {
            for (int thread = 0; thread < threads && hasSurvived(machine); thread++) {
                Set<Long> of = new HashSet<>();
                ReplicaLog.forEach(memories.get(machine), logs.at(thread), cluster.logBytes, words -> {
                    long transaction = CommitMessage.transaction(words);
                    if (CommitMessage.kind(words) == CommitMessage.LOG_PREPARE) {
                        of.add(transaction);
                    } else {
                        of.remove(transaction);
                    }
                });
                undecided.addAll(of);
            }
        }
        return undecided;
    }

    RegionCopies copies() {
        return RegionCopies.inOrder(machines, 1, plan.replicas);
    }

    @Nullable
    String partsFailure(PartArray of) {
        return IntStream.range(0, machines)
                .mapToObj(machine ->
                        of.failure(machine, memories.get(machine), SlabAllocator.allocated(slabs.get(machine))))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    long written() {
        long written = 0;
        for (int machine = 0; machine < machines; machine++) {
            if (parts == null) {
                assertThat(objects.broken(machine, memories.get(machine))).isNegative();
            } else {
                assertThat(partsFailure(parts)).as(Seeds.replay()).isNull();
            }
            written += objects.written(machine, memories.get(machine));
        }
        return written;
    }

    /**
     * Checks that a minimum of transactions took effect, in an order consistent with time, and that replicas have them.
     */
    List<Entry> assertSerializable(int min) {
        assertThat(counts.wrongAnswers()).isZero();
        List<Entry> history = history();
        assertThat(history).hasSizeGreaterThanOrEqualTo(min);
        assertThat(history.stream().mapToLong(each -> each.writes().size()).sum())
                .isEqualTo(written())
                .isEqualTo(counts.total(Counter.OBJECTS_WRITTEN))
                .isPositive();
        assertThat(outcome()).as(Seeds::replay).isEqualTo(new Outcome.Serializable());
        assertThat(undecided()).as(Seeds::replay).isEmpty();
        if (plan.replicas > 0) {
            assertReplicasHaveAll();
        }
        return history;
    }

    /** Checks that the last committed version of each object in a replica's logs is the primary's. */
    private void assertReplicasHaveAll() {
        for (int replica = 0; replica < plan.replicas; replica++) {
            int number = 0;
            int logged = 0;
            for (int machine = 0; machine < machines; machine++) {
                Map<Long, Long> replaced = replaced(copies().replica(machine, replica));
                for (long object = machine; object < plan.objects; object += machines) {
                    long at = objects.offset(object);
                    long version = ObjectLayout.version(memories.get(machine), at);
                    if (version > ObjectArray.VERSION) {
                        number++;
                        assertThat(replaced.get(Address.of(machine, at)))
                                .as("object %d, %s", object, Seeds.replay())
                                .isEqualTo(version - ObjectWriter.ONE_VERSION);
                    }
                }
                if (parts != null) {
                    logged += assertPartsAreLogged(parts, machine, replaced);
                }
            }
            if (parts != null) { // the objects' parts, and at least one former part
                assertThat(logged).isGreaterThan(number);
            }
            assertThat(number).isGreaterThan(plan.objects / 2);
        }
    }

    /** Checks a log's last record of each part's place, allocated or freed; returns the number of places. */
    private int assertPartsAreLogged(PartArray of, int machine, Map<Long, Long> replaced) {
        int places = 0;
        MemorySegment memory = memories.get(machine);
        for (Map.Entry<Long, Long> logged : replaced.entrySet()) {
            long at = Address.offsetOf(logged.getKey());
            if (Address.regionOf(logged.getKey()) == machine
                    && of.at(machine, at).equals(of.layout())) {
                places++;
                long becomes = CommitMessage.change(logged.getValue());
                assertThat(CommitMessage.version(logged.getValue()) + ObjectWriter.ONE_VERSION)
                        .as(Seeds.replay())
                        .isEqualTo(ObjectLayout.version(memory, at));
                assertThat(becomes)
                        .isEqualTo(
                                ObjectLayout.isAllocated(memory, at) ? CommitMessage.ALLOCATED : CommitMessage.FREED);
            }
        }
        return places;
    }

    /** Returns, by address, the version that the last committed write replaced. */
    private Map<Long, Long> replaced(int machine) {
        Map<Long, Long> replaced = new HashMap<>();
        for (int thread = 0; thread < threads; thread++) {
            Map<Long, Map<Long, Long>> prepared = new HashMap<>();
            ReplicaLog.forEach(memories.get(machine), logs.at(thread), cluster.logBytes, words -> {
                long transaction = CommitMessage.transaction(words);
                Map<Long, Long> of = switch (CommitMessage.kind(words)) {
                    case CommitMessage.LOG_PREPARE -> {
                        prepared.put(transaction, versions(words));
                        yield Map.of();
                    }
                    case CommitMessage.LOG_WRITES -> versions(words);
                    case CommitMessage.LOG_COMMIT -> prepared.getOrDefault(transaction, Map.of());
                    default -> Map.of();
                };
                of.forEach((address, version) -> replaced.merge(address, version, Math::max));
            });
        }
        return replaced;
    }

    private Map<Long, Long> versions(long[] words) {
        Map<Long, Long> versions = new HashMap<>();
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            versions.put(words[at], words[at + 1]);
            ObjectLayout object = parts == null
                    ? objects.layout()
                    : parts.at(Address.regionOf(words[at]), Address.offsetOf(words[at]));
            at += CommitMessage.writtenWords(words[at + 1], object);
        }
        return versions;
    }

    @Override
    public void close() {
        fabric.close();
    }
}
