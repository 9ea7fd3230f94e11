package org.reprobe.findorput.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.reprobe.check.Event;
import org.reprobe.check.FindOrPutSet;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.findorput.ChunkSize;
import org.reprobe.findorput.FindOrPut;
import org.reprobe.findorput.SharedTable;
import org.reprobe.system.CrashTest;
import org.reprobe.system.Served;

/** Crash test of a set on one machine without client processes: the protocol does not tolerate lost memory. */
public final class FindOrPutCrashTest implements CrashTest {
    /** C, which is small so that inserts of clients collide in few buckets. */
    private static final int CHUNK_BUCKETS = 8;

    private static final int CHUNKS = 32;

    private static long buckets(Size size) {
        return 2 * size.keys();
    }

    private record ServedTable(List<Served.Machine> machines, MemorySegment memory, SharedTable table)
            implements Table {
        @Override
        public Event read(int client, long key, long nowNs) {
            long result = contains(key) ? Event.FOUND : Event.INSERTED;
            return new Event(client, Operation.FIND_OR_PUT, key, 0, 0, result, nowNs, nowNs + 1);
        }

        /** Returns true if the key is found before the first empty bucket, as by a lookup. */
        private boolean contains(long key) {
            for (long i = 0; i < (long) CHUNK_BUCKETS * CHUNKS; i++) {
                long bucket = memory.get(ValueLayout.JAVA_LONG, (table.home(key) + i) % table.buckets() * Long.BYTES);
                if (bucket == SharedTable.bucketOf(key) || !SharedTable.occupied(bucket)) {
                    return SharedTable.occupied(bucket);
                }
            }
            return false;
        }
    }

    @Override
    public Model<?> model() {
        return new FindOrPutSet();
    }

    @Override
    public List<Operation> operations() {
        return List.of(Operation.FIND_OR_PUT);
    }

    @Override
    public Table serve(RegisteredMemory machine, Size size) throws FabricException {
        MemorySegment memory = machine.allocate(SharedTable.bytesOf(0, 1, buckets(size)));
        Served.Machine served = new Served.Machine(machine.register(memory));
        return new ServedTable(
                List.of(served), memory, SharedTable.of(buckets(size), 1, served.regions(), List.of(memory)));
    }

    @Override
    public Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException {
        SharedTable table = SharedTable.of(buckets(size), 1, machine.regions(), List.of(MemorySegment.NULL));
        FindOrPut set = new FindOrPut(client, table, new ChunkSize.Fixed(CHUNK_BUCKETS), CHUNKS, true);
        return new Session() {
            @Override
            public long perform(Operation operation, long key, long value) throws FabricException {
                return switch (set.findOrPut(key)) {
                    case FOUND -> Event.FOUND;
                    case INSERTED -> Event.INSERTED;
                    case FULL -> Event.FULL;
                };
            }

            @Override
            public void close() {
                set.close();
            }
        };
    }
}
