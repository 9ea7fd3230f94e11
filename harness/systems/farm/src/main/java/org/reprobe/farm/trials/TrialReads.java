package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.ObjectLayout;

/** READs of objects on all machines, one at a time, in explored schedules. */
final class TrialReads {
    private final List<RemoteRegion> regions;
    private final MemorySegment local;
    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final Completions completions = new Completions(1);

    /** Connects to machines with one region each, for objects of at most {@code maxBytes} bytes. */
    TrialReads(Client client, List<RemoteRegion> regions, int maxBytes) throws FabricException {
        this.regions = regions;
        this.local = client.allocate(maxBytes);
        for (int machine = 0; machine < regions.size(); machine++) {
            queuePairs.add(client.connect(machine, local, ConnectionOptions.oneSided(1, 1)));
        }
    }

    /** Returns a buffer that begins with the object; valid until the next READ. */
    MemorySegment read(int region, long offset, ObjectLayout object) throws FabricException {
        RemoteRegion there = regions.get(region);
        QueuePair queuePair = queuePairs.get(region);
        queuePair.read(0, 0, there.address() + offset, there.key(), object.bytes(), true);
        queuePair.doorbell();
        queuePair.await(completions);
        return local;
    }
}
