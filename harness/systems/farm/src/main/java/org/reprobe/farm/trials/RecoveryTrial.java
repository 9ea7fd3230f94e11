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
 * Machines with leases ({@link Membership}), each with a client that runs transactions. Any machine may fail at any step or, since its
 * clock runs fast, be declared failed. The history is strictly serializable. After recovery the primaries' values follow from it, and no
 * object is locked. Recovery succeeds unless more machines are lost than regions have replicas.
 *
 * <p>The last server is the {@code ConfigurationStore}: a word that is replaced by compare-and-swap. Its client watches until the others
 * have ended and recovered.
 */
final class RecoveryTrial implements Trial {
    static final ObjectLayout OBJECT = ObjectLayout.inLines(Long.BYTES, false);
    static final int OBJECT_BYTES = OBJECT.bytes();
    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;
    static final long LOG_BYTES = 1 << 10;
    static final long LEASE_NS = 1000;

    private static final int MAX_OBJECTS = 2;
    static final int MAX_WORDS = DistributedTransaction.maxWords(OBJECT, MAX_OBJECTS, MAX_OBJECTS);
    static final int MAX_BYTES = MAX_WORDS * Long.BYTES;

    private final Setting setting;
    private final List<DistributedTrial.Script> scripts;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();

    /**
     * Placement of objects and commit variant.
     *
     * @param machines number of machines, each with a region
     * @param objects number of objects, on the machines in turn
     * @param replicas replicas per region, on the following machines
     * @param renewals number of lease renewals per machine; afterwards its lease expires, so that schedules end
     * @param attempts number of aborts after which a client gives up
     * @param slow true if slow machines may be declared failed; otherwise time passes only after a failure
     */
    record Setting(
            int machines, int objects, int replicas, int renewals, int attempts, boolean slow, CommitRules rules) {

        int region(long object) {
            return (int) object % machines;
        }

        long offset(long object) {
            return object / machines * OBJECT_BYTES;
        }

        private long object(long address) {
            return Address.offsetOf(address) / OBJECT_BYTES * machines + Address.regionOf(address);
        }

        int store() {
            return machines;
        }

        RegionCopies copies() {
            return RegionCopies.inOrder(machines, 1, replicas);
        }

        long regionBytes() {
            return (long) (objects + machines - 1) / machines * OBJECT_BYTES;
        }

        long copyAt(int region) {
            return region * regionBytes();
        }

        long logAt() {
            return machines * regionBytes();
        }

        long wordsAt() {
            return logAt() + LOG_BYTES;
        }

        /** Returns the offset of the transaction number that the machine's client has begun to commit. */
        long pendingAt() {
            return wordsAt() + MachineWords.BYTES;
        }

        /** Returns the offset of the transaction number that recovery has committed. */
        long fateAt() {
            return pendingAt() + Long.BYTES;
        }

        /** Returns the offset of the machine's state: {@link #RUNS} and so on. */
        long knownAt() {
            return fateAt() + Long.BYTES;
        }

        long endedAt() {
            return knownAt() + Long.BYTES;
        }

        /** Returns the offset of the mailbox for another machine's messages. */
        long mailAt(int from) {
            return endedAt() + Long.BYTES + from * mailBytes();
        }

        /** Returns the bytes of a mailbox: length, header and votes, message count. */
        long mailBytes() {
            return (2L + Membership.HEADER_WORDS + 2L * machines) * Long.BYTES;
        }

        long memoryBytes() {
            return mailAt(machines);
        }
    }

    /** States of a machine as seen by the watching client. */
    static final long RUNS = 1;

    static final long FAILED = 2;

    // In the store.
    static final long PRESENT_AT = 0;
    private static final long SETTLED_AT = Long.BYTES;
    private static final long STORE_BYTES = 2L * Long.BYTES;

