package org.reprobe.farm.memory;

/** Which machines have copies of a region (FaRM 2014, section 3.3): its primary, and replicas, all on other machines. */
public interface RegionCopies {
    /** Where machines are gone, no machine. */
    int NOBODY = -1;

    int primary(int region);

    /** Replicas of each region, besides its primary. */
    int replicas();

    /** The machine that has a replica of a region; replicas are numbered from 0. */
    int replica(int region, int number);

    /** Whether a machine has one of its replicas. */
    default boolean isReplica(int machine, int region) {
        for (int i = 0; i < replicas(); i++) {
            if (replica(region, i) == machine) {
                return true;
            }
        }
        return false;
    }

    /** Of machines that have as many regions each, numbered one after the other: in one ring, so that all are replicas of as many regions. */
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
