package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * One machine's regions, from the cluster's region allocator (FaRM 2014, section 3.3): memory is allocated and registered, also while others
 * ask already, and gets a number whose primary copy consistent hashing puts on this machine. An object's address is the number of its region in
 * the high half of a word, and an offset in it in the low half. For all threads of the machine.
 */
final class RegionAllocator implements BlockAllocator.Regions {
    private final RegisteredMemory memory;
    private final VirtualRings rings;
    private final int machine;
    private final long regionBytes;
    private final int maxRegions;
    private final Rng random;
    private final List<Region> regions = new ArrayList<>();

    /**
     * A region of the machine.
     *
     * @param number in the cluster
     * @param memory as the machine accesses it
     * @param remote as others do: its capability
     */
    record Region(int number, MemorySegment memory, RemoteRegion remote) {}

    /**
     * That of a machine that has no region yet.
     *
     * @param regionBytes of each region, {@link FarmTable#MAX_REGION_BYTES} at most
     * @param maxRegions that it has memory for
     * @param random chooses rings and positions
     */
    RegionAllocator(
            RegisteredMemory memory, VirtualRings rings, int machine, long regionBytes, int maxRegions, Rng random) {
        this.memory = memory;
        this.rings = rings;
        this.machine = machine;
        this.regionBytes = regionBytes;
        this.maxRegions = maxRegions;
        this.random = random;
    }

    @Override
    public long regionBytes() {
        return regionBytes;
    }

    @Override
    public synchronized boolean another(int near) {
        if (regions.size() == maxRegions) {
            return false;
        }
        int number = near == BlockAllocator.ANY_REGION
                ? rings.newRegion(machine, random, this::has)
                : rings.newRegionNear(regions.get(near).number, machine, random, this::has);
        try {
            MemorySegment allocated = memory.allocate(regionBytes);
            regions.add(new Region(number, allocated, memory.register(allocated)));
            return true;
        } catch (FabricException e) {
            return false; // whoever allocates is told that there is no room
        }
    }

    @Override
    public synchronized int distance(int region, int other) {
        return VirtualRings.distance(regions.get(region).number, regions.get(other).number);
    }

    private boolean has(int number) {
        return regions.stream().anyMatch(region -> region.number == number);
    }

    /** One of the machine's regions, by its number on this machine. */
    synchronized Region region(int own) {
        return regions.get(own);
    }

    synchronized int count() {
        return regions.size();
    }

    /** What others know a place by that {@link BlockAllocator} or {@link SlabAllocator} gave away. */
    long address(long place) {
        return FarmTable.address(region(BlockAllocator.regionOf(place)).number, BlockAllocator.offsetOf(place));
    }

    /** The capability of one of the machine's regions, for another machine that asks for it. */
    synchronized RemoteRegion capability(int number) throws FabricException {
        for (Region region : regions) {
            if (region.number == number) {
                return region.remote;
            }
        }
        throw new FabricException("machine " + machine + " has no region " + Integer.toUnsignedString(number));
    }
}
