package org.reprobe.farm.memory;

/** Placement of a region's copies (FaRM 2014, section 3.3): the primary and the replicas, all on different machines. */
public interface RegionCopies {
    /** Placeholder where no machine holds the copy. */
    int NO_MACHINE = -1;

    int primary(int region);

    /** Number of replicas of each region, without the primary. */
    int replicas();

    /** Returns the machine with replica {@code number}, from 0; {@link #NO_MACHINE} if it is lost. */
    int replica(int region, int number);

    default boolean isReplica(int machine, int region) {
        for (int i = 0; i < replicas(); i++) {
            if (replica(region, i) == machine) {
                return true;
            }
        }
        return false;
    }

    /** Returns a placement around a ring: machines have equal numbers of consecutive regions and of replicas. */
    static RegionCopies inOrder(int machines, int regionsOfEach, int replicas) {
        return new RegionCopies() {
            @Override
            public int primary(int region) {
                return region / regionsOfEach;
            }

            @Override
            public int replicas() {
                return replicas;
            }

            @Override
            public int replica(int region, int number) {
                return (primary(region) + 1 + number) % machines;
            }
        };
    }
}
