package org.reprobe.memcached;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.KeyValueDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.NamedWorkload.Writes;

/** One run of memcached: clients, and a server with the cell's records, started unless an address is set. */
final class MemcachedDeployment extends KeyValueDeployment {
    private static final long MIB = 1 << 20;

    /** Bytes of an item's header and the terminators of key and value (struct _stritem in memcached.h). */
    private static final int ITEM_BYTES = 64;

    /** Ratio of consecutive chunk sizes (memcached's option -f). */
    private static final double CHUNK_GROWTH = 1.25;

    /** Memory for unused pages: each of up to 63 chunk sizes may allocate a page of 1 MiB. */
    private static final long SPARE_MIB = 64;

    /** Bytes of memcached's hash table per item: at most two buckets of 8 bytes, also while the table grows. */
    private static final int BUCKET_BYTES = 2 * Long.BYTES;

    /** Java heap per request: a key, a value and the state of folsom and Netty. */
    private static final int REQUEST_BYTES = 1 << 10;

    private final MemcachedSettings own;
    private final Records records;

    MemcachedDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.own = settings.section(MemcachedSettings.class);
        this.records = new Records(
                settings.table().records(), loadedKeys(), settings.table().recordBytes() - Records.KEY_BYTES);
    }

    private long memoryMib() {
        double chunk = CHUNK_GROWTH * (ITEM_BYTES + settings().table().recordBytes());
        return own.memoryMib() > 0 ? own.memoryMib() : SPARE_MIB + (long) Math.ceil(records.count() * chunk / MIB);
    }

    @Override
    public MemoryNeed memory() {
        long serverBytes = own.given() == null ? memoryMib() * MIB + records.count() * BUCKET_BYTES : 0;
        long recordBytes = REQUEST_BYTES + (long) settings().table().recordBytes();
        return new MemoryNeed(
                serverBytes,
                clientHeapBytes()
                        + clients() * (long) own.inFlight() * own.getKeys() * recordBytes
                        + Connection.LOADING * recordBytes);
    }

    @Override
    public String codePath() {
        return super.codePath() + (own.getKeys() == 1 ? " gets" : " multi-gets");
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        try {
            ServerAddress given = own.given();
            return given == null
                    ? LoadedServer.of(ServerProcess.start(memoryMib(), own.serverThreads()), records)
                    : LoadedServer.of(given, records);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the run was ended", e);
        }
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        ServerAddress given = own.given();
        ServerAddress server =
                given == null ? LoadedServer.startedAt(served.machines().getFirst()) : given;
        return new MemcachedWorkload(
                new MemcachedWorkload.Parameters(
                        server,
                        records,
                        own.inFlight(),
                        own.getKeys(),
                        settings().workload().writes(),
                        settings().workload().kind() == Writes.READ_MODIFY_WRITE,
                        choice((int) records.count(), runSeed),
                        coin(runSeed),
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }
}
