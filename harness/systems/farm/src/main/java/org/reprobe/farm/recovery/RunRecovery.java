package org.reprobe.farm.recovery;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.TransactionRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LogFolder;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.RestoredObjects;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.transactions.ObjectArray;
import org.reprobe.farm.transactions.Recovery;
import org.reprobe.system.RunContext;
import org.reprobe.system.SharedWord;

/**
 * Recovery of a run of transactions with leases, shared by its machines: copies, each machine's recovery, and
 * acknowledged commits, which are checked against the survivors' memory at the end. If machines are processes, each
 * process has its own instance with its own acknowledgements and memory. The configuration store is then the processes'
 * {@link SharedWord}; within one process it is a field, whose access time is negligible against a lease.
 */
public final class RunRecovery implements Recovery, ConfigurationStore {
    /** Names of the steps that {@link #changesNs} returns. */
    public static final List<String> STEPS = List.of(".evicted", ".decided", ".active");

    private final ObjectArray objects;
    private final RegionCopies copies;
    private final long copiesAt;
    private final List<MachineRecovery> machines;
    private final Membership.Plan plan;
    private final @Nullable SharedWord word;
    private final @Nullable LogFolder logs;
    private final RunContext.Restarts restarts;
    private final List<RemoteRegion> regions;
    private final long durationNs;
    private final int threads;
    private Configuration present;
    private final long[] versions;

    private final long[] stamps;

    /**
     * Creates the recovery of a run.
     *
     * @param copiesAt offset in each machine's memory, at a cache line, of the copies of other machines' objects, which
     *     take {@link #bytes}
     * @param regions of the machines' processes at the start
     * @param durationNs time within which a restarted machine must join
     * @param context with the configuration store that processes share; without one if all machines are in this process
     * @param logs folder of log files that stay; null for none
     */
    public RunRecovery(
            ObjectArray objects,
            RegionCopies copies,
            List<MemorySegment> memories,
            List<RemoteRegion> regions,
            long copiesAt,
            int threads,
            long leaseNs,
            long durationNs,
            RunContext context,
            @Nullable LogFolder logs) {
        this.word = context.word();
        this.restarts = context.restarts();
        this.regions = new CopyOnWriteArrayList<>(regions);
        this.durationNs = durationNs;
        this.threads = threads;
        this.logs = logs;
        this.objects = objects;
        this.copies = copies;
        this.copiesAt = copiesAt;
        Configuration first =
                restarts.own() > 0 ? Configuration.outside(memories.size()) : Configuration.first(memories.size());
        this.machines = memories.stream()
                .map(memory ->
                        new MachineRecovery(threads, first, new MachineWords(memory, wordsAt(copies.replicas()))))
                .toList();
        this.plan = new Membership.Plan(memories.size(), memories.size(), copies, leaseNs, Integer.MAX_VALUE);
        this.present = Configuration.first(memories.size());
        this.versions = new long[(int) objects.objects()];
        this.stamps = new long[versions.length];
    }

    private static long line(long bytes) {
        return (bytes + ObjectLayout.LINE_BYTES - 1) / ObjectLayout.LINE_BYTES * ObjectLayout.LINE_BYTES;
    }

    /** Returns the bytes of a machine's copies of other machines' objects and of its {@link MachineWords}. */
    public static long bytes(ObjectArray objects, int replicas) {
        return replicas * line(objects.bytes()) + MachineWords.BYTES;
    }

    private long wordsAt(int replicas) {
        return copiesAt + replicas * line(objects.bytes());
    }

    public static void load(
            ObjectArray objects, RegionCopies copies, long copiesAt, int machine, MemorySegment memory) {
        for (int region = 0; region < objects.machines(); region++) {
            if (copies.isReplica(machine, region)) {
                objects.load(
                        region, memory.asSlice(copyAt(objects, copies, copiesAt, machine, region), objects.bytes()));
            }
        }
    }

    /** Restores the objects of a run whose machines have all failed, from the log files of it and later restarts. */
    public static RestoredObjects restored(List<LogFolder> logs, ObjectArray objects, RegionCopies copies)
            throws FabricException {
        return StoredConfiguration.restored(logs, objects.machines(), copies, (_, _) -> objects.layout());
    }

    /** Writes restored objects over the loaded ones of a machine. */
    public static void restore(
            RestoredObjects restored,
            ObjectArray objects,
            RegionCopies copies,
            long copiesAt,
            int machine,
            MemorySegment memory) {
        for (int region = 0; region < objects.machines(); region++) {
            if (region == machine || copies.isReplica(machine, region)) {
                long at = copyAt(objects, copies, copiesAt, machine, region);
                restored.writeTo(region, memory.asSlice(at, objects.bytes()));
            }
        }
    }

    private static long copyAt(ObjectArray objects, RegionCopies copies, long copiesAt, int machine, int region) {
        for (int i = 0; i < copies.replicas(); i++) {
            if (copies.replica(region, i) == machine) {
                return copiesAt + i * line(objects.bytes());
            }
        }
        return 0;
    }

    @Override
    public long copyAt(int machine, int region) {
        return copyAt(objects, copies, copiesAt, machine, region);
    }

