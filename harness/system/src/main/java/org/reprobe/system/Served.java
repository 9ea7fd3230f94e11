package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.RemoteRegion;

/** Prepared machines by server number, and the server side in the clients' process, if any. */
public record Served(List<Machine> machines, @Nullable ServerSide local) {
    public Served {
        machines = List.copyOf(machines);
    }

    /** Prepared machine with its registered regions, and further numbers that clients need. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Machine(List<RemoteRegion> regions, long[] attributes) {
        public Machine {
            regions = List.copyOf(regions);
        }

        public Machine(RemoteRegion region) {
            this(List.of(region), new long[0]);
        }
    }

    public RemoteRegion region() {
        return machines.getFirst().regions().getFirst();
    }

    public List<RemoteRegion> regions() {
        return machines.stream().map(machine -> machine.regions().getFirst()).toList();
    }
}
