package org.example.race;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.KeyValueDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** One run of RACE: passive servers with a loaded table each, and clients that read and write. */
final class RaceDeployment extends KeyValueDeployment {
    /** READs and atomics in flight per queue pair of a thread with coroutines: the limit of ConnectX cards. */
    private static final int OUTSTANDING = 16;

    /** Doorbells of a process by default: rdma-core, providers/mlx5/mlx5.h, MLX5_MED_BFREGS_TSHOLD. */
    private static final int DRIVERS_DOORBELLS = 12;

    private final RaceSettings race;

    RaceDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.race = settings.section(RaceSettings.class);
    }

    private int records() {
        return Math.toIntExact(settings().table().records());
    }

    @Override
    public int servers() {
        return race.servers();
    }

    @Override
    public int coroutines() {
        return race.coroutines();
    }

    @Override
    protected long ranks(int loaded) {
        return race.ranks() == 0 ? loaded : race.ranks();
    }

    private RaceTable table() {
        return RaceTable.of(
                race.depth(),
                Math.max(race.depth(), race.maxDepth()),
                Math.ceilDiv(slots(), (long) servers()),
                records() + clients() * race.spareBlocks(),
                valueBytes());
    }

    @Override
    public MemoryNeed memory() {
        RaceTable table = table();
        return new MemoryNeed(
                servers() * (table.bytes() + clients() * RaceClient.localBytes(table)),
                clientHeapBytes()
                        + (long) servers() * clients() * race.spareBlocks() * Long.BYTES
                        + (long) records() * Long.BYTES);
    }

    @Override
    public String codePath() {
        return super.codePath() + " " + race.rules() + (race.newKeys() ? " new keys" : "")
                + (race.maxDepth() > race.depth() ? " splits" : "");
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        RaceTable table = table();
        List<RaceMemory> filled = new ArrayList<>();
        for (RegisteredMemory machine : machines.subList(0, servers())) {
            MemorySegment memory = machine.allocate(table.bytes());
            table.format(memory);
            filled.add(new RaceMemory(memory, table));
        }
        for (int ordinal = 0; ordinal < records(); ordinal++) {
            long key = loadedKeys().applyAsLong(ordinal);
            if (!filled.get(RaceTable.server(key, servers())).put(key, ordinal + 1)) {
                throw new FabricException("a key finds both of its combined buckets full after " + ordinal + " of "
                        + records()
                        + " records at this load factor: subtables are not split during loading; use a lower load"
                        + " factor");
            }
        }
        List<Served.Machine> served = new ArrayList<>();
        for (int server = 0; server < servers(); server++) {
            served.add(new Served.Machine(
                    machines.get(server).register(filled.get(server).memory())));
        }
        return () -> served;
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        RaceTable table = table();
        List<RemoteRegion> regions = served.regions();
        List<CoroutineThread> threads = new ArrayList<>();
        for (int thread = 0; thread < settings().clients().total(); thread++) {
            threads.add(new CoroutineThread(conflicts(runSeed + thread), requests()));
        }
        return workload(
                client -> connect(client, table, regions, threads.get(client.index() / race.coroutines()), runSeed),
                LongStream.range(0, records()).map(loadedKeys()).toArray(),
                race.newKeys(),
                freshKeys(),
                measure,
                runSeed);
    }

    /** State that a thread's coroutines share. */
    private record CoroutineThread(
            @Nullable Conflicts conflicts, @Nullable ThreadRequests requests) {}

    private @Nullable ThreadRequests requests() {
        boolean waitsForAll = race.waits() == RaceSettings.Waits.THREAD;
        return race.coroutines() > 1 && (waitsForAll || race.throttle() > 0)
                ? new ThreadRequests(servers(), waitsForAll, race.throttle() > 0 ? race.throttle() : Integer.MAX_VALUE)
                : null;
    }

    private @Nullable Conflicts conflicts(long seed) {
        return race.conflicts() == RaceSettings.Avoidance.NONE
                ? null
                : new Conflicts(race.conflicts(), (long) (race.epochMs() * 1e6), seed);
    }

    private KeyValueClient connect(
            Client client, RaceTable table, List<RemoteRegion> regions, CoroutineThread thread, long runSeed)
            throws FabricException {
        ThreadRequests requests = thread.requests();
        RaceClient.Parameters parameters = new RaceClient.Parameters(
                race.rules(),
                race.backOffNs(),
                options(client.index()),
                CpuTime.of(race, settings().clients().threads(), ~runSeed ^ client.index() * 0x10001L),
                thread.conflicts(),
                requests == null ? null : requests.new Coroutine(client));
        List<RaceClient> clients = new ArrayList<>();
        for (int server = 0; server < servers(); server++) {
            FreeBlocks free = new FreeBlocks(1 + records() + client.index() * race.spareBlocks(), race.spareBlocks());
            clients.add(new RaceClient(client, server, table, regions.get(server), free, parameters));
        }
        return clients.size() == 1 ? clients.getFirst() : new PartitionedClient(clients);
    }

    private ConnectionOptions options(int client) {
        ConnectionOptions options = race.coroutines() == 1
                ? RaceClient.OPTIONS
                : ConnectionOptions.oneSided(RaceClient.SEND_QUEUE, OUTSTANDING).sharedAs(client / race.coroutines());
        return race.allocation() == RaceSettings.Allocation.DRIVER ? options.onDoorbells(DRIVERS_DOORBELLS) : options;
    }
}
