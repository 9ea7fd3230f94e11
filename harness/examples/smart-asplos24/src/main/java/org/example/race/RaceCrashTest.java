package org.example.race;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.check.Event;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.trials.KeyValueCrashTest;
import org.reprobe.system.Served;

/**
 * Crash test of a RACE table with one group per subtable, so that clients collide, and with spare blocks for those
 * leaked by dead clients.
 */
final class RaceCrashTest extends KeyValueCrashTest {
    private static final int DEPTH = 1;
    private static final int SLOTS = 64;
    private static final int BLOCKS = 256;
    private static final long BACK_OFF_NS = 2_000;

    private static RaceTable table(Size size) {
        return new RaceTable(DEPTH, DEPTH, 2, SLOTS, size.clients() * BLOCKS, Long.BYTES, RaceTable.UNIT_BYTES);
    }

    private record ServedTable(List<Served.Machine> machines, RaceMemory memory) implements Table {
        @Override
        public Event read(int client, long key, long nowNs) {
            return readEvent(client, key, memory.firstWord(key), nowNs);
        }
    }

    @Override
    public Table serve(RegisteredMemory machine, Size size) throws FabricException {
        RaceTable table = table(size);
        MemorySegment memory = machine.allocate(table.bytes());
        table.format(memory);
        return new ServedTable(List.of(new Served.Machine(machine.register(memory))), new RaceMemory(memory, table));
    }

    @Override
    public Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException {
        FreeBlocks free = new FreeBlocks(1 + client.index() * BLOCKS, BLOCKS);
        return session(new RaceClient(
                client, table(size), machine.regions().getFirst(), RaceRules.CORRECTED, free, BACK_OFF_NS));
    }
}
