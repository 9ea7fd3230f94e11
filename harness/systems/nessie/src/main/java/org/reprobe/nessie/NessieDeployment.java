package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.remote.KeyValueDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** One run of Nessie: server and clients. The server is passive if {@code nessie.growth} is 0. */
final class NessieDeployment extends KeyValueDeployment {
    /** JVM heap bytes per item: version, free list and use flag of {@link FreeItems}. */
    private static final long ITEM_BYTES = 12;

    private final NessieSettings nessie;

    NessieDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.nessie = settings.section(NessieSettings.class);
    }

    private Geometry geometry() {
        int perClient = Math.toIntExact(settings().table().records() / clients() + 1 + nessie.spareItems());
        return new Geometry(slots(), clients() + 1, perClient, valueBytes());
    }

    /** Returns the geometry after the largest number of resizes by the server program. */
    private Geometry largestGeometry() {
        return geometry().withSlots(slots() * Math.max(1, nessie.growth()));
    }

    private long keptBytes() {
        return RecoveryState.bytes(slots(), largestGeometry().slots());
    }

    private Fill.Places places() {
        return nessie.independentPlaces() ? Fill.Places.EITHER : Fill.Places.IN_TURN;
    }

    private boolean isServed() {
        return nessie.growth() > 0;
    }

    private Nessie table(RemoteRegion region, Fill fill) {
        return new Nessie(geometry(), region, fill.loaded(), nessie.rules(), nessie.backOffNs(), Nessie.ATTEMPTS);
    }

    @Override
    public MemoryNeed memory() {
        Geometry geometry = geometry();
        long clients = clients();
        long link = isServed() ? ServerLink.bytes() : 0;
        return new MemoryNeed(
                largestGeometry().bytes() + clients * (NessieClient.localBytes(geometry) + link),
                // Both sides choose the keys of the table; clients track their items.
                clientHeapBytes()
                        + (isServed() ? keptBytes() : 0)
                        + 2 * (settings().table().records() * Long.BYTES + geometry.slots() / Byte.SIZE)
                        + clients * geometry.itemsPerOwner() * ITEM_BYTES);
    }

    @Override
    public String codePath() {
        return super.codePath() + " " + nessie.rules() + (nessie.newKeys() ? " new keys" : "")
                + (isServed() ? " served" : "");
    }

    private record ServedMachines(
            List<Served.Machine> machines,
            MemorySegment memory,
            @Nullable ServerProgram program) implements ServerSide {}

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        RegisteredMemory machine = machines.getFirst();
        Geometry geometry = geometry();
        MemorySegment memory = machine.allocate(largestGeometry().bytes());
        Fill fill =
                Fill.of(memory, geometry, nessie.rules(), places(), settings().loadFactor(), loadedKeys());
        RemoteRegion region = machine.register(memory.asSlice(0, geometry.bytes()));
        Nessie table = table(region, fill);
        MemorySegment kept = MemorySegment.ofArray(new long[Math.toIntExact(keptBytes() / Long.BYTES)]);
        // After a crash of the machine, a new server program continues from the memory.
        ServerProgram program =
                isServed() ? server -> new NessieServer(machine, memory, table, kept, () -> {}).run(server) : null;
        return new ServedMachines(List.of(new Served.Machine(region)), memory, program);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        Fill fill = Fill.of(geometry(), places(), settings().loadFactor(), loadedKeys());
        Nessie table = table(served.region(), fill);
        LongUnaryOperator fresh = freshKeys();
        if (nessie.alwaysPossible() && served.local() instanceof ServedMachines local) {
            fresh = new PossibleKeys(local.memory(), table.geometry(), fresh);
        }
        return workload(
                client -> new NessieClient(
                        client,
                        table,
                        client.index(),
                        runSeed,
                        isServed() ? new ServerLink(client, client.index()) : ServerCalls.NONE),
                fill.keys(),
                nessie.newKeys(),
                fresh,
                measure,
                runSeed);
    }
}
