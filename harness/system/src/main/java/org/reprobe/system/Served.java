package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;

/**
 * What clients find served.
 *
 * @param machines in the order in which clients number servers
 * @param here the server half in the clients' own process; null when there is none
 */
public record Served(List<Machine> machines, @Nullable ServerHalf here) {
    public Served {
        machines = List.copyOf(machines);
    }

    /**
     * One machine's part.
     *
     * @param regions registered memory
     * @param facts numbers that clients must know besides
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Machine(List<RemoteRegion> regions, long[] facts) {
        public Machine {
            regions = List.copyOf(regions);
        }

        /** A machine with a single region, of which nothing else need be known. */
        public Machine(RemoteRegion region) {
            this(List.of(region), new long[0]);
        }
    }

    /** The first region of the first machine. */
    public RemoteRegion region() {
        return machines.getFirst().regions().getFirst();
    }

    /** The first region of each machine. */
    public List<RemoteRegion> regions() {
        return machines.stream().map(machine -> machine.regions().getFirst()).toList();
    }
}
