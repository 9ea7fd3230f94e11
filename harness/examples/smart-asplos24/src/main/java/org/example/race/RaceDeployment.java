package org.example.race;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
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

/** One run of RACE: a passive server with a loaded table, and clients that read and write. */
final class RaceDeployment extends KeyValueDeployment {
    private final RaceSettings race;

    RaceDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.race = settings.section(RaceSettings.class);
    }

    private int records() {
        return Math.toIntExact(settings().table().records());
    }

    private RaceTable table() {
        return RaceTable.of(
                race.depth(),
                Math.max(race.depth(), race.maxDepth()),
                slots(),
                records() + clients() * race.spareBlocks(),
                valueBytes());
    }

    @Override
    public MemoryNeed memory() {
        RaceTable table = table();
        return new MemoryNeed(
                table.bytes() + clients() * RaceClient.localBytes(table),
                clientHeapBytes() + (long) clients() * race.spareBlocks() * Long.BYTES + (long) records() * Long.BYTES);
    }

    @Override
    public String codePath() {
        return super.codePath() + " " + race.rules() + (race.newKeys() ? " new keys" : "")
                + (race.maxDepth() > race.depth() ? " splits" : "");
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        RegisteredMemory machine = machines.getFirst();
        RaceTable table = table();
        MemorySegment memory = machine.allocate(table.bytes());
        table.format(memory);
        RaceMemory filled = new RaceMemory(memory, table);
        for (int ordinal = 0; ordinal < records(); ordinal++) {
            if (!filled.put(loadedKeys().applyAsLong(ordinal), ordinal + 1)) {
                throw new FabricException("a key finds both of its combined buckets full after " + ordinal + " of "
                        + records()
                        + " records at this load factor: subtables are not split during loading; use a lower load"
                        + " factor");
            }
        }
        Served.Machine served = new Served.Machine(machine.register(memory));
        return () -> List.of(served);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        RaceTable table = table();
        return workload(
                client -> new RaceClient(
                        client,
                        table,
                        served.region(),
                        race.rules(),
                        new FreeBlocks(1 + records() + client.index() * race.spareBlocks(), race.spareBlocks()),
                        race.backOffNs()),
                LongStream.range(0, records()).map(loadedKeys()).toArray(),
                race.newKeys(),
                freshKeys(),
                measure,
                runSeed);
    }
}
