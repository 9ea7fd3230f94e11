package org.example.robinhood;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationResult;

/** Client that reads {@code readSlots} slots at a time, from the home of the key on, until it finds the key or can exclude it. */
final class RobinHoodClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final RobinHoodTable table;
    private final RemoteRegion region;
    private final int readSlots;
    private final MemorySegment local;
    private final OneSidedLink connection;
    private long value;
    private long probes;

    RobinHoodClient(Client client, RobinHoodTable table, RemoteRegion region, int readSlots) throws FabricException {
        this.table = table;
        this.region = region;
        this.readSlots = readSlots;
        this.local = client.allocate(localBytes(readSlots));
        this.connection = new OneSidedLink(client, 0, local, ConnectionOptions.oneSided(1, 1));
    }

    static long localBytes(int readSlots) {
        return (long) readSlots * RobinHoodTable.SLOT_BYTES;
    }

    @Override
    public OperationResult read(long key) throws FabricException {
        long slot = table.home(key);
        for (long distance = 0; ; ) {
            int count = (int) Math.min(readSlots, table.slots() - slot);
            connection.read(region, slot * RobinHoodTable.SLOT_BYTES, 0, count * RobinHoodTable.SLOT_BYTES);
            connection.roundTrip();
            for (int i = 0; i < count; i++, slot++, distance++) {
                long here = local.get(WORD, (long) i * RobinHoodTable.SLOT_BYTES);
                probes++;
                if (here == key) {
                    value = local.get(WORD, (long) i * RobinHoodTable.SLOT_BYTES + Long.BYTES);
                    return OperationResult.DONE;
                }
                if (here == 0 || table.distance(here, slot) < distance) {
                    return OperationResult.ABSENT;
                }
            }
            slot = slot == table.slots() ? 0 : slot;
        }
    }

    @Override
    public long firstWord() {
        return value;
    }

    @Override
    public OneSidedLink connection() {
        return connection;
    }

    @Override
    public long probes() {
        return probes;
    }

    @Override
    public void close() {
        connection.close();
    }
}
