package org.reprobe.run;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.findorput.FindOrPutWorkload;
import org.reprobe.findorput.SharedTable;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.NessieServer;
import org.reprobe.pilaf.PilafServer;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.Tally;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;

/** The servers' half of a protocol's run, as far as it is in one process: parts of the table, filled and registered. */
public final class ProtocolServer {
    private final ProtocolCell cell;
    private final int first;
    private final List<? extends RegisteredMemory> machines;
    private final List<MemorySegment> memories = new ArrayList<>();
    private final List<RemoteRegion> regions = new ArrayList<>();
    private Queue<Long> rest = new ArrayDeque<>(0);
    private @Nullable ServerProgram program;

    private ProtocolServer(Settings settings, int repeat, int first, List<? extends RegisteredMemory> machines) {
        this.cell = new ProtocolCell(settings, repeat);
        this.first = first;
        this.machines = machines;
    }

    /**
     * Allocates, fills and registers.
     *
     * @param repeat of the cell: its keys are its own
     * @param machines those here, which are numbers {@code first} and following: of find-or-put's clients all are servers, else
     *     there is one, which is none of theirs
     * @throws FabricException when there is no room, also for the records in the table
     */
    public static ProtocolServer of(Settings settings, int repeat, int first, List<? extends RegisteredMemory> machines)
            throws FabricException {
        ProtocolServer server = new ProtocolServer(settings, repeat, first, machines);
        try {
            server.prepare();
        } catch (IllegalArgumentException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
        return server;
    }

    private void prepare() throws FabricException {
        switch (cell.settings().scheme()) {
            case NESSIE -> nessie(machines.getFirst());
            case PILAF -> pilaf(machines.getFirst());
            case FIND_OR_PUT -> findOrPut();
            case COMPARE_AND_SWAP -> part(machines.getFirst(), (long) cell.words() * Long.BYTES);
            case VERB -> verb(machines.getFirst());
            default ->
                throw new IllegalArgumentException(cell.settings().scheme().key() + " has tables of its own");
        }
    }

    private MemorySegment part(RegisteredMemory machine, long bytes) throws FabricException {
        MemorySegment memory = machine.allocate(bytes);
        memories.add(memory);
        regions.add(machine.register(memory));
        return memory;
    }

    private void nessie(RegisteredMemory machine) throws FabricException {
        Geometry geometry = cell.nessieGeometry();
        MemorySegment memory = machine.allocate(cell.largestNessieGeometry().bytes());
        Fill fill = Fill.of(
                memory,
                geometry,
                cell.settings().protocol().rules(),
                cell.places(),
                cell.settings().loadFactor(),
                cell.loadedKeys());
        RemoteRegion region = machine.register(memory.asSlice(0, geometry.bytes()));
        memories.add(memory);
        regions.add(region);
        if (cell.nessieIsServed()) {
            program = new NessieServer(machine, memory, cell.nessie(region, fill));
        }
    }

    private void pilaf(RegisteredMemory machine) throws FabricException {
        PilafTable table = cell.pilaf();
        MemorySegment memory = machine.allocate(table.bytes());
        PilafServer server = new PilafServer(memory, table);
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        for (int ordinal = 0; ordinal < cell.pilafRecords(); ordinal++) {
            long key = cell.loadedKeys().applyAsLong(ordinal);
            value.set(ValueLayout.JAVA_LONG, 0, key);
            if (!server.write(key, value)) {
                throw new FabricException("Pilaf's table takes only " + ordinal + " of " + cell.pilafRecords()
                        + " records at this load factor; use a lower one");
            }
        }
        memories.add(memory);
        regions.add(machine.register(memory));
        program = server;
    }

    private void findOrPut() throws FabricException {
        int servers = cell.servers();
        for (int i = 0; i < machines.size(); i++) {
            part(machines.get(i), SharedTable.bytesOf(first + i, servers, cell.buckets()));
        }
        rest = FindOrPutWorkload.load(cell.sharedTable(table(List.of())), cell.loadedData(), cell.data());
    }

    private void verb(RegisteredMemory machine) throws FabricException {
        part(machine, cell.verbBytes());
        VerbWorkload workload = cell.verb(regions.getFirst(), 0, 0);
        program = workload.needsServer() ? workload::answer : null;
    }

    /** What clients must know of the machines here. */
    public List<RemoteRegion> regions() {
        return List.copyOf(regions);
    }

    /**
     * The table, for clients of this process.
     *
     * @param all the regions of all machines
     */
    public ServedTable table(List<RemoteRegion> all) {
        List<MemorySegment> here = new ArrayList<>(Collections.nCopies(cell.servers(), MemorySegment.NULL));
        for (int i = 0; i < memories.size(); i++) {
            here.set(first + i, memories.get(i));
        }
        return new ServedTable(all, here, rest);
    }

    /** The server's program; null when it is passive. */
    public @Nullable ServerProgram program() {
        return program;
    }

    /** What the memory here says against the counts of all clients, once they have ended; null when it agrees. */
    public @Nullable String contradiction(Tally all) {
        if (cell.settings().scheme() != SchemeName.COMPARE_AND_SWAP) {
            return null;
        }
        MemorySegment memory = memories.getFirst();
        long sum = 0;
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            sum += memory.get(ValueLayout.JAVA_LONG, at);
        }
        return sum == all.raised()
                ? null
                : "the words add up to " + sum + ", but clients have raised them " + all.raised() + " times";
    }
}
