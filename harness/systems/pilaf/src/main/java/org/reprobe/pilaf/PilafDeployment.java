package org.reprobe.pilaf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.pilaf.PilafSystem.PilafSettings;
import org.reprobe.remote.KeyValueDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** One run of Pilaf: a server program that writes the table, and clients that read it. */
final class PilafDeployment extends KeyValueDeployment {
    /** JVM heap bytes per item: version, free list and use of {@link PilafServer}. */
    private static final long ITEM_BYTES = 12;

    private final PilafSettings pilaf;

    PilafDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.pilaf = settings.section(PilafSettings.class);
    }

    private int records() {
        return Math.toIntExact(settings().table().records());
    }

    private PilafTable table() {
        return new PilafTable(slots(), records() + pilaf.freeItems(), valueBytes());
    }

    @Override
    public MemoryNeed memory() {
        PilafTable table = table();
        return new MemoryNeed(
                table.bytes() + clients() * PilafClient.bytesOf(table),
                clientHeapBytes() + table.items() * ITEM_BYTES + (long) records() * Long.BYTES);
    }

    @Override
    public String codePath() {
        return super.codePath() + (pilaf.newKeys() ? " new keys" : "");
    }

    private record ServedMachines(List<Served.Machine> machines, ServerProgram program) implements ServerSide {}

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        RegisteredMemory machine = machines.getFirst();
        PilafTable table = table();
        MemorySegment memory = machine.allocate(table.bytes());
        PilafServer server = new PilafServer(memory, table);
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        for (int ordinal = 0; ordinal < records(); ordinal++) {
            long key = loadedKeys().applyAsLong(ordinal);
            value.set(ValueLayout.JAVA_LONG, 0, key);
            if (!server.write(key, value)) {
                throw new FabricException("Pilaf's table has space for only " + ordinal + " of " + records()
                        + " records at this load factor; use a lower load-factor");
            }
        }
        // The first program is the server that has loaded the table; after a crash of the machine a new one continues
        // from the memory.
        AtomicReference<@Nullable PilafServer> loaded = new AtomicReference<>(server);
        ServerProgram program = run -> {
            PilafServer pilafServer = loaded.getAndSet(null);
            (pilafServer == null ? new PilafServer(memory, table) : pilafServer).run(run);
        };
        return new ServedMachines(List.of(new Served.Machine(machine.register(memory))), program);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        PilafTable table = table();
        return workload(
                client -> new PilafClient(client, table, served.region(), pilaf.backOffNs()),
                LongStream.range(0, records()).map(loadedKeys()).toArray(),
                pilaf.newKeys(),
                freshKeys(),
                measure,
                runSeed);
    }
}
