package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.RegionCopies;

/**
 * Last committed versions of objects after the failure of all machines, from the logs of replicas. The paper (FaRM
 * 2014, section 3.4) rebuilds regions from the logs of several machines, too, but does not describe how.
 *
 * <p>Only logs of the last configuration's members count, since a machine may have been evicted before it could record
 * what the others decided. A transaction without an outcome in one log is committed if the log of another machine has
 * its commit, as with {@link Votes}. A primary does not log, so each region requires the log of a replica.
 *
 * <p>Threads log restored objects again before they begin transactions. Machines may fail again meanwhile, when only
 * some have done so and some even have committed. So the earlier logs are kept until all have, and a restart takes each
 * object's last version from both ({@link #addLater}).
 */
public final class RestoredObjects {
    private final ObjectsByAddress objects;
    private final Map<Long, Restored> last = new TreeMap<>();
    private int incomplete;

    private record Restored(long version, MemorySegment payload) {}

    /** Handler of a restored object; {@code replaced} is the version before its last write. */
    @FunctionalInterface
    public interface Reader {
        void object(long address, long replaced, MemorySegment payload) throws FabricException;
    }

    /**
     * Restores all objects of regions 0 to {@code regions - 1}.
     *
     * @param places copies that the members of the last configuration had
     * @param logs records of each member's logs, by machine; a machine whose logs are lost is missing
     */
    public RestoredObjects(
            RegionCopies places, int regions, ObjectsByAddress objects, Map<Integer, List<List<long[]>>> logs)
            throws FabricException {
        this.objects = objects;
        Map<Integer, Map<Long, Restored>> copies = replayed(places, logs);
        for (int region = 0; region < regions; region++) {
            int replicated = region;
            if (copies.keySet().stream().noneMatch(machine -> places.isReplica(machine, replicated))) {
                throw new FabricException("region " + region + " is lost: no log of a replica is left");
            }
        }
        merge(copies);
        copies.forEach((machine, copy) -> last.forEach((address, object) -> {
            Restored own = copy.get(address);
            boolean complete = own != null && own.version == object.version;
            incomplete += !complete && places.isReplica(machine, Address.regionOf(address)) ? 1 : 0;
        }));
    }

    /**
     * Adds the logs of a later run, in which all machines failed while they restarted from these objects. Its logs may
     * be missing or incomplete. Numbers of transactions begin anew in each run, so each has its own outcomes.
     */
    public void addLater(RegionCopies places, Map<Integer, List<List<long[]>>> logs) throws FabricException {
        merge(replayed(places, logs));
    }

    /** Returns the last committed versions in each machine's logs. */
    private Map<Integer, Map<Long, Restored>> replayed(RegionCopies places, Map<Integer, List<List<long[]>>> logs) {
        Set<Long> committed = new HashSet<>();
        logs.values()
                .forEach(of -> of.forEach(log -> log.forEach(words -> {
                    int kind = CommitMessage.kind(words);
                    if (kind == CommitMessage.LOG_COMMIT || kind == CommitMessage.LOG_WRITES) {
                        committed.add(CommitMessage.transaction(words));
                    }
                })));
        Map<Integer, Map<Long, Restored>> copies = new TreeMap<>();
        logs.forEach((machine, of) -> copies.put(machine, replayed(places, machine, of, committed)));
        return copies;
    }

    private Map<Long, Restored> replayed(
            RegionCopies places, int machine, List<List<long[]>> logs, Set<Long> committed) {
        Map<Long, Restored> own = new HashMap<>();
        for (List<long[]> log : logs) {
            new LogReplay(reader -> log.forEach(reader::record), objects, committed::contains)
                    .forEachCommitted((address, version, words, at) -> {
                        if (places.isReplica(machine, Address.regionOf(address))) {
                            MemorySegment payload = MemorySegment.ofArray(words)
                                    .asSlice(
                                            (long) at * Long.BYTES,
                                            objects.at(address).payloadBytes());
                            own.merge(
                                    address,
                                    new Restored(CommitMessage.version(version) + ObjectWriter.ONE_VERSION, payload),
                                    (known, next) -> next.version > known.version ? next : known);
                        }
                    });
        }
        return own;
    }

    private void merge(Map<Integer, Map<Long, Restored>> copies) throws FabricException {
        for (Map<Long, Restored> copy : copies.values()) {
            for (Map.Entry<Long, Restored> object : copy.entrySet()) {
                merge(object.getKey(), object.getValue());
            }
        }
    }

    private void merge(long address, Restored next) throws FabricException {
        Restored known = last.get(address);
        if (known != null && known.version == next.version && known.payload.mismatch(next.payload) >= 0) {
            throw new FabricException(
                    "the logs of two replicas have different writes of version %d of object %d in region %d"
                            .formatted(next.version, Address.offsetOf(address), Address.regionOf(address)));
        }
        if (known == null || known.version < next.version) {
            last.put(address, next);
        }
    }

    /**
     * Returns the number of last versions that are missing in logs of replicas, which torn or damaged files explain.
     */
    public int incomplete() {
        return incomplete;
    }

    public void forEach(Reader reader) throws FabricException {
        for (Map.Entry<Long, Restored> each : last.entrySet()) {
            Restored object = each.getValue();
            reader.object(each.getKey(), object.version - ObjectWriter.ONE_VERSION, object.payload);
        }
    }

    /** Visits the objects that a thread logs again: its part of the objects of which its machine is a replica. */
    public void forEachLoggedBy(RegionCopies places, int machine, int thread, int threads, Reader reader)
            throws FabricException {
        forEach((address, replaced, payload) -> {
            long index = Address.offsetOf(address) / objects.at(address).bytes();
            if (index % threads == thread && places.isReplica(machine, Address.regionOf(address))) {
                reader.object(address, replaced, payload);
            }
        });
    }

    /** Writes the objects of a region over its loaded ones, before other threads access it. */
    public void writeTo(int region, MemorySegment copy) {
        last.forEach((address, object) -> {
            if (Address.regionOf(address) == region) {
                long at = Address.offsetOf(address);
                long incarnation = ObjectLayout.incarnation(copy, at);
                objects.at(address).write(copy, at, object.version, incarnation, object.payload);
            }
        });
    }
}
