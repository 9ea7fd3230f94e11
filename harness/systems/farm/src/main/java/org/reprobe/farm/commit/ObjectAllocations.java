package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.SizeClasses;

/**
 * Allocation by transactions of objects of one layout on a thread's machine (FaRM 2014, section 3.3). A place is
 * reserved for a transaction: its header stays free until the commit, and an abort returns it. Objects freed by a
 * transaction are returned after its commit.
 *
 * <p>The reply has three words: address, incarnation, and the free place's version, from which it is locked. Confined
 * to one thread.
 */
public final class ObjectAllocations {
    public static final int REPLY_WORDS = 3;

    private final List<MemorySegment> memories;
    private final int region;
    private final ObjectWriter header;
    private final int sizeClass;
    private final ObjectAllocator places;
    private final long allocatePs;
    private final Requester cpu;

    /** Creates the allocation of a region, with memories by region and the CPU time of an allocation. */
    public ObjectAllocations(
            Requester cpu,
            List<MemorySegment> memories,
            int region,
            ObjectLayout object,
            ObjectAllocator places,
            long allocatePs) {
        this.cpu = cpu;
        this.memories = memories;
        this.region = region;
        this.header = new ObjectWriter(cpu, object);
        this.sizeClass = SizeClasses.of(object.bytes());
        this.places = places;
        this.allocatePs = allocatePs;
    }

    /** Reserves a place near a local object, for the words of {@code reply}; fails if the region is full. */
    public void allocate(long near, long[] reply) throws FabricException {
        cpu.spendCpu(allocatePs);
        long offset = places.allocateNear(sizeClass, Address.offsetOf(near));
        if (offset < 0) {
            throw new FabricException(
                    ("machine %d has no room for another object of %d bytes (transactions.part-bytes): each thread has space for"
                                    + " more than twice its share; reduce clients.threads or farm.in-flight")
                            .formatted(region, header.layout().bytes()));
        }
        MemorySegment memory = memories.get(region);
        reply[0] = Address.of(region, offset);
        reply[1] = Math.max(1, ObjectLayout.incarnation(memory, offset)); // 0 marks a null pointer
        reply[2] = CommitMessage.version(header.header(memory, offset));
    }

    /** Frees the place of an object whose header already marks it as freed. */
    void freed(long address) {
        places.free(Address.offsetOf(address));
    }

    /** Returns the place of an aborted transaction's allocation. */
    void aborted(long address) {
        places.free(Address.offsetOf(address));
    }
}
