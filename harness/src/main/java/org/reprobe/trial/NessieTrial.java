package org.reprobe.trial;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.Result;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;

/** Clients of a tiny Nessie table; keys 1 and 2 share the places of key 0, or the secondary one only. */
final class NessieTrial implements Trial {
    private static final int ITEMS = 3;
    private static final int WORD = 8;
    private static final int ATTEMPTS = 1000;

    private final Rules rules;
    private final Script script;
    private final int loadedKeys;
    private final Geometry geometry;
    private final long[] keys;
    private Nessie table;

    /**
     * @param places primary and secondary slot of each key
     * @param loaded how many of the keys, the first ones, are in the table from the start
     */
    NessieTrial(Rules rules, int slots, int[][] places, int loaded, Script script) {
        this.rules = rules;
        this.script = script;
        this.loadedKeys = loaded;
        this.geometry = new Geometry(slots, script.clients().size() + 1, ITEMS, WORD);
        this.keys = new long[places.length];
        long next = 1;
        for (int i = 0; i < keys.length; i++) {
            while (geometry.primary(next) != places[i][0] || geometry.secondary(next) != places[i][1]) {
                next++;
            }
            keys[i] = next++;
        }
        this.table = new Nessie(
                geometry, new RemoteRegion(0, geometry.bytes(), 0), new int[geometry.owners()], rules, 1, ATTEMPTS);
    }

    @Override
    public int clients() {
        return script.clients().size();
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        MemorySegment memory = fabric.allocate(geometry.bytes());
        Fill fill = Fill.of(
                memory, geometry, rules, (double) loadedKeys / geometry.slots(), ordinal -> keys[(int) ordinal]);
        table = new Nessie(geometry, fabric.register(memory), fill.loaded(), rules, 1, ATTEMPTS);
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int me = client.index();
        NessieClient nessie = new NessieClient(client, table, me, 1, ServerCalls.NONE);
        for (Script.Ask ask : script.clients().get(me)) {
            long key = keys[ask.key()];
            int invocation = history.invoked(me, ask.operation(), ask.key(), ask.value());
            Result result = switch (ask.operation()) {
                case READ -> nessie.read(key);
                case WRITE -> nessie.write(key, ask.value());
                case DELETE -> nessie.delete(key);
                default -> throw new IllegalArgumentException("Nessie has no " + ask.operation());
            };
            switch (result) {
                case DONE ->
                    history.returned(
                            invocation,
                            switch (ask.operation()) {
                                case READ -> named(nessie.firstWord());
                                default -> Event.DONE;
                            });
                case ABSENT -> history.returned(invocation, Event.ABSENT);
                case FULL -> history.returned(invocation, Event.REFUSED);
                case GAVE_UP -> {
                    return;
                }
            }
        }
    }

    /** What was loaded has its key for a value: shown as the key's number. */
    private long named(long value) {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == value) {
                return i;
            }
        }
        return value;
    }

    @Override
    public @Nullable String wrong(History history) {
        Map<Long, Long> before = new HashMap<>();
        for (long key = 0; key < loadedKeys; key++) {
            before.put(key, key);
        }
        return new LinearizabilityCheck<>(new RegisterMap(before)).check(history)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.words()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        long slots = geometry.slots() * WORD;
        if (offset < slots) {
            return "I[" + offset / WORD + "]";
        }
        long item = (offset - slots) / geometry.itemBytes();
        if (item < (long) geometry.owners() * ITEMS) {
            long word = (offset - slots) % geometry.itemBytes() / WORD;
            return "D[" + (item + 1) + "]" + (word == 0 ? "" : " word " + word);
        }
        return "notice " + (1 + (offset - slots - (long) geometry.owners() * ITEMS * geometry.itemBytes()) / WORD);
    }
}