    /** @param scripts by machine of the client */
    RecoveryTrial(Setting setting, DistributedTrial.Script... scripts) {
        this.setting = setting;
        this.scripts = List.of(scripts);
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
            for (long object = 0; object < setting.objects; object++) {
                OBJECT.write(
                        memory,
                        setting.copyAt(setting.region(object)) + setting.offset(object),
                        ObjectWriter.ONE_VERSION,
                        1,
                        OBJECT.newPayload());
            }
        }
        MemorySegment store = fabric.memory(setting.store()).allocate(STORE_BYTES);
        store.set(WORD, PRESENT_AT, Configuration.first(setting.machines).word());
        memories.add(store);
        regions.add(fabric.memory(setting.store()).register(store));
    }

    @Override
    public List<? extends @Nullable ServerProgram> serverPrograms() {
        return IntStream.range(0, setting.machines)
                .<ServerProgram>mapToObj(
                        machine -> server -> new RecoveryMachine(setting, server, machine, memories, regions).run())
                .toList();
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        if (client.index() == setting.store()) {
            watch(client);
            return;
        }
        MemorySegment memory = memories.get(client.index());
        new RecoveryClient(setting, client, memory, regions, history).run(scripts.get(client.index()));
        client.accesses(Long.BYTES);
        memory.set(WORD, setting.endedAt(), 1);
    }

    /** Waits until all other clients have ended and the survivors have recovered or cannot. */
    private void watch(Client client) throws FabricException {
        while (!haveEnded() || !(haveRecovered() || areLost())) {
            client.pause(1);
        }
        client.accesses(Long.BYTES);
        memories.get(setting.store()).set(WORD, SETTLED_AT, haveRecovered() ? 1 : 0);
    }

    private boolean haveEnded() {
        return IntStream.range(0, setting.machines)
                .allMatch(machine -> memories.get(machine).get(WORD, setting.endedAt()) == 1
                        || memories.get(machine).get(WORD, setting.knownAt()) >= FAILED);
    }

    private boolean hasFailed(int machine) {
        return memories.get(machine).get(WORD, setting.knownAt()) == FAILED;
    }

    private Configuration present() {
        return Configuration.of(memories.get(setting.store()).get(WORD, PRESENT_AT));
    }

    private boolean haveRecovered() {
        return present().all().stream()
                .allMatch(machine -> !hasFailed(machine)
                        && words(machine).state() == MachineWords.State.ACTIVE
                        && words(machine).configuration().equals(present()));
    }

    private MachineWords words(int machine) {
        return new MachineWords(memories.get(machine), setting.wordsAt());
    }

    /** Returns true if more machines are lost than there are replicas. */
    private boolean areLost() {
        Configuration rest = present();
        for (int machine : present().all()) {
            rest = hasFailed(machine) ? rest.without(machine) : rest;
        }
        return !rest.keeps(setting.copies(), setting.machines);
    }

    @Override
    public @Nullable String wrong(History history) {
        List<Entry> told = TransactionHistory.of(history).transactions();
        StrictSerializabilityCheck check = new StrictSerializabilityCheck(DistributedTrial.before(setting.objects));
        if (check.check(new TransactionHistory(told)) instanceof Outcome.NotSerializable verdict) {
            return verdict.words();
        }
        if (memories.get(setting.store()).get(WORD, SETTLED_AT) == 0 || !haveRecovered()) {
            return null; // a machine may have failed since
        }
        List<Access> reads = new ArrayList<>();
        for (long object = 0; object < setting.objects; object++) {
            int region = setting.region(object);
            int primary = present().copies(setting.copies()).primary(region);
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
        return check.check(new TransactionHistory(
                                Stream.concat(told.stream(), Stream.of(last)).toList()))
                        instanceof Outcome.NotSerializable verdict
                ? "When the survivors have recovered (client " + clients() + " reads): " + verdict.words()
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
        if (offset >= setting.logAt()) {
            return "log of machine " + region + " +" + (offset - setting.logAt());
        }
        long of = offset / setting.regionBytes();
        long object = setting.object(Address.of((int) of, offset % setting.regionBytes()));
        return "object " + object + " at machine " + region
                + (offset % OBJECT_BYTES == 0 ? "" : " +" + offset % OBJECT_BYTES);
    }
}
