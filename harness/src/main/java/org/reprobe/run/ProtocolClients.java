package org.reprobe.run;

import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.findorput.AdaptiveChunks;
import org.reprobe.findorput.ChunkSize;
import org.reprobe.findorput.FindOrPutWorkload;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.PossibleKeys;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.nessie.ServerLink;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.CompareAndSwaps;
import org.reprobe.remote.KeyValueWorkload;
import org.reprobe.remote.Workload;
import org.reprobe.scenario.Settings;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** The clients' half of a protocol's run. */
public final class ProtocolClients {
    private static final double NS_PER_MS = 1e6;

    private final Settings settings;
    private final ProtocolCell cell;
    private final ServedTable table;
    private final long runSeed;
    private final long warmUpNs;
    private final long durationNs;

    private ProtocolClients(Settings settings, Settings.Measure measure, int repeat, ServedTable table, long runSeed) {
        this.settings = settings;
        this.cell = new ProtocolCell(settings, repeat);
        this.table = table;
        this.runSeed = runSeed;
        this.warmUpNs = (long) (measure.warmUpMs() * NS_PER_MS);
        this.durationNs = (long) (measure.durationMs() * NS_PER_MS);
    }

    /**
     * What the clients of a run do.
     *
     * @param measure for how long: the settings' own, or that of a rehearsal
     * @param repeat of the cell: its keys are its own
     * @param runSeed of the clients' choices
     */
    public static Workload of(
            Settings settings, Settings.Measure measure, NicProfile nic, int repeat, ServedTable table, long runSeed)
            throws FabricException {
        ProtocolClients clients = new ProtocolClients(settings, measure, repeat, table, runSeed);
        try {
            return switch (settings.scheme()) {
                case NESSIE -> clients.nessie();
                case PILAF -> clients.pilaf();
                case FIND_OR_PUT -> clients.findOrPut(nic);
                case COMPARE_AND_SWAP -> clients.compareAndSwaps();
                case VERB -> clients.cell.verb(table.regions().getFirst(), clients.warmUpNs, clients.durationNs);
                default -> throw new IllegalArgumentException(settings.scheme().key() + " only looks up");
            };
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    private Workload nessie() {
        Fill fill = Fill.of(cell.nessieGeometry(), cell.places(), settings.loadFactor(), cell.loadedKeys());
        Nessie nessie = cell.nessie(table.regions().getFirst(), fill);
        boolean served = cell.nessieIsServed();
        LongUnaryOperator fresh = settings.protocol().alwaysPossible()
                ? new PossibleKeys(table.memories().getFirst(), nessie.geometry(), cell.freshKeys())
                : cell.freshKeys();
        return keyValue(
                client -> new NessieClient(
                        client,
                        nessie,
                        client.index(),
                        runSeed,
                        served ? new ServerLink(client, client.index()) : ServerCalls.NONE),
                fill.keys(),
                fresh);
    }

    private Workload pilaf() {
        PilafTable pilaf = cell.pilaf();
        return keyValue(
                client -> new PilafClient(
                        client,
                        pilaf,
                        table.regions().getFirst(),
                        settings.protocol().backOffNs()),
                LongStream.range(0, cell.pilafRecords()).map(cell.loadedKeys()).toArray(),
                cell.freshKeys());
    }

    private Workload keyValue(KeyValueWorkload.Connector connector, long[] keys, LongUnaryOperator fresh) {
        return new KeyValueWorkload(
                new KeyValueWorkload.Plan(
                        connector,
                        keys,
                        settings.workload().writes(),
                        settings.protocol().newKeys(),
                        choice(keys.length),
                        operation -> Rng.at(runSeed, operation),
                        fresh,
                        warmUpNs,
                        durationNs),
                cell.clients());
    }

    /** Which loaded key an operation is for: uniform, or skewed by Zipf's law. */
    private LongUnaryOperator choice(int loaded) {
        if (settings.workload().keys() != Distribution.ZIPF) {
            return operation -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, operation), loaded);
        }
        KeySpec spec = new KeySpec(Distribution.ZIPF, settings.workload().theta(), loaded);
        KeySet keys = KeySets.of(spec, Long.MAX_VALUE, runSeed);
        // A rank's key is a number of 32 bits that stands for it: any loaded key will do, always the same.
        return operation -> (Integer.toUnsignedLong(keys.key(operation)) * loaded) >>> 32;
    }

    private Workload findOrPut(NicProfile nic) {
        return new FindOrPutWorkload(
                new FindOrPutWorkload.Plan(
                        cell.sharedTable(table),
                        chunkSize(settings.protocol().chunkBuckets(), nic),
                        settings.protocol().chunks(),
                        Fabrics.hasAtomicsOfItsOwn(settings.fabric()),
                        cell.loadedData(),
                        table.rest(),
                        settings.workload().writes(),
                        cell.mostInserts(),
                        cell.data(),
                        operation -> Rng.at(runSeed, operation),
                        cell.active(),
                        warmUpNs,
                        durationNs),
                cell.clients());
    }

    private static Supplier<ChunkSize> chunkSize(int buckets, NicProfile nic) {
        if (buckets > 0) {
            return () -> new ChunkSize.Fixed(buckets);
        }
        int[] byPercent = ChunkModel.bucketsByPercent(nic);
        return () -> new AdaptiveChunks(byPercent);
    }

    /** {@code records} words of 8 bytes, and lists as long as the send queue. */
    private Workload compareAndSwaps() {
        return new CompareAndSwaps(
                new CompareAndSwaps.Plan(
                        table.regions().getFirst(),
                        cell.words(),
                        Math.max(1, settings.connection().sendQueue()),
                        settings.connection().outstandingReads(),
                        operation -> Rng.at(runSeed, operation),
                        warmUpNs,
                        durationNs),
                cell.clients());
    }
}
