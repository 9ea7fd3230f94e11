package org.example.race;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.trials.KeyValueTrial;
import org.reprobe.trial.Script;

/**
 * Clients of a tiny RACE table: one group per subtable, so that both combined buckets share the middle one, and all
 * keys have the same slots and fingerprint. Splits distinguish keys by the last bits of their numbers.
 */
final class RaceTrial extends KeyValueTrial {
    private static final int WORD = 8;

    /** First combined bucket of every key. */
    private static final int FIRST = 0;

    private final RaceTable table;
    private final RaceRules rules;
    private final int spareBlocks;
    private final boolean refused;
    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    /** @param loaded number of keys, the first ones, initially in the table */
    RaceTrial(RaceRules rules, int slots, int spareBlocks, int keys, int loaded, Script script) {
        this(
                new RaceTable(0, 0, 1, slots, blocks(spareBlocks, loaded, script), WORD, WORD),
                rules,
                spareBlocks,
                keys,
                loaded,
                true,
                script);
    }

    private RaceTrial(
            RaceTable table, RaceRules rules, int spareBlocks, int keys, int loaded, boolean refused, Script script) {
        super(script, keys(table, keys), loaded);
        this.table = table;
        this.rules = rules;
        this.spareBlocks = spareBlocks;
        this.refused = refused;
    }

    /** Creates a trial with splits of subtables with one slot per bucket; {@code maxDepth} suffices for all writes. */
    static RaceTrial splitting(int depth, int maxDepth, int spareBlocks, int keys, int loaded, Script script) {
        RaceTable table = new RaceTable(depth, maxDepth, 1, 1, blocks(spareBlocks, loaded, script), WORD, WORD);
        return new RaceTrial(table, RaceRules.CORRECTED, spareBlocks, keys, loaded, false, script);
    }

    private static int blocks(int spareBlocks, int loaded, Script script) {
        return loaded + script.clients().size() * spareBlocks;
    }

    private static long[] keys(RaceTable table, int count) {
        long[] keys = new long[count];
        long next = FIRST_KEY;
        for (int i = 0; i < count; i++) {
            while (RaceTable.suffix(next, table.maxDepth()) != (i & (table.maxSubtables() - 1))
                    || table.combined(next, 0) != FIRST
                    || (i > 0 && table.fingerprint(next) != table.fingerprint(keys[0]))) {
                next++;
            }
            keys[i] = next++;
        }
        return keys;
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.allocate(table.bytes());
        table.format(memory);
        for (int number = 0; number < loadedKeys(); number++) {
            if (!new RaceMemory(memory, table).put(key(number), number + 1)) {
                throw new FabricException("key " + number + " finds no slot");
            }
        }
        region = fabric.register(memory);
    }

    @Override
    protected KeyValueClient connect(Client client) throws FabricException {
        FreeBlocks free = new FreeBlocks(1 + loadedKeys() + client.index() * spareBlocks, spareBlocks);
        return new RaceClient(client, table, region, rules, free, 1);
    }

    @Override
    protected boolean revealsContent() {
        return true;
    }

    @Override
    protected OptionalLong finalValue(long key) {
        return new RaceMemory(memory, table).firstWord(key);
    }

    /**
     * {@inheritDoc} Writes may be refused while slots may be tentative or cleared, or if blocks may run out, but not if
     * a split would make room.
     */
    @Override
    protected boolean mayBeRefused(int number, boolean last) {
        return refused;
    }

    @Override
    public String place(int region, long offset) {
        return table.place(offset);
    }
}
