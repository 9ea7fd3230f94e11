package org.reprobe.trial;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.nessie.Contents;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.nessie.ServerLink;
import org.reprobe.remote.Result;

/**
 * Clients of a tiny Nessie table. In the end, what the table holds is judged as well: as if somebody had read each key after
 * all operations.
 */
final class NessieTrial implements Trial {
    private static final int ITEMS = 3;
    private static final int WORD = 8;
    private static final int ATTEMPTS = 1000;

    private final Rules rules;
    private final Script script;
    private final int loadedKeys;
    private final Geometry geometry;
    private final long mostSlots;
    private final long[] keys;
    private Nessie table;
    private MemorySegment memory = MemorySegment.NULL;
    private @Nullable Fabric fabric;
    /** Of the schedule that runs now. */
    private @Nullable NessieServer server;

    /**
     * @param places primary and secondary slot of each key
     * @param mostSlots what the server may let the index table grow to; 0 for no server program
     * @param loaded how many of the keys, the first ones, are in the table from the start
     */
    NessieTrial(Rules rules, int slots, long mostSlots, int[][] places, int loaded, Script script) {
        this.rules = rules;
        this.script = script;
        this.loadedKeys = loaded;
        this.mostSlots = mostSlots;
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
    public @Nullable ServerProgram server() {
        if (mostSlots == 0) {
            return null;
        }
        return here -> {
            NessieServer fresh = new NessieServer(Objects.requireNonNull(fabric), memory, table);
            server = fresh;
            fresh.run(here);
        };
    }

    @Override
    public void build(Fabric fabric) throws FabricException {
        this.fabric = fabric;
        memory = fabric.allocate(
                geometry.withSlots(Math.max(geometry.slots(), mostSlots)).bytes());
        Fill fill = Fill.of(
                memory, geometry, rules, (double) loadedKeys / geometry.slots(), ordinal -> keys[(int) ordinal]);
        RemoteRegion region = fabric.register(memory.asSlice(0, geometry.bytes()));
        table = new Nessie(geometry, region, fill.loaded(), rules, 1, ATTEMPTS);
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int me = client.index();
        ServerCalls calls = mostSlots == 0 ? ServerCalls.NONE : new ServerLink(client, me);
        NessieClient nessie = new NessieClient(client, table, me, 1, calls);
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
        History judged = history;
        if (rules == Rules.CORRECTED) {
            List<Event> events = new ArrayList<>(history.events());
            NessieServer last = server;
            Geometry now = last == null ? geometry : last.geometry();
            long time = Long.MAX_VALUE - 2;
            for (int key = 0; key < keys.length; key++) {
                OptionalLong value;
                try {
                    value = Contents.firstWord(memory, now, keys[key]);
                } catch (IllegalStateException e) {
                    return "key " + key + ": " + e.getMessage();
                }
                long found = value.isPresent() ? named(value.getAsLong()) : Event.ABSENT;
                events.add(new Event(clients(), Operation.READ, key, 0, 0, found, time, time + 1));
            }
            judged = new History(events);
        }
        return new LinearizabilityCheck<>(new RegisterMap(before)).check(judged)
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.words()
                : null;
    }

    @Override
    public String place(int region, long offset) {
        long items = (long) geometry.owners() * ITEMS;
        long item = offset / geometry.itemBytes();
        if (item < items) {
            long word = offset % geometry.itemBytes() / WORD;
            return "D[" + (item + 1) + "]" + (word == 0 ? "" : " word " + word);
        }
        long behind = (offset - items * geometry.itemBytes()) / WORD;
        return behind < items ? "notice " + (behind + 1) : "I[" + (behind - items) + "]";
    }
}
