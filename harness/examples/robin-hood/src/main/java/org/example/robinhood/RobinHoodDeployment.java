package org.example.robinhood;

import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.KeyValueDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.Workload;

/** One run of Robin Hood: a passive server whose table is shared by runs, and clients that look up keys. */
final class RobinHoodDeployment extends KeyValueDeployment implements SharedContent {
    private final int readSlots;
    private final RobinHoodTable table;

    RobinHoodDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.readSlots = settings.section(RobinHoodSettings.class).readSlots();
        this.table = new RobinHoodTable(
                settings.table().records(), settings.loadFactor(), settings.tableSeed(repeat));
    }

    @Override
    public Content content() {
        return table;
    }

    @Override
    public MemoryNeed memory() {
        long clients = clients();
        return new MemoryNeed(
                clients * RobinHoodClient.localBytes(readSlots),
                clients * MemoryNeed.CLIENT_BYTES + table.records() * Long.BYTES);
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        if (content == null) {
            throw new IllegalStateException("lookups need a table");
        }
        Served.Machine machine =
                new Served.Machine(machines.getFirst().register(content.parts().getFirst()));
        return () -> List.of(machine);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return workload(
                client -> new RobinHoodClient(client, table, served.region(), readSlots),
                LongStream.range(0, table.records()).map(loadedKeys()).toArray(),
                false,
                freshKeys(),
                measure,
                runSeed);
    }
}
