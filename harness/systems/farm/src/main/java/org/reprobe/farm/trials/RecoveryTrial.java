package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
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
import org.reprobe.fabric.ServerProgram;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.recovery.MachineWords;
import org.reprobe.farm.recovery.Membership;
import org.reprobe.farm.transactions.DistributedTransaction;

/**
 * Machines with leases ({@link Membership}), each with a client that runs transactions. Any machine may fail at any
 * step, or be slow and therefore declared failed. The history must be strictly serializable. After recovery the
 * primaries' values must follow from it, and no object may be locked. Recovery must succeed unless a region has lost
 * all copies.
 *
 * <p>With {@code restarts} all machines may lose power at any step. The objects that a restart would read from the logs
 * must agree with the replies until then.
 *
 * <p>With {@code rejoining}, a failed machine loses its memory, restarts, and rejoins; then a client of it runs again.
 * All but the store may fail.
 *
 * <p>The last server is the {@code ConfigurationStore}: a word that is replaced by compare-and-swap. Its client watches
 * until the others have ended and recovered.
 */
final class RecoveryTrial implements Trial {
    static final ObjectLayout OBJECT = ObjectLayout.inLines(Long.BYTES, false);
    static final int OBJECT_BYTES = OBJECT.bytes();
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;
    /** Room for five transactions, so that logs are cleaned. */
    static final long LOG_BYTES = 62L * Long.BYTES;

    static final long LEASE_NS = 1000;

    private static final int MAX_OBJECTS = 3;
    /** Limit of restarts per schedule, since a client that records operations is not known to wait forever. */
    private static final int MAX_POWER_FAILURES = 100;

    static final int MAX_WORDS = DistributedTransaction.maxWords(OBJECT, MAX_OBJECTS, MAX_OBJECTS);
    static final int MAX_BYTES = MAX_WORDS * Long.BYTES;

    private final Setting setting;
    private final List<List<DistributedTrial.Script>> scripts;
    private final boolean restarts;
    /** Scripts of a machine's client after it has rejoined; null if machines do not rejoin. */
    private final @Nullable List<DistributedTrial.Script> rejoining;

    private final List<PowerFailure> powerFailures = new ArrayList<>();
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    /**
     * Placement of objects and commit variant.
     *
     * @param homes region of each object; each machine has a region
     * @param replicas replicas of each region, on the next machines
     * @param threads threads per machine that take part in others' transactions, each with a log
     * @param renewals lease renewals per machine; then it is declared failed sooner or later, so that schedules end
     * @param attempts attempts of a transaction, and of a READ of a locked object
     * @param slow true if slow machines may be declared failed; otherwise time passes only after a failure
     */
    record Setting(
            int machines,
            List<Integer> homes,
            int replicas,
            int threads,
            int renewals,
            int attempts,
            boolean slow,
            CommitRules rules) {

        Setting {
            homes = List.copyOf(homes);
        }

        /** Setting whose objects are distributed round-robin over the machines. */
        Setting(int machines, int objects, int replicas, int renewals, int attempts, boolean slow, CommitRules rules) {
            this(
                    machines,
                    DistributedTrial.Setting.roundRobin(machines, objects),
                    replicas,
                    1,
                    renewals,
                    attempts,
                    slow,
                    rules);
        }

        /** Returns the same placement for a trial without failures. */
        private DistributedTrial.Setting placement() {
            return new DistributedTrial.Setting(machines, homes, replicas, rules, attempts, false);
        }

        int objects() {
            return homes.size();
        }

        int region(long object) {
            return homes.get((int) object);
        }

        long offset(long object) {
            return placement().offset(object);
        }

        int store() {
            return machines;
        }

        RegionCopies copies() {
            return RegionCopies.inOrder(machines, 1, replicas);
        }

        long regionBytes() {
            return placement().regionBytes();
        }

        long copyAt(int region) {
            return region * regionBytes();
        }

        long logAt(int thread) {
            return machines * regionBytes() + thread * LOG_BYTES;
        }

        long wordsAt() {
            return logAt(threads);
        }

        /** Returns the offset of the number of the transaction that the machine's client is committing; 0 for none. */
        long pendingAt() {
            return wordsAt() + MachineWords.BYTES;
        }

        /** Returns the offset of the number of the client's transaction that recovery has committed; 0 for none. */
        long committedAt() {
            return pendingAt() + Long.BYTES;
        }

        /**
         * Returns the offset of the machine's run state: 0 before its start, then {@link #RUNS} to {@link #GAVE_UP}.
         */
        long runStateAt() {
            return committedAt() + Long.BYTES;
        }

        long endedAt() {
            return runStateAt() + Long.BYTES;
        }

        /** Returns the offset of the number of the machine's restarts. */
        long restartsAt() {
            return endedAt() + Long.BYTES;
        }

        /** Returns the offset of the mailbox for another machine's messages. */
        long mailAt(int from) {
            return restartsAt() + Long.BYTES + from * mailBytes();
        }

        /** Returns the bytes of a mailbox: length, header and votes, message count. */
        long mailBytes() {
            return (2L + Membership.HEADER_WORDS + 2L * machines) * Long.BYTES;
        }

        long memoryBytes() {
            return mailAt(machines);
        }
    }

