package org.reprobe.pilaf.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafServer;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.trials.KeyValueTrial;
import org.reprobe.trial.Configuration;
import org.reprobe.trial.Script;

/**
 * Clients that read a tiny Pilaf table while the server writes. The server's writes for a request are one step or, with
 * {@code apart}, one step per word. A READ may return words from before and after a write.
 */
class PilafTrial extends KeyValueTrial {
    private final PilafTable table;
    private final int items;
    private final boolean apart;
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);
    private @Nullable PilafServer server;

    /**
     * @param items number of data items; writes may be refused if it does not exceed the number of keys
     * @param places places of each key
     * @param loaded number of keys, the first ones, that are in the table from the start
     * @param apart true if each word that the server writes is a step, at which it may fail
     */
    PilafTrial(int slots, int items, int[][] places, int loaded, boolean apart, Script script) {
        this(new PilafTable(slots, items, Long.BYTES), places, loaded, apart, script);
    }

    private PilafTrial(PilafTable table, int[][] places, int loaded, boolean apart, Script script) {
        super(script, keys(table, places), loaded);
        this.table = table;
        this.items = table.items();
        this.apart = apart;
    }

    private static long[] keys(PilafTable table, int[][] places) {
        long[] keys = new long[places.length];
        // As an entry, such a key would be that of item 2.
        long next = PilafTable.entry(2, 0) + FIRST_KEY;
        for (int i = 0; i < keys.length; i++) {
            int[] wanted = places[i];
            while (!Arrays.equals(
                    table.places(next), Arrays.stream(wanted).asLongStream().toArray())) {
                next++;
            }
            keys[i] = next++;
        }
        return keys;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.allocate(table.bytes());
        PilafServer loader = new PilafServer(memory, table);
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        for (int number = 0; number < loadedKeys(); number++) {
            value.set(ValueLayout.JAVA_LONG, 0, key(number));
            if (!loader.write(key(number), value)) {
                throw new FabricException("key " + number + " has no free place");
            }
        }
        region = fabric.register(memory);
    }

    @Override
    public ServerProgram server() {
        return here -> {
            PilafServer fresh = apart
                    ? new PilafServer(memory, table, () -> here.accesses(Long.BYTES))
                    : new PilafServer(memory, table);
            server = fresh;
            fresh.run(here);
        };
    }

    @Override
    protected KeyValueClient connect(Client client) throws FabricException {
        return new PilafClient(client, table, region, 1);
    }

    /** The server moves keys as far as necessary: a write is refused only without items or places for all keys. */
    @Override
    protected boolean mayBeRefused(int number, boolean last) {
        int[][] places = new int[keys()][];
        for (int i = 0; i < places.length; i++) {
            places[i] = Arrays.stream(table.places(key(i)))
                    .mapToInt(slot -> (int) slot)
                    .toArray();
        }
        return items <= keys() || !Configuration.allFit(places);
    }

    @Override
    protected boolean revealsContent() {
        return true;
    }

    @Override
    protected OptionalLong finalValue(long key) {
        PilafServer last = server;
        return last == null ? OptionalLong.empty() : last.firstWord(key);
    }

    @Override
    public String place(int region, long offset) {
        return table.place(offset);
    }
}
