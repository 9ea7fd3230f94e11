package org.reprobe.regress;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.Probing;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.table.TableImage;

/** Whole runs of the papers' client over the {@code shm} fabric: one client, the table in shared memory, real time. */
final class ShmLookups implements Timings {
    private static final int SEND_QUEUE = 256;
    private static final int READ_SLOTS = 19;
    private static final double WARM_UP_NS = 0.3e6;

    private final TableImage image;
    private final LocalFabric fabric;
    private final RemoteRegion region;
    private double durationNs;
    private long seed;

    ShmLookups(long records) throws Exception {
        image = TimedLookups.table(records);
        ShmServer server = ShmServer.open();
        MemorySegment shared = server.allocate(image.table().byteSize());
        shared.copyFrom(image.table());
        region = server.register(shared);
        fabric = new LocalFabric("shm", server, ShmClients::connect);
    }

    @Override
    public void tune(double aimNs) throws Exception {
        durationNs = aimNs;
        for (int i = 0; i < 300; i++) {
            timeNs(0);
        }
    }

    /** Of a thousand lookups. The slowdown is added to what was measured: a client of the papers has no place for it. */
    @Override
    public double timeNs(double slowdown) throws FabricException, InterruptedException {
        LookupClient clients = new LookupClient(
                new LookupClient.Plan(
                        new RemoteTable(image.geometry(), region, null),
                        image.keys(),
                        new Probing.Linear(READ_SLOTS, null, 0),
                        SEND_QUEUE,
                        16,
                        (long) WARM_UP_NS,
                        (long) durationNs,
                        0,
                        ++seed,
                        null),
                1);
        fabric.run(1, clients);
        return 1e12 / clients.counters().lookupsPerSecond() * (1 + slowdown);
    }

    @Override
    public String what() {
        return "runs of the lookup client over shm; the slowdown is multiplied onto the slower side's timings";
    }

    @Override
    public void close() {
        fabric.close();
        image.close();
    }
}