    /** Run states of a machine, for the watching client. */
    static final long RUNS = 1;

    static final long FAILED = 2;

    /** It has restarted, and its former process may still be a member. */
    static final long RESTARTED = 3;

    /** It has restarted and requests membership. */
    static final long REJOINS = 4;

    /** It has been evicted or does not request membership any more. */
    static final long GAVE_UP = 5;

    // Offsets in the store; the second is the watching client's result.
    static final long CONFIGURATION_AT = 0;
    private static final long RECOVERED_AT = Long.BYTES;
    private static final long STORE_BYTES = 2L * Long.BYTES;

    /** @param scripts by machine of the client */
    RecoveryTrial(Setting setting, DistributedTrial.Script... scripts) {
        this(setting, Stream.of(scripts).map(List::of).toList());
    }

    /** @param scripts by machine of the client, in the order of execution; clients without one do nothing */
    RecoveryTrial(Setting setting, List<List<DistributedTrial.Script>> scripts) {
        this(setting, scripts, false);
    }

    /** @param restarts true to check a restart from the logs at each step of the watching client */
    RecoveryTrial(Setting setting, List<List<DistributedTrial.Script>> scripts, boolean restarts) {
        this(setting, scripts, restarts, null);
    }

    /** @param rejoining scripts of a machine's client after it has rejoined; null if machines do not rejoin */
    RecoveryTrial(
            Setting setting,
            List<List<DistributedTrial.Script>> scripts,
            boolean restarts,
            @Nullable List<DistributedTrial.Script> rejoining) {
        this.restarts = restarts;
        this.setting = setting;
        this.scripts = List.copyOf(scripts);
        this.rejoining = rejoining;
    }

    @Override
    public boolean mayFail(int server) {
        return rejoining == null || server != setting.store();
    }

    @Override
    public int clients() {
        return setting.machines + 1;
    }

