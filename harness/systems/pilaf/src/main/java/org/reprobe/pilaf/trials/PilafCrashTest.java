package org.reprobe.pilaf.trials;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.check.Event;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafServer;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.trials.KeyValueCrashTest;
import org.reprobe.system.Served;

/** Crash test of a Pilaf table that is small enough that keys are moved, and large enough for all keys in use. */
public final class PilafCrashTest extends KeyValueCrashTest {
    private static final PilafTable TABLE = new PilafTable(64, 64, Long.BYTES);
    private static final long BACK_OFF_NS = 2_000;

    private record ServedTable(List<Served.Machine> machines, PilafServer program) implements Table {
        @Override
        public Event read(int client, long key, long nowNs) {
            return readEvent(client, key, program.firstWord(key), nowNs);
        }
    }

    @Override
    public Table serve(RegisteredMemory machine, Size size) throws FabricException {
        MemorySegment memory = machine.allocate(TABLE.bytes());
        return new ServedTable(List.of(new Served.Machine(machine.register(memory))), new PilafServer(memory, TABLE));
    }

    @Override
    public Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException {
        return session(new PilafClient(client, TABLE, machine.regions().getFirst(), BACK_OFF_NS));
    }
}
