package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;

/**
 * What all machines of a simulated run of transactions share that have leases: where copies are, each machine's part in recovery, and what applications
 * were told, which is held against the survivors' memory in the end. The store of configurations is a word that answers at once: what it takes is
 * small against a lease.
 */
final class RunRecovery implements ConfigurationStore {
    private static final int LINE_BYTES = 64;

    /** Of what {@link #changesNs} tells. */
    static final List<String> STEPS = List.of(".evicted", ".decided", ".active");

    private final ObjectArray objects;
    private final RegionCopies copies;
    private final long copiesAt;
    private final List<MachineRecovery> machines;
    private final Membership.Plan plan;
    private Configuration present;
    /** By object: the last version of which an application was told that it was committed, and its stamp. */
    private final long[] versions;

    private final long[] stamps;

    /**
     * A run's.
     *
     * @param memories of the machines, as they are registered
     * @param copiesAt where in each of them there are copies of others' objects, {@link #bytes} in all
     */
    RunRecovery(
            ObjectArray objects,
            RegionCopies copies,
            List<MemorySegment> memories,
            long copiesAt,
            int threads,
            long leaseNs) {
        this.objects = objects;
        this.copies = copies;
        this.copiesAt = line(copiesAt);
        this.machines = memories.stream()
                .map(memory -> new MachineRecovery(
                        threads, memories.size(), new MachineWords(memory, wordsAt(copies.replicas()))))
                .toList();
        this.plan = new Membership.Plan(
                memories.size(), memories.size(), copies, leaseNs, Integer.MAX_VALUE, Membership.Rules.RIGHT);
        this.present = Configuration.first(memories.size());
        this.versions = new long[(int) objects.objects()];
        this.stamps = new long[versions.length];
    }

    private static long line(long bytes) {
        return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }

    /** Bytes of a machine's copies of others' objects, and of what its threads see of membership. */
    static long bytes(ObjectArray objects, int replicas) {
        return LINE_BYTES + replicas * line(objects.bytes()) + MachineWords.BYTES;
    }

    private long wordsAt(int replicas) {
        return copiesAt + replicas * line(objects.bytes());
    }

    /** Loads a machine's copies. */
    static void load(ObjectArray objects, RegionCopies copies, long copiesAt, int machine, MemorySegment memory) {
        for (int region = 0; region < objects.machines(); region++) {
            if (copies.isReplica(machine, region)) {
                objects.load(
                        region,
                        memory.asSlice(copyAt(objects, copies, line(copiesAt), machine, region), objects.bytes()));
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

    /** Where a machine has its copy of a region. */
    long copyAt(int machine, int region) {
        return copyAt(objects, copies, copiesAt, machine, region);
    }

    /** By region: a machine's copies, those that it has. */
    List<MemorySegment> copies(int machine, MemorySegment memory) {
        return IntStream.range(0, objects.machines())
                .mapToObj(region -> memory.asSlice(copyAt(machine, region), objects.bytes()))
                .toList();
    }

    /** A thread's part. */
    ThreadRecovery of(Client client, int machine, int thread, Participant participant) {
        return new ThreadRecovery(
                client,
                machine,
                machines.get(machine),
                copies,
                participant,
                thread == 0 ? new ThreadRecovery.Leading(plan, this) : null);
    }

    /** The most words that machines tell each other. */
    static int maxWords(int coordinators) {
        return Membership.HEADER_WORDS + 2 * coordinators;
    }

    @Override
    public Configuration replace(Configuration known, Configuration next) {
        if (present.equals(known)) {
            present = next;
        }
        return present;
    }

    /** An application is told that an object has been written. */
    void acknowledged(long number, long version, long stamp) {
        if (version > versions[(int) number]) {
            versions[(int) number] = version;
            stamps[(int) number] = stamp;
        }
    }

    /** What the survivors have that contradicts what applications were told; null when nothing does. */
    @Nullable
    String failure(List<MemorySegment> memories) {
        RegionCopies places = present.copies(copies);
        for (int number = 0; number < versions.length; number++) {
            int region = objects.region(number);
            int machine = places.primary(region);
            MemorySegment memory = copies(machine, memories.get(machine)).get(region);
            long at = objects.offset(number);
            long version = ObjectLayout.version(memory, at);
            MemorySegment payload = objects.layout().newPayload();
            if ((version & ObjectLayout.LOCK_MODE) != 0 || !objects.layout().read(memory, at, at, payload)) {
                return "object " + number + " is locked or torn at machine " + machine
                        + " though no transaction is under way";
            }
            long stamp = ObjectArray.stamp(payload, number);
            if (stamp == ObjectArray.TORN
                    || version < versions[number]
                    || (version == versions[number] && stamp != stamps[number])) {
                return "object %d has version %d and stamp %d at machine %d, but an application was told of version %d with stamp %d"
                        .formatted(number, version, stamp, machine, versions[number], stamps[number]);
            }
        }
        return null;
    }

    /** When the first change of the configuration was heard of, when all had decided, when all ran again: from the start; empty when there was none. */
    LongStream changesNs() {
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