    @Override
    public int servers() {
        return setting.machines + 1;
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    @Override
    public boolean oneClock() {
        return true;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memories.clear();
        regions.clear();
        for (int machine = 0; machine < setting.machines; machine++) {
            MemorySegment memory = fabric.memory(machine).allocate(setting.memoryBytes());
            memories.add(memory);
            regions.add(fabric.memory(machine).register(memory));
            for (long object = 0; object < setting.objects(); object++) {
                OBJECT.write(
                        memory,
                        setting.copyAt(setting.region(object)) + setting.offset(object),
                        ObjectWriter.ONE_VERSION,
                        1,
                        OBJECT.newPayload());
            }
        }
        MemorySegment store = fabric.memory(setting.store()).allocate(STORE_BYTES);
        store.set(WORD, CONFIGURATION_AT, Configuration.first(setting.machines).word());
        memories.add(store);
        regions.add(fabric.memory(setting.store()).register(store));
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return IntStream.range(0, setting.machines)
                .<ServerProgram>mapToObj(machine -> server ->
                        new RecoveryMachine(setting, rejoining != null, server, machine, memories, regions).run())
                .toList();
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        if (client.index() == setting.store()) {
            watch(client, history);
            return;
        }
        MemorySegment memory = memories.get(client.index());
        new RecoveryClient(setting, client, memory, regions, history)
                .run(client.index() < scripts.size() ? scripts.get(client.index()) : List.of());
        client.accesses(Long.BYTES);
        memory.set(WORD, setting.endedAt(), 1);
    }

    /** Waits until all other clients have ended and the survivors have recovered or cannot. */
    private void watch(Client client, HistoryRecorder history) throws FabricException {
        powerFailures.clear();
        TransactionRecorder marks = new TransactionRecorder(history, client.index());
        boolean ran = false;
        while (!haveEnded() || mayRejoin() || !(haveRecovered() || isUnrecoverable())) {
            int joined = ran ? setting.machines() : rejoined();
            if (rejoining != null && joined < setting.machines()) {
                ran = true;
                RecoveryClient.rejoined(setting, client, joined, memories.get(joined), regions, history)
                        .run(rejoining);
            }
            if (restarts && powerFailures.size() < MAX_POWER_FAILURES) {
                marks.begins();
                powerFailures.add(PowerFailure.now(setting, powerFailures.size() + 1L, memories));
                marks.ended(true);
            }
            client.pause(1);
        }
        client.accesses(Long.BYTES);
        memories.get(setting.store()).set(WORD, RECOVERED_AT, haveRecovered() ? 1 : 0);
    }

    private boolean haveEnded() {
        return IntStream.range(0, setting.machines)
                .allMatch(machine -> memories.get(machine).get(WORD, setting.endedAt()) == 1
                        || memories.get(machine).get(WORD, setting.runStateAt()) >= FAILED);
    }

    private long runState(int machine) {
        return memories.get(machine).get(WORD, setting.runStateAt());
    }

    /** Returns true if a machine has failed and not rejoined. */
    private boolean hasFailed(int machine) {
        return runState(machine) == FAILED || (rejoining != null && runState(machine) > FAILED);
    }

    private boolean hasEverFailed(int machine) {
        return hasFailed(machine) || memories.get(machine).get(WORD, setting.restartsAt()) > 0;
    }

    /** Returns true if some machine will rejoin, which the failure of another may prevent. */
    private boolean mayRejoin() {
        return rejoining != null
                && !isUnrecoverable()
                && IntStream.range(0, setting.machines())
                        .anyMatch(machine -> hasFailed(machine) && runState(machine) < GAVE_UP);
    }

    /** Returns the first machine that has rejoined and is active; the number of machines if there is none. */
    private int rejoined() {
        return IntStream.range(0, setting.machines())
                .filter(machine -> memories.get(machine).get(WORD, setting.restartsAt()) > 0)
                .filter(machine -> runState(machine) == RUNS && words(machine).state() == MachineWords.State.ACTIVE)
                .findFirst()
                .orElse(setting.machines());
    }

    private Configuration currentConfiguration() {
        return Configuration.of(memories.get(setting.store()).get(WORD, CONFIGURATION_AT));
    }

    private boolean haveRecovered() {
        return currentConfiguration().all().stream()
                .allMatch(machine -> !hasFailed(machine)
                        && words(machine).state() == MachineWords.State.ACTIVE
                        && words(machine).configuration().equals(currentConfiguration()));
    }

    private MachineWords words(int machine) {
        return new MachineWords(memories.get(machine), setting.wordsAt());
    }

    /** Returns true if the remaining machines lack all copies of a region. */
    private boolean isUnrecoverable() {
        Configuration rest = currentConfiguration();
        for (int machine : currentConfiguration().all()) {
            rest = hasFailed(machine) ? rest.without(machine) : rest;
        }
        return !rest.keeps(setting.copies(), setting.machines);
    }

    @Override
    public @Nullable String violation(History history) {
        List<PowerFailure> failures = List.copyOf(powerFailures);
        powerFailures.clear(); // the next schedule may not start the watching client
        for (PowerFailure each : failures) {
            String wrong = each.violation(history);
            if (wrong != null) {
                return wrong;
            }
        }
        List<Entry> acknowledged = TransactionHistory.of(history).transactions();
        StrictSerializabilityCheck check =
                new StrictSerializabilityCheck(DistributedTrial.initialValues(setting.objects()));
        if (check.check(new TransactionHistory(acknowledged)) instanceof Outcome.NotSerializable verdict) {
            return verdict.words();
        }
        boolean undisturbed =
                !setting.slow() && IntStream.range(0, setting.machines()).noneMatch(this::hasEverFailed);
        String refused = undisturbed ? Refusals.unjustified(history) : null;
        if (refused != null) {
            return refused;
        }
        if (memories.get(setting.store()).get(WORD, RECOVERED_AT) == 0 || !haveRecovered()) {
            return null; // a machine may have failed since
        }
        List<Access> reads = new ArrayList<>();
        for (long object = 0; object < setting.objects(); object++) {
            int region = setting.region(object);
            int primary = currentConfiguration().copies(setting.copies()).primary(region);
            MemorySegment memory = memories.get(primary);
            long at = setting.copyAt(region) + setting.offset(object);
            MemorySegment payload = OBJECT.newPayload();
            if ((ObjectLayout.version(memory, at) & ObjectLayout.LOCK_MODE) != 0
                    || !OBJECT.read(memory, at, at, payload)) {
                return "object " + object + " remains locked at machine " + primary;
            }
            reads.add(new Access(object, payload.get(VALUE, 0)));
        }
        Entry last = new Entry(clients(), 0, reads, List.of(), Long.MAX_VALUE - 1, Long.MAX_VALUE - 1);
        return check.check(new TransactionHistory(Stream.concat(acknowledged.stream(), Stream.of(last))
                                .toList()))
                        instanceof Outcome.NotSerializable verdict
                ? "When the survivors have recovered (read by client " + clients() + "): " + verdict.words()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        if (region == setting.store()) {
            return "the store";
        }
        if (offset >= setting.mailAt(0)) {
            return "mail of machine " + (offset - setting.mailAt(0)) / setting.mailBytes() + " to " + region;
        }
        if (offset >= setting.wordsAt()) {
            return "state of machine " + region + " +" + (offset - setting.wordsAt());
        }
        if (offset >= setting.logAt(0)) {
            return "log of machine " + region + " +" + (offset - setting.logAt(0));
        }
        long of = offset / setting.regionBytes();
        long object = setting.placement()
                .object(Address.of((int) of, offset % setting.regionBytes() / OBJECT_BYTES * OBJECT_BYTES));
        return "object " + object + " at machine " + region
                + (offset % OBJECT_BYTES == 0 ? "" : " +" + offset % OBJECT_BYTES);
    }
}
