package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectPlaces;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.SizeClasses;

/**
 * Where a thread finds room for the objects of one layout that transactions allocate on its machine (FaRM 2014, section 3.3), and what becomes of it.
 * A place is a transaction's own from when it was found: its header stays that of a free place until the transaction commits, and the place is given back when
 * it aborts. What a transaction frees is given back when it has committed.
 *
 * <p>Asked by a message it answers three words: the object's address, its incarnation, and the version of the free place, by which it is locked. For
 * one thread.
 */
public final class ObjectAllocations {
    public static final int ANSWER_WORDS = 3;

    private final List<MemorySegment> memories;
    private final int region;
    private final ObjectWriter header;
    private final int sizeClass;
    private final ObjectPlaces places;
    private final long allocatePs;
    private final Requester cpu;

    /**
     * A thread's, of its machine.
     *
     * @param memories by region, those of its machine at least
     * @param region of the machine
     * @param places in it
     * @param allocatePs CPU time to find one
     */
    public ObjectAllocations(
            Requester cpu,
            List<MemorySegment> memories,
            int region,
            ObjectLayout object,
            ObjectPlaces places,
            long allocatePs) {
        this.cpu = cpu;
        this.memories = memories;
        this.region = region;
        this.header = new ObjectWriter(cpu, object);
        this.sizeClass = SizeClasses.of(object.bytes());
        this.places = places;
        this.allocatePs = allocatePs;
    }

    /**
     * Finds room near an object of this machine's.
     *
     * @param near the object's address
     * @param answer gets address, incarnation and version
     * @throws FabricException when there is none, in the user's words
     */
    public void allocate(long near, long[] answer) throws FabricException {
        cpu.spendCpu(allocatePs);
        long offset = places.allocateNear(sizeClass, Address.offsetOf(near));
        if (offset < 0) {
            throw new FabricException(
                    ("machine %d has no room for another object of %d bytes (transactions.part-bytes): each of its threads has room for"
                                    + " more than twice its share; use fewer clients.threads, or less farm.in-flight")
                            .formatted(region, header.layout().bytes()));
        }
        MemorySegment memory = memories.get(region);
        answer[0] = Address.of(region, offset);
        answer[1] = Math.max(1, ObjectLayout.incarnation(memory, offset)); // 0 is that of a pointer to nothing
        answer[2] = CommitMessage.version(header.header(memory, offset));
    }

    /** An object was freed: its header tells so already. */
    void freed(long address) {
        places.free(Address.offsetOf(address));
    }

    /** The transaction that has allocated an object aborts. */
    void isVoid(long address) {
        places.free(Address.offsetOf(address));
    }
}