    @Override
    public List<MemorySegment> copies(int machine, MemorySegment memory) {
        return IntStream.range(0, objects.machines())
                .mapToObj(region -> memory.asSlice(copyAt(machine, region), objects.bytes()))
                .toList();
    }

    @Override
    public ThreadRecovery of(Client client, int machine, int thread, Participant participant) {
        return new ThreadRecovery(
                client,
                machine,
                thread,
                machines.get(machine),
                this,
                participant,
                thread == 0
                        ? new ThreadRecovery.Leading(
                                plan, this, word != null, logs == null ? null : logs.machine(machine))
                        : null);
    }

    @Override
    public int process() {
        return restarts.own();
    }

    RunContext.Restarts restarts() {
        return restarts;
    }

    RegionCopies copies() {
        return copies;
    }

    /** Returns the regions of the machines' present processes. */
    public List<RemoteRegion> regions() {
        return regions;
    }

    long durationNs() {
        return durationNs;
    }

    /** Returns a thread's share of the regions whose copies satisfy a condition. */
    CopiedShare share(int thread, IntPredicate which) {
        return new CopiedShare(
                objects,
                thread,
                threads,
                IntStream.range(0, objects.machines()).filter(which).boxed().toList());
    }

    public static int messageWords(int coordinators) {
        return Membership.HEADER_WORDS + 2 * coordinators;
    }

    @Override
    public int maxWords(int coordinators) {
        return messageWords(coordinators);
    }

    @Override
    public Configuration replace(Configuration known, Configuration next) throws FabricException {
        return word == null ? replaceLocal(known, next) : Configuration.of(word.replace(known.word(), next.word()));
    }

    private synchronized Configuration replaceLocal(Configuration known, Configuration next) {
        if (present.equals(known)) {
            present = next;
        }
        return present;
    }

    @Override
    public synchronized void acknowledged(long number, long version, long stamp) {
        if (version > versions[(int) number]) {
            versions[(int) number] = version;
            stamps[(int) number] = stamp;
        }
    }

    /**
     * Returns an error if the survivors' memory, from machine {@code first} on, contradicts an acknowledged commit;
     * else null.
     */
    @Nullable
    public String failure(int first, List<MemorySegment> memories) {
        // A separate process uses the configuration that its machine knows.
        RegionCopies places = (word == null ? present : machines.get(first).configuration()).copies(copies);
        for (int number = 0; number < versions.length; number++) {
            int region = objects.region(number);
            int machine = places.primary(region);
            if (machine < first
                    || machine >= first + memories.size()
                    || machines.get(machine).isEvicted()) {
                continue;
            }
            MemorySegment memory =
                    copies(machine, memories.get(machine - first)).get(region);
            long at = objects.offset(number);
            long version = ObjectLayout.version(memory, at);
            MemorySegment payload = objects.layout().newPayload();
            if ((version & ObjectLayout.LOCK_MODE) != 0 || !objects.layout().read(memory, at, at, payload)) {
                return "object " + number + " is locked or torn at machine " + machine
                        + " although no transaction is in progress";
            }
            long stamp = ObjectArray.stamp(payload, number);
            if (stamp == ObjectArray.TORN
                    || version < versions[number]
                    || (version == versions[number] && stamp != stamps[number])) {
                return "object %d has version %d and stamp %d at machine %d, but a commit of version %d with stamp %d was acknowledged"
                        .formatted(number, version, stamp, machine, versions[number], stamps[number]);
            }
        }
        return null;
    }

    /**
     * Records the state of a machine's regions, while it runs nothing, as a read-only transaction of {@code reader}.
     */
    public void recordState(int machine, MemorySegment memory, HistoryRecorder history, int reader) {
        if (machines.get(machine).isEvicted()) {
            return;
        }
        RegionCopies places = machines.get(machine).configuration().copies(copies);
        List<MemorySegment> regions = copies(machine, memory);
        MemorySegment payload = objects.layout().newPayload();
        TransactionRecorder recorder = new TransactionRecorder(history, reader);
        recorder.begins();
        for (long number = 0; number < objects.objects(); number++) {
            int region = objects.region(number);
            if (places.primary(region) == machine) {
                long at = objects.offset(number);
                boolean whole = objects.layout().read(regions.get(region), at, at, payload);
                recorder.read(number, whole ? ObjectArray.stamp(payload, number) : ObjectArray.TORN);
            }
        }
        recorder.ended(true);
    }

    /**
     * Returns the times, in ns since the start, of the steps of the first change of configuration: first detection,
     * recovery finished by all machines, all machines active again. Empty if there was no change.
     */
    public synchronized LongStream changesNs() {
        List<MachineRecovery> members =
                present.all().stream().map(machines::get).toList();
        if (present.number() == Configuration.FIRST) {
            return LongStream.empty();
        }
        long startedNs = members.getFirst().beganNs();
        return LongStream.of(
                members.stream().mapToLong(MachineRecovery::stoppedNs).min().orElse(0) - startedNs,
                members.stream().mapToLong(MachineRecovery::decidedNs).max().orElse(0) - startedNs,
                members.stream().mapToLong(MachineRecovery::activeNs).max().orElse(0) - startedNs);
    }
}
