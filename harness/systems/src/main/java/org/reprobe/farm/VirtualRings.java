package org.reprobe.farm;

import java.util.Arrays;
import java.util.function.IntPredicate;
import org.reprobe.workload.Rng;

/**
 * Consistent hashing by several virtual rings (FaRM 2014, section 3.3; Karger et al., STOC 1997): in each ring a machine has the position
 * that one of as many hash functions gives its identity, and what has a position in a ring belongs to the machines that follow it there. So
 * a machine that joins takes over from all others, and one that leaves hands over to all others, about its equal part and nothing else.
 *
 * <p>A region's number names a ring and a position in it. The paper prints that it has 32 bits, but not how they are split: here the high
 * {@value #RING_BITS} are the ring, enough for the printed {@value #PRINTED_RINGS}, the low {@value #POSITION_BITS} the position.
 *
 * <p>In one ring of m machines, a machine's part has a coefficient of variation of sqrt((m - 1) / (m + 1)), since the gaps between random
 * points have that; its mean over k rings, sqrt(k) times less.
 */
final class VirtualRings {
    static final int PRINTED_RINGS = 100;

    static final int POSITION_BITS = 25;
    static final int RING_BITS = Integer.SIZE - POSITION_BITS;

    private static final int LAST_POSITION = (1 << POSITION_BITS) - 1;

    /** Of a machine in a ring: as fine as a hash, so that no two machines are at one position. */
    private static final int FINER_BITS = Long.SIZE - POSITION_BITS;

    private static final long RING_SEED = 0xFA23;

    /** No region's number, since no ring has so high a one. */
    private static final int NONE = -1;

    private static final int CANDIDATES = 8;

    private final int machines;
    /** By ring: the machines' positions, ascending as unsigned numbers but for the sign bit, which is flipped. */
    private final long[][] positions;
    /** By ring: which machine has that position. */
    private final int[][] owners;

    /** @param identities of the machines, such as their addresses; all different. A machine's number is its place among them. */
    VirtualRings(int rings, long... identities) {
        if (rings < 1 || rings >= 1 << RING_BITS || identities.length < 1) {
            throw new IllegalArgumentException(identities.length + " machines in " + rings + " rings");
        }
        this.machines = identities.length;
        this.positions = new long[rings][machines];
        this.owners = new int[rings][machines];
        for (int ring = 0; ring < rings; ring++) {
            long[] inOrder = positions[ring];
            for (int machine = 0; machine < machines; machine++) {
                inOrder[machine] = position(ring, identities[machine]);
            }
            Arrays.sort(inOrder);
            for (int machine = 0; machine < machines; machine++) {
                owners[ring][Arrays.binarySearch(inOrder, position(ring, identities[machine]))] = machine;
            }
        }
    }

    private static long position(int ring, long identity) {
        return Rng.at(Rng.at(RING_SEED, ring), identity) ^ Long.MIN_VALUE;
    }

    int rings() {
        return positions.length;
    }

    /** The number of a region. */
    static int region(int ring, int position) {
        return ring << POSITION_BITS | position;
    }

    static int ring(int region) {
        return region >>> POSITION_BITS;
    }

    static int position(int region) {
        return region & LAST_POSITION;
    }

    /** How far two regions are from each other in their ring, in positions; -1 when they are in different ones. */
    static int distance(int region, int other) {
        if (ring(region) != ring(other)) {
            return -1;
        }
        int apart = Math.abs(position(region) - position(other));
        return Math.min(apart, (1 << POSITION_BITS) - apart);
    }

    /** The machine that has the primary copy of a region. */
    int primary(int region) {
        int ring = ring(region);
        return owners[ring][follower(ring, (long) position(region) << FINER_BITS)];
    }

    /** The machines that have copies of a region, the primary first: those that follow its position, all different. */
    int[] copies(int region, int count) {
        if (count > machines) {
            throw new IllegalArgumentException(count + " copies on " + machines + " machines");
        }
        int ring = ring(region);
        int first = follower(ring, (long) position(region) << FINER_BITS);
        int[] copies = new int[count];
        for (int i = 0; i < count; i++) {
            copies[i] = owners[ring][(first + i) % machines];
        }
        return copies;
    }

    /** The machine to which a hash value belongs. */
    int machine(long hash) {
        int ring = (int) Math.unsignedMultiplyHigh(hash, positions.length);
        return owners[ring][follower(ring, hash * positions.length)];
    }

    /** The part of all hash values that belong to a machine. */
    double part(int machine) {
        double sum = 0;
        for (int ring = 0; ring < positions.length; ring++) {
            int at = place(ring, machine);
            long gap = positions[ring][at] - positions[ring][(at + machines - 1) % machines];
            sum += machines == 1 ? 1 : (gap >>> 1) * 0x1p-63;
        }
        return sum / positions.length;
    }

    /**
     * A number for a new region: of a random ring, and of a random position there for which the machine has the primary copy.
     *
     * @param taken the numbers that are regions' already
     */
    int newRegion(int machine, Rng random, IntPredicate taken) {
        while (true) {
            int region = newRegion((int) random.below(positions.length), machine, random);
            if (region != NONE && !taken.test(region)) {
                return region;
            }
        }
    }

    /**
     * A number for a new region near another in its ring, for which the machine has the primary copy: the nearest of a few random ones, or,
     * where the machine has no position there, one of another ring.
     */
    int newRegionNear(int other, int machine, Rng random, IntPredicate taken) {
        int nearest = NONE;
        for (int i = 0; i < CANDIDATES; i++) {
            int region = newRegion(ring(other), machine, random);
            boolean nearer = nearest == NONE || distance(region, other) < distance(nearest, other);
            if (region != NONE && !taken.test(region) && nearer) {
                nearest = region;
            }
        }
        return nearest == NONE ? newRegion(machine, random, taken) : nearest;
    }

    private int newRegion(int ring, int machine, Rng random) {
        if (machines == 1) {
            return region(ring, (int) random.below(1L << POSITION_BITS));
        }
        int at = place(ring, machine);
        int until = coarse(positions[ring][at]);
        int after = coarse(positions[ring][(at + machines - 1) % machines]);
        int count = (until - after) & LAST_POSITION;
        if (count == 0) {
            return NONE;
        }
        return region(ring, (after + 1 + (int) random.below(count)) & LAST_POSITION);
    }

    private static int coarse(long position) {
        return (int) ((position ^ Long.MIN_VALUE) >>> FINER_BITS);
    }

    private int place(int ring, int machine) {
        int at = 0;
        while (owners[ring][at] != machine) {
            at++;
        }
        return at;
    }

    /** The place in a ring of the first machine at a position or behind it. */
    private int follower(int ring, long position) {
        int found = Arrays.binarySearch(positions[ring], position ^ Long.MIN_VALUE);
        int at = found >= 0 ? found : -found - 1;
        return at == machines ? 0 : at;
    }
}
