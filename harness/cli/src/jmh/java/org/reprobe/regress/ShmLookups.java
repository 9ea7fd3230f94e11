package org.reprobe.regress;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.LocalFabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.sample.Sampling;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.Probing;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.table.TableImage;

/** Whole runs of the papers' client over the {@code shm} fabric: one client, the table in shared memory, real time. */
final class ShmLookups implements Timings {
    private static final int SEND_QUEUE = 256;
    private static final int READ_SLOTS = 19;
    private static final double WARM_UP_NS = 0.3e6;
    private static final double GUESSED_STEPS = 250;
    private static final int TUNING_PAIRS = 501;
    private static final double TUNED_AT = 0.3;

    private final TableImage image;
    private final LocalFabric fabric;
    private final RemoteRegion region;
    private double durationNs;
    private double stepsPerLookupAndShare;
    private long state;
    private long seed;

    ShmLookups(long records) throws Exception {
        image = TimedLookups.table(records);
        ShmServer server = ShmServer.open();
        MemorySegment shared = server.allocate(image.table().byteSize());
        shared.copyFrom(image.table());
        region = server.register(shared);
        fabric = new LocalFabric("shm", List.of(server), ShmClients::connect);
    }

    @Override
    public void tune(double aimNs) throws Exception {
        durationNs = aimNs;
        for (int i = 0; i < 300; i++) {
            timeNs(0);
        }
        // Steps overlap with waits for memory, so that their cost is determined by trial.
        stepsPerLookupAndShare = GUESSED_STEPS;
        double[] ratios = new double[TUNING_PAIRS];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = 1 / timeNs(0) * timeNs(TUNED_AT);
        }
        stepsPerLookupAndShare *= TUNED_AT / (StatUtils.percentile(ratios, 50) - 1);
    }

    /** Time of a thousand lookups. */
    @Override
    public double timeNs(double slowdown) throws FabricException, InterruptedException {
        LookupClient clients = new LookupClient(
                new LookupClient.Parameters(
                        new RemoteTable(image.geometry(), region, null),
                        image.keys(),
                        new Probing.Linear(READ_SLOTS, null, 0),
                        SEND_QUEUE,
                        16,
                        (long) WARM_UP_NS,
                        (long) durationNs,
                        0,
                        ++seed,
                        null,
                        Sampling.Conditions.NONE),
                1);
        fabric.run(1, client -> {
            SlowedClient slowed = new SlowedClient(client, slowdown * stepsPerLookupAndShare);
            clients.run(slowed);
            state += slowed.state();
        });
        return 1e12 / clients.counters().lookupsPerSecond();
    }

    @Override
    public String what() {
        return "runs of the lookup client over shm, time per 1000 lookups; the slower side's client really works more";
    }

    /** Sum of all steps, so that none is optimized away. */
    long state() {
        return state;
    }

    @Override
    public void close() {
        fabric.close();
        image.close();
    }
}
